"""The Pareto frontier: which points no other point beats on both axes."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Literal

Direction = Literal["higher", "lower", "none"]
Pair = tuple[float | None, float | None]


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
    rows = [index for index, pair in enumerate(pairs) if eligible(pair, False)]
    if x_better != "none" and y_better != "none":
        rows = _undominated(pairs, rows, x_better, y_better)
    return sorted(rows, key=lambda index: (*pairs[index], index))


def _undominated(
    pairs: Sequence[Pair], rows: list[int], x_better: Direction, y_better: Direction
) -> list[int]:
    sx = -1.0 if x_better == "higher" else 1.0
    sy = -1.0 if y_better == "higher" else 1.0
    cost = {i: (sx * pairs[i][0], sy * pairs[i][1]) for i in rows}  # type: ignore[operator]
    kept: list[int] = []
    best_y, best_x = math.inf, math.inf
    for index in sorted(rows, key=cost.__getitem__):
        x, y = cost[index]
        if y < best_y or (y == best_y and x == best_x):
            kept.append(index)
            best_x, best_y = x, y
    return kept


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
