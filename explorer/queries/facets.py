"""What each filter could be set to, with counts under the other filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.queries.filters import COLUMNS, conditions


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a filter and how many points it would leave."""

    value: str
    points: int


def facets(lake: Lake, state: ViewState, names: Sequence[str]) -> dict[str, list[Choice]]:
    """Return each filter's values, most points first, counted under all other filters."""
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
    condition, params = conditions(state.having(accuracy_min=None))
    sql = f"SELECT count(*) AS n FROM {{points}} WHERE {condition} AND accuracy IS NOT NULL"
    return lake.rows(sql, params, snap=state["snap"])[0]["n"]


def dates(lake: Lake, state: ViewState) -> list[Choice]:
    """Return the days that brought points of a view, newest first."""
    condition, params = conditions(state.having(date=None))
    sql = (
        f"SELECT date::VARCHAR AS value, count(*) AS points FROM {{points}} "
        f"WHERE {condition} AND date IS NOT NULL GROUP BY date ORDER BY date DESC"
    )
    return [
        Choice(row["value"], row["points"]) for row in lake.rows(sql, params, snap=state["snap"])
    ]
