"""Forms that lead to another state of a page: they send along what the address says already.

They work without scripts; `data-nav` lets assets/page.js follow them without a new document.
"""

from __future__ import annotations

from html import escape
from urllib.parse import parse_qsl

from dash.development.base_component import Component

from explorer.components.markup import raw
from explorer.domain import view_state
from explorer.domain.view_state import ViewState


def hidden(rest: ViewState) -> str:
    """Return a state as inputs that a form sends along."""
    return "".join(
        f'<input type="hidden" name="{escape(key)}" value="{escape(value)}">'
        for key, value in parse_qsl(view_state.format(rest))
    )


def search_form(
    path: str, rest: ViewState, key: str, texts: tuple[str, str], value: str | None = None
) -> Component:
    """Return a form of one field, which sets a key of the state; `rest` is the address without it.

    `texts` are the field's label and the button's. A field with a value, even an empty one,
    searches the page; without one it names something more, and must be filled.
    """
    label, button = (escape(text) for text in texts)
    role = "" if value is None else ' role="search"'
    given = " required" if value is None else ""
    text = "" if value is None else f'value="{escape(value)}" '
    return raw(
        f'<form data-nav="1" method="get" action="{escape(path)}"{role}>{hidden(rest)}'
        f'<input type="search" name="{key}" {text}aria-label="{label}" '
        f'placeholder="{label}"{given}> <button class="btn">{button}</button></form>',
        className="search",
    )
