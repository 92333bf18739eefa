"""The few numbers one looks for first, large, each with a line below."""

from __future__ import annotations

from collections.abc import Iterable

from dash import html
from dash.development.base_component import Component

from explorer.domain.units import MISSING
from explorer.figures.chart import short


def large(value: int | None) -> str:
    """Return a count with all its digits, from a hundred million on in few.

    >>> large(14_979_404), large(1_250_000_000)
    ('14,979,404', '1.25G')
    """
    if value is None:
        return MISSING
    return f"{value:,}" if value < 1e8 else short(float(f"{value:.4g}"))


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
