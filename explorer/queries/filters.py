"""The filters of an address, one place for pages, API and exports: as SQL and over columns.

Both forms say the same (a test asks both about random states): SQL where DuckDB answers anyway,
masks where a view asks about rows that a process holds in memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from explorer.domain.view_state import FILTERS, ViewState
from explorer.queries.point_table import LOWEST_ACCURACY, Mask, PointTable

COLUMNS = {name: name for name in FILTERS} | {
    "offload": "kv_offload",
    "conc": "concurrency",
    "run": "run_id",
}
"""Query key → points column."""
NARROWING = (*FILTERS, "date", "valid", "accuracy_min")
"""Every key that a condition reads."""


def conditions(state: ViewState, without: str = "") -> tuple[str, list[Any]]:
    """Return a WHERE condition and its parameters for a state's filters.

    `without` leaves one key out, to count what its other values would give.
    """
    parts, params = ["true"], []
    for name, column in COLUMNS.items():
        if name == without or not state[name]:
            continue
        values = [_typed(name, value) for value in state[name]]
        parts.append(f"{column} IN ({', '.join('?' for _ in values)})")
        params.extend(values)
    if state["date"]:
        parts.append("(date IS NULL OR date <= ?)")
        params.append(state["date"])
    if state["valid"] and without != "valid":
        parts.append("valid IS NOT FALSE")
    if state["accuracy_min"] is not None:
        parts.append("list_min(json_extract(accuracy, '$.*')::DOUBLE[]) >= ?")
        params.append(state["accuracy_min"])
    return " AND ".join(parts), params


def _typed(name: str, value: str) -> Any:
    if name != "conc":
        return value
    try:
        return float(value)
    except ValueError:
        return None


class Chosen:
    """Which rows of a point table a state's filters leave, with and without each of them."""

    def __init__(self, table: PointTable, state: ViewState) -> None:
        self._table, self._state = table, state

    @cached_property
    def _masks(self) -> Mapping[str, Mask]:
        table, state = self._table, self._state
        masks = {
            name: table.codes(column).among({_typed(name, value) for value in state[name]})
            for name, column in COLUMNS.items()
            if state[name]
        }
        if state["date"]:
            dates = table.codes("date")
            masks["date"] = dates.where([one <= state["date"] for one in dates.values], True)
        if state["valid"]:
            verdicts = table.codes("valid")
            masks["valid"] = verdicts.where([bool(one) for one in verdicts.values], True)
        if state["accuracy_min"] is not None:
            masks["accuracy_min"] = table.numbers(LOWEST_ACCURACY).values >= state["accuracy_min"]
        return masks

    def mask(self, without: str = "") -> Mask:
        """Return which rows are left; `without` leaves one key out of the filters."""
        kept = [mask for name, mask in self._masks.items() if name != without]
        if not kept:
            return np.ones(len(self._table), dtype=bool)
        found: Mask = np.logical_and.reduce(kept)
        return found
