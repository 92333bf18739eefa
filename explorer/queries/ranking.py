"""Which real points meet the limits: the cheapest, and the fastest for the money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.domain.frontier import frontier
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


def ranking(curves: Sequence[Curve]) -> Ranking:
    """Return the ranked points of curves (queries/curves.py); only complete runs stand in it.

    Ties go to the faster, then to the point id. A point without a price is counted, not ranked.
    """
    every = [
        Candidate(curve, point)
        for curve in curves
        for point in curve["points"]
        if point["eligible"] and not point["misses"]
    ]
    priced = [one for one in every if one.cost is not None]
    return Ranking(
        cheapest=sorted(priced, key=_by_cost),
        fastest=_fastest(priced),
        meeting=len(every),
        unpriced=len(every) - len(priced),
    )


def _by_cost(one: Candidate) -> tuple[float, float, str]:
    return (one.cost or 0.0, -(one.speed or 0.0), one.point["point_id"])


def _fastest(priced: Sequence[Candidate]) -> list[Candidate]:
    won = frontier([(one.cost, one.speed) for one in priced], "lower", "higher")
    kept = [priced[index] for index in won]
    return sorted(kept, key=lambda one: (-(one.speed or 0.0), *_by_cost(one)))
