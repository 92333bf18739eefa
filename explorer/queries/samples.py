"""Raw latency samples over time, folded into cells of time × log value: none is dropped."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.domain.answers import Cells
from explorer.domain.counters import Floats
from explorer.domain.lake import Lake
from explorer.queries.request_columns import columns, started
from explorer.queries.window import Window
from explorer.store.cache import Memo

COLUMNS = {
    "ttft_s": "ttft_s",
    "e2el_s": "e2el_s",
    "interactivity_tps": "itl_s",
    "e2e_interactivity_tps": "e2e_s",
}
"""A quantity's latency; speeds are 1 / it."""
ACROSS, UP = 160, 48
_FOLDED: Memo[tuple[str, Window, str], Cells | None] = Memo(
    500_000, lambda cells: len(cells.n) if cells else 1
)
"""(requests object, window, quantity) → cells: half a million, some 50 MB at most."""


def cells(lake: Lake, point: Mapping[str, Any], quantity: str, window: Window) -> Cells | None:
    """Return the samples of a quantity at their first token's time; None without any.

    At most 160 × 48 cells; each shows one of its samples where that lies, and counts them all.
    """
    name = point.get("requests_object")
    if not name:
        return None
    return _FOLDED.get((name, window, quantity), lambda: _cells(lake, point, quantity, window))


def _cells(lake: Lake, point: Mapping[str, Any], quantity: str, window: Window) -> Cells | None:
    found = columns(lake, point, window)
    if not found:
        return None
    value, t_s = found[COLUMNS[quantity]], found["first_token_s"]
    kept = started(found, window) & np.isfinite(t_s) & np.isfinite(value) & (value > 0)
    if not kept.any():
        return None
    value = value[kept]
    return _folded(t_s[kept], 1 / value if quantity.endswith("_tps") else value)


def _folded(t_s: Floats, value: Floats) -> Cells:
    cell = _place(t_s, ACROSS) * UP + _place(np.log(value), UP)
    n = np.bincount(cell)
    held = np.flatnonzero(n)
    order = _scattered(len(cell))
    chosen = np.empty(len(n), dtype=np.int64)
    chosen[cell[order]] = order
    shown = chosen[held]
    return Cells(t_s[shown].tolist(), value[shown].tolist(), n[held].tolist())


def _scattered(n: int) -> np.ndarray:
    """Return 0…n−1 in an order that prefers no place: cells would draw stripes otherwise."""
    stride = next(step for step in range(int(n * 0.618) | 1, 2 * n + 2) if math.gcd(step, n) == 1)
    return np.arange(n, dtype=np.int64) * stride % n


def _place(value: Floats, cells: int) -> np.ndarray:
    """Return which of equal cells between the smallest and the largest value each is in."""
    wide = max(float(np.ptp(value)), 1e-12)
    return np.minimum((value - value.min()) / wide * cells, cells - 1).astype(np.int64)
