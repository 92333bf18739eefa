"""Curves as lines: their vertices, and what they give at a speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.domain.curve_points import CurvePoints
from explorer.domain.frontier import frontier, interpolate

Curve = Mapping[str, Any]
Point = Mapping[str, Any]
Vertices = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Sides:
    """Which way is better on each axis; an axis without a better side counts as higher."""

    x: str
    y: str

    @property
    def x_higher(self) -> bool:
        return self.x != "lower"

    @property
    def y_higher(self) -> bool:
        return self.y != "lower"

    def best(self, values: Sequence[float]) -> float:
        """Return the better end of some y."""
        return max(values) if self.y_higher else min(values)

    def gain(self, value: float, other: float) -> float | None:
        """Return how many times better one y is than another; null over zero."""
        top, bottom = (value, other) if self.y_higher else (other, value)
        return top / bottom if bottom else None


def sides(meta: Mapping[str, Any]) -> Sides:
    """Return the better sides of an answer of queries/curves.py."""
    return Sides(meta["directions"]["x"], meta["directions"]["y"])


def vertices(curve: Curve) -> list[tuple[float, float]]:
    """Return (x, y) of a curve's frontier points, by x."""
    points = curve["points"]
    if isinstance(points, CurvePoints):
        return points.vertices()
    return [(point["x"], point["y"]) for point in points if point["on_frontier"]]


def own_frontier(points: Sequence[Point], better: Sides) -> list[Point]:
    """Return the points of a set that none of the same set beats, by x."""
    able = [point for point in points if point["eligible"]]
    pairs = [(point["x"], point["y"]) for point in able]
    return [able[i] for i in frontier(pairs, better.x, better.y)]  # type: ignore[arg-type]


def reached(line: Vertices, x: float, better: Sides) -> tuple[float, bool] | None:
    """Return the y a line gives at x or a better x, and whether it is interpolated.

    Inside the line's range by straight segments; short of it the nearest vertex, which is better
    on x; beyond it null.
    """
    if not line:
        return None
    inside = interpolate(line, x)
    if inside is not None:
        return inside, all(vertex_x != x for vertex_x, _ in line)
    short = x < line[0][0] if better.x_higher else x > line[-1][0]
    nearest = line[0] if better.x_higher else line[-1]
    return (nearest[1], False) if short else None
