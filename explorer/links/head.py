"""What a page's head says to others: canonical address, languages, cards, oEmbed, schema.org."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape

from explorer.components.view import View, Words
from explorer.domain import addresses, view_state
from explorer.domain.lake import Lake, Snapshot
from explorer.domain.share_code import BrokenCodeError, encode
from explorer.domain.view_state import ViewState
from explorer.exports.cards import HEIGHT, WIDTH
from explorer.i18n import LANGUAGES
from explorer.links import schema_org

_LOCALES = {"en": "en_US", "zh": "zh_CN"}


def head(
    lake: Lake, base: str, view: View, state: ViewState, path: str, snapshot: Snapshot | None
) -> str:
    """Return the tags of a page's head; a page that is an error asks not to be indexed."""
    if view.status != 200:
        return '<meta name="robots" content="noindex">'
    here = base + addresses.page(path, state.having(theme=None))
    tags = [
        f'<link rel="canonical" href="{escape(base + view.canonical)}">',
        *_languages(base, view),
        *_card(base, view, state, path, snapshot, here),
        _oembed(base, view, state, path, here),
        *_schema(schema_org.documents(lake, base, path, state, snapshot)),
    ]
    return "\n".join(tag for tag in tags if tag)


def _languages(base: str, view: View) -> Iterable[str]:
    """Yield the page's addresses in each language."""
    path, _, query = view.canonical.partition("?")
    for lang in LANGUAGES:
        state = view_state.parse(query).having(lang=lang)
        href = base + addresses.with_query(path, state)
        yield f'<link rel="alternate" hreflang="{lang}" href="{escape(href)}">'


def _card(
    base: str, view: View, state: ViewState, path: str, snapshot: Snapshot | None, here: str
) -> Iterable[str]:
    """Yield Open Graph and Twitter tags; the picture's address names the snapshot it shows."""
    words = Words(state)
    title = view.title.removesuffix(f" · {words('frame.name')}")
    pairs = {
        "og:site_name": words("frame.name"),
        "og:type": "website" if path == "/" else "article",
        "og:title": title,
        "og:description": view.description,
        "og:url": here,
        "og:locale": _LOCALES[state["lang"]],
    }
    if picture := card_of(path, state, snapshot):
        pairs |= {
            "og:image": base + picture,
            "og:image:type": "image/png",
            "og:image:width": str(WIDTH),
            "og:image:height": str(HEIGHT),
            "og:image:alt": title,
        }
    for name, text in pairs.items():
        yield f'<meta property="{name}" content="{escape(text)}">' if text else ""
    yield '<meta name="twitter:card" content="summary_large_image">'


def card_of(path: str, state: ViewState, snapshot: Snapshot | None) -> str:
    """Return the address of a view's card, of this snapshot; empty where it is too long."""
    try:
        code = encode(addresses.page(path, state.having(snap=None)))
    except BrokenCodeError:
        return ""
    return addresses.card(code, state["snap"] or (snapshot.snap if snapshot else None))


def _oembed(base: str, view: View, state: ViewState, path: str, here: str) -> str:
    """Return the link by which others find how to embed this page, where an embed shows it."""
    if not addresses.embed_of(path, state):
        return ""
    title = escape(view.title)
    href = escape(base + addresses.oembed(here))
    return f'<link rel="alternate" type="application/json+oembed" href="{href}" title="{title}">'


def _schema(documents: Iterable[object]) -> Iterable[str]:
    for document in documents:
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        yield f'<script type="application/ld+json">{text.replace("<", chr(92) + "u003c")}</script>'
