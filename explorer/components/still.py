"""Parts of a page that the renderer need not look into: one component, its inside as HTML."""

from __future__ import annotations

from dash.development.base_component import Component

from explorer.components.markup import to_html


def still(component: Component) -> Component:
    """Return the same element with its inside as HTML text, put in place by assets/page.js.

    The renderer's work grows with the number of components, so a part that is only read, or whose
    links and forms need no callback, is one. What changes in it is drawn anew as a whole.
    """
    props = dict(component.to_plotly_json()["props"])
    if "data-html" in props:
        return component
    inside = to_html(props.pop("children", None))
    return type(component)(**props, **{"data-html": inside})
