"""A metric over a model's life as inline SVG: what was the best known on each day, per curve."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from html import escape

import numpy as np

from explorer.domain.curve_points import Floats
from explorer.figures.curve_labels import Name, keep_off, names, taken
from explorer.figures.curves_svg import HEIGHT, tick_text
from explorer.figures.marks import colour_class, dash, shape_name, shapes
from explorer.figures.scales import Scale, scale

_TICKS = 6


@dataclass(frozen=True, slots=True)
class Life:
    """One curve's life: (ISO day, value) in order; what names and draws it."""

    label: str
    hw: str | None
    engine: str | None
    shade: int
    days: Sequence[tuple[str, float]]


def history_svg(
    lives: Sequence[Life],
    changes: Sequence[tuple[str, str]],
    words: Mapping[str, str],
    tip: Callable[[Life, str, float], str],
    height: int = HEIGHT,
) -> str:
    """Return the chart, `height` px high.

    A value holds from its day until the next, so lines are steps.
    `words`: title, desc, y. `changes` are (ISO day, text): a tick under the axis each.
    """
    every = [value for life in lives for _, value in life.days]
    days = [_day(day) for life in lives for day, _ in life.days]
    sy = replace(scale(every), px=height)
    first, last = min(days, default=0), max(days, default=1)
    sx = Scale(first, max(last, first + 1), False, ())
    body = "".join(_life(life, sx, sy, tip) for life in lives)
    inside = [one for one in changes if first <= _day(one[0]) <= last]
    marks = "".join(_change(day, text, sx, sy) for day, text in inside)
    return (
        f'<svg class="curves history" role="img" aria-label="{escape(words["title"])}" '
        f'width="100%" height="{height}" xmlns="http://www.w3.org/2000/svg">'
        f"<title>{escape(words['title'])}</title><desc>{escape(words['desc'])}</desc>"
        f"{shapes(shape_name(life.engine) for life in lives)}{_axes(sx, sy, words['y'])}"
        f"{body}{marks}{_labels(lives, sx, sy, words['y'])}</svg>"
    )


def _day(text: str) -> int:
    return date.fromisoformat(text[:10]).toordinal()


def _x(sx: Scale, day: float) -> str:
    return f"{sx.share(day) * 100:.2f}%"


def _y(sy: Scale, value: float) -> str:
    return f"{(1 - sy.share(value)) * sy.px:.1f}"


def _axes(sx: Scale, sy: Scale, name: str) -> str:
    rows = "".join(
        f'<line class="grid" x1="0" x2="100%" y1="{_y(sy, tick)}" y2="{_y(sy, tick)}"/>'
        f'<text class="tick" x="-10" y="{_y(sy, tick)}" dy=".35em" text-anchor="end">'
        f"{tick_text(tick)}</text>"
        for tick in sy.ticks
    )
    step = max(1, round((sx.high - sx.low) / _TICKS))
    ticks = range(int(sx.low), int(sx.high) + 1, step)
    columns = "".join(
        f'<text class="tick{" wide" if place % 4 else ""}" x="{_x(sx, day)}" '
        f'y="{sy.px + 20:g}" text-anchor="middle">{date.fromordinal(day).isoformat()}</text>'
        for place, day in enumerate(ticks)
    )
    axis = f'<text class="axis" x="-54" y="-14">{escape(name)}</text>'
    return f'<g aria-hidden="true">{rows}{columns}{axis}</g>'


def _life(life: Life, sx: Scale, sy: Scale, tip: Callable[[Life, str, float], str]) -> str:
    pattern = f' stroke-dasharray="{dash(life.engine)}"' if dash(life.engine) else ""
    steps = "".join(
        _step((_x(sx, _day(a[0])), _y(sy, a[1])), (_x(sx, _day(b[0])), _y(sy, b[1])), pattern)
        for a, b in itertools.pairwise(life.days)
    )
    marks = "".join(
        f'<g class="mark on"><title>{escape(tip(life, day, value))}</title>'
        f'<use class="shape" href="#m-{shape_name(life.engine)}" '
        f'x="{_x(sx, _day(day))}" y="{_y(sy, value)}"/></g>'
        for day, value in life.days
    )
    return (
        f'<g class="{colour_class(life.hw)}"><g class="s{life.shade}">'
        f'<g class="line s{life.shade}">{steps}</g>{marks}</g></g>'
    )


def _step(start: tuple[str, str], end: tuple[str, str], pattern: str) -> str:
    (x0, y0), (x1, y1) = start, end
    return (
        f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y0}"{pattern}/>'
        f'<line x1="{x1}" y1="{y0}" x2="{x1}" y2="{y1}"{pattern}/>'
    )


def _change(day: str, text: str, sx: Scale, sy: Scale) -> str:
    at = _x(sx, _day(day))
    return (
        f'<g class="change"><title>{escape(text)}</title>'
        f'<line x1="{at}" x2="{at}" y1="{sy.px - 8:g}" y2="{sy.px + 6:g}"/></g>'
    )


def _labels(lives: Sequence[Life], sx: Scale, sy: Scale, axis: str) -> str:
    """Return the name of each life at its last day."""

    def spots(life: Life) -> Floats:
        return np.array(
            [(sx.share(_day(day)), (1 - sy.share(value)) * sy.px) for day, value in life.days]
        )

    lived = [(life, spots(life)) for life in lives if life.days]
    named = [
        Name(life.label, f"{colour_class(life.hw)} s{life.shade}", tuple(line[-1].tolist()), line)
        for life, line in lived
        if life.label
    ]
    places = taken(axis, sy.px)
    keep_off((place for _, line in lived for place in line.tolist()), places)
    return names(named, [_stepped(line) for _, line in lived], places)


def _stepped(line: Floats) -> Floats:
    """Return the corners of a line of steps."""
    corners = np.repeat(line, 2, axis=0)
    return np.stack([corners[1:, 0], corners[:-1, 1]], axis=1)
