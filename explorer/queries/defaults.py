"""What a bare address shows: one model, one scenario, measured points before any others."""

from __future__ import annotations

from collections import Counter
from typing import Any

from explorer.domain import view_state
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.queries.filters import conditions
from explorer.store.cache import Memo

Row = dict[str, Any]

_CHOICE = """
SELECT model, scenario, workload, source, count(*) AS n FROM {points}
WHERE $condition AND status <> 'failed' AND model IS NOT NULL
GROUP BY model, scenario, workload, source
"""
REAL = ("measured", "third_party")
_EFFECTIVE: Memo[tuple[str, str], ViewState] = Memo(512)


def effective(lake: Lake, state: ViewState) -> ViewState:
    """Return the state with model, scenario, workload and source filled in as a default view.

    Measured before simulated, agentic before the rest: the model with most such points, its
    agentic scenario if there is one, else the scenario with most points; of fixed-sequence
    scenarios the workload with most points. Sources: measured and third party together,
    simulated and mock only by themselves. An empty choice changes nothing.
    """
    key = (lake.snapshot(state["snap"]).snap, view_state.format(state))
    return _EFFECTIVE.get(key, lambda: _filled(_choices(lake, state), state))


def _filled(rows: list[Row], state: ViewState) -> ViewState:
    if not rows:
        return state
    if not state["source"]:
        real = any(row["source"] in REAL for row in rows)
        first = _most(rows, "source")
        state = state.having(source=REAL if real else (first,))
        rows = [row for row in rows if row["source"] in state["source"]]
    agentic = [row for row in rows if row["scenario"] == "agentic"]
    if not state["model"]:
        state = state.having(model=(_most(agentic or rows, "model"),))
        rows = [row for row in rows if row["model"] in state["model"]]
        agentic = [row for row in rows if row["scenario"] == "agentic"]
    if not state["scenario"] and not state["workload"]:
        state = state.having(scenario=(_most(agentic or rows, "scenario"),))
        rows = [row for row in rows if row["scenario"] in state["scenario"]]
    if state["scenario"] == ("fixed",) and not state["workload"]:
        known = [row for row in rows if row["workload"]]
        state = state.having(workload=(_most(known, "workload"),)) if known else state
    return state


def _choices(lake: Lake, state: ViewState) -> list[Row]:
    condition, params = conditions(state)
    return lake.rows(_CHOICE.replace("$condition", condition), params, snap=state["snap"])


def _most(rows: list[Row], name: str) -> str:
    """Return the value of a column with most points; ties go to the first in order."""
    counts: Counter[str] = Counter()
    for row in sorted(rows, key=lambda row: str(row[name])):
        counts[row[name]] += row["n"]
    return counts.most_common(1)[0][0]
