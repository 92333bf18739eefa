"""The share dialog: fields to copy from, pinned or always the newest; works without scripts."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from dash import html
from dash.development.base_component import Component

from explorer.components import share_texts
from explorer.components.markup import raw
from explorer.components.modes import FOLDED, folded
from explorer.components.share_texts import Shared
from explorer.components.view import View, Words
from explorer.domain.lake import Snapshot
from explorer.domain.view_state import ViewState

_ROWS = {"short": 1, "address": 2, "embed": 4, "embed_table": 4, "markdown": 3, "picture": 2}
_CITATION_ROWS = 8


def share(
    view: View, state: ViewState, path: str, snapshot: Snapshot | None, base: str
) -> Component | None:
    """Return the dialog of a view; nothing for a page that is an error, or without results."""
    if snapshot is None or view.status != 200 or not base:
        return None
    words = Words(state)
    return html.Details(
        [
            html.Summary(words("share.open")),
            None if FOLDED else _menu(view, state, path, snapshot, base),
        ],
        className="chip share",
        **{"data-menu": "share", "data-testid": "share", **folded()},
    )


def _menu(view: View, state: ViewState, path: str, snapshot: Snapshot, base: str) -> Component:
    words = Words(state)
    title = view.title.removesuffix(f" · {words('frame.name')}")
    shared = Shared(title, path, state.having(snap=None), snapshot, base, words)
    pinned = replace(shared, state=state.having(snap=state["snap"] or snapshot.snap))
    return raw(
        _dialog(pinned, shared, words),
        className="menu share-menu",
        role="group",
        **{"aria-label": words("share.title")},
    )


def _dialog(pinned: Shared, newest: Shared, words: Words) -> str:
    name = pinned.snapshot.name or pinned.snapshot.snap[:8]
    date = pinned.snapshot.time[:10]
    return (
        f'<p class="group" id="share-which">{escape(words("share.which"))}</p>'
        f"{_choice('pinned', words('share.pinned', name=name, date=date), True)}"
        f"{_choice('newest', words('share.newest'), False)}"
        f"{_side('pinned', pinned, words)}{_side('newest', newest, words)}"
        f'<p class="sr share-said" role="status" data-said="{escape(words("share.copied"))}" '
        f'data-failed="{escape(words("share.copy_failed"))}"></p>'
    )


def _choice(name: str, label: str, chosen: bool) -> str:
    checked = " checked" if chosen else ""
    return (
        f'<input type="radio" name="share-pin" id="share-{name}"{checked} '
        f'aria-describedby="share-which"><label for="share-{name}">{escape(label)}</label>'
    )


def _side(side: str, shared: Shared, words: Words) -> str:
    texts = {
        "short": shared.short,
        "address": shared.address,
        **share_texts.embeds(shared),
        "markdown": share_texts.markdown(shared),
        "picture": shared.card,
        "citation": share_texts.bibtex(shared),
    }
    fields = "".join(_field(side, name, text, words) for name, text in texts.items() if text)
    why = escape(words(f"share.{side}_why"))
    return f'<div class="share-{side}"><p class="why">{why}</p>{fields}</div>'


def _field(side: str, name: str, text: str, words: Words) -> str:
    key, label = f"share-{side}-{name}", escape(words(f"share.{name}"))
    rows = _ROWS.get(name, _CITATION_ROWS)
    open_it = (
        f'<a href="{escape(text)}" class="act">{escape(words("share.open_picture"))}</a>'
        if name == "picture"
        else ""
    )
    return (
        f'<div class="field"><label for="{key}">{label}</label>{open_it}'
        f'<button type="button" class="act copy" data-copy="{key}">{escape(words("share.copy"))}'
        f'<span class="sr">: {label}</span></button>'
        f'<textarea id="{key}" readonly rows="{rows}" spellcheck="false" wrap="soft" '
        f'data-testid="{key}">{escape(text)}</textarea></div>'
    )
