"""Rates and power per hardware for a view: the price table's, with the reader's own over them."""

from __future__ import annotations

from explorer import tables
from explorer.domain import view_state
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.errors import UsageError

BASES = ("own", "neocloud", "rental")


def version(state: ViewState) -> str:
    """Return the price version of a view: the pinned one, else the newest."""
    _, _, pinned = state["price"].partition("@")
    return pinned or tables.price_version()


def asked(state: ViewState) -> str:
    """Return the part of an address that prices depend on, the version written out."""
    basis = state["price"].partition("@")[0]
    dated = state.having(price=f"{basis}@{version(state)}")
    return view_state.format(dated.only(("price", *view_state.OWN_NUMBERS)))


def dated(lake: Lake, state: ViewState) -> ViewState:
    """Return the state with its price version written out: a pinned snapshot's own table.

    So that a pinned answer stays as it is when a newer price table comes. An unpinned state, and
    one that names its version, stay as they are.
    """
    if state["snap"] is None or "@" in state["price"]:
        return state
    pinned = lake.snapshot(state["snap"]).price_version
    return state.having(price=f"{state['price']}@{pinned}") if tables.prices(pinned) else state


def rates(state: ViewState) -> dict[str, tuple[float | None, float | None]]:
    """Return hardware → ($/GPU-hour, all-in kW per GPU) of a view; UsageError for no such table.

    `price=own@2026-07` picks basis and version, `rate.<hw>` and `kw.<hw>` go over them.
    """
    basis, _, pinned = state["price"].partition("@")
    table = tables.prices(pinned or None)
    if table is None:
        raise UsageError(
            f"No price version {pinned!r}.", hint=f"The newest is {tables.price_version()}."
        )
    hardware = set(table) | set(state["rate"]) | set(state["kw"])
    return {
        hw: (
            state["rate"].get(hw, table.get(hw, {}).get(basis)),
            state["kw"].get(hw, table.get(hw, {}).get("kw")),
        )
        for hw in sorted(hardware)
    }


def rates_sql(state: ViewState) -> tuple[str, list[object]]:
    """Return a VALUES list `(hw, rate, kw)` and its parameters."""
    rows = [(hw, rate, kw) for hw, (rate, kw) in rates(state).items()]
    marks = ", ".join("(?, ?::DOUBLE, ?::DOUBLE)" for _ in rows)
    return f"(VALUES {marks})", [value for row in rows for value in row]
