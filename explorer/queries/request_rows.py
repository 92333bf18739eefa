"""A phase's requests as rows in memory, words and numbers: read once, cut many times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from explorer.domain.lake import Lake
from explorer.queries.request_columns import Mask, records, within
from explorer.queries.window import Window
from explorer.store.cache import Memo

_REPEATED = (
    "conversation",
    "agent",
    "stream_id",
    "kind",
    "phase",
    "status",
    "error_type",
    "error_line",
)
_SELECT = """
SELECT ordinal, request_id, conversation, agent, turn, kind, phase, start_ns / 1e9 AS start_s,
  (start_ns - credit_ns) / 1e9 AS queue_wait_s, isl_tokens, cached_tokens, osl_tokens, ttft_s,
  e2el_s, 1 / nullif(itl_s, 0) AS interactivity_tps, status, error_type, error_code,
  source_outer_idx, source_inner_idx, stream_id, error_line
FROM {{requests}} WHERE {condition} ORDER BY ordinal
"""
_TABLES: Memo[tuple[str, Window], pa.Table] = Memo(256_000_000, lambda table: table.nbytes)
"""(requests object, phase and engine) → its rows: 256 MB at most, some 180 bytes a request."""


def rows(lake: Lake, point: Mapping[str, Any], window: Window) -> pa.Table:
    """Return all rows of a window's phase and engine by ordinal; words that repeat are kept once.

    The window's from, to and ranges do not cut: `inside` says which rows they hold. The point has
    requests.
    """
    whole, name = window.whole(), point["requests_object"]
    return _TABLES.get((name, whole), lambda: _load(lake, name, whole))


def _load(lake: Lake, name: str, window: Window) -> pa.Table:
    condition, params = window.condition()
    sql = _SELECT.format(condition=condition)
    table = lake.arrow(sql, params, objects={"requests": name}).combine_chunks()
    for column in _REPEATED:
        place = table.schema.get_field_index(column)
        table = table.set_column(place, column, table[column].dictionary_encode())
    return table.combine_chunks()


def inside(lake: Lake, point: Mapping[str, Any], table: pa.Table, window: Window) -> Mask:
    """Tell which rows of `rows` a window holds."""
    if window == window.whole():
        return np.ones(len(table), dtype=bool)
    found = records(lake, point, window)
    if not found:
        return np.zeros(len(table), dtype=bool)
    kept = np.zeros(int(found["ordinal"].max()) + 1, dtype=bool)
    kept[found["ordinal"][within(found, window)].astype(np.int64)] = True
    return kept[table["ordinal"].to_numpy()]


def holds(column: pa.ChunkedArray, test: Callable[[pa.Array], pa.Array]) -> Mask:
    """Tell for which rows a test of a column's words is true; each distinct word is tested once."""
    array = column.combine_chunks()
    if pa.types.is_dictionary(array.type):
        answers = test(array.dictionary).take(array.indices)
    else:
        answers = test(array)
    return np.asarray(answers.fill_null(False).to_numpy(zero_copy_only=False), dtype=bool)


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of repeated words as words, any other as it is."""
    repeated = pa.types.is_dictionary(column.type)
    return column.cast(column.type.value_type) if repeated else column


def not_ok(table: pa.Table) -> Mask:
    """Tell which rows did not end well."""
    return ~holds(table["status"], lambda words: pc.equal(words, "ok"))
