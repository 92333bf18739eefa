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
