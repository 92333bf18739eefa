"""Curves as inline SVG: percent across, pixels down, so one picture fits every width.

Colours are CSS classes (assets/series.css), so the same markup serves light, dark and embeds.
Marks carry meaning: filled = on the frontier or able to be, hollow = partial or over a limit,
faint = beaten by another point, dashed ring = KV offload (the dash is the backend, the arc the
share of prompt tokens it served), `!` = read the caution. Colour and shape are identity.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, NamedTuple

import numpy as np

from explorer.domain.curve_points import CurvePoints, Floats
from explorer.figures.curve_labels import Name, cautions, keep_off, names, numbers, taken
from explorer.figures.curve_marks import (
    MANY_WON,
    Dots,
    Flagged,
    Say,
    crowd,
    dots,
    flagged,
    inside,
    marked,
)
from explorer.figures.marks import colour_class, dash, shape_name, shapes
from explorer.figures.scales import Scale, scale, window

HEIGHT = 420
Curve = Mapping[str, Any]
Point = Mapping[str, Any]
Stops = Sequence[tuple[float, float, float]]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a curve: its own vertices by x, a label at its end, a shade of the colour."""

    vertices: Sequence[tuple[float, float]]
    label: str
    shade: int = 0
    ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Look:
    """How a picture is drawn: logarithmic axes, the part shown, what is laid over the curves.

    `parts` by curve id are the lines of an un-merged curve, `bands` its (x, low, high) stops.
    `height` of the plot area is in px. `bare` leaves out the links of a crowd's dots, see `dotted`.
    `scales` are those of the picture, where they are known already.
    """

    log_x: bool = False
    log_y: bool = False
    x_range: tuple[float | None, float | None] = (None, None)
    y_range: tuple[float | None, float | None] = (None, None)
    selected: str | None = None
    ruler: float | None = None
    parts: Mapping[str, Sequence[Line]] = field(default_factory=dict)
    bands: Mapping[str, Stops] = field(default_factory=dict)
    height: int = HEIGHT
    bare: bool = False
    scales: tuple[Scale, Scale] | None = None


def curves_svg(
    curves: Sequence[Curve],
    *,
    words: Mapping[str, str],
    label: Callable[[Curve], str],
    tip: Callable[[Curve, Point], str],
    href: Callable[[Point], str],
    point_label: Callable[[Point], str] | None = None,
    look: Look | None = None,
    short: Callable[[Curve, Point], str] | None = None,
    name: Callable[[Curve], str] | None = None,
) -> str:
    """Return the chart of curves as one `<svg>`; empty curves give an empty frame.

    `words`: title, desc, x, y (axis texts). `label` names a curve at its end, `tip` says a point
    in one line (`short` one of a crowd, whose curve `name` says), `href` is where it leads, these
    as escaped text;
    `point_label` is the short text beside a vertex, if any has one.
    """
    look = look or Look()
    sx, sy = look.scales or scales(curves, look)
    lines = [
        (curve, replace(line, vertices=_placeable(line.vertices, sx, sy)))
        for curve in curves
        for line in _lines(curve, label(curve), look)
    ]
    under = "".join(_band(curve, look.bands.get(curve["curve_id"], ()), sx, sy) for curve in curves)
    joined = sum(len(line.vertices) for _, line in lines) > MANY_WON
    under += "".join(_segments(curve, line, sx, sy, joined) for curve, line in lines)
    many, shades = crowd(curves), _shades(look)
    doubtful = [
        one
        for curve in curves
        for one in flagged(curve, (sx, sy), shades.get(curve["curve_id"]), look.selected, many)
    ]
    texts = _texts(curves, lines, doubtful, (sx, sy), words["y"], point_label)
    say = Say(tip, short or tip, name or label, href, texts.numbers, texts.cautions, look.bare)
    body = "".join(
        marked(curve, (sx, sy), say, shades.get(curve["curve_id"]), look.selected, many)
        for curve in curves
    )
    ranges = f"{sx.low!r},{sx.high!r},{int(sx.log)},{sy.low!r},{sy.high!r},{int(sy.log)}"
    return (
        f'<svg class="curves" role="group" aria-label="{escape(words["title"])}" width="100%" '
        f'height="{look.height}" data-ranges="{ranges}" xmlns="http://www.w3.org/2000/svg">'
        f"<title>{escape(words['title'])}</title><desc>{escape(words['desc'])}</desc>"
        f"{shapes(shape_name(curve['engine']) for curve in curves)}"
        f"{_axes(sx, sy, words)}"
        f'<svg width="100%" height="{look.height}" overflow="hidden" aria-hidden="true">{under}'
        f"{_ruler(look.ruler, sx, sy)}</svg>"
        f"{body}{texts.names}</svg>"
    )


def dotted(curves: Sequence[Curve], look: Look) -> list[Dots]:
    """Return what a picture draws as dots of a crowd, in the order of the dots."""
    many, shades = crowd(curves), _shades(look)
    if not many.dots:
        return []
    both = look.scales or scales(curves, look)
    return [
        group
        for curve in curves
        for group in dots(curve, both, shades.get(curve["curve_id"]), look.selected, many)
    ]


def _shades(look: Look) -> dict[str, dict[str, int]]:
    """Return the shade of each point of the curves that are un-merged."""
    return {
        name: {point_id: line.shade for line in lines for point_id in line.ids}
        for name, lines in look.parts.items()
    }


def scales(curves: Sequence[Curve], look: Look) -> tuple[Scale, Scale]:
    """Return the scales of a picture: over all points, or the part that the look names."""
    every = [CurvePoints.of(curve["points"]) for curve in curves]
    sx = scale([end for one in every for end in _ends(one.x, look.log_x)], look.log_x)
    sy = scale([end for one in every for end in _ends(one.y, look.log_y)], look.log_y)
    return window(sx, *look.x_range), replace(window(sy, *look.y_range), px=look.height)


def _ends(values: Floats, log: bool) -> tuple[float, ...]:
    """Return the least and the greatest value that an axis has a place for."""
    values = values[values > 0] if log else values
    return (float(values.min()), float(values.max())) if len(values) else ()


def _x(sx: Scale, value: float) -> str:
    return f"{sx.share(value) * 100:.2f}%"


def _y(sy: Scale, value: float) -> str:
    return f"{(1 - sy.share(value)) * sy.px:.1f}"


def _axes(sx: Scale, sy: Scale, words: Mapping[str, str]) -> str:
    rows = "".join(
        f'<line class="grid" x1="0" x2="100%" y1="{_y(sy, tick)}" y2="{_y(sy, tick)}"/>'
        f'<text class="tick" x="-10" y="{_y(sy, tick)}" dy=".35em" text-anchor="end">'
        f"{tick_text(tick)}</text>"
        for tick in sy.ticks
    )
    columns = "".join(
        f'<text class="tick" x="{_x(sx, tick)}" y="{sy.px + 20:g}" text-anchor="middle">'
        f"{tick_text(tick)}</text>"
        for tick in sx.ticks
    )
    names = (
        f'<text class="axis" x="100%" y="{sy.px + 42:g}" text-anchor="end">'
        f"{escape(words['x'])}</text>"
        f'<text class="axis" x="-54" y="-14">{escape(words["y"])}</text>'
    )
    return f'<g aria-hidden="true">{rows}{columns}{names}</g>'


def tick_text(tick: float) -> str:
    """Return a tick's text: the digits that it has, however narrow a zoom, no trailing zeros.

    >>> tick_text(0.25), tick_text(1002.5), tick_text(1_207_500)
    ('0.25', '1,002.5', '1.2075M')
    """
    return f"{tick:,.10g}" if abs(tick) < 1e6 else f"{tick / 1e6:,.10g}M"


def _lines(curve: Curve, label: str, look: Look) -> list[Line]:
    """Return a curve's lines: its frontier, under its parts where it is un-merged."""
    vertices = CurvePoints.of(curve["points"]).vertices()
    parts = look.parts.get(curve["curve_id"])
    if not parts:
        return [Line(vertices or _best(curve), label, curve.get("shade", 0))]
    return [Line(vertices, "", -1), *parts]


def _placeable(
    vertices: Sequence[tuple[float, float]], sx: Scale, sy: Scale
) -> Sequence[tuple[float, float]]:
    """Return the vertices that have a place: on a logarithmic axis zero has none."""
    if not sx.log and not sy.log:
        return vertices
    return [(x, y) for x, y in vertices if (x > 0 or not sx.log) and (y > 0 or not sy.log)]


def _best(curve: Curve) -> list[tuple[float, float]]:
    """Return where the name of a curve without a line stands."""
    points = CurvePoints.of(curve["points"])
    if not len(points):
        return []
    last = int(points.x.argmax())
    return [(float(points.x[last]), float(points.y[last]))]


def _segments(curve: Curve, line: Line, sx: Scale, sy: Scale, joined: bool) -> str:
    """Return a line of a curve, `joined` to one element in a picture of many vertices."""
    dashed = line.shade >= 0 and dash(curve["engine"])
    pattern = f' stroke-dasharray="{dash(curve["engine"])}"' if dashed else ""
    kind = "line merged" if line.shade < 0 else f"line s{line.shade}"
    curve_id = escape(curve["curve_id"])
    drawn = _joined if joined and len(line.vertices) > 1 else _apart
    return (
        f'<g class="{colour_class(curve["hw"])}" data-line="{curve_id}">'
        f'<g class="{kind}">{drawn(line, pattern, sx, sy)}</g></g>'
    )


def _apart(line: Line, pattern: str, sx: Scale, sy: Scale) -> str:
    places = [(_x(sx, x), _y(sy, y)) for x, y in line.vertices]
    return "".join(
        f'<line x1="{a[0]}" y1="{a[1]}" x2="{b[0]}" y2="{b[1]}"{pattern}/>'
        for a, b in itertools.pairwise(places)
    )


def _joined(line: Line, pattern: str, sx: Scale, sy: Scale) -> str:
    """Return a line as one element, in a viewBox of its own."""
    x, y = np.array(line.vertices).T
    across, down = sx.places(x, 10_000), sy.places(y, sy.px * 10, upside_down=True)
    places = " ".join(f"{one},{other}" for one, other in zip(across, down, strict=True))
    return (
        f'<svg width="100%" height="{sy.px:g}" viewBox="0 0 10000 {sy.px * 10:g}" '
        f'preserveAspectRatio="none"><polyline points="{places}"{pattern}/></svg>'
    )


def _band(curve: Curve, stops: Stops, sx: Scale, sy: Scale) -> str:
    """Return a band as an area; its own viewBox turns percent across into plain numbers."""
    if not stops:
        return ""

    def at(x: float, y: float) -> str:
        return f"{sx.share(x) * 1000:.1f},{(1 - sy.share(y)) * sy.px:.1f}"

    usable = [one for one in stops if (one[1] > 0 or not sy.log) and (one[0] > 0 or not sx.log)]
    edge = [at(x, high) for x, _, high in usable] + [at(x, low) for x, low, _ in reversed(usable)]
    return (
        f'<svg class="{colour_class(curve["hw"])}" width="100%" height="{sy.px:g}" '
        f'viewBox="0 0 1000 {sy.px:g}" preserveAspectRatio="none">'
        f'<polygon class="band" points="{" ".join(edge)}"/></svg>'
    )


def _ruler(x: float | None, sx: Scale, sy: Scale) -> str:
    if x is None or not sx.low <= x <= sx.high or (sx.log and x <= 0):
        return ""
    at = _x(sx, x)
    return f'<line class="ruler" x1="{at}" x2="{at}" y1="0" y2="{sy.px:g}"/>'


class _Texts(NamedTuple):
    """The texts of a picture, drawn: cautions and numbers by point id, names in one."""

    cautions: Mapping[str, str]
    names: str
    numbers: Mapping[str, str]


def _texts(
    curves: Sequence[Curve],
    lines: Sequence[tuple[Curve, Line]],
    doubtful: Sequence[Flagged],
    both: tuple[Scale, Scale],
    axis: str,
    point_label: Callable[[Point], str] | None,
) -> _Texts:
    """Return the texts of a picture, each where those before it leave room."""
    sx, sy = both

    def at(x: float, y: float) -> tuple[float, float]:
        return sx.share(x), (1 - sy.share(y)) * sy.px

    places = taken(axis, sy.px)
    doubtful = sorted(doubtful, key=lambda one: not one.won)
    flags = cautions([(one.point_id, at(one.x, one.y)) for one in doubtful], places)
    every = [CurvePoints.of(curve["points"]) for curve in curves] if point_label else []
    won = [point for points in every for point in points.winners() if inside(point, sx, sy)]
    vertices = [(point, at(point["x"], point["y"])) for point in won]
    keep_off((place for _, place in vertices), places)
    drawn = [_shares(line.vertices, sx, sy) for _, line in lines]
    return _Texts(
        flags,
        names(_named(lines, drawn, sy.px), drawn, places),
        numbers(vertices, point_label, places) if point_label else {},
    )


def _shares(vertices: Sequence[tuple[float, float]], sx: Scale, sy: Scale) -> Floats:
    """Return vertices in shares of the width and px down, two columns."""
    x, y = np.array(vertices, dtype=np.float64).reshape(-1, 2).T
    return np.stack([sx.shares(x), (1 - sy.shares(y)) * sy.px], axis=1)


def _named(lines: Sequence[tuple[Curve, Line]], drawn: Sequence[Floats], down: float) -> list[Name]:
    """Return the lines that have a name and are in the part shown, `drawn` in shares and px."""
    found = []
    for (curve, line), places in zip(lines, drawn, strict=True):
        seen = places[((places >= 0) & (places <= (1, down))).all(axis=1)].tolist()
        if seen and line.label:
            css = f"{colour_class(curve['hw'])} s{max(line.shade, 0)}"
            found.append(Name(line.label, css, (seen[-1][0], seen[-1][1]), places))
    return found
