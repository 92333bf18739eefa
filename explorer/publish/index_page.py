"""The pages of a site that are no view: its list, and what says that a view is not in it."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from explorer import i18n
from explorer.domain import addresses
from explorer.domain.lake import Snapshot
from explorer.exports.scripts import ASSETS
from explorer.publish.places import Links, Places
from explorer.publish.views import Wanted

if TYPE_CHECKING:
    from explorer.publish.site import Made

_STYLES = ("tokens", "layout")
_PAGE = """<!doctype html>
<html lang="{lang}" data-theme="auto">
<head>
<meta charset="utf-8">{script}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{css}
.site main {{ max-width: 900px; }} .site li {{ margin: 6px 0; }}
.site code {{ overflow-wrap: anywhere; font-size: 13px; }}</style>
</head>
<body><div class="page site"><main id="main">
<h1>{title}</h1>
{body}
</main></div></body>
</html>
"""


def _page(lang: str, title: str, body: str, script: str = "") -> str:
    css = "".join((ASSETS / f"{name}.css").read_text(encoding="utf-8") for name in _STYLES)
    code = f"<script>{script}</script>" if script else ""
    return _PAGE.format(lang=lang, title=escape(title), css=css, body=body, script=code)


def index(
    made: Sequence[Made],
    embeds: Sequence[Made],
    data: Sequence[str],
    snapshot: Snapshot,
    script: str,
) -> str:
    """Return the list of a site, in the language of its first view; titles are escaped already."""
    lang = made[0].wanted.state["lang"] if made else "en"
    say = partial(i18n.text, lang)
    plain = [one for one in embeds if _plain(one.wanted, lang)]
    parts = [
        f"<p>{escape(say('publish.of', snapshot=snapshot.snap, date=snapshot.time[:10]))}</p>",
        _section(say("publish.pages"), [_link(quote(one.file), one.title) for one in made]),
        _section(say("publish.embeds"), [_embed(one) for one in plain]),
        _folded(say("publish.data"), [_link(file, escape(file)) for file in data]),
        f'<p><a href="manifest.json">{escape(say("publish.manifest"))}</a></p>',
    ]
    return _page(lang, say("publish.title"), "\n".join(part for part in parts if part), script)


def _plain(wanted: Wanted, lang: str) -> bool:
    return (wanted.state["lang"], wanted.state["theme"]) == (lang, "auto")


def _section(title: str, items: Sequence[str]) -> str:
    if not items:
        return ""
    return f"<h2>{escape(title)}</h2><ul>{''.join(f'<li>{one}</li>' for one in items)}</ul>"


def _folded(title: str, items: Sequence[str]) -> str:
    if not items:
        return ""
    lines = "".join(f"<li>{one}</li>" for one in items)
    summary = f"<summary>{escape(title)} ({len(items):,})</summary>"
    return f"<details>{summary}<ul>{lines}</ul></details>"


def _link(file: str, text: str) -> str:
    return f'<a href="{escape(file)}">{text}</a>'


def _embed(one: Made) -> str:
    return f"{_link(quote(one.file), one.title)}<br><code>{escape(one.wanted.address)}</code>"


def missing(kind: str, made: Sequence[Made], file: str, places: Places) -> str:
    """Return the page of an embed that a site does not hold, with those it does."""
    body = []
    for lang in i18n.LANGUAGES:
        held = [one for one in made if _plain(one.wanted, lang)]
        items = [_link(places.relative(file, one.file), one.title) for one in held]
        said = i18n.text(lang, "publish.missing", kind=kind)
        body.append(f'<div lang="{lang}"><p>{escape(said)}</p>{_section("", items)}</div>')
    text = "".join(body).replace("<h2></h2>", "")
    return _page("en", i18n.text("en", "publish.missing_title"), text)


def with_way_back(html: str, links: Links, one: Wanted) -> str:
    """Return a timeline's offline page with the way to its point's page, if the site has it."""
    point = posixpath.dirname(one.path)
    target = links.to(addresses.page(point, one.state.only(("lang",))))
    if target is None:
        return html
    text = escape(i18n.text(one.state["lang"], "timeline_page.back"))
    way = f'<p class="said"><a href="{escape(target)}">{text}</a></p>'
    return html.replace("<main>\n", f"<main>\n{way}\n", 1)
