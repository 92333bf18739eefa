"""Which real points meet the limits: the cheapest, and the fastest for the money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.domain.curve_points import CurvePoints, Floats, Ints
from explorer.domain.frontier import frontier_of
from explorer.queries.lines import Curve, Point

COST, SPEED = "cost_max", "speed_min"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A point that meets every limit, its curve, and the two numbers it is ranked by."""

    curve: Curve
    point: Point

    @property
    def cost(self) -> float | None:
        """$ per M tokens, input and output together, at the view's prices."""
        return self.point["at_limit"][COST]

    @property
    def speed(self) -> float | None:
        """tok/s per user at the limits' statistic."""
        return self.point["at_limit"][SPEED]


@dataclass(frozen=True, slots=True)
class Ranking:
    """`cheapest` by cost; `fastest` are those that no other beats on speed and cost together."""

    cheapest: Sequence[Candidate]
    fastest: Sequence[Candidate]
    meeting: int
    unpriced: int


def ranking(curves: Sequence[Curve], most: int | None = None) -> Ranking:
    """Return the points of curves (queries/curves.py) by rank, of both lists the first `most`.

    Only complete runs within the limits stand in it. Ties go to the faster, then to the point id.
    A point without a price is counted, not ranked.
    """
    able = [_able(curve) for curve in curves]
    cost, speed = (_joined(able, name) for name in (COST, SPEED))
    known = ~np.isnan(cost)
    fast = frontier_of(cost, speed, "lower", "higher")
    ids = [point_id for points, places in able for point_id in points.column("point_id", places)]
    slow = -np.nan_to_num(speed)
    cheapest = np.lexsort((ids, slow, cost))[: int(known.sum())]  # an unknown cost comes last
    fastest = fast[np.lexsort((np.array(ids)[fast], cost[fast], slow[fast]))]
    return Ranking(
        cheapest=_candidates(curves, able, cheapest[:most]),
        fastest=_candidates(curves, able, fastest[:most]),
        meeting=len(ids),
        unpriced=len(ids) - int(known.sum()),
    )


_Able = tuple[CurvePoints, Ints]


def _able(curve: Curve) -> _Able:
    """Return a curve's points with the places of those that may win."""
    points = CurvePoints.of(curve["points"])
    return points, np.flatnonzero(points.able)


def _joined(able: Sequence[_Able], name: str) -> Floats:
    """Return what a limit bounds of all of them, as one column."""
    values = [value for points, places in able for value in points.column(name, places)]
    return np.array(values, dtype=np.float64)


def _candidates(curves: Sequence[Curve], able: Sequence[_Able], chosen: Ints) -> list[Candidate]:
    """Return the points at some places of the joined columns."""
    ends = np.cumsum([len(places) for _, places in able])
    found = []
    for at in chosen.tolist():
        owner = int(np.searchsorted(ends, at, side="right"))
        points, places = able[owner]
        place = places[at - ends[owner]]
        found.append(Candidate(curves[owner], points.some(np.array([place]))[0]))
    return found
