"""A phase's requests as columns in memory: read once, folded many times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.domain.counters import Floats
from explorer.domain.lake import Lake
from explorer.queries.window import Window
from explorer.store.cache import Memo

Columns = Mapping[str, Floats]

_SELECT = """
SELECT start_ns / 1e9 AS start_s, first_token_ns / 1e9 AS first_token_s, end_ns / 1e9 AS end_s,
  (status = 'ok')::DOUBLE AS ok, ttft_s, e2el_s, itl_s, isl_tokens::DOUBLE AS isl_tokens,
  osl_tokens::DOUBLE AS osl_tokens,
  CASE WHEN e2el_s > 0 AND osl_tokens > 0 AND ttft_s > 0 AND isl_tokens > 0
    THEN e2el_s / osl_tokens END AS e2e_s,
  dense_rank() OVER (ORDER BY stream_id)::DOUBLE AS stream
FROM {{requests}} WHERE {condition} AND end_ns IS NOT NULL
ORDER BY first_token_ns NULLS LAST, ordinal
"""
_LOADED: Memo[tuple[str, Window], Columns] = Memo(
    1_000_000, lambda columns: len(next(iter(columns.values()), ()))
)
"""(requests object, phase and engine) → columns: 88 bytes a request, at most a million."""


def columns(lake: Lake, point: Mapping[str, Any], window: Window) -> Columns:
    """Return all requests of a window's phase and engine, in s and tokens, NaN for missing.

    The window's from and to do not cut: a rolling window reaches back, a stream may span it.
    Ordered by first token, those without one last. Empty without requests. The arrays are
    shared: read them, never change them.
    """
    name = point.get("requests_object")
    if not name:
        return {}
    return _LOADED.get((name, window.whole()), lambda: _load(lake, name, window.whole()))


def _load(lake: Lake, name: str, window: Window) -> Columns:
    condition, params = window.condition()
    sql = _SELECT.format(condition=condition)
    table = lake.arrow(sql, params, objects={"requests": name})
    if not table.num_rows:
        return {}
    return {
        name: table[name].to_numpy().astype(np.float64, copy=False) for name in table.column_names
    }


def started(found: Columns, window: Window) -> np.ndarray:
    """Tell which ok requests start in a window; `from_s` is inside, `to_s` is not."""
    start = found["start_s"]
    kept = found["ok"] > 0
    if window.from_s is not None:
        kept = kept & (start >= window.from_s)
    if window.to_s is not None:
        kept = kept & (start < window.to_s)
    return kept
