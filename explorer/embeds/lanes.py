"""Requests on lanes: which lane each belongs to, in which track of it, what its colour says.

The rules are those of the timeline's canvas (assets/timeline): lanes by conversation hold a
root's whole tree, its main line over its sub-agents; a tree takes the lowest session slot that is
free when it begins.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from explorer.queries.timeline import NULL

Columns = Mapping[str, Any]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
GROUPINGS = ("conversation", "worker", "slot", "engine")
_SINGLE = 0.8
"""Streams per request above which a run is of single turns: session slots say more then."""
SHADES = 6


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane: its name (None where not stated), its requests as positions by start."""

    name: str | None
    members: Ints


@dataclass(frozen=True, slots=True)
class Shades:
    """A shade per request, 1 to SHADES from low to high, 0 where there is no value."""

    of: Ints
    low: float
    high: float


def default_grouping(columns: Columns) -> str:
    """Return by what lanes are made when an address does not say."""
    n = len(columns["start_ns"])
    streams = len(pd.unique(np.asarray(columns["stream_id"], dtype=object)))
    return "slot" if n > 20 and streams > _SINGLE * n else "conversation"


def lanes(columns: Columns, by: str) -> list[Lane]:
    """Return the lanes of requests that are in order of start; one for those without a name."""
    if not len(columns["start_ns"]):
        return []
    keys = {
        "conversation": _roots,
        "slot": _slots,
        "worker": lambda columns: columns["client_worker"],
        "engine": lambda columns: columns["engine"],
    }[by](columns)
    codes, names = pd.factorize(np.asarray(keys, dtype=object), use_na_sentinel=False)
    named = [None if name is None or name != name else name for name in names]
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    members = [part.astype(np.int64) for part in parts]
    rows = range(len(named))
    placed = rows if by == "conversation" else sorted(rows, key=lambda row: _place(named[row]))
    return [Lane(_named(columns, by, named[row], members[row]), members[row]) for row in placed]


def _place(key: Any) -> tuple[bool, int, str]:
    """Return where a worker, slot or engine stands: by number, then by name, unnamed last."""
    text = str(key)
    digits = "".join(filter(str.isdigit, text))
    return key is None, int(digits or 0), text


def _named(columns: Columns, by: str, key: Any, members: Ints) -> str | None:
    if by == "conversation":
        return columns["conversation"][members[0]] or key
    return None if key is None else str(key)


def _roots(columns: Columns) -> Any:
    """Return each request's root stream; a stream without one is its own."""
    root = np.asarray(columns["root_id"], dtype=object)
    return np.where(pd.isna(root), columns["stream_id"], root)


def _slots(columns: Columns) -> Ints:
    """Return each request's session slot, from 1."""
    codes, roots = pd.factorize(_roots(columns))
    left = np.full(len(roots), np.iinfo(np.int64).max)
    end = np.full(len(roots), np.iinfo(np.int64).min)
    np.minimum.at(left, codes, left_ns(columns))
    np.maximum.at(end, codes, end_ns(columns))
    order = np.lexsort((end, left))
    tracks, _ = first_fit(list(zip(left[order].tolist(), end[order].tolist(), strict=True)))
    slot = np.empty(len(roots), np.int64)
    slot[order] = np.array(tracks, np.int64) + 1
    return slot[codes]


def first_fit(spans: Sequence[Sequence[int]]) -> tuple[list[int], int]:
    """Return the lowest free track of each (start, end), and how many tracks; starts must rise."""
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    placed, used = [], 0
    for start, end in spans:
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        track = heapq.heappop(free) if free else used
        used += track == used
        heapq.heappush(busy, (max(end, start + 1), track))
        placed.append(track)
    return placed, used


def left_ns(columns: Columns) -> Ints:
    """Return when each request's bar begins: its credit, where known, else its start."""
    credit: Ints = columns["credit_ns"]
    start: Ints = columns["start_ns"]
    return np.where(credit == NULL, start, np.minimum(credit, start))


def end_ns(columns: Columns) -> Ints:
    """Return when each request's bar ends; one without an end has no length."""
    start: Ints = columns["start_ns"]
    end: Ints = columns["end_ns"]
    return np.where(end == NULL, start, np.maximum(end, start))


def _known(*columns: Ints) -> NDArray[np.bool_]:
    return np.logical_and.reduce([column != NULL for column in columns])


def _span(columns: Columns, name: str) -> Floats:
    start, end = columns["start_ns"], columns[name]
    return np.where(_known(start, end), (end - start) / 1e9, np.nan)


def _count(name: str) -> Callable[[Columns], Floats]:
    return lambda columns: np.where(columns[name] == NULL, np.nan, columns[name])


def _uncached(columns: Columns) -> Floats:
    isl, cached = columns["isl_tokens"], columns["cached_tokens"]
    return np.where(_known(isl, cached), isl - cached, np.nan)


def _hit(columns: Columns) -> Floats:
    isl, cached = columns["isl_tokens"], columns["cached_tokens"]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(_known(isl, cached) & (isl > 0), cached / isl, np.nan)


VALUES: Mapping[str, tuple[str, Callable[[Columns], Floats]]] = {
    "ttft": ("s", lambda columns: _span(columns, "first_token_ns")),
    "e2el": ("s", lambda columns: _span(columns, "end_ns")),
    "isl": ("tokens", _count("isl_tokens")),
    "osl": ("tokens", _count("osl_tokens")),
    "uncached": ("tokens", _uncached),
    "hit": ("ratio", _hit),
    "depth": ("", _count("depth")),
    "turn": ("", _count("turn")),
}
"""Colour of a request beside its status: unit and value, NaN where there is none."""
_LINEAR = ("hit", "depth", "turn")


def shades(columns: Columns, colour: str) -> Shades:
    """Return shades from the 1st to the 99th percentile, logarithmic but for shares and counts."""
    values = VALUES[colour][1](columns)
    known = np.sort(values[np.isfinite(values)])
    if not len(known):
        return Shades(np.zeros(len(values), np.int64), math.nan, math.nan)
    low, high = float(known[int(len(known) * 0.01)]), float(known[math.ceil(len(known) * 0.99) - 1])
    if colour in _LINEAR:
        scaled, ends = values, (low, high)
    else:
        least = low if low > 0 else 1e-9
        scaled = _logs(np.maximum(values, least))
        ends = (math.log(least), math.log(max(high, least)))
    with np.errstate(invalid="ignore"):
        share = (scaled - ends[0]) / ((ends[1] - ends[0]) or 1.0)
        steps = np.clip(np.floor(share * SHADES), 0, SHADES - 1) + 1
    return Shades(np.where(np.isfinite(values), steps, 0).astype(np.int64), low, high)


def _logs(values: Floats) -> Floats:
    """Return logarithms by `math`, the same on every machine; NaN stays."""
    return np.array([math.log(one) if one == one else math.nan for one in values.tolist()])
