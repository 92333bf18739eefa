"""Several points on one scale: distributions in shared bins, series from each phase's start."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from explorer.domain.answers import Timed
from explorer.figures.chart import Axis, Chart, Colour, Trace, value_text

Words = Callable[..., str]
Row = dict[str, Any]
COLOURS: tuple[Colour, ...] = ("s1", "s2", "s3", "s4")
UNITS = {
    "ttft_s": "s",
    "e2el_s": "s",
    "interactivity_tps": "tok/s/user",
    "isl_tokens": "tokens",
    "osl_tokens": "tokens",
}
"""Quantities that have a distribution, and the unit of their axis."""


@dataclass(frozen=True, slots=True)
class Side:
    """One point: its name in legends and its series over the window."""

    label: str
    timed: Timed


@dataclass(frozen=True, slots=True)
class _Line:
    """A chart over time: its series and its unit; `rest` shows 1 − the series."""

    name: str
    series: str
    unit: str
    rest: bool = False


_LINES = (
    _Line("ttft", "p90_ttft_s", "s"),
    _Line("interactivity", "p90_interactivity_tps", "tok/s/user"),
    _Line("queue", "requests_waiting", "requests"),
    _Line("flight", "requests_in_flight", "requests"),
    _Line("hits", "miss_ratio", "ratio", rest=True),
    _Line("kv", "kv_usage_ratio", "ratio"),
    _Line("throughput", "prompt_tps", "tok/s"),
    _Line("decode", "generation_tps", "tok/s"),
    _Line("completed", "completed", "requests"),
    _Line("inflight", "in_flight_unique_tokens", "tokens"),
)


def over_time(sides: Sequence[Side], words: Words) -> list[Chart]:
    """Return a line a point for each series; one that no point has says why."""
    return [_over_time(line, sides, words) for line in _LINES]


def _over_time(line: _Line, sides: Sequence[Side], words: Words) -> Chart:
    title, note = (words(f"compare.chart.{line.name}_{part}") for part in ("title", "note"))
    bare = Chart(f"compare-{line.name}", title, note)
    traces, missing, sources = [], [], {}
    for side, colour in zip(sides, COLOURS, strict=False):
        row = _row(side.timed, line)
        if row is None:
            missing.append((side.label, _why(side.timed, line, words)))
        else:
            traces.append(_trace(row, line, side.label, colour))
            sources[row["source"]] = words(f"point.from.{row['source']}")
    if not traces:
        return replace(bare, empty=missing[0][1])
    spans = [side.timed for side in sides if not side.timed.empty]
    ends = (0.0, 1.0) if line.unit == "ratio" else (None, None)
    return replace(
        bare,
        x=Axis(words("point.axis.time"), "time", False, _low(spans), _high(spans)),
        y=Axis(
            "" if line.unit == "ratio" else words(f"point.axis.{line.unit}"),
            line.unit,
            False,
            *ends,
        ),
        traces=tuple(traces),
        summary=_summary(traces, line.unit, words),
        source=", ".join(sources.values()),
        notes=tuple(words("compare.not_drawn", side=side, why=why) for side, why in missing),
    )


def _low(spans: Sequence[Timed]) -> float:
    return min(one.from_s for one in spans)


def _high(spans: Sequence[Timed]) -> float:
    return max(one.to_s for one in spans)


def _row(timed: Timed, line: _Line) -> Row | None:
    """Return the deployment's row of a series; None where nothing of it is known."""
    rows = [row for row in timed.of(line.series) if row["engine"] is None]
    return next((row for row in rows if np.isfinite(row["value"]).any()), None)


def _why(timed: Timed, line: _Line, words: Words) -> str:
    return words(f"point.reason.{timed.reason(line.series) or 'no_samples'}")


def _trace(row: Row, line: _Line, label: str, colour: Colour) -> Trace:
    value = 1 - row["value"] if line.rest else row["value"]
    return Trace(label, label, "line", row["t_s"].tolist(), value.tolist(), colour, "thin")


def _summary(traces: Sequence[Trace], unit: str, words: Words) -> str:
    said = []
    for trace in traces:
        known = [value for value in trace.y if math.isfinite(value)]
        low, high, last = (value_text(v, unit) for v in (min(known), max(known), known[-1]))
        said.append(words("point.summary", name=trace.label, low=low, high=high, last=last))
    return " ".join(said)


def distribution(
    quantity: str,
    edges: Sequence[float],
    shares: Sequence[Sequence[float] | None],
    counts: Sequence[int],
    labels: Sequence[str],
    words: Words,
) -> Chart:
    """Return the outline of each point's histogram over shared bins, as shares of its requests."""
    traces = tuple(
        Trace(label, label, "step", list(edges), [*share, 0.0], colour)
        for label, share, colour in zip(labels, shares, COLOURS, strict=False)
        if share is not None
    )
    told = ", ".join(
        words("compare.n_requests", side=label, n=f"{n:,}")
        for label, n in zip(labels, counts, strict=True)
        if n
    )
    missing = [label for label, share in zip(labels, shares, strict=True) if share is None]
    why = words("point.reason.no_requests")
    return Chart(
        name=f"compare-{quantity}",
        title=words(f"compare.chart.{quantity}_title"),
        note=words("compare.chart.distribution_note"),
        x=Axis(words(f"point.axis.{UNITS[quantity]}"), UNITS[quantity], log=True),
        y=Axis("", "ratio"),
        traces=traces,
        summary=told,
        source=words("point.from.requests"),
        notes=(told, *(words("compare.not_drawn", side=side, why=why) for side in missing)),
    )
