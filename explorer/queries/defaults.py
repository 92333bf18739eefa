"""What a bare address shows: one model, one scenario, measured points before any others."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from explorer.domain import view_state
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.queries.filters import NARROWING, Chosen
from explorer.queries.point_table import PointTable, point_table
from explorer.store.cache import Memo

Row = dict[str, Any]

_CHOICE = ("model", "scenario", "workload", "source")
REAL = ("measured", "third_party")
_EFFECTIVE: Memo[tuple[str, str], tuple[tuple[str, tuple[str, ...]], ...]] = Memo(512)
"""(snapshot, filters) → the keys that a default view fills in."""


def effective(lake: Lake, state: ViewState) -> ViewState:
    """Return the state with model, scenario, workload and source filled in as a default view.

    Measured before simulated, agentic before the rest: the model with most such points, its
    agentic scenario if there is one, else the scenario with most points; of fixed-sequence
    scenarios the workload with most points. Sources: measured and third party together,
    simulated and mock only by themselves. An empty choice changes nothing.
    """
    filters = state.only(NARROWING)
    key = (lake.snapshot(state["snap"]).snap, view_state.format(filters))

    def ask() -> tuple[tuple[str, tuple[str, ...]], ...]:
        rows = _choices(point_table(lake, state["snap"]), filters)
        full = _filled(rows, filters)
        return tuple((name, full[name]) for name in _CHOICE if full[name] != filters[name])

    return state.having(**dict(_EFFECTIVE.get(key, ask)))


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


def _choices(table: PointTable, state: ViewState) -> list[Row]:
    """Return the kinds of points that filters leave, with how many there are of each."""
    mask = Chosen(table, state).mask() & ~table.codes("status").among({"failed"})
    mask &= table.codes("model").codes >= 0
    kinds = table.group(_CHOICE)
    _, first, n = np.unique(kinds[mask], return_index=True, return_counts=True)
    rows = np.flatnonzero(mask)[first]
    return [
        {name: table.codes(name).at(row) for name in _CHOICE} | {"n": count}
        for row, count in zip(rows.tolist(), n.tolist(), strict=True)
    ]


def _most(rows: list[Row], name: str) -> str:
    """Return the value of a column with most points; ties go to the first in order."""
    counts: Counter[str] = Counter()
    for row in sorted(rows, key=lambda row: str(row[name])):
        counts[row[name]] += row["n"]
    return counts.most_common(1)[0][0]
