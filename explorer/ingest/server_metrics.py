"""Server metrics of one run, whatever file they came in: base series, totals, the KV pool.

An engine is one KV pool. Tensor- and pipeline-parallel ranks report copies of it; API servers
that mirror the same values count once (metrics.md, series).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa

from explorer.domain.series import BY_SOURCE, shape
from explorer.ingest.draft import Note
from explorer.ingest.numbers import finite, integer
from explorer.ingest.server_metric_names import (
    CACHE_CONFIG,
    HOST_TIER,
    POOL_LABELS,
    RANK_LABELS,
    base_name,
    role,
)
from explorer.store.schema import SERIES

_PERCENT_FROM = 1.5
"""A usage gauge above this is in percent."""


@dataclass(slots=True)
class Stream:
    """One labelled series of one endpoint, as a file has it; times in absolute ns.

    Files with totals only leave `times` empty and fill `total` (a counter's growth over the
    profiling window) or `peak` (a gauge's maximum).
    """

    metric: str
    endpoint: str
    labels: Mapping[str, str]
    times: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    total: float | None = None
    peak: float | None = None


@dataclass(slots=True)
class Scrapes:
    """What one server-metrics file holds.

    `window` is the profiling window in absolute ns where the file states it. `raw` says that
    counters are the server's own (both phases), not deltas from the window's start.
    """

    source: str
    streams: list[Stream]
    raw: bool = False
    window: tuple[int, int] | None = None
    notes: list[Note] = field(default_factory=list)


class Key(NamedTuple):
    """One base series of one pool; `engine` is null for the whole deployment."""

    name: str
    engine: str | None
    role: str | None


@dataclass(slots=True)
class Folded:
    """Base series per pool: samples in absolute ns, and totals over the profiling window."""

    samples: dict[Key, tuple[list[int], list[float]]]
    totals: dict[Key, float]
    peaks: dict[Key, float]
    pool_tokens: dict[str | None, float]
    pool_is_exact: bool
    has_host_tier: bool
    late_baseline: bool = False


def fold(scrapes: Scrapes, zero_ns: int | None) -> Folded:
    """Return one series per base name and pool; counters' totals count from `zero_ns` on.

    A raw counter's baseline is its last scrape at or before zero: exactly the tokens of the
    profiling requests.
    """
    known = [stream for stream in scrapes.streams if base_name(stream.metric, stream.labels)]
    engines = _Engines(known)
    grouped: dict[Key, list[Stream]] = defaultdict(list)
    for stream in _without_copies(known, engines):
        name = base_name(stream.metric, stream.labels) or ""
        grouped[Key(name, engines.of(stream), role(stream.labels))].append(stream)
    folded = Folded({}, {}, {}, {}, True, _has_host_tier(scrapes.streams))
    for key, streams in grouped.items():
        _fold_one(folded, key, streams, zero_ns if scrapes.raw else None)
    _pools(folded, scrapes.streams, engines)
    _add_sglang_computed(folded)
    _percent_to_ratio(folded)
    return folded


def _fold_one(folded: Folded, key: Key, streams: list[Stream], zero_ns: int | None) -> None:
    times, values = _summed(streams)
    if times:
        folded.samples[key] = (times, values)
    if shape(key.name) == "counter":
        stated = [stream.total for stream in streams if stream.total is not None]
        if stated:
            folded.totals[key] = sum(stated)
        elif times:
            folded.totals[key], late = growth(times, values, zero_ns)
            folded.late_baseline |= late
        return
    peaks = [stream.peak for stream in streams if stream.peak is not None]
    seen = [v for t, v in zip(times, values, strict=True) if zero_ns is None or t >= zero_ns]
    if peaks or seen or values:
        folded.peaks[key] = max(peaks or seen or values)


class _Engines:
    """Names pools: the label's own word, with the endpoint's number when there are several."""

    def __init__(self, streams: Iterable[Stream]) -> None:
        self._twins = _mirrors(streams)
        endpoints = sorted({s.endpoint for s in streams} - self._twins.keys())
        self._numbers = {endpoint: number for number, endpoint in enumerate(endpoints)}

    def is_mirror(self, stream: Stream) -> bool:
        return stream.endpoint in self._twins

    def of(self, stream: Stream) -> str:
        pool = next((stream.labels[x] for x in POOL_LABELS if stream.labels.get(x)), "0")
        if len(self._numbers) < 2:
            return pool
        return f"{self._numbers[stream.endpoint]}.{pool}"


def _mirrors(streams: Iterable[Stream]) -> dict[str, str]:
    """Return endpoints that report another endpoint's pools: the same series, the same ends."""
    prints: dict[str, dict[Any, Any]] = defaultdict(dict)
    for stream in streams:
        name = base_name(stream.metric, stream.labels)
        if name and shape(name) == "counter":
            label = (stream.metric, tuple(sorted(stream.labels.items())))
            last = stream.values[-1] if stream.values else stream.total
            prints[stream.endpoint][label] = last
    first: dict[str, str] = {}
    twins = {}
    for endpoint in sorted(prints):
        print_ = repr(sorted(prints[endpoint].items(), key=repr))
        if any(prints[endpoint].values()) and print_ in first:
            twins[endpoint] = first[print_]
        first.setdefault(print_, endpoint)
    return twins


def _ranks(stream: Stream) -> tuple[int, ...]:
    return tuple(integer(stream.labels.get(label, "0")) or 0 for label in RANK_LABELS)


def _without_copies(streams: list[Stream], engines: _Engines) -> list[Stream]:
    """Drop mirrored endpoints, and of each pool's series all ranks but the lowest."""
    lowest: dict[tuple[str, str, str], tuple[int, ...]] = {}
    own = [stream for stream in streams if not engines.is_mirror(stream)]
    for stream in own:
        key = (stream.metric, stream.endpoint, engines.of(stream))
        lowest[key] = min(lowest.get(key, _ranks(stream)), _ranks(stream))
    return [s for s in own if _ranks(s) == lowest[s.metric, s.endpoint, engines.of(s)]]


def _summed(streams: list[Stream]) -> tuple[list[int], list[float]]:
    """Return the sum of streams, each holding its last value; 0 before a stream's first."""
    streams = [stream for stream in streams if stream.times]
    if len(streams) == 1:
        return streams[0].times, streams[0].values
    events: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for index, stream in enumerate(streams):
        for time, value in zip(stream.times, stream.values, strict=True):
            events[time].append((index, value))
    held = [0.0] * len(streams)
    times = sorted(events)
    values = []
    for time in times:
        for index, value in events[time]:
            held[index] = value
        values.append(sum(held))
    return times, values


def growth(times: list[int], values: list[float], zero_ns: int | None) -> tuple[float, bool]:
    """Return how much a counter grew after its last sample at or before zero.

    A drop is a restart: the value after it has grown from 0. Also says whether the first
    sample came after zero, so that the baseline is late.
    """
    start = 0
    if zero_ns is not None:
        start = max((i for i, time in enumerate(times) if time <= zero_ns), default=0)
    late = zero_ns is not None and bool(times) and times[0] > zero_ns
    grown = 0.0
    for before, after in zip(values[start:], values[start + 1 :], strict=False):
        grown += after - before if after >= before else after
    return grown, late


def _pools(folded: Folded, streams: list[Stream], engines: _Engines) -> None:
    """Fill each pool's size: SGLang's gauge, else vLLM's cache_config_info labels."""
    for key, peak in folded.peaks.items():
        if key.name == "kv_pool_tokens":
            folded.pool_tokens[key.engine] = peak
    for stream in streams:
        if stream.metric != CACHE_CONFIG or engines.is_mirror(stream):
            continue
        stated = integer(stream.labels.get("kv_cache_size_tokens"))
        blocks = integer(stream.labels.get("num_gpu_blocks"))
        size = integer(stream.labels.get("block_size"))
        if stated:
            folded.pool_tokens[engines.of(stream)] = float(stated)
        elif blocks and size and engines.of(stream) not in folded.pool_tokens:
            folded.pool_tokens[engines.of(stream)] = float(blocks * size)
            folded.pool_is_exact = False


def _has_host_tier(streams: Iterable[Stream]) -> bool:
    return any(stream.metric == HOST_TIER for stream in streams)


def _add_sglang_computed(folded: Folded) -> None:
    """SGLang states what came from caches, not what was computed: prompt − Σ cached."""
    sources = {key for key in {*folded.samples, *folded.totals} if key.name.startswith(BY_SOURCE)}
    if not sources or any(key.name.endswith(("compute", "computed")) for key in sources):
        return
    for engine, role_ in {(key.engine, key.role) for key in sources}:
        prompt = Key("prompt_tokens", engine, role_)
        parts = [key for key in sources if (key.engine, key.role) == (engine, role_)]
        computed = Key(f"{BY_SOURCE}computed", engine, role_)
        if prompt in folded.totals:
            cached = sum(folded.totals.get(key, 0.0) for key in parts)
            folded.totals[computed] = max(folded.totals[prompt] - cached, 0.0)
        if prompt in folded.samples:
            folded.samples[computed] = _difference(
                folded.samples[prompt], [folded.samples[k] for k in parts if k in folded.samples]
            )


def _difference(
    whole: tuple[list[int], list[float]], parts: list[tuple[list[int], list[float]]]
) -> tuple[list[int], list[float]]:
    """Return whole − Σ parts at the whole's times, parts holding their last value."""
    streams = [Stream("", "", {}, *whole)]
    streams += [Stream("", "", {}, times, [-value for value in values]) for times, values in parts]
    times, values = _summed(streams)
    wanted = set(whole[0])
    pairs = [(t, max(v, 0.0)) for t, v in zip(times, values, strict=True) if t in wanted]
    return [t for t, _ in pairs], [v for _, v in pairs]


def _percent_to_ratio(folded: Folded) -> None:
    keys = [key for key in folded.peaks if key.name == "kv_usage_ratio"]
    values = [max(folded.samples[key][1]) for key in keys if key in folded.samples]
    if max([*values, *(folded.peaks[key] for key in keys)], default=0) <= _PERCENT_FROM:
        return
    for key in keys:
        folded.peaks[key] /= 100
        if key in folded.samples:
            times, values = folded.samples[key]
            folded.samples[key] = (times, [value / 100 for value in values])


def series_table(
    samples: Mapping[Key, tuple[list[int], list[float]]], zero_ns: int
) -> pa.Table | None:
    """Return the SERIES_COLUMNS table of samples on the point's clock; null without a sample."""
    columns: dict[str, list[Any]] = {name: [] for name in SERIES.names}
    for key in sorted(samples, key=lambda key: (key.name, key.engine or "", key.role or "")):
        times, values = samples[key]
        for time, value in sorted(zip(times, values, strict=True)):
            if finite(value) is None:
                continue
            columns["name"].append(key.name)
            columns["shape"].append(shape(key.name))
            columns["engine"].append(key.engine)
            columns["role"].append(key.role)
            columns["t_ns"].append(time - zero_ns)
            columns["value"].append(value)
    return pa.table(columns, schema=SERIES) if columns["t_ns"] else None
