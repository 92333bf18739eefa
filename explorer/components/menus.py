"""Quiet chips that open menus of links: every choice is an address, with or without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import parse_qsl

from dash import html
from dash.development.base_component import Component

from explorer.components.frame import link
from explorer.components.markup import raw
from explorer.domain import view_state
from explorer.domain.view_state import ViewState


def chip(
    label: str,
    value: str,
    items: Sequence[Component],
    *,
    on: bool = False,
    name: str = "",
    search: str = "",
) -> Component:
    """Return a chip that shows a setting and opens its menu; `search` labels a box over it."""
    return html.Details(
        [
            html.Summary([label, " ", html.B(value)]),
            html.Div(items, className="menu", **({"data-search": search} if search else {})),
        ],
        className="chip on" if on else "chip",
        **{"data-menu": name or label},
    )


def option(text: str, href: str, *, chosen: bool, note: str = "") -> Component:
    """Return one choice of a menu; the chosen one says so to screen readers."""
    mark = {"aria-current": "true"} if chosen else {}
    inside = [html.Span(text), html.Span(note, className="n")] if note else text
    return link(inside, href, className="option on" if chosen else "option", **mark)


def group(title: str, options: Iterable[Component]) -> Component:
    """Return a titled part of a menu."""
    return html.Div([html.P(title, className="group"), *options])


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
    hidden = "".join(
        f'<input type="hidden" name="{escape(key)}" value="{escape(value)}">'
        for key, value in _pairs(rest)
    )
    inputs = "".join(
        f"<label>{escape(label)} "
        f'<input type="number" name="{escape(name)}" value="{value}" step="{step}" min="0" '
        f'placeholder="{escape(placeholder)}" inputmode="decimal"></label> '
        for name, label, value, placeholder in fields
    )
    return raw(
        f'<form data-nav="1" method="get" action="{escape(path)}">{hidden}{inputs}'
        f"<button>{escape(button)}</button></form>",
        className="form",
    )


def _pairs(state: ViewState) -> list[tuple[str, str]]:
    return parse_qsl(view_state.format(state))
