"""The Pareto frontier: which points no other point beats on both axes."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

Direction = Literal["higher", "lower", "none"]
Pair = tuple[float | None, float | None]
_Floats = npt.NDArray[np.float64]
_SIGNS = {"higher": -1.0, "lower": 1.0}


def eligible(pair: Pair, positive_x: bool, positive_y: bool = False) -> bool:
    """Tell whether a pair may stand on a frontier: both finite, positive where it must be."""
    x, y = pair
    if x is None or y is None or not (math.isfinite(x) and math.isfinite(y)):
        return False
    return not ((positive_x and x <= 0) or (positive_y and y <= 0))


def frontier(pairs: Sequence[Pair], x_better: Direction, y_better: Direction) -> list[int]:
    """Return the indices of the points that no other point beats on both axes.

    A point is beaten by one at least as good on both axes and better on one; exact ties all
    stay. Null and non-finite pairs are never on it. With a direction of `none` nothing can be
    better, so every eligible point stays. Indices ascend by (x, y, index). O(n log n).
    """
    x, y = (np.array([pair[axis] for pair in pairs], dtype=float) for axis in (0, 1))
    return frontier_of(x, y, x_better, y_better).tolist()


def frontier_of(
    x: _Floats, y: _Floats, x_better: Direction, y_better: Direction
) -> npt.NDArray[np.intp]:
    """Return the same of two columns, null as NaN."""
    rows = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if x_better != "none" and y_better != "none":
        cost = (x[rows] * _SIGNS[x_better], y[rows] * _SIGNS[y_better])
        rows = rows[_undominated(*cost)]
    return rows[np.lexsort((rows, y[rows], x[rows]))]


def _undominated(x: _Floats, y: _Floats) -> npt.NDArray[np.intp]:
    """Return the places that no other beats, lower being better on both; exact ties stay."""
    order = np.argsort(x)
    x, y = x[order], y[order]
    first = np.ones(len(x), dtype=bool)
    first[1:] = x[1:] != x[:-1]
    column = np.cumsum(first) - 1
    best = np.minimum.reduceat(y, np.flatnonzero(first)) if len(y) else y
    before = np.minimum.accumulate(np.concatenate(([np.inf], best[:-1])))
    return order[(y == best[column]) & (best < before)[column]]


def merge(
    frontiers: Iterable[Sequence[tuple[float, float]]], x_better: Direction, y_better: Direction
) -> list[tuple[float, float]]:
    """Return the frontier of several frontiers: merge(A, B) = frontier(A ∪ B)."""
    union = [pair for part in frontiers for pair in part]
    return [union[index] for index in frontier(union, x_better, y_better)]


def interpolate(vertices: Sequence[tuple[float, float]], x: float) -> float | None:
    """Return y on the straight segments of a curve sorted by x; null outside its range.

    At an x where several vertices stand, the first one counts.
    """
    if not vertices or not vertices[0][0] <= x <= vertices[-1][0]:
        return None
    at = bisect_left(vertices, x, key=lambda vertex: vertex[0])
    x1, y1 = vertices[at]
    if x1 == x:
        return y1
    x0, y0 = vertices[at - 1]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def heights(x: _Floats, y: _Floats, at: _Floats) -> _Floats:
    """Return what `interpolate` gives at many x of a curve's columns; NaN outside its range."""
    if not len(x):
        return np.full(len(at), np.nan)
    right = np.minimum(np.searchsorted(x, at), len(x) - 1)
    left = np.maximum(right - 1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        between = y[left] + (y[right] - y[left]) * (at - x[left]) / (x[right] - x[left])
    inside = (x[0] <= at) & (at <= x[-1])
    found: _Floats = np.where(inside, np.where(x[right] == at, y[right], between), np.nan)
    return found
