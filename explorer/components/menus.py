"""Quiet chips that open menus of links: every choice is an address, with or without scripts.

A page has hundreds of choices and all their addresses change with each of them, so what is inside
a chip is made as text and put in place in one go; the chip itself stays, open or closed. On a page
drawn anew in place menus are folded (modes.FOLDED).
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components.forms import hidden
from explorer.components.markup import Html, raw, to_html
from explorer.components.modes import FOLDED, folded
from explorer.domain.view_state import ViewState


def chip(
    label: str,
    value: str,
    items: Iterable[Any],
    *,
    on: bool = False,
    name: str = "",
    search: str = "",
) -> Component:
    """Return a chip that shows a setting and opens its menu; `search` labels a box over it.

    `items` are components or `Html`; an iterator is not read for a menu that is folded.
    """
    found = f' data-search="{escape(search)}"' if search else ""
    menu = "" if FOLDED else f'<div class="menu"{found}>{to_html(items)}</div>'
    return html.Details(
        className="chip on" if on else "chip",
        **{
            "data-menu": name or label,
            "data-html": f"<summary>{escape(label)} <b>{escape(value)}</b></summary>{menu}",
            **folded(),
        },
    )


def option(text: str, href: str, *, chosen: bool, note: str = "") -> Html:
    """Return one choice of a menu; the chosen one says so to screen readers."""
    mark = ' aria-current="true"' if chosen else ""
    inside = escape(text, quote=False)
    if note:
        inside = f'<span>{inside}</span><span class="n">{escape(note)}</span>'
    css = "option on" if chosen else "option"
    return Html(f'<a href="{escape(href)}" data-nav="1" class="{css}"{mark}>{inside}</a>')


def group(title: str, options: Iterable[Any]) -> Html:
    """Return a titled part of a menu."""
    return Html(f'<div><p class="group">{escape(title, quote=False)}</p>{to_html(options)}</div>')


def note(text: str) -> Html:
    """Return a remark in a menu."""
    return Html(f'<p class="note">{escape(text, quote=False)}</p>')


def number_form(
    state: ViewState, name: str, label: str, button: str, path: str, step: str = "any"
) -> Component:
    """Return a form that sets one number of the address; works without scripts."""
    value = "" if state[name] is None else f"{state[name]:g}"
    rest = state.having(**{name: None})
    return numbers_form(rest, [(name, label, value, "")], button, path, step)


def numbers_form(
    rest: ViewState,
    fields: Iterable[tuple[str, str, str, str]],
    button: str,
    path: str,
    step: str = "any",
) -> Component:
    """Return a form that sets some numbers; `rest` is the address without them.

    Fields are (key, label, value, placeholder); one left empty leaves the address.
    """
    inputs = "".join(
        f"<label>{escape(label)} "
        f'<input type="number" name="{escape(name)}" value="{value}" step="{step}" min="0" '
        f'placeholder="{escape(placeholder)}" inputmode="decimal"></label> '
        for name, label, value, placeholder in fields
    )
    return raw(
        f'<form data-nav="1" method="get" action="{escape(path)}">{hidden(rest)}{inputs}'
        f"<button>{escape(button)}</button></form>",
        className="form",
    )
