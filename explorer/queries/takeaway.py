"""The one sentence a set of curves supports: who leads where, computed on their segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from explorer.domain.frontier import interpolate
from explorer.queries.lines import Vertices
from explorer.queries.lines import vertices as line_of

Floats = npt.NDArray[np.float64]
MOST = 100
"""Lines about which one sentence can still say something; every two of them may cross."""


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
        drawn = any(len(curve["points"]) for curve in curves)
        return Takeaway("unranked" if drawn else "none")
    if len(lines) == 1:
        ((name, vertices),) = lines.items()
        code = "single" if len(vertices) > 1 else "one_point"
        return Takeaway(code, {"curve": name, "first": vertices[0], "last": vertices[-1]})
    if len(lines) > MOST:
        return Takeaway("crowded", {"n": len(lines)})
    reigns = _reigns(lines, y_higher)
    if not reigns.shared.any():
        return Takeaway("apart", {"curves": sorted(lines)})
    if len(np.unique(reigns.leader[reigns.shared])) == 1:
        return _lead_all(reigns, lines, y_higher)
    return _lead_above(reigns)


@dataclass(frozen=True, slots=True)
class _Reigns:
    """Intervals of x by x, and which of `names` leads each; alone where no other curve reaches."""

    low: Floats
    high: Floats
    leader: npt.NDArray[np.intp]
    shared: npt.NDArray[np.bool_]
    names: list[str]


def _reigns(lines: Mapping[str, Vertices], y_higher: bool) -> _Reigns:
    """Return who leads between each two neighbouring vertices or crossings."""
    drawn = {name: np.array(vertices).T for name, vertices in lines.items()}
    stops = np.unique(np.concatenate([*(line[0] for line in drawn.values()), _crossings(drawn)]))
    middles = (stops[:-1] + stops[1:]) / 2
    names = sorted(lines, reverse=y_higher)  # of equals, the last name leads up, the first down
    values = np.array([_on(drawn[name], middles) for name in names])
    reaching = (~np.isnan(values)).sum(axis=0)
    ranked = np.where(np.isnan(values), -np.inf, values if y_higher else -values)
    there = reaching > 0
    leader = ranked.argmax(axis=0)
    return _Reigns(stops[:-1][there], stops[1:][there], leader[there], reaching[there] > 1, names)


def _on(line: Floats, xs: Floats) -> Floats:
    """Return y of a line at ascending x, as domain/frontier's `interpolate` does; NaN off it."""
    x, y = line
    found = np.full(len(xs), np.nan)
    start, end = np.searchsorted(xs, x[0]), np.searchsorted(xs, x[-1], "right")
    reached = xs[start:end]
    after = np.searchsorted(x, reached)
    before = np.maximum(after - 1, 0)
    x0, y0 = x[before], y[before]
    with np.errstate(invalid="ignore", divide="ignore"):
        between = y0 + (y[after] - y0) * (reached - x0) / (x[after] - x0)
    found[start:end] = np.where(x[after] == reached, y[after], between)
    return found


def _values(lines: Mapping[str, Vertices], x: float) -> dict[str, float]:
    """Return what each curve that reaches x has there."""
    found = ((name, interpolate(line, x)) for name, line in lines.items())
    return {name: y for name, y in found if y is not None}


def _crossings(lines: Mapping[str, Floats]) -> Floats:
    """Return the x at which any two lines cross."""
    stops = np.unique(np.concatenate([line[0] for line in lines.values()]))
    values = np.array([_on(line, stops) for line in lines.values()])
    found = [_meet(stops, mine - values[i + 1 :]) for i, mine in enumerate(values)]
    return np.concatenate(found)


def _meet(stops: Floats, apart: Floats) -> Floats:
    """Return the x at which a line meets others, so far apart from each at some stops."""
    # never where one does not reach: NaN
    other, before = np.nonzero(apart[:, :-1] * apart[:, 1:] < 0)
    low, high = stops[before], stops[before + 1]
    a, b = apart[other, before], apart[other, before + 1]
    met: Floats = low + (high - low) * a / (a - b)
    return met


def _lead_all(reigns: _Reigns, lines: Mapping[str, Vertices], y_higher: bool) -> Takeaway:
    """Return by how much the leader beats the next best, amid the widest interval they share."""
    width = np.where(reigns.shared, reigns.high - reigns.low, -1.0)
    widest = int(width.argmax())  # of equals, the first
    leader = reigns.names[reigns.leader[widest]]
    x = (float(reigns.low[widest]) + float(reigns.high[widest])) / 2
    values = _values(lines, x)
    mine = values.pop(leader)
    other = (max if y_higher else min)(values, key=lambda name: (values[name], name))
    top, bottom = (mine, values[other]) if y_higher else (values[other], mine)
    ratio = top / bottom if bottom else None
    facts = {"leader": leader, "other": other, "x": x, "ratio": ratio}
    return Takeaway("lead_all" if ratio else "lead_plain", facts)


def _lead_above(reigns: _Reigns) -> Takeaway:
    """Return who leads from where on, and who below when that is one curve."""
    last = reigns.leader[-1]
    x = float(reigns.high[reigns.leader != last].max())
    below = np.unique(reigns.leader[reigns.high <= x])
    high = reigns.names[last]
    if len(below) == 1:
        return Takeaway("lead_cross", {"high": high, "low": reigns.names[below[0]], "x": x})
    return Takeaway("lead_many", {"high": high, "x": x})
