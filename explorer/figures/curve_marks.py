"""The marks of curves: a link each, few elements where there are hundreds, dots where thousands.

A browser's work grows with the elements of a chart, so points that are beaten share what they have
in common on their group, and in a crowd are dots of a path with a link each beside it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np

from explorer.domain.curve_points import CurvePoints, Ints, Mask, offloaded
from explorer.figures.marks import colour_class, mark_at, ring_dash, shape_name
from explorer.figures.scales import Scale

_CROWD, MANY_WON, _CROWD_WON, _FLAGS, _PIECE = 250, 60, 150, 40, 100
"""Points of a picture from which beaten ones are dots, their marks would cover one another; points
on frontiers from which their marks are of few elements; and from which in a crowd they are dots;
cautions beyond which a group of dots shows none, they would cover the dots; and dots of a path."""
_RING_OF_A_DOT = '<g class="offload-ring"/>'
"""Says that a dot has a ring; the ring itself is in the path of its curve's rings."""
Curve = Mapping[str, Any]
Point = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Crowd:
    """What a picture of many points does without.

    `dots` are beaten points without marks, `won` those on frontiers; `plain` marks of frontiers
    are of few elements.
    """

    dots: bool
    won: bool
    plain: bool


def crowd(curves: Sequence[Curve]) -> Crowd:
    """Return what a picture of these curves leaves out."""
    every = [CurvePoints.of(curve["points"]) for curve in curves]
    won = sum(int(points.won.sum()) for points in every)
    dots = sum(map(len, every)) > _CROWD
    return Crowd(dots, dots and won > _CROWD_WON, won > MANY_WON)


class Dots(NamedTuple):
    """Points of a curve that are dots of one group: beaten ones, or `won`, in a shade."""

    kind: str
    shade: int
    points: CurvePoints
    places: Ints

    def listed(self) -> list[dict[str, Any]]:
        """Return the points themselves."""
        return self.points.some(self.places)


class Flagged(NamedTuple):
    """A point that carries a caution, on its curve's frontier or not."""

    point_id: str
    x: float
    y: float
    won: bool


class _Parted(NamedTuple):
    """The places of a curve's points that stand in the part shown."""

    points: CurvePoints
    chosen: Ints
    won: Ints
    beaten: Ints


class _Placed(NamedTuple):
    """A point at percent across and pixels down, in a shade of its curve's colour."""

    point: Point
    x: str
    y: str
    shade: int


@dataclass(frozen=True, slots=True)
class Say:
    """What is said of points: in a line, in a short one, where they lead.

    `labels` are the texts beside vertices, `cautions` those beside doubtful points, drawn already,
    by point id. `bare` leaves the links of a crowd's dots to the page, which makes one when it is
    asked for.
    """

    tip: Callable[[Curve, Point], str]
    short: Callable[[Curve, Point], str]
    name: Callable[[Curve], str]
    href: Callable[[Point], str]
    labels: Mapping[str, str]
    cautions: Mapping[str, str]
    bare: bool = False


def dots(
    curve: Curve,
    scales: tuple[Scale, Scale],
    shades: Mapping[str, int] | None,
    chosen_id: str | None,
    many: Crowd,
) -> list[Dots]:
    """Return the points of a curve that are drawn as dots, in the order of their groups."""
    return _crowded(_parted(curve, scales, chosen_id), shades, many)


def _crowded(parted: _Parted, shades: Mapping[str, int] | None, many: Crowd) -> list[Dots]:
    if not many.dots:
        return []
    found = _by_shade("off", parted.points, parted.beaten, shades)
    return found + (_by_shade("won", parted.points, parted.won, shades) if many.won else [])


def _parted(curve: Curve, scales: tuple[Scale, Scale], chosen_id: str | None) -> _Parted:
    points = CurvePoints.of(curve["points"])
    shown = within(points, *scales)
    chosen = np.zeros(len(points), dtype=bool)
    if chosen_id in points.ids:
        chosen[points.ids.index(chosen_id)] = True
    others = shown & ~chosen
    masks = (shown & chosen, others & points.won, others & ~points.won)
    return _Parted(points, *(np.flatnonzero(mask) for mask in masks))


def _by_shade(
    kind: str, points: CurvePoints, places: Ints, shades: Mapping[str, int] | None
) -> list[Dots]:
    if not shades:
        return [Dots(kind, 0, points, places)] if len(places) else []
    found: dict[int, list[int]] = {}
    for place in places.tolist():
        found.setdefault(shades.get(points.ids[place], 0), []).append(place)
    return [Dots(kind, shade, points, np.array(some)) for shade, some in found.items()]


def marked(
    curve: Curve,
    scales: tuple[Scale, Scale],
    say: Say,
    shades: Mapping[str, int] | None,
    chosen_id: str | None,
    many: Crowd,
) -> str:
    """Return a curve's marks: beaten ones below, then its frontier, on top the chosen one.

    `shades` by point id where the curve is un-merged, else all are in the curve's own.
    """
    parted = _parted(curve, scales, chosen_id)
    place = _placing(scales, shades or {})

    def placed(places: Ints) -> list[_Placed]:
        return [place(point) for point in parted.points.some(places)]

    crowded = _crowded(parted, shades, many)
    marks = "".join(_dots(curve, group, say, scales) for group in crowded)
    if len(parted.beaten) and not many.dots:
        marks += _marks(curve, placed(parted.beaten), say, "off")
    won = [] if many.won else placed(parted.won)
    if won and many.plain:
        marks += _marks(curve, won, say, "won")
        won = []
    chosen = placed(parted.chosen)
    marks += "".join(_mark(curve, one, say, one in chosen) for one in (*won, *chosen))
    texts = "".join(say.labels.get(one.point["point_id"], "") for one in (*won, *chosen))
    shade = f" s{curve.get('shade', 0)}" if shades is None else ""
    return (
        f'<g class="{colour_class(curve["hw"])}{shade}" data-curve="{escape(curve["curve_id"])}">'
        f'{marks}<g class="pts" aria-hidden="true">{texts}</g></g>'
    )


def _placing(scales: tuple[Scale, Scale], shades: Mapping[str, int]) -> Callable[[Point], _Placed]:
    """Return what gives a point its place."""
    sx, sy = scales
    across, down = sx.place(100.0), sy.place(sy.px, upside_down=True)

    def place(point: Point) -> _Placed:
        x, y = f"{across(point['x']):.2f}%", f"{down(point['y']):.1f}"
        return _Placed(point, x, y, shades.get(point["point_id"], 0))

    return place


def _marks(curve: Curve, points: Sequence[_Placed], say: Say, kind: str) -> str:
    """Return points as marks of few elements: what they share stands once, on the group."""
    shape = shape_name(curve["engine"])
    tip, href = say.tip, say.href
    marks = []
    for one in points:
        point = one.point
        names = ([] if point["eligible"] else ["hollow"]) + ([f"s{one.shade}"] if one.shade else [])
        css = f' class="{" ".join(names)}"' if names else ""
        ring = _ring(point, f'cx="{one.x}" cy="{one.y}"') if offloaded(point) else ""
        flag = say.cautions.get(point["point_id"], "")
        marks.append(
            f'<a data-point-id="{point["point_id"]}" href="{href(point)}"{css} '
            f'aria-label="{tip(curve, point)}">{ring}{mark_at(shape, one.x, one.y)}{flag}'
            "</a>"
        )
    return f'<g class="{kind}">{"".join(marks)}</g>'


def _dots(curve: Curve, group: Dots, say: Say, scales: tuple[Scale, Scale]) -> str:
    """Return points of a crowd as dots of a few paths, and a link without a body for each.

    A path of thousands of dots costs a browser a fraction of as many marks. Its own viewBox turns
    percent across into plain numbers, strokes do not scale with it. Dots and links are in one
    order, by which assets/curves.js finds the link under the pointer.
    """
    shade = f" s{group.shade}" if group.shade else ""
    return (
        f'<g class="{group.kind} crowd{shade}" role="group" aria-label="{escape(say.name(curve))}">'
        f"{_paths(group, scales)}{'' if say.bare else _links(curve, group.listed(), say)}"
        f"{''.join(say.cautions[group.points.ids[place]] for place in _doubtful(group))}</g>"
    )


def _doubtful(group: Dots) -> Ints:
    """Return the places of a group's cautions; none where they are too many."""
    found = group.places[group.points.doubtful[group.places]]
    return found if len(found) <= _FLAGS else found[:0]


def flagged(
    curve: Curve,
    scales: tuple[Scale, Scale],
    shades: Mapping[str, int] | None,
    chosen_id: str | None,
    many: Crowd,
) -> list[Flagged]:
    """Return a curve's points that have a caution drawn beside them."""
    points = CurvePoints.of(curve["points"])
    if not points.doubtful.any():
        return []
    parted = _parted(curve, scales, chosen_id)
    whole = [parted.chosen] + [parted.won] * (not many.won) + [parted.beaten] * (not many.dots)
    found = [places[points.doubtful[places]] for places in whole]
    found += [_doubtful(group) for group in _crowded(parted, shades, many)]
    x, y, won = points.x, points.y, points.won
    return [
        Flagged(points.ids[place], float(x[place]), float(y[place]), bool(won[place]))
        for place in np.concatenate(found).tolist()
    ]


def _paths(group: Dots, scales: tuple[Scale, Scale]) -> str:
    """Return the dots, rings around the offloaded ones and holes in the hollow ones."""
    sx, sy = scales
    points, places = group.points, group.places
    x = sx.places(points.x[places], 10_000.0)
    y = sy.places(points.y[places], sy.px * 10, upside_down=True)
    dots = [f"M{one} {other}h0" for one, other in zip(x, y, strict=True)]
    rings = list(itertools.compress(dots, points.ringed[places].tolist()))
    holes = list(itertools.compress(dots, (~points.able[places]).tolist()))
    layers = (("around", rings), ("gap", rings), ("dots", dots), ("hole", holes))
    paths = "".join(_path(name, some) for name, layer in layers for some in _pieces(layer))
    return (
        f'<svg width="100%" height="{sy.px:g}" viewBox="0 0 10000 {sy.px * 10:g}" '
        f'preserveAspectRatio="none" aria-hidden="true">{paths}</svg>'
    )


def _pieces(dots: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield dots in pieces: a browser paints tile by tile, and of long paths all dots for each."""
    for start in range(0, len(dots), _PIECE):
        yield dots[start : start + _PIECE]


def _path(name: str, dots: Sequence[str]) -> str:
    return f'<path class="{name}" d="{"".join(dots)}"/>'


def _links(curve: Curve, points: Sequence[Point], say: Say) -> str:
    short, href = say.short, say.href
    return "".join(
        f'<a data-point-id="{point["point_id"]}" href="{href(point)}" '
        f'aria-label="{short(curve, point)}">'
        f"{_RING_OF_A_DOT if offloaded(point) else ''}</a>"
        for point in points
    )


def _mark(curve: Curve, one: _Placed, say: Say, chosen: bool) -> str:
    point, circle = one.point, f'cx="{one.x}" cy="{one.y}"'
    kind = "mark on" if point["on_frontier"] else "mark"
    kind += "" if point["eligible"] else " hollow"
    kind += (f" s{one.shade}" if one.shade else "") + (" chosen" if chosen else "")
    halo = f'<circle class="halo" {circle} r="14"/>' if chosen else ""
    return (
        f'<a data-point-id="{point["point_id"]}" href="{say.href(point)}" class="{kind}" '
        f'aria-label="{say.tip(curve, point)}">'
        f'<circle class="hit" {circle} r="11"/>{halo}{_ring(point, circle)}'
        f"{mark_at(shape_name(curve['engine']), one.x, one.y, 'shape')}"
        f"{say.cautions.get(point['point_id'], '')}</a>"
    )


def _ring(point: Point, circle: str) -> str:
    """Return the dashed ring of an offloaded point, and on it the share that its tier served."""
    if not offloaded(point):
        return ""
    share = min(max(point.get("tier_ratio") or 0.0, 0.0), 1.0) * 100
    arc = (
        f'<circle class="tier-arc" {circle} r="9" pathLength="100" '
        f'stroke-dasharray="{share:.1f} 100"/>'
        if share >= 0.5
        else ""
    )
    pattern = ring_dash(point["kv_offload_backend"])
    return f'{arc}<circle class="offload-ring" {circle} r="9" stroke-dasharray="{pattern}"/>'


def inside(point: Point, sx: Scale, sy: Scale) -> bool:
    """Tell whether a point stands in the part shown."""
    return sx.low <= point["x"] <= sx.high and sy.low <= point["y"] <= sy.high


def within(points: CurvePoints, sx: Scale, sy: Scale) -> Mask:
    """Return which points of a curve stand in the part shown."""
    x, y = points.x, points.y
    found: Mask = (x >= sx.low) & (x <= sx.high) & (y >= sy.low) & (y <= sy.high)
    return found
