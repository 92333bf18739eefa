"""One metric at a target speed over a model's life: what was the best known on each day."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.domain.frontier import interpolate
from explorer.domain.lake import Lake
from explorer.domain.units import nice_ticks
from explorer.domain.view_state import ViewState
from explorer.queries.curves import curves
from explorer.queries.lines import Curve, Point, own_frontier, sides, vertices

_CHANGES = """
SELECT point_id, date, changelog FROM {points}
WHERE changelog IS NOT NULL AND point_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY date, point_id
"""
_CONFIGURATION = (
    "precision", "spec", "mode", "parallelism", "gpus", "concurrency", "kv_offload",
    "kv_offload_backend",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Day:
    """A curve on a day that brought it new results; `y` null when it does not reach the target."""

    date: str
    y: float | None
    new: Sequence[Point]
    runs: int


@dataclass(frozen=True, slots=True)
class Change:
    """One changelog entry of the input, with the days and points that carry it."""

    date: str
    text: str
    points: Sequence[str]


@dataclass(frozen=True, slots=True)
class History:
    """The target x, each curve's days in order, the changelog, and the points without a date."""

    at: float
    days: Sequence[tuple[Curve, Sequence[Day]]]
    changes: Sequence[Change]
    undated: int
    meta: Mapping[str, Any]


def history(lake: Lake, state: ViewState) -> History:
    """Return y at the state's `at` per day, from the newest run of each configuration till then.

    Interpolated on that day's frontier, inside its range only; without `at`, a round x in the
    middle of the ranges of today's curves.
    """
    found = curves(lake, state.having(runs="all", frontier=None))
    data, meta = found["data"], found["meta"]
    at = state["at"] if state["at"] is not None else _middle(data)
    days = [(curve, _days(curve, at, meta)) for curve in data]
    ids = [point["point_id"] for curve in data for point in curve["points"]]
    undated = sum(not point["date"] for curve in data for point in curve["points"])
    dated = [(curve, life) for curve, life in days if life]
    return History(at, dated, _changes(lake, ids, meta["snap"]), undated, meta)


def _middle(data: Sequence[Curve]) -> float:
    """Return a round x that most curves reach."""
    lines = [line for curve in data if (line := vertices(curve))]
    if not lines:
        return 50.0
    ticks = nice_ticks(min(line[0][0] for line in lines), max(line[-1][0] for line in lines), 12)

    def reach(x: float) -> int:
        return sum(line[0][0] <= x <= line[-1][0] for line in lines)

    return max(ticks, key=lambda x: (reach(x), -x))


def _days(curve: Curve, at: float, meta: Mapping[str, Any]) -> list[Day]:
    dated = [point for point in curve["points"] if point["date"] and point["eligible"]]
    dated.sort(key=lambda point: (str(point["date"]), point["point_id"]))
    newest: dict[tuple[Any, ...], Point] = {}
    days: list[Day] = []
    for date in sorted({str(point["date"]) for point in dated}):
        new = [point for point in dated if str(point["date"]) == date]
        newest.update({tuple(point[name] for name in _CONFIGURATION): point for point in new})
        line = own_frontier(list(newest.values()), sides(meta))
        y = interpolate([(point["x"], point["y"]) for point in line], at)
        days.append(Day(date, y, new, len({point["run_id"] for point in new})))
    return days


def _changes(lake: Lake, ids: Sequence[str], snap: str | None) -> list[Change]:
    """Return the distinct changelog entries; an entry without a date has its point's."""
    gathered: dict[tuple[str, str], list[str]] = {}
    for row in lake.rows(_CHANGES, [list(ids)], snap=snap):
        for entry in json.loads(row["changelog"]):
            date = entry.get("date") or row["date"] or ""
            gathered.setdefault((str(date), entry.get("text") or ""), []).append(row["point_id"])
    return [Change(date, text, points) for (date, text), points in sorted(gathered.items())]
