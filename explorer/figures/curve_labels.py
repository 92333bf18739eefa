"""Texts over curves: cautions, names at ends, a number at each vertex, none over another.

Cautions come first, then names; numbers stand where both, and other vertices, leave room. What has
none at some widths is marked with those at which it has (`data-from`, `data-to`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from explorer.domain.curve_points import Floats
from explorer.domain.frontier import interpolate
from explorer.figures.label_places import Box, Places, Spot, Stand, stands
from explorer.figures.text_width import width_of

NAME, NUMBER, FLAG, AXIS = 13.5, 11.0, 12.0, 12.5
"""Sizes of texts in px, as in assets/series.css."""
_NOMINAL_WIDTH = 760
_AXIS = Spot(-54, -14)
_WARNS = (
    (Spot(-9, -6, end=True), 0.0),
    (Spot(9, -6), 0.0),
    (Spot(-9, 15, end=True), 10.0),
    (Spot(9, 15), 10.0),
)
_BESIDE = tuple(
    (spot, 0.0)
    for spot in (Spot(8, -8), Spot(-8, -8, end=True), Spot(8, 17), Spot(-8, 17, end=True))
)
_SHIFTS = sorted(
    [*((shift, -shift) for shift in range(-100, 1, 4)), *((s, 3 * s) for s in range(4, 33, 4))],
    key=lambda one: one[1],
)
"""How far in px a name stands off its line's end, and what that costs: lines are below it."""
_PER_STEP = 12.0
"""What it costs a name to be left out at a width more."""
_PER_STROKE, _STROKE = 3.0, 4.0
"""What it costs a name to cover so many px of a line."""
_FEW = 100
"""Cautions beyond which all stand on one side of their marks."""
_MARK = 6.0
"""Half of what a mark covers, px."""
Place = tuple[float, float]
Point = Mapping[str, Any]


class Name(NamedTuple):
    """What a line is called, its colour's classes, its vertices in shares of the width and px.

    `seen` are those of them in the part shown.
    """

    text: str
    css: str
    line: Sequence[Place]
    seen: Sequence[Place]


def taken(axis: str, height: float) -> Places:
    """Return the places of a plot in which nothing but the name of its y axis stands."""
    places = Places(height)
    places.take(_AXIS.box(axis, (0.0, 0.0), AXIS))
    return places


def keep_off(spots: Iterable[Place], places: Places) -> None:
    """Let names and numbers keep off the marks at some places."""
    for x, y in spots:
        places.take(Box(x, -_MARK, _MARK, y - _MARK, y + _MARK))


def cautions(points: Sequence[tuple[str, Place]], places: Places) -> dict[str, str]:
    """Return the `!` beside points by their id; where too many meet, those of the first."""
    spots = _WARNS if len(points) <= _FEW else _WARNS[:1]
    return {
        point_id: "".join(
            _drawn("flag", "!", at, stand) for stand in stands("!", at, FLAG, spots, places)
        )
        for point_id, at in points
    }


def names(named: Iterable[Name], lines: Iterable[Sequence[Place]], places: Places) -> str:
    """Return the name of each line at its right end, off what stands there and off `lines`."""
    named = sorted(named, key=lambda one: -one.seen[-1][1])
    strokes = _strokes(lines) if named else ()
    texts = (_name(one, strokes, places) for one in named)
    return f'<g aria-hidden="true">{"".join(texts)}</g>'


def _name(one: Name, strokes: Sequence[Floats], places: Places) -> str:
    at = one.seen[-1]
    spots = [
        (start._replace(dy=start.dy + shift), cost)
        for shift, cost in _SHIFTS
        for start in _starts(one)
    ]
    costs = [
        (spot, cost + _PER_STROKE * _struck(spot.box(one.text, at, NAME), strokes))
        for spot, cost in spots
    ]
    costs.sort(key=lambda one: one[1])
    return "".join(
        _drawn(f"lab {one.css}", one.text, at, stand)
        for stand in stands(one.text, at, NAME, costs, places, _PER_STEP)
    )


def _strokes(lines: Iterable[Sequence[Place]]) -> tuple[Floats, Floats]:
    """Return x and y in px of places every few px along lines, in a plot of a common width."""
    found = [np.empty((2, 0))]
    for line in lines:
        if len(line) < 2:
            continue
        x, y = np.array(line, dtype=np.float64).T
        x *= _NOMINAL_WIDTH
        along = np.maximum(np.abs(np.diff(x)), np.abs(np.diff(y))).cumsum()
        along = np.concatenate(([0.0], along))
        steps = np.arange(0.0, along[-1], _STROKE)
        found.append(np.array([np.interp(steps, along, x), np.interp(steps, along, y)]))
    x, y = np.concatenate(found, axis=1)
    return x, y


def _struck(box: Box, strokes: Sequence[Floats]) -> int:
    """Return how many places along lines a box covers."""
    x, y = strokes
    left, right = (box.share * _NOMINAL_WIDTH + end for end in (box.left, box.right))
    return int(((x > left) & (x < right) & (y > box.top) & (y < box.bottom)).sum())


def _starts(one: Name) -> tuple[Spot, Spot]:
    """Return where a name stands if it can: after its line's end, or before it and above."""
    x, y = one.seen[-1]
    above = _highest(one.line, x - width_of(one.text, NAME) / _NOMINAL_WIDTH)
    above = max(above, y - 60)  # of a steep line the name stands beside
    return Spot(10, -14), Spot(-8, above - y - 14, end=True)


def _highest(line: Sequence[Place], start: float) -> float:
    """Return the topmost pixel of a line's end from a share of the width on."""
    places: list[Place] = []
    for place in reversed(line):
        places.append(place)
        if place[0] < start:
            break
    first = interpolate(places[::-1], start)
    return min([y for x, y in places if x >= start] + ([] if first is None else [first]))


def numbers(
    points: Iterable[tuple[Point, Place]], label: Callable[[Point], str], places: Places
) -> dict[str, str]:
    """Return the texts beside each point that has room for it, by its id."""
    drawn = {}
    for point, at in points:
        said = label(point)
        found = stands(said, at, NUMBER, _BESIDE, places) if said else []
        drawn[point["point_id"]] = "".join(_drawn("pt", said, at, stand) for stand in found)
    return drawn


def _drawn(css: str, said: str, at: Place, stand: Stand) -> str:
    """Return a text of a chart where it stands beside a place."""
    spot = stand.spot
    ends = ' text-anchor="end"' * spot.end
    ends += f' data-from="{stand.since:g}"' if stand.since else ""
    ends += f' data-to="{stand.until:g}"' if stand.until < math.inf else ""
    return (
        f'<text class="{css}" x="{at[0] * 100:.2f}%" y="{at[1]:.1f}" dx="{spot.dx:g}" '
        f'dy="{spot.dy:.4g}"{ends}>{escape(said)}</text>'
    )
