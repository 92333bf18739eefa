"""The one sentence a set of curves supports: who leads where, computed on their segments."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.domain.frontier import interpolate
from explorer.queries.lines import Vertices
from explorer.queries.lines import vertices as line_of


@dataclass(frozen=True, slots=True)
class Takeaway:
    """A sentence as a code and its facts; the edge words it."""

    code: str
    facts: Mapping[str, Any] = field(default_factory=dict)


def takeaway(curves: Sequence[Mapping[str, Any]], y_higher: bool) -> Takeaway:
    """Return who leads: alone, everywhere, or above a crossing, over the x they all reach.

    Curves as in queries/curves.py. Only frontier vertices count, joined by straight segments,
    inside the x range that at least two curves share.
    """
    lines = {curve["curve_id"]: vertices for curve in curves if (vertices := line_of(curve))}
    if not lines:
        return Takeaway("none")
    if len(lines) == 1:
        ((name, vertices),) = lines.items()
        code = "single" if len(vertices) > 1 else "one_point"
        return Takeaway(code, {"curve": name, "first": vertices[0], "last": vertices[-1]})
    reign = _reign(lines, y_higher)
    if not reign:
        return Takeaway("apart", {"curves": sorted(lines)})
    return _sentence(reign, lines, y_higher)


def _reign(lines: Mapping[str, Vertices], y_higher: bool) -> list[tuple[float, float, str]]:
    """Return intervals (from, to, leader) over the x that two or more curves reach."""
    stops = sorted({x for vertices in lines.values() for x, _ in vertices} | _crossings(lines))
    reign: list[tuple[float, float, str]] = []
    for low, high in itertools.pairwise(stops):
        middle = (low + high) / 2
        values = {
            name: y for name, line in lines.items() if (y := interpolate(line, middle)) is not None
        }
        if len(values) < 2:
            continue
        leader = (max if y_higher else min)(values, key=lambda name: (values[name], name))
        if reign and reign[-1][2] == leader and reign[-1][1] == low:
            reign[-1] = (reign[-1][0], high, leader)
        else:
            reign.append((low, high, leader))
    return reign


def _crossings(lines: Mapping[str, Vertices]) -> set[float]:
    names = sorted(lines)
    return {
        x
        for i, first in enumerate(names)
        for second in names[i + 1 :]
        for x in _meet(lines[first], lines[second])
    }


def _meet(first: Vertices, second: Vertices) -> list[float]:
    """Return the x at which two lines cross."""
    stops = sorted({x for x, _ in (*first, *second)})
    met = []
    for low, high in itertools.pairwise(stops):
        ends = [interpolate(line, x) for line in (first, second) for x in (low, high)]
        if any(end is None for end in ends):
            continue
        a = ends[0] - ends[2]  # type: ignore[operator]
        b = ends[1] - ends[3]  # type: ignore[operator]
        if a * b < 0:
            met.append(low + (high - low) * a / (a - b))
    return met


def _sentence(
    reign: list[tuple[float, float, str]], lines: Mapping[str, Vertices], y_higher: bool
) -> Takeaway:
    first, last = reign[0], reign[-1]
    if all(leader == last[2] for _, _, leader in reign):
        middle = (first[0] + last[1]) / 2
        ratio, other = _ratio(lines, last[2], middle, y_higher)
        return Takeaway(
            "lead_all", {"leader": last[2], "other": other, "x": middle, "ratio": ratio}
        )
    code = "lead_cross" if len(reign) == 2 else "lead_many"
    return Takeaway(code, {"high": last[2], "low": first[2], "x": last[0]})


def _ratio(
    lines: Mapping[str, Vertices], leader: str, x: float, y_higher: bool
) -> tuple[float | None, str | None]:
    """Return by how much the leader beats the next best at x, and who that is."""
    values = {name: y for name, line in lines.items() if (y := interpolate(line, x)) is not None}
    mine = values.pop(leader, None)
    if mine is None or not values:
        return None, None
    other = (max if y_higher else min)(values, key=lambda name: (values[name], name))
    top, bottom = (mine, values[other]) if y_higher else (values[other], mine)
    return (top / bottom if bottom else None), other
