"""The request table of a point's page: one window, searched, sorted, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from explorer.domain.lake import Lake
from explorer.queries.references import references
from explorer.queries.window import Window

PAGE = 50
SORTS: Mapping[str, str] = {
    "start_s": "start_ns",
    "conversation": "conversation",
    "turn": "turn",
    "isl_tokens": "isl_tokens",
    "cached_tokens": "cached_tokens",
    "osl_tokens": "osl_tokens",
    "queue_wait_s": "start_ns - credit_ns",
    "ttft_s": "ttft_s",
    "e2el_s": "e2el_s",
    "interactivity_tps": "-itl_s",
    "status": "status",
}
"""Columns that order the table → SQL; `-` before the name descends."""

_SEARCHED = (
    "conversation",
    "agent",
    "request_id",
    "stream_id",
    "error_type",
    "error_line",
    "status",
)
_ROWS = """
SELECT ordinal, request_id, conversation, agent, turn, kind, phase, start_ns / 1e9 AS start_s,
  (start_ns - credit_ns) / 1e9 AS queue_wait_s, isl_tokens, cached_tokens, osl_tokens, ttft_s,
  e2el_s, 1 / nullif(itl_s, 0) AS interactivity_tps, status, error_type, error_code,
  source_outer_idx, source_inner_idx
FROM {{requests}} WHERE {condition}
ORDER BY {order} {direction} NULLS LAST, ordinal LIMIT {limit} OFFSET {offset}
"""


@dataclass(frozen=True, slots=True)
class RequestPage:
    """Some rows of a window's requests, from `offset` on, of `total` that match."""

    rows: list[dict[str, Any]]
    total: int
    offset: int
    sort: str


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
    """Return a page of the requests that start in a window; None where none were recorded.

    `search` looks for its text, letters of any case, in conversation, agent, ids, error and
    status. A sort that is not in SORTS is by start. Each row has `dataset_ref`: the dataset's turn
    that it replays, or None (see queries/references.py).
    """
    if not point.get("requests_object"):
        return None
    condition, params = window.condition()
    if failed:
        condition += " AND status <> 'ok'"
    if search:
        columns = ", ".join(_SEARCHED)
        condition += f" AND contains(lower(concat_ws(' ', {columns})), $search)"
        params["search"] = search.lower()
    name = (sort or "start_s").removeprefix("-")
    name = name if name in SORTS else "start_s"
    objects = {"requests": point["requests_object"]}
    count = f"SELECT count(*) AS n FROM {{requests}} WHERE {condition}"
    total = lake.rows(count, params, objects=objects)[0]["n"]
    descends = (sort or "").startswith("-")
    sql = _ROWS.format(
        condition=condition,
        order=SORTS[name],
        direction="DESC" if descends else "ASC",
        limit=int(limit),
        offset=int(offset),
    )
    rows = lake.rows(sql, params, objects=objects)
    for row, replayed in zip(rows, references(lake, point, rows, snap), strict=True):
        row["dataset_ref"] = replayed
    return RequestPage(rows, total, offset, f"{'-' if descends else ''}{name}")
