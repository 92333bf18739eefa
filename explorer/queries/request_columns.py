"""A phase's requests as columns in memory: read once, cut and folded many times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.domain import metrics
from explorer.domain.counters import Floats
from explorer.domain.lake import Lake
from explorer.queries.window import Window, sample_sql
from explorer.store.cache import Memo

Columns = Mapping[str, Floats]
Mask = NDArray[np.bool_]

SAMPLED = (
    "ttft_s",
    "e2el_s",
    "itl_s",
    "queue_wait_s",
    "isl_tokens",
    "osl_tokens",
    "e2e_interactivity_tps",
)
"""Quantities whose samples are kept; a speed's is the latency it is 1 over."""
_PLAIN = {
    "start_s": "start_ns / 1e9",
    "first_token_s": "first_token_ns / 1e9",
    "end_s": "end_ns / 1e9",
    "ok": "(status = 'ok')",
    "cancelled": "(status = 'cancelled')",
    "ttft_s": "ttft_s",
    "e2el_s": "e2el_s",
    "itl_s": "itl_s",
    "isl_tokens": "isl_tokens",
    "osl_tokens": "osl_tokens",
    "cached_tokens": "cached_tokens",
    "ordinal": "ordinal",
}
_SHARED = {
    "e2e_s": "sample.e2e_interactivity_tps",
    "sample.interactivity_tps": "sample.itl_s",
}
"""Second names of the same values."""


@dataclass(frozen=True, slots=True)
class _Read:
    """All records of a phase, and those that ended: the same arrays where all did."""

    records: Columns
    ended: Columns


_LOADED: Memo[tuple[str, Window], _Read] = Memo(
    1_000_000, lambda read: len(next(iter(read.records.values()), ()))
)
"""(requests object, phase and engine) → columns: some 130 bytes a request, at most a million."""


def columns(lake: Lake, point: Mapping[str, Any], window: Window) -> Columns:
    """Return all requests of a window's phase and engine that ended, in s and tokens.

    NaN is missing; `sample.<quantity>` is the registry's sample, NaN where it does not count.
    The window's from and to and its ranges do not cut: a rolling window reaches back, a stream
    may span it. Ordered by first token, those without one last. Empty without requests. The
    arrays are shared: read them, never change them.
    """
    return _read(lake, point, window).ended


def records(lake: Lake, point: Mapping[str, Any], window: Window) -> Columns:
    """Return the same columns of every record, those without an end too."""
    return _read(lake, point, window).records


def _read(lake: Lake, point: Mapping[str, Any], window: Window) -> _Read:
    name = point.get("requests_object")
    if not name:
        return _Read({}, {})
    return _LOADED.get((name, window.whole()), lambda: _load(lake, name, window.whole()))


def _load(lake: Lake, name: str, window: Window) -> _Read:
    condition, params = window.condition()
    selected = {**_PLAIN, **{f"sample.{one}": sample_sql(one) for one in SAMPLED}}
    parts = ", ".join(f'({sql})::DOUBLE AS "{column}"' for column, sql in selected.items())
    sql = f"SELECT {parts}, stream_id FROM {{requests}} WHERE {condition}"
    table = lake.arrow(sql, params, objects={"requests": name})
    if not table.num_rows:
        return _Read({}, {})
    order = np.lexsort((table["ordinal"].to_numpy(), table["first_token_s"].to_numpy()))
    found = _deduplicated({column: table[column].to_numpy()[order] for column in selected})
    streams = table["stream_id"].combine_chunks().dictionary_encode(null_encoding="encode")
    found["stream"] = streams.indices.to_numpy()[order] + 1.0
    found |= {second: found[first] for second, first in _SHARED.items()}
    ended = np.isfinite(found["end_s"])
    if ended.all():
        return _Read(found, found)
    return _Read(found, {column: value[ended] for column, value in found.items()})


def _deduplicated(found: dict[str, Floats]) -> dict[str, Floats]:
    """Return columns in which a sample that leaves nothing out is the column itself."""
    for name in list(found):
        plain = name.removeprefix("sample.")
        if plain in found and np.array_equal(found[name], found[plain], equal_nan=True):
            found[name] = found[plain]
    return found


def within(found: Columns, window: Window) -> Mask:
    """Tell which requests a window holds: `from_s` is inside, `to_s` is not, ranges' ends are."""
    start = found["start_s"]
    kept = np.ones(len(start), dtype=bool)
    if window.from_s is not None:
        kept &= start >= window.from_s
    if window.to_s is not None:
        kept &= start < window.to_s
    return kept & selected(found, window)


def selected(found: Columns, window: Window) -> Mask:
    """Tell which requests lie in all of a window's ranges, whenever they started."""
    kept = np.ones(len(found["start_s"]), dtype=bool)
    for one in window.ranges:
        value = quantity(found, one.column)
        if one.low is not None:
            kept &= value >= one.low
        if one.high is not None:
            kept &= value <= one.high
    return kept


def quantity(found: Columns, name: str) -> Floats:
    """Return a quantity of each request as the registry samples it, NaN where it has none."""
    if name not in metrics.samples():
        return found[name]
    value = found[f"sample.{name}"]
    return 1.0 / value if metrics.samples()[name].reciprocal else value


class Cut(Mapping[str, Floats]):
    """Columns of some requests, each cut when it is asked for."""

    def __init__(self, found: Columns, kept: Mask) -> None:
        self._found, self._kept = found, kept
        self._cut: dict[str, Floats] = {}

    def __getitem__(self, name: str) -> Floats:
        if name not in self._cut:
            self._cut[name] = self._found[name][self._kept]
        return self._cut[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def started(found: Columns, window: Window) -> Mask:
    """Tell which ok requests a window holds."""
    return within(found, window) & (found["ok"] > 0)
