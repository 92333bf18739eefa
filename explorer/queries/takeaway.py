"""The one sentence a set of curves supports: who leads where, computed on their segments."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from explorer.domain.frontier import interpolate
from explorer.queries.lines import Vertices
from explorer.queries.lines import vertices as line_of

Floats = npt.NDArray[np.float64]


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
    reigns = _reigns(lines, y_higher)
    shared = [reign for reign in reigns if reign.shared]
    if not shared:
        return Takeaway("apart", {"curves": sorted(lines)})
    if len({reign.leader for reign in shared}) == 1:
        return _lead_all(shared, lines, y_higher)
    return _lead_above(reigns)


@dataclass(frozen=True, slots=True)
class _Reign:
    """An interval of x and the curve that leads it; alone where no other curve reaches."""

    low: float
    high: float
    leader: str
    shared: bool


def _reigns(lines: Mapping[str, Vertices], y_higher: bool) -> list[_Reign]:
    """Return who leads between each two neighbouring vertices or crossings, by x."""
    stops = np.unique([*(x for line in lines.values() for x, _ in line), *_crossings(lines)])
    middles = (stops[:-1] + stops[1:]) / 2
    names = sorted(lines, reverse=y_higher)  # of equals, the last name leads up, the first down
    values = np.array([_on(lines[name], middles) for name in names])
    reaching = (~np.isnan(values)).sum(axis=0)
    ranked = np.where(np.isnan(values), -np.inf, values if y_higher else -values)
    spans = zip(
        stops[:-1].tolist(),
        stops[1:].tolist(),
        ranked.argmax(axis=0).tolist() if len(middles) else [],
        reaching.tolist(),
        strict=True,
    )
    return [_Reign(low, high, names[first], n > 1) for low, high, first, n in spans if n]


def _on(line: Vertices, xs: Floats) -> Floats:
    """Return y of a line at many x, as domain/frontier's `interpolate` does; NaN off the line."""
    x, y = np.array(line).T
    after = np.minimum(np.searchsorted(x, xs), len(x) - 1)
    before = np.maximum(after - 1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        between = y[before] + (y[after] - y[before]) * (xs - x[before]) / (x[after] - x[before])
    found = np.where(x[after] == xs, y[after], between)
    return np.where((xs < x[0]) | (xs > x[-1]), np.nan, found)


def _values(lines: Mapping[str, Vertices], x: float) -> dict[str, float]:
    """Return what each curve that reaches x has there."""
    found = ((name, interpolate(line, x)) for name, line in lines.items())
    return {name: y for name, y in found if y is not None}


def _crossings(lines: Mapping[str, Vertices]) -> set[float]:
    """Return the x at which any two lines cross."""
    return {x for a, b in itertools.combinations(lines.values(), 2) for x in _meet(a, b)}


def _meet(first: Vertices, second: Vertices) -> list[float]:
    """Return the x at which two lines cross."""
    stops = np.unique([x for x, _ in (*first, *second)])
    apart = _on(first, stops) - _on(second, stops)
    low, high, a, b = stops[:-1], stops[1:], apart[:-1], apart[1:]
    turns = a * b < 0  # never where one of them does not reach: NaN
    low, high, a, b = (one[turns] for one in (low, high, a, b))
    met: list[float] = (low + (high - low) * a / (a - b)).tolist()
    return met


def _lead_all(shared: list[_Reign], lines: Mapping[str, Vertices], y_higher: bool) -> Takeaway:
    """Return by how much the leader beats the next best, amid the widest interval they share."""
    widest = max(shared, key=lambda reign: (reign.high - reign.low, -reign.low))
    x = (widest.low + widest.high) / 2
    values = _values(lines, x)
    mine = values.pop(widest.leader)
    other = (max if y_higher else min)(values, key=lambda name: (values[name], name))
    top, bottom = (mine, values[other]) if y_higher else (values[other], mine)
    ratio = top / bottom if bottom else None
    facts = {"leader": widest.leader, "other": other, "x": x, "ratio": ratio}
    return Takeaway("lead_all" if ratio else "lead_plain", facts)


def _lead_above(reigns: list[_Reign]) -> Takeaway:
    """Return who leads from where on, and who below when that is one curve."""
    last = reigns[-1]
    before = [reign for reign in reigns if reign.leader != last.leader]
    x = max(reign.high for reign in before)
    below = {reign.leader for reign in reigns if reign.high <= x}
    if len(below) == 1:
        return Takeaway("lead_cross", {"high": last.leader, "low": below.pop(), "x": x})
    return Takeaway("lead_many", {"high": last.leader, "x": x})
