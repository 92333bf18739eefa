"""A chart of a point in an embed: title, key, drawing, note; its numbers as a table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from explorer.embeds.document import Html
from explorer.figures.chart import Chart
from explorer.figures.chart_svg import chart_svg
from explorer.figures.chart_table import chart_table

_MOST = 8
"""Traces of a chart up to which its values are read out and listed."""
HEIGHTS = {"small": 130, "medium": 160, "large": 220}


def blocks(charts: Sequence[Chart], size: str) -> Html:
    """Return charts under one another, two a row where there is room; empty ones are left out."""
    drawn = "".join(_block(chart, HEIGHTS[size]) for chart in charts if not chart.empty)
    return f'<div class="panels">{drawn}</div>' if drawn else ""


def tables(charts: Sequence[Chart]) -> Html:
    """Return the same numbers as tables."""
    return "".join(
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(chart.title)}">'
        f"{chart_table(chart)}</div>"
        for chart in charts
        if not chart.empty and len(chart.traces) <= _MOST
    )


def absent(charts: Sequence[Chart]) -> list[str]:
    """Return why charts are not there, each reason once."""
    missing: dict[str, list[str]] = {}
    for chart in charts:
        if chart.empty:
            missing.setdefault(chart.empty, []).append(chart.title)
    return [f"{', '.join(titles)}: {reason}" for reason, titles in missing.items()]


def _block(chart: Chart, height: int) -> Html:
    unit = f' <span class="unit">{escape(chart.y.label)}</span>' if chart.y.label else ""
    guided = any(reference.axis == "x" for reference in chart.references)
    kind = "chart-plot guided" if guided else "chart-plot"
    drawn = chart_svg(chart, height, data=len(chart.traces) <= _MOST)
    notes = "".join(f'<p class="counts">{escape(note)}</p>' for note in chart.notes)
    return (
        f'<div class="panel" data-testid="chart-{chart.name}"><h2>{escape(chart.title)}{unit}</h2>'
        f'{_key(chart)}<div class="{kind}">{drawn}</div>{notes}</div>'
    )


def _key(chart: Chart) -> Html:
    if len(chart.traces) < 2:
        return ""
    items = "".join(
        f'<li><i class="k-{trace.kind} c-{trace.colour} {trace.weight}"></i>{escape(trace.label)}'
        "</li>"
        for trace in chart.traces
    )
    return f'<ul class="legend">{items}</ul>'
