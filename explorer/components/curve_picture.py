"""The chart of the curves page with all that belongs to it: legend, hands, counts, sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import curve_unmerged, names
from explorer.components.curve_legend import explained, hands, key, legend, provenance
from explorer.components.curve_sections import ranked, ruled, uncertain
from explorer.components.curve_tips import hrefs, tips
from explorer.components.markup import raw
from explorer.components.modes import FILE
from explorer.components.view import Words
from explorer.domain import addresses, metrics
from explorer.domain.curve_points import CurvePoints, Mask
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.figures.curve_marks import crowd, within
from explorer.figures.curves_svg import HEIGHT, Look, curves_svg, scales
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
    """The picture on its page: the chart first, then what the address asks for under it."""

    def __init__(self, picture: Picture, heading: str) -> None:
        self._picture, self._heading = picture, heading
        self._snap = picture.lake.snapshot(picture.state["snap"]).snap
        self._apart, self._sure = unmerged(picture), _sure(picture)
        drawn = replace(look(picture, self._apart, self._sure), bare=not FILE)
        self._look = replace(drawn, scales=scales(picture.data, drawn))

    def chart(self) -> list[Component]:
        """Return the chart with the line that reads it out."""
        picture = self._picture
        said = provenance(picture.meta, self._snap[:12], picture.words)
        crowded = crowd(picture.data).dots and self._look.bare
        dots = {"data-dots": addresses.dots(self._snap, picture.state)} if crowded else {}
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
                    **dots,
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
            key(data, state, labelled(picture), words),
            hands(sx, sy, state, words),
            html.P(counted(picture, sx, sy), className="counts"),
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


def chart(picture: Picture, height: int = HEIGHT) -> str:
    """Return the chart alone as `<svg>`, `height` px high: what embeds, cards and files show."""
    drawn = look(picture, unmerged(picture), _sure(picture))
    return _chart(picture, replace(drawn, height=height))


def _sure(picture: Picture) -> Mapping[str, Band]:
    """Return the uncertainty of the curves, if the address asks for it."""
    if not picture.state["bands"]:
        return {}
    return bands(picture.lake, picture.data, picture.meta)


def unmerged(picture: Picture) -> tuple[Curve, Unmerged] | None:
    """Return the curve that the address un-merges, if it is in the picture."""
    for curve in picture.data:
        if curve["curve_id"] == picture.state["unmerge"]:
            return curve, unmerge(curve, sides(picture.meta))
    return None


def look(picture: Picture, apart: tuple[Curve, Unmerged] | None, sure: Mapping[str, Band]) -> Look:
    """Return how a picture is drawn, as its address says."""
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
            x=names.amid(names.metric(meta["x"], words)),
        ),
        "desc": counts(data, meta, words),
        "x": _axis_text(meta, "x", words),
        "y": _axis_text(meta, "y", words),
    }
    start, tail = map(escape, hrefs(state))
    full, short = tips(data, meta, words)
    return curves_svg(
        data,
        words=texts,
        label=lambda curve: names.curve(curve, words) if len(data) <= SIX else "",
        tip=full,
        short=short,
        name=lambda curve: names.curve(curve, words),
        href=lambda point: f"{start}{point['point_id']}{tail}",
        point_label=(lambda point: _label(point, state)) if labelled(picture) else None,
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


def labelled(picture: Picture) -> bool:
    """Tell whether vertices have labels: asked for, and not too many."""
    few = sum(len(vertices(curve)) for curve in picture.data) <= _LABELS
    return few and picture.state["label"] != "none"


def _label(point: Point, state: ViewState) -> str:
    if state["label"] == "shape":
        return point["parallelism"] or ""
    return "" if point["concurrency"] is None else f"{point['concurrency']:g}"


def counted(picture: Picture, sx: Scale | None = None, sy: Scale | None = None) -> str:
    """Return the counts, with the points that a zoom or a logarithmic axis leaves out."""
    if sx is None or sy is None:
        sx, sy = scales(picture.data, look(picture, None, {}))
    said = [counts(picture.data, picture.meta, picture.words)]
    every = [CurvePoints.of(curve["points"]) for curve in picture.data]
    log = sum(int(_nowhere(points, sx, sy).sum()) for points in every)
    outside = sum(int((~within(points, sx, sy)).sum()) for points in every) - log
    if outside:
        said.append(picture.words("curves.outside_zoom", n=f"{outside:,}"))
    if log:
        said.append(picture.words("curves.outside_log", n=f"{log:,}"))
    return " ".join(said)


def _nowhere(points: CurvePoints, sx: Scale, sy: Scale) -> Mask:
    """Return which points a logarithmic axis has no place for."""
    found: Mask = ((points.x <= 0) & sx.log) | ((points.y <= 0) & sy.log)
    return found


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
