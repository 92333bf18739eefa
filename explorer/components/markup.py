"""Component trees to HTML text, and trusted HTML inside component trees.

One layout serves twice: as plain HTML in the first answer (no JavaScript needed) and as Dash
components once the scripts are there.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from dash import dcc, html
from dash.development.base_component import Component

_VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "wbr"})
_RENAMED = {"className": "class", "htmlFor": "for", "tabIndex": "tabindex", "hrefLang": "hreflang"}
_SKIPPED = frozenset({"children", "n_clicks", "key", "n_clicks_timestamp", "data-html"})
_CAMEL = {"colSpan": "colspan", "rowSpan": "rowspan", "dateTime": "datetime"}


class Html(str):
    """Text that is HTML already. It may stand in `raw` and `to_html`, never in a live tree."""

    __slots__ = ()


def anchor(inner: Any, href: str, css: str = "", **attributes: str) -> Html:
    """Return a link inside the product as text; underscores in attribute names are dashes."""
    named = f' class="{css}"' if css else ""
    for name, value in attributes.items():
        named += f' {name.replace("_", "-")}="{escape(value)}"'
    return Html(f'<a href="{escape(href)}" data-nav="1"{named}>{to_html(inner)}</a>')


def raw(markup: str, **props: Any) -> Component:
    """Return a component whose inside is this HTML; `markup` must be escaped already.

    In the browser assets/page.js puts the text in place; React never touches it.
    """
    return html.Div(**{"data-html": markup, **props})


def to_html(node: Any) -> str:
    """Return the HTML text of a component tree of `html.*` components, `raw` and `Html`.

    Texts are escaped. Components that only live in the browser (dcc.*) leave nothing, except
    what they hold.
    """
    if isinstance(node, Html):
        return node
    if node is None or node is False:
        return ""
    if isinstance(node, (str, int, float)):
        return escape(str(node), quote=False)
    if isinstance(node, Iterable) and not isinstance(node, Component):
        return "".join(to_html(child) for child in node)
    return _element(node)


_DASH_OWN = frozenset(vars(html.Div())) - {"children"}


def props_of(component: Component) -> dict[str, Any]:
    """Return the props of a component, as its `to_plotly_json` does at ten times the cost."""
    return {name: value for name, value in vars(component).items() if name not in _DASH_OWN}


def _element(component: Component) -> str:
    props = props_of(component)
    inner = props.get("data-html") or to_html(props.get("children"))
    if isinstance(component, (dcc.Location, dcc.Store)):
        return ""
    if component._namespace != "dash_html_components":
        return inner
    tag = component._type.lower()
    named = sorted(props.items())  # Dash's own order is another in every process
    attributes = "".join(_attribute(name, value) for name, value in named)
    return f"<{tag}{attributes}>" + ("" if tag in _VOID else f"{inner}</{tag}>")


def _attribute(name: str, value: Any) -> str:
    if name in _SKIPPED or value is None or value is False:
        return ""
    name = _RENAMED.get(name) or _CAMEL.get(name) or name
    if isinstance(value, dict):
        value = ";".join(f"{_kebab(key)}:{item}" for key, item in value.items())
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'


def _kebab(name: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)
