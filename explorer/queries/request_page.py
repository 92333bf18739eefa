"""The request table of a point's page: one window, searched, sorted, a part at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from explorer.domain.lake import Lake
from explorer.queries import request_rows
from explorer.queries.references import references
from explorer.queries.request_columns import Mask
from explorer.queries.window import Window
from explorer.store.cache import Memo

PAGE = 50
SORTS = (
    "start_s",
    "conversation",
    "turn",
    "isl_tokens",
    "cached_tokens",
    "osl_tokens",
    "queue_wait_s",
    "ttft_s",
    "e2el_s",
    "interactivity_tps",
    "status",
)
"""Columns that order the table; `-` before the name descends."""

_SEARCHED = (
    "conversation",
    "agent",
    "request_id",
    "stream_id",
    "error_type",
    "error_line",
    "status",
)
Places = NDArray[np.int64]
Key = tuple[str, Window, str, str, bool]
_ORDERED: Memo[Key, Places] = Memo(4_000_000, len)
"""(requests object, window, search, sort, failures only) → places in it: 32 MB at most."""


@dataclass(frozen=True, slots=True)
class RequestPage:
    """Some rows of a window's requests, from `offset` on, of `total` that match.

    `known` are the columns of SORTS that any record of the point has, the same for every part.
    """

    rows: list[dict[str, Any]]
    total: int
    offset: int
    sort: str
    known: frozenset[str]


def page(
    lake: Lake,
    point: Mapping[str, Any],
    window: Window,
    *,
    search: str | None = None,
    sort: str | None = None,
    offset: int = 0,
    failed: bool = False,
    limit: int = PAGE,
    snap: str | None = None,
) -> RequestPage | None:
    """Return a part of the requests that start in a window; None where none were recorded.

    `search` looks for its text, letters of any case, in conversation, agent, ids, error and
    status. A sort that is not in SORTS is by start. Each row has `dataset_ref`: the dataset's turn
    that it replays, or None (see queries/references.py).
    """
    name = point.get("requests_object")
    if not name:
        return None
    by = (sort or "").removeprefix("-")
    by = f"{'-' if (sort or '').startswith('-') else ''}{by if by in SORTS else 'start_s'}"
    table = request_rows.rows(lake, point, window)
    key = (name, window, (search or "").lower(), by, failed)
    order = _ORDERED.get(key, lambda: _places(lake, point, table, key))
    rows = table.take(order[offset : offset + limit]).to_pylist()
    for row, replayed in zip(rows, references(lake, point, rows, snap), strict=True):
        row["dataset_ref"] = replayed
    known = frozenset(one for one in SORTS if table[one].null_count < len(table))
    return RequestPage(rows, len(order), offset, by, known)


def _places(lake: Lake, point: Mapping[str, Any], table: pa.Table, key: Key) -> Places:
    """Return where in the table the rows that match are, in order; rows without a value last."""
    _, window, search, sort, failed = key
    kept = request_rows.inside(lake, point, table, window)
    if failed:
        kept &= request_rows.not_ok(table)
    if search:
        kept &= _matching(table, search)
    places = np.flatnonzero(kept)
    if sort == "start_s":
        return places
    direction = "descending" if sort.startswith("-") else "ascending"
    name = sort.removeprefix("-")
    keys = pa.table({name: request_rows.plain(table[name].take(places)), "ordinal": places})
    order = pc.sort_indices(keys, [(name, direction), ("ordinal", "ascending")])
    return places[order.to_numpy()]


def _matching(table: pa.Table, search: str) -> Mask:
    """Tell which rows have the text in any of the columns that are searched."""

    def contains(words: pa.Array) -> pa.Array:
        return pc.match_substring(words, search, ignore_case=True)

    return np.logical_or.reduce([request_rows.holds(table[one], contains) for one in _SEARCHED])
