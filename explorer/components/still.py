"""Parts of a page that the renderer need not look into: one component, its inside as HTML."""

from __future__ import annotations

from dash.development.base_component import Component

from explorer.components.markup import props_of, to_html


def still(component: Component) -> Component:
    """Return the same element with its inside as HTML text, put in place by assets/page.js.

    The renderer's work grows with the number of components, so a part that is only read, or whose
    links and forms need no callback, is one. What changes in it is drawn anew as a whole.
    """
    props = props_of(component)
    if "data-html" in props:
        return component
    inside = to_html(props.pop("children", None))
    return type(component)(**props, **{"data-html": inside})


def part(name: str, component: Component) -> Component:
    """Return a part of a page that can be drawn anew by itself.

    Only what is inside is drawn anew: the component's own attributes must never change.
    """
    element = still(component)
    setattr(element, "data-part", name)
    return element


def inside(component: Component) -> str:
    """Return the HTML inside a still component."""
    return getattr(component, "data-html", None) or ""
