"""The chart of the curves page with all that belongs to it: legend, hands, counts, sections."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import curve_unmerged, names
from explorer.components.curve_choices import unzoomed
from explorer.components.curve_legend import explained, hands, key, legend, provenance
from explorer.components.curve_sections import ranked, ruled, uncertain
from explorer.components.markup import raw
from explorer.components.view import Words
from explorer.domain import addresses, metrics, view_state
from explorer.domain.curve_points import CurvePoints, Ints
from explorer.domain.lake import Lake
from explorer.domain.units import number
from explorer.domain.view_state import ViewState
from explorer.figures.curve_marks import Dots, within
from explorer.figures.curves_svg import HEIGHT, Look, curves_svg, dotted, scales
from explorer.figures.scales import Scale
from explorer.queries.bootstrap import Band, bands
from explorer.queries.lines import sides, vertices
from explorer.queries.unmerge import Unmerged, unmerge

Curve = Mapping[str, Any]
Point = Mapping[str, Any]
SIX = 6
_LABELS = 60
_SHADES = 6


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn: `leading` stand in the legend, `data` are those of them not hidden.

    `chosen` is the id of the point whose card stands beside.
    """

    lake: Lake
    leading: Sequence[Curve]
    data: Sequence[Curve]
    meta: Mapping[str, Any]
    state: ViewState
    chosen: str | None
    words: Words


def shaded(curves: Sequence[Curve]) -> list[Curve]:
    """Return curves with a shade each: those of one hardware and engine are told apart by it."""
    seen: dict[tuple[Any, Any], int] = {}
    found = []
    for curve in sorted(curves, key=lambda curve: curve["curve_id"]):
        pair = (curve["hw"], curve["engine"])
        found.append({**curve, "shade": min(seen.get(pair, 0), _SHADES - 1)})
        seen[pair] = seen.get(pair, 0) + 1
    order = {curve["curve_id"]: place for place, curve in enumerate(curves)}
    return sorted(found, key=lambda curve: order[curve["curve_id"]])


class Drawing:
    """The picture on its page: the chart first, what the address asks for under it, the dots."""

    def __init__(self, picture: Picture, heading: str) -> None:
        self._picture, self._heading = picture, heading
        self._snap = picture.lake.snapshot(picture.state["snap"]).snap[:12]
        self._apart, self._sure = _apart(picture), _sure(picture)
        look = replace(_look(picture, self._apart, self._sure), bare=True)
        self._look = replace(look, scales=scales(picture.data, look))

    def chart(self) -> list[Component]:
        """Return the chart with the line that reads it out."""
        picture = self._picture
        said = provenance(picture.meta, self._snap, picture.words)
        return [
            html.P(className="readout", **{"aria-hidden": "true"}),  # a mark's label says the same
            raw(
                _chart(picture, self._look),
                className="plot",
                id="first-chart",
                **{
                    "data-testid": "curve-chart",
                    "data-heading": self._heading,
                    "data-provenance": said,
                },
            ),
        ]

    def under(self) -> list[Component]:
        """Return legend, key, hands and counts."""
        picture = self._picture
        data, meta, state, words = picture.data, picture.meta, picture.state, picture.words
        sx, sy = self._look.scales or scales(data, self._look)
        return [
            legend(picture.leading, state, words),
            key(data, state, words),
            hands(sx, sy, state, words),
            html.P(_shown(picture, sx, sy), className="counts"),
            explained(meta, metrics.by_key(), words),
        ]

    def sections(self) -> list[Component]:
        """Return what the address asks for under the chart."""
        picture, apart = self._picture, self._apart
        data, meta, state, words = picture.data, picture.meta, picture.state, picture.words
        return [
            *uncertain(self._sure, data, meta["policy"], words),
            *ranked(data, state, words),
            *(curve_unmerged.section(*apart, meta, state, words) if apart else []),
            *ruled(data, meta, state, words),
        ]

    def dots(self) -> str:
        """Return what the dots of a crowd say, as JSON for assets/curves.js; empty without any."""
        return _said_of_dots(self._picture, dotted(self._picture.data, self._look))


def chart(picture: Picture, height: int = HEIGHT) -> str:
    """Return the chart alone as `<svg>`, `height` px high: what embeds, cards and files show."""
    look = _look(picture, _apart(picture), _sure(picture))
    return _chart(picture, replace(look, height=height))


def _sure(picture: Picture) -> Mapping[str, Band]:
    """Return the uncertainty of the curves, if the address asks for it."""
    if not picture.state["bands"]:
        return {}
    return bands(picture.lake, picture.data, picture.meta)


def _apart(picture: Picture) -> tuple[Curve, Unmerged] | None:
    """Return the curve that the address un-merges, if it is in the picture."""
    for curve in picture.data:
        if curve["curve_id"] == picture.state["unmerge"]:
            return curve, unmerge(curve, sides(picture.meta))
    return None


def _look(picture: Picture, apart: tuple[Curve, Unmerged] | None, sure: Mapping[str, Band]) -> Look:
    state = picture.state
    parts = {}
    if apart:
        curve, found = apart
        parts = {curve["curve_id"]: curve_unmerged.parts(found, picture.words)}
    return Look(
        log_x=state["scale"] in ("logx", "log"),
        log_y=state["scale"] in ("logy", "log"),
        x_range=(state["x_from"], state["x_to"]),
        y_range=(state["y_from"], state["y_to"]),
        selected=picture.chosen,
        ruler=state["at"],
        parts=parts,
        bands={name: band.stops for name, band in sure.items()},
    )


def _chart(picture: Picture, look: Look) -> str:
    data, meta, state, words = picture.data, picture.meta, picture.state, picture.words
    texts = {
        "title": words(
            "curves.chart_title",
            y=names.metric(meta["y"], words),
            x=names.metric(meta["x"], words),
        ),
        "desc": counts(data, meta, words),
        "x": _axis_text(meta, "x", words),
        "y": _axis_text(meta, "y", words),
    }
    labelled = sum(len(vertices(curve)) for curve in data) <= _LABELS
    start, tail = map(escape, _hrefs(state))
    tips, short = _tips(data, meta, words)
    return curves_svg(
        data,
        words=texts,
        label=lambda curve: names.curve(curve, words) if len(data) <= SIX else "",
        tip=tips,
        short=short,
        name=lambda curve: names.curve(curve, words),
        href=lambda point: f"{start}{point['point_id']}{tail}",
        point_label=(lambda point: _label(point, state)) if labelled else None,
        look=look,
    )


def _axis_text(meta: Mapping[str, Any], axis: str, words: Words) -> str:
    found = metrics.by_key()[meta[axis]]
    unit = "" if found.unit == "ratio" else f", {names.unit(found, words)}"
    arrow = {
        ("x", "higher"): "→",
        ("x", "lower"): "←",
        ("y", "higher"): "↑",
        ("y", "lower"): "↓",
    }.get((axis, found.direction), "")
    better = f"  {arrow} {words('curves.better')}" if arrow else ""
    return f"{names.metric(meta[axis], words)}{unit}{better}"


def _between(meta: Mapping[str, Any], words: Words) -> tuple[str, str, str, str]:
    """Return what stands between a point's settings, x, y, TTFT and cautions in its line."""
    x_unit, y_unit = (names.unit(metrics.by_key()[meta[axis]], words) for axis in ("x", "y"))
    ttft = f"TTFT {names.statistic(meta['stat'], words)}"
    return " · ", f" {x_unit} · ", f" {y_unit} · {ttft} ", " s"


def _tips(
    data: Sequence[Curve], meta: Mapping[str, Any], words: Words
) -> tuple[Callable[[Curve, Point], str], Callable[[Curve, Point], str]]:
    """Return what says a point in one line, in full and without the curve, as escaped text.

    Its TTFT is always in it.
    """
    named = {curve["curve_id"]: escape(names.curve(curve, words)) for curve in data}
    a, b, c, d = map(escape, _between(meta, words))

    @cache
    def escaped(text: str) -> str:
        return escape(text)

    def short(curve: Curve, point: Point) -> str:
        return (
            f"{escaped(names.configuration(point, words))}{a}{number(point['x'])}{b}"
            f"{number(point['y'])}{c}{number(point['ttft'])}{d}"
            f"{escaped(_cautions(point, words))}"
        )

    def full(curve: Curve, point: Point) -> str:
        return f"{named[curve['curve_id']]} · {short(curve, point)}"

    return full, short


def _said_of_dots(picture: Picture, found: Sequence[Dots]) -> str:
    """Return as JSON the ids, links and words of dots, in their order: columns, each text once."""
    if not found:
        return ""
    texts = _Texts()
    rows = [row for group in found for row in _dot_rows(group, texts, picture.words)]
    return json.dumps(
        {
            "href": _hrefs(picture.state),
            "between": _between(picture.meta, picture.words),
            "texts": texts.listed(),
            "rows": "\n".join(rows),
        },
        ensure_ascii=False,
    )


def _dot_rows(group: Dots, texts: _Texts, words: Words) -> list[str]:
    """Return a row per dot: id, settings, x, y, TTFT, cautions; texts by number."""
    points, places = group.points, group.places
    return [
        f"{point_id};{settings};{number(x)};{number(y)};{number(ttft)};{cautions}"
        for point_id, settings, x, y, ttft, cautions in zip(
            points.column("point_id", places),
            map(texts.place, names.configurations(points, places, words)),
            points.column("x", places),
            points.column("y", places),
            points.column("ttft", places),
            map(texts.place, _all_cautions(points, places, words)),
            strict=True,
        )
    ]


class _Texts:
    """Texts by number, each once."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def place(self, text: str) -> int:
        return self._places.setdefault(text, len(self._places))

    def listed(self) -> list[str]:
        return list(self._places)


def _hrefs(state: ViewState) -> tuple[str, str]:
    """Return what stands before and after a point's id in the address of its page."""
    query = view_state.format(addresses.carried(state))
    return addresses.point(""), f"?{query}" if query else ""  # ids are letters and digits


def _cautions(point: Point, words: Words) -> str:
    return _caution(words.lang, point["status"], point["careful"], point["valid"])


def _all_cautions(points: CurvePoints, places: Ints, words: Words) -> list[str]:
    columns = (points.column(name, places) for name in ("status", "careful", "valid"))
    return [_caution(words.lang, *row) for row in zip(*columns, strict=True)]


@cache
def _caution(lang: str, status: str, careful: bool, valid: bool | None) -> str:
    words, said = Words.of(lang), ""
    if status == "partial":
        said = f" · {words('curves.partial')}"
    elif careful:
        said = f" · {words('curves.careful')}"
    if valid is False:
        said += f" · {words('curves.invalid_short')}"
    return said


def _label(point: Point, state: ViewState) -> str:
    if state["label"] == "none":
        return ""
    if state["label"] == "shape":
        return point["parallelism"] or ""
    return "" if point["concurrency"] is None else f"{point['concurrency']:g}"


def _shown(picture: Picture, sx: Scale, sy: Scale) -> str:
    """Return the counts, with the points that a zoom leaves out."""
    said = counts(picture.data, picture.meta, picture.words)
    if not any(name in picture.state.values for name in unzoomed()):
        return said
    every = [CurvePoints.of(curve["points"]) for curve in picture.data]
    outside = sum(int((~within(points, sx, sy)).sum()) for points in every)
    return f"{said} {picture.words('curves.outside_zoom', n=f'{outside:,}')}"


def counts(data: Sequence[Curve], meta: Mapping[str, Any], words: Words) -> str:
    """Return how many points are shown and why the others are not; nothing is hidden."""
    every = [CurvePoints.of(curve["points"]) for curve in data]
    shown = sum(map(len, every))
    total = shown + sum(meta["dropped"].values())
    parts = [words("curves.counts", total=f"{total:,}", shown=f"{shown:,}")]
    partial = sum(int(points.partial.sum()) for points in every)
    if partial:
        parts.append(words("curves.count.partial", n=f"{partial:,}"))
    parts += [words(f"curves.count.{reason}", n=f"{n:,}") for reason, n in meta["dropped"].items()]
    return words("curves.comma").join(parts) + words("curves.stop")
