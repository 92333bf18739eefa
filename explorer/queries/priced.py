"""Numbers of every point as columns: stored ones as they are, derived ones at a view's prices."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from explorer.domain import metrics
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.queries import money
from explorer.queries.point_table import Numbers, PointTable, as_numbers
from explorer.store.cache import Memo

_DERIVED: Memo[tuple[str, str, str], Numbers] = Memo(8_000_000, lambda one: len(one.values))
"""(snapshot, prices, metric) → its column: 72 MB at most."""
_KEYS = tuple(metric.key for metric in metrics.METRICS if not metric.stored)
_SQL = """
WITH price(hw, rate, kw) AS {price}
SELECT {columns} FROM {{points}} AS points LEFT JOIN price USING (hw) ORDER BY point_id
"""


def number_columns(
    lake: Lake, table: PointTable, state: ViewState, keys: Mapping[str, str | None]
) -> dict[str, Numbers]:
    """Return the column of each metric under its name here; of no metric, nothing is known."""
    wanted = {key for key in keys.values() if key}
    derived = wanted & set(_KEYS)
    columns = {key: table.numbers(key) for key in wanted - derived}
    columns.update(_derived(lake, state, derived))
    return {name: columns[key] if key else _unknown(len(table)) for name, key in keys.items()}


def _unknown(n: int) -> Numbers:
    return Numbers(np.full(n, np.nan), np.zeros(n, dtype=bool))


def _derived(lake: Lake, state: ViewState, keys: set[str]) -> dict[str, Numbers]:
    """Return derived columns; all of new prices come from one statement, a page needs most."""
    snap, prices = lake.snapshot(state["snap"]).snap, money.asked(state)
    held = {key: one for (_, _, key), one in _DERIVED.held((snap, prices, k) for k in keys).items()}
    if keys - held.keys():
        price, params = money.rates_sql(state)
        columns = ", ".join(f'({metrics.by_key()[key].sql})::DOUBLE AS "{key}"' for key in _KEYS)
        rows = lake.arrow(_SQL.format(price=price, columns=columns), params, snap=snap)
        for key in _KEYS:
            held[key] = as_numbers(rows[key].combine_chunks())
            _DERIVED.put((snap, prices, key), held[key])
    return {key: held[key] for key in keys}
