"""What failed: kinds, when, in which conversations, and where each began."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.domain.lake import Lake
from explorer.queries.window import Window

_KINDS = """
SELECT status, error_type AS type, error_code AS code, count(*) AS n,
  count(DISTINCT conversation) AS conversations,
  min(start_ns) / 1e9 AS first_s, max(start_ns) / 1e9 AS last_s,
  arg_min(request_id, start_ns) AS first_request, arg_min(conversation, start_ns) AS
  first_conversation, arg_min(turn, start_ns) AS first_turn,
  any_value(error_line ORDER BY start_ns) AS line
FROM {{requests}} WHERE {condition} AND status <> 'ok'
GROUP BY ALL ORDER BY n DESC, first_s, type, code
"""
_TIMES = """
SELECT status, error_type AS type, error_code AS code, start_ns / 1e9 AS t_s
FROM {{requests}} WHERE {condition} AND status <> 'ok' ORDER BY start_ns
"""
_CONVERSATIONS = """
SELECT conversation, count(*) FILTER (WHERE status = 'failed') AS failed,
  count(*) FILTER (WHERE status = 'cancelled') AS cancelled, count(*) AS requests,
  min(start_ns) FILTER (WHERE status <> 'ok') / 1e9 AS first_s
FROM {{requests}} WHERE {condition} GROUP BY conversation
HAVING failed + cancelled > 0 ORDER BY failed + cancelled DESC, conversation LIMIT $most
"""
MOST_CONVERSATIONS = 50


def kinds(lake: Lake, point: Mapping[str, Any], window: Window) -> list[dict[str, Any]]:
    """Return each kind of failure and cancellation: (type, code), its count and first occurrence.

    Without requests, the point's own counts stand, without times.
    """
    if not point.get("requests_object"):
        return [{"status": "failed", **error} for error in point.get("errors") or []]
    return _ask(lake, point, window, _KINDS)


def times(lake: Lake, point: Mapping[str, Any], window: Window) -> list[dict[str, Any]]:
    """Return when each request that did not end well was started, with its kind."""
    return _ask(lake, point, window, _TIMES) if point.get("requests_object") else []


def conversations(lake: Lake, point: Mapping[str, Any], window: Window) -> list[dict[str, Any]]:
    """Return the conversations with failures, the most first, at most 50."""
    if not point.get("requests_object"):
        return []
    return _ask(lake, point, window, _CONVERSATIONS, most=MOST_CONVERSATIONS)


def _ask(
    lake: Lake, point: Mapping[str, Any], window: Window, sql: str, **more: Any
) -> list[dict[str, Any]]:
    condition, params = window.condition()
    return lake.rows(
        sql.format(condition=condition),
        params | more,
        objects={"requests": point["requests_object"]},
    )
