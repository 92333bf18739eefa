"""The few numbers one looks for first, large, each with a line below."""

from __future__ import annotations

from collections.abc import Iterable

from dash import html
from dash.development.base_component import Component


def key_numbers(figures: Iterable[tuple[str, str, str]]) -> Component:
    """Return (label, value, line below) as a row of large numbers; an empty line is left out."""
    cells = [
        html.Div(
            [
                html.Dt(label),
                html.Dd(html.B(value)),
                html.Dd(below, className="below") if below else None,
            ]
        )
        for label, value, below in figures
    ]
    return html.Dl(cells, className="figures", **{"data-testid": "key-figures"})
