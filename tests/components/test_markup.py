"""Components as HTML text: what the renderer would be given is what is written."""

from __future__ import annotations

import inspect

import pytest
from dash import dcc, html
from dash.development.base_component import Component

from explorer.components.markup import props_of

KINDS = [kind for _, kind in inspect.getmembers(html, inspect.isclass)]
GIVEN = {"id": "a", "className": "b", "data-x": "1", "aria-label": "c", "hidden": True}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_props_are_those_that_dash_would_send(kind):
    for component in (kind(), kind("text"), kind(["text", html.B("bold")], **GIVEN)):
        assert props_of(component) == component.to_plotly_json()["props"]


def test_props_of_components_that_live_in_the_browser():
    for component in (dcc.Location(id="place"), dcc.Store(id="kept", data={"a": 1})):
        assert isinstance(component, Component)
        sent = component.to_plotly_json()["props"]
        assert {name: props_of(component)[name] for name in sent} == sent
