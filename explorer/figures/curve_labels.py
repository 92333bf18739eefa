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
from explorer.figures.label_places import Box, Choice, Places, Spot, Stand, stands
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
    [*((shift, -shift) for shift in range(-96, 1, 12)), *((s, 3 * s) for s in range(12, 25, 12))],
    key=lambda one: one[1],
)
"""How far in px a name stands off its line's end, and what that costs: lines are below it."""
_ELSEWHERE = tuple(
    (spot, cost)
    for down, cost in ((5, 8), (20, 12))
    for spot in (Spot(12, down), Spot(-12, down, end=True))
)
"""Where a name stands if not above its line: beside its end or below, and what that costs."""
_PER_RISE = 0.3
"""What each px costs that a name has to stand higher to be above its line."""
_PER_STEP = 12.0
"""What it costs a name to be left out at a width more."""
_PER_STROKE, _STROKE = 4.5, 6.0
"""What it costs a name to cover so many px of a line."""
_FEW = 100
"""Cautions beyond which all stand on one side of their marks."""
_MARK = 6.0
"""Half of what a mark covers, px."""
Place = tuple[float, float]
Strokes = tuple[Floats, Floats]
Point = Mapping[str, Any]


class Name(NamedTuple):
    """What a line is called, its colour's classes, its end in the part shown, its vertices.

    Places are in shares of the width and px, vertices two columns of them from the left on.
    """

    text: str
    css: str
    end: Place
    line: Floats


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
    return {point_id: _beside("flag", "!", at, FLAG, spots, places) for point_id, at in points}


def _beside(
    css: str, said: str, at: Place, size: float, spots: Sequence[tuple[Spot, float]], places: Places
) -> str:
    """Return a text beside a place at the spots that are free, or nothing."""
    choices = [Choice(spot, spot.box(said, at, size), cost) for spot, cost in spots]
    return "".join(_drawn(css, said, at, stand) for stand in stands(choices, places))


def names(named: Iterable[Name], lines: Iterable[Floats], places: Places) -> str:
    """Return the name of each line at its right end, off what stands there and off `lines`."""
    named = sorted(named, key=lambda one: -one.end[1])
    strokes = _strokes(lines if named else (), places.height)
    texts = (_name(one, strokes, places) for one in named)
    return f'<g aria-hidden="true">{"".join(texts)}</g>'


def _name(one: Name, strokes: Strokes, places: Places) -> str:
    starts = _starts(one)
    choices = _choices(one, starts, strokes)
    if choices[0].cost > _ELSEWHERE[0][1] or places.since(choices[0].box):
        moved = [
            (start._replace(dy=start.dy + shift), cost + more)
            for shift, more in _SHIFTS
            for start, cost in starts
        ]
        choices = _choices(one, [*moved, *_ELSEWHERE], strokes)
    return "".join(
        _drawn(f"lab {one.css}", one.text, one.end, stand)
        for stand in stands(choices, places, _PER_STEP)
    )


def _choices(one: Name, spots: Sequence[tuple[Spot, float]], strokes: Strokes) -> list[Choice]:
    """Return where a name can stand, the cheapest first."""
    boxes = [spot.box(one.text, one.end, NAME) for spot, _ in spots]
    choices = [
        Choice(spot, box, cost + _PER_STROKE * struck)
        for (spot, cost), box, struck in zip(spots, boxes, _struck(boxes, strokes), strict=True)
    ]
    return sorted(choices, key=lambda one: one.cost)


def _strokes(lines: Iterable[Floats], height: float) -> Strokes:
    """Return x and y in px of places every few px along lines, as far as a plot shows them.

    The plot is of a common width. A zoom has lines that lead millions of px out of it.
    """
    ends = [line for line in lines if len(line) > 1]
    if not ends:
        return np.empty(0), np.empty(0)
    plot = np.array([_NOMINAL_WIDTH, height])
    start = np.concatenate([one[:-1] for one in ends]) * (_NOMINAL_WIDTH, 1)
    way = np.concatenate([np.diff(one, axis=0) for one in ends]) * (_NOMINAL_WIDTH, 1)
    way = np.where(way == 0, 1e-9, way)
    sides = np.sort(np.stack([-start / way, (plot - start) / way]), axis=0)
    first, last = np.maximum(sides[0].max(axis=1), 0), np.minimum(sides[1].min(axis=1), 1)
    shown = np.nan_to_num(np.abs(way).max(axis=1) * np.maximum(last - first, 0), posinf=0)
    n = np.ceil(np.minimum(shown, plot.sum()) / _STROKE).astype(np.int64)
    segment = np.repeat(np.arange(len(n)), n)
    step = np.arange(n.sum()) - np.repeat(n.cumsum() - n, n)
    along = first[segment] + (step + 0.5) / n[segment] * (last - first)[segment]
    x, y = (start[segment] + along[:, None] * way[segment]).T
    return x, y


def _struck(boxes: Sequence[Box], strokes: Strokes) -> list[int]:
    """Return how many places along lines each box covers."""
    x, y = strokes
    share, left, right, top, bottom, *_ = np.array(boxes).T[:, :, None]
    at = share * _NOMINAL_WIDTH
    inside = (x > at + left) & (x < at + right) & (y > top) & (y < bottom)
    found: list[int] = inside.sum(axis=1).tolist()
    return found


def _starts(one: Name) -> list[tuple[Spot, float]]:
    """Return where a name stands if it can: after its line's end, or before it and above."""
    x, y = one.end
    above = _highest(one.line, x - width_of(one.text, NAME) / _NOMINAL_WIDTH, x)
    up = min(y - above, 60)  # of a steep line the name stands beside
    return [(Spot(10, -14), 0), (Spot(-8, -up - 14, end=True), _PER_RISE * up)]


def _highest(line: Floats, start: float, end: float) -> float:
    """Return the topmost pixel of a line between two shares of the width."""
    x, y = line.T
    among = y[(x >= start) & (x <= end)]
    return float(min(among.min(), np.interp(start, x, y)))


def numbers(
    points: Iterable[tuple[Point, Place]], label: Callable[[Point], str], places: Places
) -> dict[str, str]:
    """Return the texts beside each point that has room for it, by its id."""
    return {
        point["point_id"]: _beside("pt", said, at, NUMBER, _BESIDE, places)
        for point, at in points
        if (said := label(point))
    }


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
