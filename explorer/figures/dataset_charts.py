"""How a dataset's requests are distributed: bars on a log axis, a lognormal beside the data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise

from explorer.domain.answers import Fitted
from explorer.domain.units import percent
from explorer.figures.chart import Axis, Chart, Reference, Trace, short, value_text

Words = Callable[..., str]

UNITS: Mapping[str, str] = {
    "isl_tokens": "tokens",
    "osl_tokens": "tokens",
    "uncached_tokens": "tokens",
    "cached_ratio": "ratio",
    "delay_s": "s",
    "turns": "turns",
    "subagent_isl_tokens": "tokens",
    "subagent_osl_tokens": "tokens",
    "subagent_duration_s": "s",
}
"""Quantity → unit, in the page's order."""

_COUNTED = {"turns": "conversations", "delay_s": "turns", "subagent_duration_s": "subagents"}


def charts(found: Mapping[str, Fitted], words: Words, *, structured: bool = True) -> list[Chart]:
    """Return a chart of each quantity that has samples, in the order of UNITS.

    `words` translates keys `dataset.…`. Without structure a delay is an inter-arrival time.
    """
    return [_chart(name, found[name], words, structured) for name in UNITS if name in found]


def _chart(name: str, one: Fitted, words: Words, structured: bool) -> Chart:
    key = name if structured or name != "delay_s" else "arrival_s"
    unit = UNITS[name]
    counted = "requests" if key == "arrival_s" else _COUNTED.get(name, "requests")
    log = unit != "ratio"
    references = [] if unit == "ratio" else _guides(one, unit)
    return Chart(
        name=name.removesuffix("_tokens").removesuffix("_s").replace("_", "-"),
        title=words(f"dataset.chart.{key}"),
        note=words(f"dataset.note.{key}"),
        x=Axis(words(f"dataset.axis.{unit}"), unit, log=log),
        y=Axis(words(f"dataset.counted.{counted}"), "requests"),
        traces=_traces(one, words(f"dataset.counted.{counted}"), words),
        references=tuple(references),
        summary=_summary(one, unit, words),
        source=words("dataset.source"),
        notes=tuple(_notes(one, unit, words)),
    )


def _traces(one: Fitted, label: str, words: Words) -> tuple[Trace, ...]:
    data = one.data
    bars = Trace("data", label, "bar", data.edges, [float(n) for n in data.counts], "s1")
    if one.fit is None:
        return (bars,)
    middles = [math.sqrt(low * high) for low, high in pairwise(data.edges)]
    expected = one.fit.expected(data.edges, data.n)
    return bars, Trace("fit", words("dataset.lognormal"), "line", middles, expected, "s2")


def _guides(one: Fitted, unit: str) -> list[Reference]:
    ranks = one.data.percentiles
    return [Reference("x", ranks[r], f"{r} {_value(ranks[r], unit)}") for r in ("p50", "p90")]


def _value(value: float, unit: str) -> str:
    if unit == "s":
        return f"{short(float(f'{value:.3g}'))} s"
    return short(round(value)) if unit != "ratio" else value_text(value, unit)


def _summary(one: Fitted, unit: str, words: Words) -> str:
    ranks = one.data.percentiles
    numbers = {name: _value(value, unit) for name, value in ranks.items()}
    ends = {"low": _value(one.data.minimum, unit), "high": _value(one.data.maximum, unit)}
    return words("dataset.summary", n=f"{one.data.n:,}", **numbers, **ends)


def _notes(one: Fitted, unit: str, words: Words) -> list[str]:
    said = []
    if one.fit is not None and one.distance is not None:
        median, sigma = _value(one.fit.median, unit), f"{one.fit.sigma:.2f}"
        gap = percent(one.distance)
        said.append(words("dataset.fit", median=median, sigma=sigma, gap=gap))
    if one.left_out:
        said.append(words("dataset.left_out", n=f"{one.left_out:,}"))
    return said
