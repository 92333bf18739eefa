"""What an empty picture may be asked for instead: one change of its address that shows points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from explorer.domain.lake import Lake
from explorer.domain.view_state import STATS, ViewState
from explorer.queries.curves import LIMITS, curves
from explorer.queries.filters import NARROWING

Kind = Literal["stat", "limit", "filter"]


@dataclass(frozen=True, slots=True)
class WayBack:
    """A change and how many points it shows; `name` is the key that goes, or the statistic."""

    kind: Kind
    name: str
    state: ViewState
    points: int


def ways_back(lake: Lake, state: ViewState) -> list[WayBack]:
    """Return the changes that lead out of an address without points, of one kind, best first.

    Where points have no value at this statistic, other statistics; where limits or filters took
    them, those whose removal shows most.
    """
    for ways in (_statistics(state), _removed("limit", state), _removed("filter", state)):
        found = [WayBack(kind, name, way, _shown(lake, way)) for kind, name, way in ways]
        if known := [one for one in found if one.points]:
            return sorted(known, key=lambda one: -one.points)
    return []


def _shown(lake: Lake, state: ViewState) -> int:
    return sum(len(curve["points"]) for curve in curves(lake, state)["data"])


def _statistics(state: ViewState) -> Iterator[tuple[Kind, str, ViewState]]:
    for stat in STATS:
        if stat != state["stat"]:
            yield "stat", stat, state.having(stat=stat)


def _removed(kind: Kind, state: ViewState) -> Iterator[tuple[Kind, str, ViewState]]:
    for name in LIMITS if kind == "limit" else NARROWING:
        if name in state.values:  # a limit of zero is one too
            yield kind, name, state.having(**{name: None})
