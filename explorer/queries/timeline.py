"""A point's requests as the columns a timeline is made of, their counts, and what it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from explorer.domain.columns import REQUEST_COLUMNS
from explorer.domain.lake import Lake
from explorer.queries import server_series
from explorer.queries.window import Window
from explorer.store.cache import Memo

Columns = dict[str, Any]
NULL = int(np.iinfo(np.int64).min)
"""Stands for a missing integer, as figures/timeline_pack.py expects it."""

DRAWN = (
    "ordinal", "stream_id", "root_id", "parent_id", "conversation", "agent", "turn", "depth",
    "kind", "phase", "client_worker", "engine", "credit_ns", "start_ns", "first_token_ns",
    "end_ns", "isl_tokens", "osl_tokens", "cached_tokens", "status", "error_type", "error_code",
)  # fmt: skip
"""Columns of a request that the drawing needs: no id, nothing that follows from the others."""

STRIP = ("requests_running", "requests_waiting", "kv_usage_ratio")
"""Server series that the strip above the lanes shows."""

_TYPES = {one.name: one.type for one in REQUEST_COLUMNS}
_COUNTS = "SELECT phase, status, count(*) AS n FROM {requests} GROUP BY phase, status"


@dataclass(frozen=True, slots=True)
class Counts:
    """Requests by phase and status, over both phases, and the trees and seconds of one window."""

    of: Mapping[tuple[str, str], int]
    trees: int
    span_s: float | None

    def sum(self, phase: str = "all", status: str | None = None) -> int:
        """Return how many requests have a phase and a status."""
        return sum(
            n
            for (in_phase, has), n in self.of.items()
            if phase in ("all", in_phase) and status in (None, has)
        )


_COUNTED: Memo[tuple[str, str], Counts] = Memo(1_024)
"""(requests object, phase) → counts."""


def columns(
    lake: Lake, point: Mapping[str, Any], window: Window, also: tuple[str, ...] = ()
) -> Columns:
    """Return the DRAWN columns of a window's requests, and others, by ordinal, as arrays.

    Integers use NULL and texts None where missing; times in ns after the point's clock zero.
    """
    condition, params = window.condition()
    names = (*DRAWN, *also)
    sql = f"SELECT {', '.join(names)} FROM {{requests}} WHERE {condition} ORDER BY ordinal"
    table = lake.arrow(sql, params, objects={"requests": point["requests_object"]})
    return {name: _array(name, table[name]) for name in names}


def _array(name: str, values: pa.ChunkedArray) -> Any:
    if _TYPES[name] == "str":
        return values.to_numpy(zero_copy_only=False)
    return pc.fill_null(values.cast(pa.int64()), 0 if name == "depth" else NULL).to_numpy()


def counts(lake: Lake, point: Mapping[str, Any], phase: str) -> Counts:
    """Return how many requests a point has; trees and span are of one phase (`all`: both)."""
    name = point["requests_object"]
    return _COUNTED.get((name, phase), lambda: _count(lake, name, phase))


def _count(lake: Lake, name: str, phase: str) -> Counts:
    objects = {"requests": name}
    rows = lake.rows(_COUNTS, objects=objects)
    condition, params = Window(phase).condition()
    sql = "SELECT count(DISTINCT root_id) AS trees, min(start_ns) AS low, max(end_ns) AS high "
    whole = lake.rows(f"{sql} FROM {{requests}} WHERE {condition}", params, objects=objects)[0]
    known = whole["low"] is not None and whole["high"] is not None
    return Counts(
        {(row["phase"], row["status"]): row["n"] for row in rows},
        whole["trees"],
        (whole["high"] - whole["low"]) / 1e9 if known else None,
    )


def about(lake: Lake, point: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a timeline's header says of its point.

    `dataset` is the slug its requests' references lead to, null with the reason beside it;
    `kv_pool_tokens` the deployment's KV pool; `series` those of STRIP that were recorded.
    """
    recorded = server_series.load(lake, point).of
    return {
        "point_id": point["point_id"],
        "clock_zero_ns": point["clock_zero_ns"],
        "dataset": None if point["dataset_unbound"] else point["dataset"],
        "dataset_unbound": point["dataset_unbound"],
        "kv_pool_tokens": point["kv_pool_tokens"],
        "series": [name for name in STRIP if name in recorded],
    }
