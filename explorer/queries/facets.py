"""What each filter could be set to, with counts under the other filters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from explorer.domain import view_state
from explorer.domain.lake import Lake
from explorer.domain.view_state import FILTERS, ViewState
from explorer.queries.filters import COLUMNS, conditions
from explorer.store.cache import Memo

_FOUND: Memo[tuple[str, ...], Any] = Memo(1_024)
"""(snapshot, question, filters) → its answer: axes, limits and the picture change none."""
T = TypeVar("T")


def _once(lake: Lake, state: ViewState, question: str, ask: Callable[[], T]) -> T:
    filters = state.only((*FILTERS, "date", "valid", "accuracy_min"))
    key = (lake.snapshot(state["snap"]).snap, question, view_state.format(filters))
    found: T = _FOUND.get(key, ask)
    return found


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a filter and how many points it would leave."""

    value: str
    points: int


def facets(lake: Lake, state: ViewState, names: Sequence[str]) -> dict[str, list[Choice]]:
    """Return each filter's values, most points first, counted under all other filters."""
    return _once(lake, state, f"facets {names}", lambda: _facets(lake, state, names))


def _facets(lake: Lake, state: ViewState, names: Sequence[str]) -> dict[str, list[Choice]]:
    parts, params = [], []
    for name in names:
        condition, values = conditions(state, without=name)
        column = COLUMNS[name]
        parts.append(
            f"SELECT '{name}' AS facet, {column}::VARCHAR AS value, count(*) AS points "
            f"FROM {{points}} WHERE {condition} AND {column} IS NOT NULL GROUP BY {column}"
        )
        params.extend(values)
    sql = f"{' UNION ALL '.join(parts)} ORDER BY points DESC, value"
    found: dict[str, list[Choice]] = {name: [] for name in names}
    for row in lake.rows(sql, params, snap=state["snap"]):
        found[row["facet"]].append(Choice(row["value"], row["points"]))
    return found


def blame(lake: Lake, state: ViewState) -> tuple[str, int] | None:
    """Return the one filter whose removal brings most points back; None when none does."""
    best: tuple[str, int] | None = None
    for name in COLUMNS:
        if not state[name]:
            continue
        condition, params = conditions(state, without=name)
        sql = f"SELECT count(*) AS n FROM {{points}} WHERE {condition}"
        n = lake.rows(sql, params, snap=state["snap"])[0]["n"]
        if n and (best is None or n > best[1]):
            best = (name, n)
    return best


QUICK = (
    ("valid", "valid IS NOT FALSE", "valid IS FALSE"),
    ("partial", "status = 'partial'", "status = 'partial'"),
    ("offload", "coalesce(kv_offload, 'none') = 'none'", "coalesce(kv_offload, 'none') <> 'none'"),
    ("spec", "coalesce(spec, 'none') = 'none'", "coalesce(spec, 'none') <> 'none'"),
    ("mode", "mode = 'agg'", "mode <> 'agg'"),
)
"""Key → what its quick filter leaves (or lets in), and what must exist for it to be offered."""


def quick(lake: Lake, state: ViewState) -> dict[str, int]:
    """Return how many points each quick filter would leave; those that change nothing are absent.

    Counted under all other filters. `partial` counts the partial runs that it would let in.
    """
    return _once(lake, state, "quick", lambda: _quick(lake, state))


def _quick(lake: Lake, state: ViewState) -> dict[str, int]:
    parts, params = [], []
    for name, leaves, needs in QUICK:
        condition, values = conditions(state, without=name)
        parts.append(
            f"SELECT '{name}' AS name, count(*) FILTER ({leaves}) AS points, "
            f"count(*) FILTER ({needs}) AS needed FROM {{points}} "
            f"WHERE {condition} AND status <> 'failed'"
        )
        params.extend(values)
    rows = lake.rows(" UNION ALL ".join(parts), params, snap=state["snap"])
    return {row["name"]: row["points"] for row in rows if row["needed"] and row["points"]}


def accuracies(lake: Lake, state: ViewState) -> int:
    """Return how many points of a view have an evaluation beside their speed."""
    return _once(lake, state, "accuracies", lambda: _accuracies(lake, state))


def _accuracies(lake: Lake, state: ViewState) -> int:
    condition, params = conditions(state.having(accuracy_min=None))
    sql = f"SELECT count(*) AS n FROM {{points}} WHERE {condition} AND accuracy IS NOT NULL"
    return int(lake.rows(sql, params, snap=state["snap"])[0]["n"])


def dates(lake: Lake, state: ViewState) -> list[Choice]:
    """Return the days that brought points of a view, newest first."""
    return _once(lake, state, "dates", lambda: _dates(lake, state))


def _dates(lake: Lake, state: ViewState) -> list[Choice]:
    condition, params = conditions(state.having(date=None))
    sql = (
        f"SELECT date::VARCHAR AS value, count(*) AS points FROM {{points}} "
        f"WHERE {condition} AND date IS NOT NULL GROUP BY date ORDER BY date DESC"
    )
    return [
        Choice(row["value"], row["points"]) for row in lake.rows(sql, params, snap=state["snap"])
    ]
