"""Reading aids over several curves: the ruler, the table of bands, the area under each."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from explorer.domain.curve_points import CurvePoints
from explorer.domain.frontier import interpolate
from explorer.domain.units import nice_ticks
from explorer.queries.lines import Curve, Point, Sides, Vertices, vertices


@dataclass(frozen=True, slots=True)
class Reading:
    """What one curve gives at the ruler; `ratio` to the baseline, both null out of its range."""

    curve: Curve
    y: float | None
    ratio: float | None
    interpolated: bool


@dataclass(frozen=True, slots=True)
class Bands:
    """Best real frontier point per band and curve, its ratio to the baseline's, and the areas.

    `cells[curve_id][band]` is (point, ratio) or None; `area[curve_id]` is (area, ratio) over
    `shared`, the x that all curves reach; both null when they share none.
    """

    edges: Sequence[float]
    base: str
    cells: Mapping[str, Sequence[tuple[Point, float | None] | None]]
    shared: tuple[float, float] | None
    area: Mapping[str, tuple[float, float | None] | None]


def baseline(curves: Sequence[Curve], asked: str | None) -> str | None:
    """Return the baseline's id: the asked one, else the first curve with a line."""
    lined = [curve["curve_id"] for curve in curves if vertices(curve)]
    return asked if asked in lined else next(iter(lined), None)


def ruler(curves: Sequence[Curve], x: float, base: str | None, better: Sides) -> list[Reading]:
    """Return each curve's y at x, best first; on straight segments, inside its range only."""
    values = {curve["curve_id"]: interpolate(vertices(curve), x) for curve in curves}
    other = values.get(base or "")
    readings = []
    for curve in curves:
        y = values[curve["curve_id"]]
        ratio = None if y is None or not other else y / other
        real = any(vertex_x == x for vertex_x, _ in vertices(curve))
        readings.append(Reading(curve, y, ratio, y is not None and not real))
    worst = float("-inf") if better.y_higher else float("inf")
    sign = -1 if better.y_higher else 1
    return sorted(readings, key=lambda one: sign * (worst if one.y is None else one.y))


def bands(curves: Sequence[Curve], base: str, better: Sides, count: int = 6) -> Bands:
    """Return the table of bands over the x of all frontiers; `base` has one.

    A band is [low, high): a point on an edge belongs to the band above; the last holds its end.
    """
    lines = {curve["curve_id"]: vertices(curve) for curve in curves}
    every = [x for line in lines.values() for x, _ in line]
    edges = nice_ticks(min(every), max(every), count)
    best = {curve["curve_id"]: _best(curve, edges, better) for curve in curves}
    shared = _shared(list(lines.values()))
    areas = {name: area(line, *shared) if shared else None for name, line in lines.items()}
    return Bands(
        edges,
        base,
        {name: _ratios(row, best[base]) for name, row in best.items()},
        shared,
        {name: _area_ratio(value, areas[base]) for name, value in areas.items()},
    )


def _best(curve: Curve, edges: Sequence[float], better: Sides) -> list[Point | None]:
    """Return the best point of a curve's frontier in each band; of equals the first."""
    points = CurvePoints.of(curve["points"])
    won = np.flatnonzero(points.won)
    x, y = points.x[won], points.y[won] * (1 if better.y_higher else -1)
    best: list[int | None] = []
    for low, high in itertools.pairwise(edges):
        inside = np.flatnonzero((x >= low) & ((x < high) | (high == edges[-1]) & (x == high)))
        best.append(int(won[inside[y[inside].argmax()]]) if len(inside) else None)
    found = iter(points.some(np.array([place for place in best if place is not None], dtype=int)))
    return [None if place is None else next(found) for place in best]


def _ratios(
    row: Sequence[Point | None], base: Sequence[Point | None]
) -> list[tuple[Point, float | None] | None]:
    return [
        None
        if point is None
        else (point, point["y"] / other["y"] if other and other["y"] else None)
        for point, other in zip(row, base, strict=True)
    ]


def _shared(lines: Sequence[Vertices]) -> tuple[float, float] | None:
    low = max((line[0][0] for line in lines if line), default=0.0)
    high = min((line[-1][0] for line in lines if line), default=0.0)
    return (low, high) if low < high else None


def area(line: Vertices, low: float, high: float) -> float | None:
    """Return the area under a line between two x; null where the line does not reach both."""
    ends = (interpolate(line, low), interpolate(line, high))
    if ends[0] is None or ends[1] is None:
        return None
    inner = [(x, y) for x, y in line if low < x < high]
    path = [(low, ends[0]), *inner, (high, ends[1])]
    return sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in itertools.pairwise(path))


def _area_ratio(value: float | None, base: float | None) -> tuple[float, float | None] | None:
    return None if value is None else (value, value / base if base else None)
