"""A Chart as a Plotly figure: a plain dictionary with typed arrays, for the enlarged view."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from explorer.figures.chart import Chart, Reference, Trace, tick_text, x_scale, y_scale

_WIDTHS = {"main": 2.0, "thin": 1.2, "faint": 1.0}
Palette = Mapping[str, str]


def chart_plotly(chart: Chart, palette: Palette) -> dict[str, Any]:
    """Return {data, layout}; `palette` maps the chart's colours, ink, soft, line and paper."""
    shapes, annotations = _references(chart, palette)
    layout = {
        "paper_bgcolor": palette["paper"],
        "plot_bgcolor": palette["paper"],
        "font": {"color": palette["soft"], "size": 12, "family": "inherit"},
        "margin": {"l": 64, "r": 20, "t": 44, "b": 48},
        "hovermode": "x unified",
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "xaxis": _axis(chart, "x", palette),
        "yaxis": _axis(chart, "y", palette),
        "shapes": shapes,
        "annotations": annotations,
    }
    return {"data": [_trace(trace, palette) for trace in chart.traces], "layout": layout}


def _axis(chart: Chart, side: str, palette: Palette) -> dict[str, Any]:
    axis, used = (chart.x, x_scale(chart)) if side == "x" else (chart.y, y_scale(chart))
    texts = [tick_text(tick, axis, used.ticks) for tick in used.ticks]
    return {
        "title": {"text": axis.label},
        "type": "log" if used.log else "linear",
        "gridcolor": palette["line"],
        "zeroline": False,
        "showgrid": side == "y",
        "tickvals": list(used.ticks) if axis.unit == "ratio" else None,
        "ticktext": texts if axis.unit == "ratio" else None,
    }


def _typed(values: Sequence[float]) -> dict[str, str]:
    """Return values as Plotly's typed array."""
    array = np.asarray(values, dtype="<f8")
    return {"dtype": "f8", "bdata": base64.b64encode(array.tobytes()).decode()}


def _trace(trace: Trace, palette: Palette) -> dict[str, Any]:
    colour = palette[trace.colour]
    common = {"name": trace.label, "x": _typed(trace.x), "y": _typed(trace.y)}
    if trace.kind == "bar":
        return common | _bar(trace, colour)
    if trace.kind == "scatter":
        marker = {"color": colour, "size": 4, "opacity": 0.45}
        return common | {"type": "scattergl", "mode": "markers", "marker": marker}
    line = {"color": colour, "width": _WIDTHS[trace.weight]}
    if trace.kind == "step":
        line["shape"] = "hv"
    if trace.kind == "area":
        own = np.asarray(trace.y) - np.asarray(trace.base if trace.base is not None else 0.0)
        filled = {"stackgroup": "one", "fillcolor": colour, "y": _typed(list(own))}
        return common | {"type": "scatter", "mode": "none", **filled}
    return common | {"type": "scatter", "mode": "lines", "line": line, "connectgaps": False}


def _bar(trace: Trace, colour: str) -> dict[str, Any]:
    edges = np.asarray(trace.x, dtype="<f8")
    return {
        "type": "bar",
        "x": _typed(list((edges[1:] + edges[:-1]) / 2)),
        "width": _typed(list(np.diff(edges))),
        "marker": {"color": colour},
    }


def _references(
    chart: Chart, palette: Palette
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    shapes, annotations = [], []
    for one in chart.references:
        along, other = ("x", "y") if one.axis == "x" else ("y", "x")
        line = {"color": palette["soft"], "width": 1, "dash": "dash"}
        ends = {f"{along}0": one.value, f"{along}1": one.value, f"{other}0": 0, f"{other}1": 1}
        shapes.append({"type": "line", f"{other}ref": "paper", "line": line, **ends})
        place = {along: _at(chart, one), other: 1, f"{other}ref": "paper", "showarrow": False}
        annotations.append({"text": one.label, "yanchor": "bottom", "xanchor": "right", **place})
    return shapes, annotations


def _at(chart: Chart, one: Reference) -> float:
    """Return where Plotly puts an annotation: on log axes it counts in powers of ten."""
    axis = chart.x if one.axis == "x" else chart.y
    return math.log10(one.value) if axis.log else one.value
