"""Places for the texts of a chart at which none covers another, whatever width the chart has.

A chart is drawn percent across and pixels down: texts that stand apart on a wide screen meet on a
narrow one. Of two texts the widths at which they meet follow from their places, so each text
is given the least width from which it stands free; on narrower plots it stands elsewhere, or is
left out by the stylesheets.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from explorer.figures.text_width import width_of

STEPS = (0.0, 280.0, 360.0, 440.0, 520.0, 600.0, 700.0, 800.0, 900.0)
"""Widths of a plot in px from which a text can be shown; assets/series.css has a rule for each."""
NARROWEST = 160
"""A plot in the narrowest embed, px; a narrower one is nowhere."""
_MARGIN = 6
"""Room in px to the right of a plot that the narrowest page leaves."""
_ABOVE = -20
"""How far above a plot a text can stand, px: the mark of its highest point is half outside."""
_ROW = 16
_FACTOR = 1.14
"""Fonts of the widest letters take so much more than most do."""
_GAP = 1.0


class Box(NamedTuple):
    """What a text or a mark covers: from `left` to `right` px beside a share of the width.

    `top` and `bottom` are in px from the top of the plot. It is shown from a width of the plot
    (`since`) up to another (`until`).
    """

    share: float
    left: float
    right: float
    top: float
    bottom: float
    since: float = 0.0
    until: float = math.inf


class Spot(NamedTuple):
    """Where a text stands beside its place: dx and dy in px, its end there or its start."""

    dx: float
    dy: float
    end: bool = False

    def box(self, text: str, at: tuple[float, float], size: float) -> Box:
        """Return what a text at a share of the width and px down covers there, rather more."""
        wide = width_of(text, size) * _FACTOR + _GAP
        base = at[1] + self.dy
        before, after = (wide, _GAP) if self.end else (_GAP, wide)
        return Box(at[0], self.dx - before, self.dx + after, base - 0.95 * size, base + 0.25 * size)


class Places:
    """What is taken in a plot of some height in px."""

    def __init__(self, height: float) -> None:
        self.height = height
        self._rows: dict[int, list[Box]] = defaultdict(list)

    def take(self, box: Box) -> None:
        """Let nothing else stand where a box does, at widths at which it is shown."""
        for row in _rows(box):
            self._rows[row].append(box)

    def since(self, box: Box, most: float = STEPS[-1]) -> float:
        """Return the step from which on a box stands free in the plot; infinite beyond `most`."""
        if box.top < _ABOVE or box.bottom > self.height:
            return math.inf
        least, top, bottom = _fits_from(box), box.top, box.bottom
        for row in _rows(box):
            for other in self._rows.get(row, ()):
                if least > most:
                    return math.inf
                if top < other.bottom and other.top < bottom:
                    least = _free_from(least, box, other)
        return next((step for step in STEPS if least <= step <= most), math.inf)


class Stand(NamedTuple):
    """Where a text stands: from a width of the plot up to another."""

    spot: Spot
    since: float = 0.0
    until: float = math.inf


class Choice(NamedTuple):
    """A spot that a text can stand in, what it covers there, what that costs."""

    spot: Spot
    box: Box
    cost: float = 0.0


def stands(choices: Sequence[Choice], places: Places, per_step: float = 1.0) -> list[Stand]:
    """Return where a text stands, taken: one of its spots, and another on narrower plots.

    `choices` are the cheapest first; a spot costs `per_step` more for each of `STEPS` that a plot
    has to be wider for it.
    """
    least, since, best = math.inf, math.inf, choices[0]
    for one in choices:
        if one.cost >= least:
            break
        free = places.since(one.box)
        cost = one.cost + per_step * STEPS.index(free) if free < math.inf else math.inf
        if cost < least:
            least, since, best = cost, free, one
    if since == math.inf:
        return []
    places.take(best.box._replace(since=since))
    others = choices if since and len(choices) > 1 else ()
    return [Stand(best.spot, since), *_narrower(others, since, places)]


def _narrower(choices: Sequence[Choice], until: float, places: Places) -> Iterator[Stand]:
    """Yield the cheapest spot that is free on all plots up to a width, taken, if one is."""
    for one in choices:
        narrow = one.box._replace(until=until)
        if places.since(narrow, 0.0) == 0:
            places.take(narrow)
            yield Stand(one.spot, until=until)
            return


def _rows(box: Box) -> range:
    return range(int(box.top // _ROW), int(box.bottom // _ROW) + 1)


def _fits_from(box: Box) -> float:
    """Return the width from which on a box is within the plot, or in the margin to its right."""
    over = box.right - _MARGIN
    least = 0.0 if box.left >= 0 else _ratio(-box.left, box.share)
    least = max(least, 0.0 if over <= 0 else _ratio(over, 1 - box.share))
    return least if least > NARROWEST else 0.0


def _ratio(length: float, share: float) -> float:
    return length / share if share > 0 else math.inf


def _free_from(least: float, one: Box, other: Box) -> float:
    """Return the width up to which boxes of one height cover each other; or `least`, if more."""
    if one.share < other.share:
        one, other = other, one
    apart = one.share - other.share
    nearer, farther = other.right - one.left, one.right - other.left
    if nearer <= apart * max(least, NARROWEST) or farther <= 0 >= apart:
        return least
    first, last = (-farther / apart, nearer / apart) if apart else (0.0, math.inf)
    first = max(first, one.since, other.since, NARROWEST)
    last = min(last, one.until, other.until)
    return last if last > max(first, least) else least
