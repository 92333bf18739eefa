"""A Chart's table twin: the same numbers in rows, folded to what one can read."""

from __future__ import annotations

import math
from bisect import bisect_left
from html import escape
from itertools import pairwise

from explorer.figures.chart import Chart, Trace, clock, value_text

ROWS = 40


def chart_table(chart: Chart) -> str:
    """Return a `<table>` of a chart's numbers, at most 40 rows; a scatter's samples are not in it.

    Rows are the first trace's x; another trace gives its value at the nearest x within a row.
    """
    traces = [trace for trace in chart.traces if trace.kind != "scatter"]
    if not traces:
        return ""
    unit = f", {chart.y.label}" if chart.y.label else ""
    head = "".join(
        f'<th scope="col" class="n">{escape(trace.label + unit)}</th>' for trace in traces
    )
    first = f'<th scope="col">{escape(chart.x.label)}</th>'
    body = "".join(_rows(chart, traces))
    caption = f"<caption>{escape(chart.title)}</caption>"
    return f"<table>{caption}<thead><tr>{first}{head}</tr></thead><tbody>{body}</tbody></table>"


def _rows(chart: Chart, traces: list[Trace]) -> list[str]:
    if traces[0].kind == "bar":
        return _bins(chart, traces)
    xs = _folded(list(traces[0].x))
    rows = []
    for x in xs:
        cells = "".join(f'<td class="n">{_cell(chart, trace, x)}</td>' for trace in traces)
        label = clock(round(x, 1)) if chart.timed else value_text(x, chart.x.unit)
        rows.append(f'<tr><th scope="row">{escape(label)}</th>{cells}</tr>')
    return rows


def _bins(chart: Chart, traces: list[Trace]) -> list[str]:
    """Return a row for each bin that holds something; other traces have one value a bin.

    Where a bin can be chosen, its row leads to it.
    """
    bars, *others = traces
    rows = []
    for index, (low, high) in enumerate(pairwise(bars.x)):
        if bars.y[index]:
            cells = [f"{bars.y[index]:,.0f}", *(f"{trace.y[index]:,.1f}" for trace in others)]
            ends = f"{_edge(low, chart.x.unit)} – {_edge(high, chart.x.unit)}"
            if chart.bin_hrefs:
                ends = f'<a href="{escape(chart.bin_hrefs[index])}" data-nav="1">{ends}</a>'
            numbers = "".join(f'<td class="n">{cell}</td>' for cell in cells)
            rows.append(f'<tr><th scope="row">{ends}</th>{numbers}</tr>')
    return rows


def _edge(value: float, unit: str) -> str:
    whole = {"tokens": 0, "requests": 0, "time": 1}.get(unit)
    return value_text(value if whole is None else round(value, whole or None), unit)


def _folded(xs: list[float]) -> list[float]:
    """Return every k-th x, the last one always, so that at most 40 are left."""
    step = math.ceil(len(xs) / ROWS)
    kept = xs[:: max(step, 1)]
    return kept if not xs or kept[-1] == xs[-1] else [*kept[: ROWS - 1], xs[-1]]


def _cell(chart: Chart, trace: Trace, x: float) -> str:
    if len(trace.x) == 0:
        return ""
    index = bisect_left(trace.x, x)
    if index == len(trace.x) or (index and x - trace.x[index - 1] < trace.x[index] - x):
        index -= 1
    low = trace.base[index] if trace.base is not None else 0.0
    if not math.isfinite(trace.y[index] - low):
        return "–"
    if trace.kind == "area" and trace.weight == "faint":  # a band: what lies between two lines
        return f"{value_text(low, chart.y.unit)} – {value_text(trace.y[index], chart.y.unit)}"
    return value_text(trace.y[index] - low, chart.y.unit)
