"""What a bare address shows: one model, one scenario, measured points before any others."""

from __future__ import annotations

from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.queries.filters import conditions

_CHOICE = """
SELECT model, scenario, source, count(*) AS n FROM {points}
WHERE $condition AND status <> 'failed' AND model IS NOT NULL
GROUP BY model, scenario, source
ORDER BY source NOT IN ('measured', 'third_party'), scenario <> 'agentic', n DESC, model, source
"""
REAL = ("measured", "third_party")


def effective(lake: Lake, state: ViewState) -> ViewState:
    """Return the state with model, scenario and source filled in as the default view says.

    Model: the one with most points, measured before simulated, agentic before the rest; then its
    agentic scenario if there is one, else the one with most points. Sources: measured and third
    party together, simulated and mock only by themselves. An empty choice changes nothing.
    """
    rows = _choices(lake, state)
    if not rows:
        return state
    if not state["model"]:
        state = state.having(model=(_most(rows)["model"],))
        rows = [row for row in rows if row["model"] in state["model"]]
    if not state["scenario"] and not state["workload"] and rows:
        state = state.having(scenario=(rows[0]["scenario"],))
        rows = [row for row in rows if row["scenario"] in state["scenario"]]
    if not state["source"] and rows:
        first = rows[0]["source"]
        state = state.having(source=REAL if first in REAL else (first,))
    return state


def _choices(lake: Lake, state: ViewState) -> list[dict[str, object]]:
    condition, params = conditions(state)
    sql = _CHOICE.replace("$condition", condition)
    return lake.rows(sql, params, snap=state["snap"])


def _most(rows: list[dict[str, object]]) -> dict[str, object]:
    """Return the row of the model with most points within the first row's class."""
    first = rows[0]
    alike = [
        row
        for row in rows
        if (row["source"] in REAL) == (first["source"] in REAL)
        and (row["scenario"] == "agentic") == (first["scenario"] == "agentic")
    ]
    return max(alike, key=lambda row: row["n"])  # type: ignore[arg-type,return-value]
