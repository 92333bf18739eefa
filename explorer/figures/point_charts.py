"""Which charts a point has, in sections, each drawn from one answer or empty with its reason."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from explorer.domain.answers import TIER_OF
from explorer.domain.series import BY_SOURCE
from explorer.domain.units import percent
from explorer.figures.chart import Axis, Chart, Colour, Reference, Trace, short, value_text
from explorer.figures.chart_facts import Facts, Maker, Row, empty
from explorer.figures.distribution_charts import distribution

_ENGINES: tuple[Colour, ...] = ("s1", "s2", "s3", "s4")
_MOST_LINES = 12
"""More engines than this are a band in a small chart."""
_RATE_CELLS = 120
_NOTHING = ("tok/s", "tokens", "requests", "B/s")
"""Units whose zeros from end to end are said in words."""
_LOG_FROM = 20.0
"""Samples whose largest is this many times their smallest go on a log axis."""


def sections(facts: Facts) -> list[tuple[str, list[Chart]]]:
    """Return the page's charts in reading order, by section."""
    return [(name, [make(facts) for make in makers.values()]) for name, makers in SECTIONS.items()]


def one(facts: Facts, name: str | None) -> Chart | None:
    """Return the chart of a name, made alone; None for a name of none."""
    makers = {key: make for some in SECTIONS.values() for key, make in some.items()}
    return makers[name](facts) if name in makers else None


def _timed_chart(
    facts: Facts,
    name: str,
    names: tuple[str, ...],
    y: Axis,
    make: Callable[[], list[Trace]],
    references: tuple[Reference, ...] = (),
) -> Chart:
    """Return a chart over time, or an empty one with the reason when it has no traces."""
    rows = [row for one in names for row in facts.rows(one)]
    traces = make() if rows else []
    if not any(math.isfinite(value) for trace in traces for value in trace.y):
        return empty(facts, name, facts.why(names))
    if y.unit in _NOTHING and not any(value > 0 for trace in traces for value in trace.y):
        return empty(facts, name, facts.words("point.reason.none_happened"))
    return Chart(
        name=name,
        title=facts.text(name, "title"),
        note=facts.text(name, "note"),
        x=facts.clock(),
        y=y,
        traces=tuple(traces),
        references=references,
        summary=_summary(facts, traces, y.unit),
        source=facts.source(rows),
        data_href=facts.data_href(names),
        notes=_unsplit(facts, rows),
    )


def _unsplit(facts: Facts, rows: Iterable[Row]) -> tuple[str, ...]:
    """Return the note that a server's own series is of all requests, where some are chosen."""
    if not facts.ranged or all(row["source"] == "requests" for row in rows):
        return ()
    return (facts.words("point.unsplit"),)


def _summary(facts: Facts, traces: list[Trace], unit: str) -> str:
    """Return each trace's lowest, highest and last value in a sentence."""
    said = []
    for trace in traces:
        if trace.kind == "scatter" or trace.weight == "faint":
            continue
        known = [value for value in _own(trace) if math.isfinite(value)]
        if known:
            low, high, last = (value_text(v, unit) for v in (min(known), max(known), known[-1]))
            said.append(
                facts.words("point.summary", name=trace.label, low=low, high=high, last=last)
            )
    return " ".join(said)


def _own(trace: Trace) -> list[float]:
    base = trace.base if trace.base is not None else [0.0] * len(trace.y)
    return [y - low for y, low in zip(trace.y, base, strict=True)]


def _line(row: Row, label: str, colour: Colour, weight: Any = "main") -> Trace:
    return Trace(
        row["name"], label, "line", row["t_s"].tolist(), row["value"].tolist(), colour, weight
    )


def _rolling(name: str, quantity: str) -> Maker:
    """Return a maker of a latency chart: raw samples below, rolling p50 and p90 above."""

    def make(facts: Facts) -> Chart:
        names = (f"p90_{quantity}", f"p50_{quantity}")
        unit = "s" if quantity.endswith("_s") else "tok/s/user"
        cells = facts.samples(quantity)

        def traces() -> list[Trace]:
            drawn = []
            if cells:
                raw = facts.words("point.trace.samples")
                drawn.append(
                    Trace("samples", raw, "scatter", cells.t_s, cells.value, "soft", counts=cells.n)
                )
            for rank, weight in (("p90", "main"), ("p50", "thin")):
                for row in facts.rows(f"{rank}_{quantity}"):
                    label = facts.words(f"point.trace.{rank}")
                    drawn.append(_line(row, label, "ink" if rank == "p90" else "acc", weight))
            return drawn

        log = cells is not None and max(cells.value) > _LOG_FROM * min(cells.value)
        y = Axis(facts.words(f"point.axis.{unit}"), unit, log)
        chart = _timed_chart(facts, name, names, y, traces)
        if cells is None or not cells.folded or chart.empty:
            return chart
        return _noted(chart, facts.words("point.folded"))

    return make


def _queue(facts: Facts) -> Chart:
    """Return running, waiting and their sum; the client's open requests where no server said."""
    names = ("requests_running", "requests_waiting")
    y = Axis(facts.words("point.axis.requests"), "requests")
    if not any(facts.rows(name) for name in names):
        chart = _timed_chart(facts, "queue", ("requests_in_flight",), y, lambda: _client(facts))
        if chart.empty:
            return chart
        why = facts.words("point.instead.client", reason=facts.why(names))
        return _noted(chart, why)

    def traces() -> list[Trace]:
        running, waiting = (_deployment(facts, name) for name in names)
        labels = [facts.words(f"point.trace.{part}") for part in ("running", "waiting")]
        return _stacked([(running, labels[0], "acc"), (waiting, labels[1], "warn")])

    return _timed_chart(facts, "queue", names, y, traces)


def _client(facts: Facts) -> list[Trace]:
    label = facts.words("point.trace.in_flight")
    return [_filled(row, label, "acc") for row in facts.rows("requests_in_flight")]


def _noted(chart: Chart, note: str) -> Chart:
    return replace(chart, notes=(*chart.notes, note))


def _deployment(facts: Facts, name: str) -> Row | None:
    return next((row for row in facts.rows(name) if row["engine"] is None), None)


def _stacked(parts: list[tuple[Row | None, str, Colour]]) -> list[Trace]:
    """Return areas on top of one another; they share their cells."""
    drawn: list[Trace] = []
    base: np.ndarray | None = None
    for row, label, colour in parts:
        if row is None:
            continue
        value = row["value"]
        if base is None or len(base) != len(value):
            base = np.zeros(len(value))
        top = base + value
        drawn.append(
            Trace(
                row["name"],
                label,
                "area",
                row["t_s"].tolist(),
                top.tolist(),
                colour,
                base=base.tolist(),
            )
        )
        base = top
    return drawn


def _filled(row: Row, label: str, colour: Colour) -> Trace:
    return Trace(row["name"], label, "area", row["t_s"].tolist(), row["value"].tolist(), colour)


def _kv(facts: Facts) -> Chart:
    """Return each engine's KV usage and their mean; of many engines, small, the band they fill."""
    rows = facts.rows("kv_usage_ratio")
    engines = [row for row in rows if row["engine"] is not None]
    many = len(engines) > _MOST_LINES and not facts.large

    def traces() -> list[Trace]:
        drawn = [_band(facts, engines)] if many else _each(facts, engines)
        whole = facts.words("point.trace.mean" if engines else "point.trace.kv")
        return drawn + [_line(row, whole, "ink") for row in rows if row["engine"] is None]

    y = Axis("", "ratio", low=0.0, high=1.0)
    chart = _timed_chart(facts, "kv", ("kv_usage_ratio",), y, traces)
    if chart.empty or not many:
        return chart
    return _noted(chart, facts.words("point.many_engines", n=len(engines)))


def _each(facts: Facts, engines: list[Row]) -> list[Trace]:
    few = len(engines) <= len(_ENGINES)
    return [
        _line(
            row,
            facts.words("point.trace.engine", name=row["engine"]),
            _ENGINES[index] if few else "soft",
            "thin" if few else "faint",
        )
        for index, row in enumerate(engines)
    ]


def _band(facts: Facts, engines: list[Row]) -> Trace:
    """Return the area between the lowest and the highest engine."""
    values = np.vstack([row["value"] for row in engines])
    known = np.isfinite(values).any(axis=0)
    low, high = np.full(len(known), np.nan), np.full(len(known), np.nan)
    low[known], high[known] = (
        np.nanmin(values[:, known], axis=0),
        np.nanmax(values[:, known], axis=0),
    )
    label = facts.words("point.trace.engines", n=len(engines))
    t_s = engines[0]["t_s"].tolist()
    return Trace("engines", label, "area", t_s, high.tolist(), "soft", "faint", base=low.tolist())


def _hits(facts: Facts) -> Chart:
    names = ("gpu_hit_ratio", "cpu_hit_ratio", "external_hit_ratio", "miss_ratio")
    colours: tuple[Colour, ...] = ("hit", "tier", "tier", "miss")
    labels = ("gpu", "cpu", "external", "miss")

    def traces() -> list[Trace]:
        rows = [_deployment(facts, name) for name in names]
        if rows[-1] is None:
            return [
                _line(row, facts.words(f"point.trace.{label}"), colour)
                for row, label, colour in zip(rows, labels, colours, strict=True)
                if row is not None
            ]
        return _stacked(
            [
                (row, facts.words(f"point.trace.{label}"), colour)
                for row, label, colour in zip(rows, labels, colours, strict=True)
            ]
        )

    ceiling = facts.point.get("theoretical_cache_hit_ratio")
    references: tuple[Reference, ...] = ()
    if ceiling is not None:
        label = facts.words("point.trace.theory", value=percent(ceiling))
        references = (Reference("y", ceiling, label),)
    y = Axis("", "ratio", low=0.0, high=1.0)
    chart = _timed_chart(facts, "hits", names, y, traces, references)
    if chart.empty or _deployment(facts, "miss_ratio") is not None:
        return chart
    return _noted(chart, facts.words("point.instead.log_hits"))


def _rate(name: str, series: str, unit: str, colour: Colour) -> Maker:
    """Return a maker of a filled rate or count of the whole deployment."""

    def make(facts: Facts) -> Chart:
        def traces() -> list[Trace]:
            row = _deployment(facts, series)
            return [_filled(row, facts.text(name, "trace"), colour)] if row else []

        return _timed_chart(
            facts, name, (series,), Axis(facts.words(f"point.axis.{unit}"), unit), traces
        )

    return make


def _input(facts: Facts) -> Chart:
    """Return input throughput; a log's line counts computed tokens only, which is said."""
    chart = _rate("throughput", "prompt_tps", "tok/s", "acc")(facts)
    row = _deployment(facts, "prompt_tps")
    if row is None or row["source"] != "log":
        return chart
    return _noted(chart, facts.words("point.instead.log"))


def _source_parts(facts: Facts) -> list[tuple[Row, str, Colour]]:
    """Return the prompt-token sources, cache hits first, in words and colours."""
    order = {"gpu": 0, "cpu": 1, "external": 1}
    found: list[tuple[int, Row, str, Colour]] = []
    for row in facts.rows(BY_SOURCE.rstrip(".")):
        source = row["name"].removeprefix(BY_SOURCE)
        rank = order.get(TIER_OF.get(source, ""), 2)
        colours: tuple[Colour, ...] = ("hit", "tier", "miss")
        found.append((rank, row, facts.words("point.trace.source", name=source), colours[rank]))
    return [part[1:] for part in sorted(found, key=lambda part: part[0])]


def _sources(facts: Facts) -> Chart:
    """Return prompt tokens per second by source."""

    def traces() -> list[Trace]:
        return _stacked([(_per_second(row), label, c) for row, label, c in _source_parts(facts)])

    y = Axis(facts.words("point.axis.tok/s"), "tok/s")
    return _timed_chart(facts, "sources", (BY_SOURCE.rstrip("."),), y, traces)


def _per_second(row: Row) -> Row:
    """Return a cumulative row as rates of at most 120 cells."""
    stride = -(-len(row["t_s"]) // _RATE_CELLS)
    t_s, value = row["t_s"][stride - 1 :: stride], row["value"][stride - 1 :: stride]
    if len(t_s) < 2:
        return row
    width = np.diff(t_s)
    gain = np.diff(value, prepend=0.0)
    middle = t_s - np.concatenate([width[:1], width]) / 2
    return {**row, "t_s": middle, "value": gain / np.concatenate([width[:1], width])}


def _sources_total(facts: Facts) -> Chart:
    y = Axis(facts.words("point.axis.tokens"), "tokens")
    return _timed_chart(
        facts,
        "sources-total",
        (BY_SOURCE.rstrip("."),),
        y,
        lambda: _stacked(list(_source_parts(facts))),
    )


def _inflight(facts: Facts) -> Chart:
    name = "in_flight_unique_tokens"
    pool = facts.point.get("kv_pool_tokens")
    references: tuple[Reference, ...] = ()
    if pool:
        label = facts.words("point.trace.pool", value=short(pool))
        references = (Reference("y", pool, label),)
    y = Axis(facts.words("point.axis.tokens"), "tokens")
    chart = _timed_chart(
        facts,
        "inflight",
        (name,),
        y,
        lambda: [_filled(row, facts.text("inflight", "trace"), "acc") for row in facts.rows(name)],
        references,
    )
    return chart if pool or chart.empty else _noted(chart, facts.words("point.reason.no_pool"))


def _offload(facts: Facts) -> Chart:
    if (facts.point.get("kv_offload") or "none") == "none" and not facts.rows("offload_to_cpu_bps"):
        return empty(facts, "offload", facts.words("point.reason.no_offload"))
    names = ("offload_to_cpu_bps", "offload_to_gpu_bps")

    def traces() -> list[Trace]:
        colours: tuple[Colour, ...] = ("tier", "hit")
        return [
            _line(row, facts.words(f"point.trace.{name}"), colour)
            for name, colour in zip(names, colours, strict=True)
            if (row := _deployment(facts, name))
        ]

    return _timed_chart(facts, "offload", names, Axis(facts.words("point.axis.B/s"), "B/s"), traces)


def _acceptance(facts: Facts) -> Chart:
    name = "spec_acceptance_length"
    if (facts.point.get("spec") or "none") == "none" and not facts.rows(name):
        return empty(facts, "acceptance", facts.words("point.reason.no_spec"))
    return _rate("acceptance", name, "tokens", "acc")(facts)


SECTIONS: dict[str, dict[str, Maker]] = {
    "latency": {
        "ttft": _rolling("ttft", "ttft_s"),
        "interactivity": _rolling("interactivity", "interactivity_tps"),
        "e2e-interactivity": _rolling("e2e-interactivity", "e2e_interactivity_tps"),
        "e2e": _rolling("e2e", "e2el_s"),
        "ttft-spread": distribution("ttft-spread", "ttft_s"),
        "interactivity-spread": distribution("interactivity-spread", "interactivity_tps"),
    },
    "load": {
        "queue": _queue,
        "completed": _rate("completed", "completed", "requests", "acc"),
        "throughput": _input,
        "decode": _rate("decode", "generation_tps", "tok/s", "acc"),
    },
    "cache": {
        "hits": _hits,
        "kv": _kv,
        "sources": _sources,
        "sources-total": _sources_total,
    },
    "tokens": {
        "isl": distribution("isl", "isl_tokens"),
        "osl": distribution("osl", "osl_tokens"),
        "inflight": _inflight,
        "unique": _rate("unique", "unique_input_tokens", "tokens", "acc"),
    },
    "machine": {
        "offload": _offload,
        "preemptions": _rate("preemptions", "preemptions", "requests", "warn"),
        "acceptance": _acceptance,
        "power": _rate("power", "power_w", "W", "acc"),
    },
}
"""The page's charts in order, by section and name; names are the hooks of tests and addresses."""
