"""A chart as a value: axes, traces, references, words; drawn as SVG, Plotly or a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from explorer.domain.units import nice_ticks, number, percent
from explorer.figures.scales import Scale, scale

Kind = Literal["line", "step", "bar", "area", "scatter"]
Colour = Literal["acc", "ink", "soft", "hit", "tier", "miss", "warn", "bad", "s1", "s2", "s3", "s4"]
Values = Sequence[float]

_TIME_STEPS = (0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600)
_TIME_TICKS = 6


@dataclass(frozen=True, slots=True)
class Axis:
    """What a side shows: `unit` is s, tokens, ratio, …; `time` is s on a clock."""

    label: str
    unit: str
    log: bool = False
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """One series of marks. NaN is a gap; `base` is the lower edge of an area or bar (else 0).

    Bars have one more x than y: their edges. `counts` say how many samples a scattered mark
    stands for. `weight`: main, thin or faint; a faint area is a band between two lines.
    """

    key: str
    label: str
    kind: Kind
    x: Values
    y: Values
    colour: Colour = "acc"
    weight: Literal["main", "thin", "faint"] = "main"
    base: Values | None = None
    counts: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """A guide at one value of an axis, labelled."""

    axis: Literal["x", "y"]
    value: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart of a page. `empty` says why nothing is drawn; then axes and traces are bare.

    `column` is the request quantity of its bars, so that a range can be chosen on it; `bin_hrefs`
    are the addresses that choose each bin.
    """

    name: str
    title: str
    note: str
    x: Axis = Axis("", "time")
    y: Axis = Axis("", "")
    traces: tuple[Trace, ...] = ()
    references: tuple[Reference, ...] = ()
    summary: str = ""
    source: str = ""
    data_href: str = ""
    empty: str = ""
    notes: tuple[str, ...] = field(default=())
    column: str = ""
    bin_hrefs: tuple[str, ...] = field(default=())

    @property
    def timed(self) -> bool:
        """Tell whether x is the point's clock, so that a window can be chosen on it."""
        return self.x.unit == "time"


def x_scale(chart: Chart) -> Scale:
    """Return the scale of x: a clock keeps its ends, a log axis its data's."""
    if chart.timed:
        return time_scale(chart.x.low or 0.0, chart.x.high or 1.0)
    values = [value for trace in chart.traces for value in trace.x]
    if chart.x.log and values:
        low, high = min(values), max(values)
        ticks = tuple(tick for tick in _decades(low, high) if low <= tick <= high)
        return Scale(low, max(high, low * 1.01), True, ticks)
    return scale(values, chart.x.log)


def y_scale(chart: Chart) -> Scale:
    """Return the scale of y: from 0 unless it is a log axis or says where it starts."""
    values = [*_heights(chart.traces), *(r.value for r in chart.references if r.axis == "y")]
    if chart.y.log:
        return scale(values, True)
    low = chart.y.low if chart.y.low is not None else 0.0
    high = max((value for value in values if math.isfinite(value)), default=1.0)
    high = chart.y.high if chart.y.high is not None else high
    ticks = nice_ticks(low, high if high > low else low + 1.0, 5)
    if chart.y.unit == "requests":
        ticks = sorted({float(round(tick)) for tick in ticks})
    top = chart.y.high if chart.y.high is not None else min(ticks[-1], max(high * 1.06, ticks[1]))
    return Scale(low, top, False, tuple(tick for tick in ticks if low <= tick <= top))


def _heights(traces: Iterable[Trace]) -> list[float]:
    """Return what decides a scale: each trace's ends, and its smallest positive value."""
    found: list[float] = []
    for trace in traces:
        values = np.asarray(trace.y, dtype=np.float64)
        for part in (values[np.isfinite(values)], values[np.isfinite(values) & (values > 0)]):
            found += [float(part.min()), float(part.max())] if len(part) else []
    return found


def _decades(low: float, high: float) -> list[float]:
    """Return 1-2-5 ticks, or every, second or third power of ten when those are too many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    fine = [factor * 10.0**power for power in powers for factor in (1, 2, 5)]
    if sum(low <= tick <= high for tick in fine) <= 7:
        return fine
    return [10.0**power for power in powers]


def time_scale(low: float, high: float) -> Scale:
    """Return a clock's scale: exactly low to high, ticks at whole seconds, minutes or hours."""
    high = max(high, low + 1e-6)
    rough = (high - low) / _TIME_TICKS
    step = next((step for step in _TIME_STEPS if step >= rough), None)
    step = step or math.ceil(rough / 86400) * 86400
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return Scale(low, high, False, tuple(index * step for index in range(first, last + 1)))


def clock(seconds: float, step: float = 0.0) -> str:
    """Return a time as a clock shows it: 45 s, 2 min, 1:30 min, 1 h, 1:15 h; a true minus.

    >>> clock(45), clock(90), clock(-120), clock(4500), clock(0.5)
    ('45 s', '1:30 min', '−2 min', '1:15 h', '0.5 s')
    """
    sign, value = ("−" if seconds < 0 else ""), abs(seconds)
    if value == 0:
        return "0"
    if value < 60 or 0 < step < 1:
        return f"{sign}{value:g} s"
    if value < 3600:
        return f"{sign}{_pair(round(value), 60)} min"
    return f"{sign}{_pair(round(value / 60), 60)} h"


def _pair(value: int, base: int) -> str:
    whole, rest = divmod(value, base)
    return f"{whole}:{rest:02d}" if rest else str(whole)


def tick_text(value: float, axis: Axis, ticks: Sequence[float]) -> str:
    """Return how a tick of an axis is written."""
    if axis.unit == "time":
        return clock(value, ticks[1] - ticks[0] if len(ticks) > 1 else 0.0)
    if axis.unit == "ratio":
        return f"{value * 100:.0f} %"
    return short(value)


def short(value: float) -> str:
    """Return a number in few characters: 1,200 · 45k · 1.2M · 3G.

    >>> short(0.05), short(1200), short(45_678), short(1_250_000), short(0)
    ('0.05', '1,200', '45.7k', '1.25M', '0')
    """
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= (1e4 if letter == "k" else 0.9995 * size):
            return f"{value / size:.3g}{letter}"
    return f"{value:,.10g}"


def value_text(value: float, unit: str) -> str:
    """Return a value beside its unit, as read-outs and tables write it."""
    if unit == "ratio":
        return percent(value)
    if unit == "time":
        return clock(value)
    if unit in ("tokens", "requests") and value == int(value):
        return f"{int(value):,}"
    return number(value)
