"""What each filter could be set to, with counts under the other filters."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.queries.filters import COLUMNS, conditions


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a filter and how many points it would leave."""

    value: str
    points: int


def facet(lake: Lake, state: ViewState, name: str) -> list[Choice]:
    """Return the values of one filter, most points first, counted under all other filters."""
    condition, params = conditions(state, without=name)
    column = COLUMNS[name]
    rows = lake.rows(
        f"SELECT {column}::VARCHAR AS value, count(*) AS points FROM {{points}} "
        f"WHERE {condition} AND {column} IS NOT NULL GROUP BY ALL ORDER BY points DESC, value",
        params,
        snap=state["snap"],
    )
    return [Choice(row["value"], row["points"]) for row in rows]


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
