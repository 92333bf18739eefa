"""What failed: kinds, when, in which conversations, and where each began."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from explorer.domain.lake import Lake
from explorer.queries import request_rows
from explorer.queries.window import Window
from explorer.store.cache import Memo

MOST_CONVERSATIONS = 50
_KIND = ("status", "error_type", "error_code")
_OF_KIND: tuple[tuple[str | list[str], str], ...] = (
    ([], "count_all"),
    ("start_s", "min"),
    ("start_s", "max"),
    ("conversation", "count_distinct"),
    ("request_id", "first"),
    ("conversation", "first"),
    ("turn", "first"),
    ("error_line", "first"),
)
_COLUMNS = [*_KIND, "start_s", "conversation", "request_id", "turn", "error_line"]
_BAD: Memo[tuple[str, Window], pa.Table] = Memo(32_000_000, lambda table: table.nbytes)
"""(requests object, window) → its rows that did not end well: 32 MB at most."""
_NAMED = {
    "error_type": "type",
    "error_code": "code",
    "count_all": "n",
    "start_s_min": "first_s",
    "start_s_max": "last_s",
    "conversation_count_distinct": "conversations",
    "request_id_first": "first_request",
    "conversation_first": "first_conversation",
    "turn_first": "first_turn",
    "error_line_first": "line",
}


def kinds(lake: Lake, point: Mapping[str, Any], window: Window) -> list[dict[str, Any]]:
    """Return each kind of failure and cancellation: (type, code), its count and first occurrence.

    The most frequent first. Without requests, the point's own counts stand, without times.
    """
    if not point.get("requests_object"):
        return [{"status": "failed", **error} for error in point.get("errors") or []]
    bad = _bad(lake, point, window)
    grouped = bad.group_by(list(_KIND), use_threads=False).aggregate(list(_OF_KIND)).to_pylist()
    rows = [{_NAMED.get(name, name): value for name, value in row.items()} for row in grouped]
    return sorted(rows, key=lambda one: (-one["n"], one["first_s"]))


def times(lake: Lake, point: Mapping[str, Any], window: Window) -> list[dict[str, Any]]:
    """Return when each request that did not end well was started, with its kind."""
    if not point.get("requests_object"):
        return []
    bad = _bad(lake, point, window).select([*_KIND, "start_s"])
    return bad.rename_columns(["status", "type", "code", "t_s"]).to_pylist()


def conversations(lake: Lake, point: Mapping[str, Any], window: Window) -> list[dict[str, Any]]:
    """Return the conversations with failures, the most first, at most 50."""
    if not point.get("requests_object"):
        return []
    bad = _bad(lake, point, window)
    grouped = bad.group_by(["conversation", "status"]).aggregate(
        [([], "count_all"), ("start_s", "min")]
    )
    counted: dict[str | None, dict[str, Any]] = {}
    for row in grouped.to_pylist():
        name, first_s = row["conversation"], row["start_s_min"]
        none = {"conversation": name, "failed": 0, "cancelled": 0, "first_s": first_s}
        one = counted.setdefault(name, none)
        one[row["status"]] += row["count_all"]
        one["first_s"] = min(one["first_s"], first_s)
    most = sorted(
        counted.values(),
        key=lambda one: (-one["failed"] - one["cancelled"], one["conversation"] or ""),
    )[:MOST_CONVERSATIONS]
    asked = _asked(lake, point, window) if most else {}
    return [one | {"requests": asked[one["conversation"]]} for one in most]


def _asked(lake: Lake, point: Mapping[str, Any], window: Window) -> dict[str | None, int]:
    """Return how many requests of a window each conversation has."""
    table = request_rows.rows(lake, point, window)
    kept = request_rows.inside(lake, point, table, window)
    counted = table["conversation"].filter(pa.array(kept)).value_counts().to_pylist()
    return {one["values"]: one["counts"] for one in counted}


def _bad(lake: Lake, point: Mapping[str, Any], window: Window) -> pa.Table:
    """Return the rows of a window that did not end well, by start."""
    key = (point["requests_object"], window)
    return _BAD.get(key, lambda: _filtered(lake, point, window))


def _filtered(lake: Lake, point: Mapping[str, Any], window: Window) -> pa.Table:
    table = request_rows.rows(lake, point, window)
    kept = request_rows.not_ok(table) & request_rows.inside(lake, point, table, window)
    bad = table.select(_COLUMNS).filter(pa.array(kept))
    return pa.table({name: request_rows.plain(bad[name]) for name in _COLUMNS})
