"""The filters of an address as SQL conditions, one place for pages, API and exports."""

from __future__ import annotations

from typing import Any

from explorer.domain.view_state import FILTERS, ViewState

COLUMNS = {name: name for name in FILTERS} | {
    "offload": "kv_offload",
    "conc": "concurrency",
    "run": "run_id",
}
"""Query key → points column."""


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
