"""Rolling percentiles and levels over requests: pure, on sorted arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MINIMUM = 5
"""Fewer samples than this in a window are no percentile."""
_SHORTEST_S = 30.0
_PARTS = 120.0


def window_s(duration_s: float) -> float:
    """Return the rolling window: 30 s, or a 120th of the duration where that is longer."""
    return max(_SHORTEST_S, duration_s / _PARTS)


def positions(t_s: Floats, budget: int) -> NDArray[np.int64]:
    """Return which samples to evaluate: all when they fit, else the last of each equal cell."""
    if len(t_s) <= budget:
        return np.arange(len(t_s))
    span = max(float(t_s[-1] - t_s[0]), 1e-9)
    cell = np.minimum(((t_s - t_s[0]) / span * budget).astype(np.int64), budget - 1)
    return np.flatnonzero(np.append(cell[1:] != cell[:-1], True))


def percentiles(
    t_s: Floats, value: Floats, at: NDArray[np.int64], window: float, ranks: tuple[float, ...]
) -> Floats:
    """Return percentiles over the window that ends at each position: (ranks, positions).

    `t_s` is ascending; windows are (t − window, t]. Linear interpolation at rank (n−1)·p; NaN
    with fewer than five samples.
    """
    first = np.searchsorted(t_s, t_s[at] - window, side="right")
    last = np.searchsorted(t_s, t_s[at], side="right")
    found = np.full((len(ranks), len(at)), np.nan)
    shares = np.asarray(ranks)
    for index, (low, high) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        if high - low >= MINIMUM:
            found[:, index] = quantiles(np.sort(value[low:high]), shares)
    return found


def quantiles(ordered: Floats, shares: Floats) -> Floats:
    """Return linear-interpolated quantiles of sorted values (np.quantile costs 40 times more)."""
    at = shares * (len(ordered) - 1)
    below = at.astype(np.int64)
    above = np.minimum(below + 1, len(ordered) - 1)
    low = ordered[below]
    return low + (ordered[above] - low) * (at - below)


def level(start_s: Floats, end_s: Floats, height: Floats) -> tuple[Floats, Floats]:
    """Return the sum of heights of the spans open at each event: (times, level after it).

    Where a span ends as another starts, the end counts first. Times are ascending and distinct.
    """
    t = np.concatenate([end_s, start_s])
    change = np.concatenate([-height, height])
    order = np.argsort(t, kind="stable")
    t, total = t[order], np.cumsum(change[order])
    last = np.append(t[1:] != t[:-1], True) if len(t) else np.zeros(0, dtype=bool)
    return t[last], total[last]


def peaks(t_s: Floats, height: Floats, at: Floats) -> Floats:
    """Return a step function's largest value in each cell between the edges `at`."""
    if len(t_s) == 0:
        return np.zeros(len(at) - 1)
    index = np.searchsorted(t_s, at[:-1], side="right") - 1
    found = np.where(index >= 0, height[np.maximum(index, 0)], 0.0)
    cell = np.searchsorted(at, t_s, side="right") - 1
    inside = (cell >= 0) & (cell < len(found))
    np.maximum.at(found, cell[inside], height[inside])
    return found


def spread(start_s: Floats, end_s: Floats, amount: Floats, at: Floats) -> Floats:
    """Return how much of amounts spread evenly over their spans falls into each cell.

    An empty span counts where it lies.
    """
    end_s = np.maximum(end_s, start_s + 1e-6)
    rate = amount / (end_s - start_s)
    t = np.concatenate([start_s, end_s])
    change = np.concatenate([rate, -rate])
    order = np.argsort(t, kind="stable")
    t, slope = t[order], np.cumsum(change[order])
    area = np.concatenate([[0.0], np.cumsum(slope[:-1] * np.diff(t))])
    return np.maximum(np.diff(np.interp(at, t, area)), 0.0) if len(t) else np.zeros(len(at) - 1)
