"""What points measured of a conversation: theory beside measurement, and back over all points.

A request and a turn are the same when conversation and entry are: `source_outer_idx` and
`source_inner_idx`. Turn numbers and agents' names differ between a replay and its trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.domain.lake import Lake
from explorer.domain.turns import Turn
from explorer.queries.window import Window
from explorer.store.cache import Memo

Row = dict[str, Any]

MOST_POINTS = 200
"""Newest points of a dataset that are looked through; the page says when there are more."""

_BOUND = """
SELECT point_id, run_id, date, model, hw, engine, parallelism, concurrency, kv_offload,
  kv_offload_backend, spec, source, status, requests_object, count(*) OVER () AS points
FROM {{points}}
WHERE dataset = ? AND dataset_unbound IS NULL AND requests_object IS NOT NULL
ORDER BY date DESC NULLS LAST, model, hw, engine, parallelism, concurrency, point_id
LIMIT {most}
"""
_COUNTS = "SELECT conversation, count(*) AS n FROM {requests} GROUP BY conversation"
_ENTRY = "source_outer_idx, source_inner_idx"
_MEASURED = f"""
SELECT {_ENTRY}, count(*) AS replays, count(*) FILTER (status <> 'ok') AS failed,
  avg(isl_tokens) FILTER (status = 'ok') AS isl_tokens,
  avg(cached_tokens) FILTER (status = 'ok') AS cached_tokens,
  avg(ttft_s) FILTER (status = 'ok' AND ttft_s > 0 AND isfinite(ttft_s)) AS ttft_s,
  avg((start_ns - credit_ns) / 1e9) FILTER (status = 'ok') AS wait_s
FROM {{requests}} WHERE conversation = $conversation AND {{condition}}
GROUP BY {_ENTRY}
"""
_REPLAYS = """
SELECT ordinal, request_id, stream_id, turn AS stream_turn, agent, phase, status, error_type,
  error_code, start_ns / 1e9 AS start_s, (start_ns - credit_ns) / 1e9 AS queue_wait_s, ttft_s,
  e2el_s, isl_tokens, cached_tokens, osl_tokens
FROM {requests} WHERE conversation = ? AND source_outer_idx = ?
  AND source_inner_idx IS NOT DISTINCT FROM ? ORDER BY ordinal
"""
_COUNTED: Memo[str, Mapping[str, int]] = Memo(200_000, len)
"""Requests object → conversation → requests."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """Points that replayed a conversation, with its `requests`; `unseen` older ones not read."""

    points: list[Row]
    unseen: int


@dataclass(frozen=True, slots=True)
class Strip:
    """One turn at one point: the point's row and its replays of the turn, by start."""

    point: Row
    replays: list[Row]


def points(lake: Lake, slug: str, conversation: str, snap: str | None = None) -> Replayed:
    """Return the points whose requests replayed a conversation, newest first."""
    bound = lake.rows(_BOUND.format(most=MOST_POINTS), [slug], snap=snap)
    found = []
    for point in bound:
        requests = _counts(lake, point["requests_object"]).get(conversation, 0)
        if requests:
            found.append({**point, "requests": requests})
    return Replayed(found, bound[0]["points"] - len(bound) if bound else 0)


def _counts(lake: Lake, name: str) -> Mapping[str, int]:
    def ask() -> dict[str, int]:
        rows = lake.rows(_COUNTS, objects={"requests": name})
        return {row["conversation"]: row["n"] for row in rows if row["conversation"] is not None}

    return _COUNTED.get(name, ask)


def measured(
    lake: Lake, point: Mapping[str, Any], conversation: str, turns: Iterable[Turn], phase: str
) -> dict[int, Row]:
    """Return what a point measured of each turn of a conversation, by the turn's ordinal.

    Rows: replays, failed (cancelled ones too), and means over ok replays of isl_tokens,
    cached_tokens, ttft_s, wait_s (in the load generator). Turns it did not replay are absent.
    """
    if not point.get("requests_object"):
        return {}
    condition, params = Window(phase).condition()
    sql = _MEASURED.replace("{condition}", condition)
    rows = lake.rows(
        sql,
        {**params, "conversation": conversation},
        objects={"requests": point["requests_object"]},
    )
    at = {(turn.source_outer_idx, turn.source_inner_idx): turn.ordinal for turn in turns}
    keys = {(row.pop("source_outer_idx"), row.pop("source_inner_idx")): row for row in rows}
    return {at[key]: row for key, row in keys.items() if key in at}


def strips(
    lake: Lake, replayed: Sequence[Mapping[str, Any]], conversation: str, turn: Turn
) -> list[Strip]:
    """Return the replays of one turn at each of these points; points without any are left out."""
    key = [conversation, turn.source_outer_idx, turn.source_inner_idx]
    found = [
        Strip(dict(point), lake.rows(_REPLAYS, key, objects={"requests": point["requests_object"]}))
        for point in replayed
    ]
    return [strip for strip in found if strip.replays]
