"""An embed as one HTML document: title, picture, caption, source; every link leads out of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.lake import Snapshot
from explorer.domain.view_state import ViewState
from explorer.embeds import styles

Html = str
"""Text that is escaped already."""
OWN_KEYS = ("title", "caption", "size", "check")
"""Keys of an address that only embeds have: links into the product leave them out."""
_LONGEST = {"title": 240, "caption": 1_200}
_LINK = re.compile(r'<a (?![^>]*href="#)')
_PAGE = (
    '<!doctype html>\n<html lang="{lang}" data-theme="{theme}"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
    '<meta name="robots" content="noindex">{canonical}'
    '<link rel="icon" href="data:,"><style>{css}</style></head>\n'
    '<body><main class="{kind} {size}" data-embed="{kind}">{inner}</main>'
    "<script>{script}</script></body></html>\n"
)


@dataclass(frozen=True, slots=True)
class Embed:
    """What a kind of embed shows; `page` is the address of the page that shows the same.

    `legend` stands under the picture unless small, `more` behind a fold, open when large.
    `notices`: what a reader must know first; `counted` says how much of how much is drawn;
    `newest` is the date of the newest result in it.
    """

    title: str
    caption: str
    body: Html
    page: str
    about: str = ""
    legend: Html = ""
    more: Html = ""
    notices: Sequence[str] = ()
    counted: str = ""
    newest: str = ""


def document(
    kind: str,
    embed: Embed,
    snapshot: Snapshot,
    state: ViewState,
    sheets: tuple[str, ...],
    checked: Html = "",
) -> str:
    """Return the whole document of an embed; `checked` stands over it."""
    words = Words(state)
    title = (state["title"] or embed.title)[: _LONGEST["title"]]
    figure = outward(_figure(embed, title, state, words))
    inner = f"{checked}{figure}{_origin(embed, snapshot, state, words)}"
    return page(kind, title, inner, state, sheets, embed.page)


def page(
    kind: str, title: str, inner: Html, state: ViewState, sheets: tuple[str, ...], canonical: str
) -> str:
    """Return a document around HTML; `canonical` is the page that shows the same, or empty."""
    link = f'<link rel="canonical" href="{escape(canonical)}">' if canonical else ""
    return _PAGE.format(
        lang=state["lang"],
        theme=state["theme"],
        title=escape(title),
        canonical=link,
        css=styles.css(("tokens", *sheets, "embed"), state["theme"]),
        kind=kind,
        size=state["size"],
        inner=inner,
        script=styles.script(),
    )


def outward(markup: Html) -> Html:
    """Return HTML whose links open outside the frame and cannot reach back into it."""
    plain = markup.replace(' data-nav="1"', "").replace(' data-nav=""', "")
    return _LINK.sub('<a target="_blank" rel="noopener" ', plain)


def inside(state: ViewState) -> ViewState:
    """Return the state that links into the product carry: all but what only embeds have."""
    return state.having(**dict.fromkeys(OWN_KEYS))


def _figure(embed: Embed, title: str, state: ViewState, words: Words) -> Html:
    small = state["size"] == "small"
    caption = (state["caption"] or ("" if small else embed.caption))[: _LONGEST["caption"]]
    parts = [
        f'<h1 class="title">{escape(title)}</h1>',
        "" if small else _paragraph("about", embed.about),
        *(_paragraph("notice", text) for text in embed.notices),
        embed.body,
        "" if small else embed.legend,
        f"<figcaption>{escape(caption)}</figcaption>" if caption else "",
        "" if small else _more(embed.more, state, words),
    ]
    return f"<figure>{''.join(parts)}</figure>"


def _paragraph(css: str, text: str) -> Html:
    return f'<p class="{css}">{escape(text)}</p>' if text else ""


def _more(inner: Html, state: ViewState, words: Words) -> Html:
    if not inner:
        return ""
    opened = " open" if state["size"] == "large" else ""
    summary = escape(words("embeds.numbers"))
    return f'<details class="more"{opened}><summary>{summary}</summary>{inner}</details>'


def _origin(embed: Embed, snapshot: Snapshot, state: ViewState, words: Words) -> Html:
    """Return the line that says from where and of when the picture is, and the ways out.

    A snapshot may be named later: its name stands here only where the address says it.
    """
    pin = state["snap"]
    name = pin if pin and not snapshot.snap.startswith(pin) else snapshot.snap[:8]
    source = words("embeds.source", snapshot=name, date=snapshot.time[:10])
    said = [source, words("embeds.newest", date=embed.newest) if embed.newest else ""]
    ways = [(words("embeds.open"), embed.page)]
    if pin:
        ways.append((words("embeds.unpinned"), _unpinned(embed.page, pin)))
    links = "".join(f'<a href="{escape(href)}">{escape(text)}</a>' for text, href in ways)
    texts = "".join(f"<span>{escape(text)}</span>" for text in (*said, embed.counted) if text)
    return outward(f'<p class="origin">{texts}<span class="ways">{links}</span></p>')


def _unpinned(address: str, snap: str) -> str:
    """Return an address in the product without its pin: the newest data."""
    pin = addresses.with_query("", ViewState().having(snap=snap)).removeprefix("?")
    path, _, query = address.partition("?")
    rest = "&".join(part for part in query.split("&") if part and part != pin)
    return f"{path}?{rest}" if rest else path
