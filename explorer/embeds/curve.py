"""The curve embed: merged Pareto curves, their names, the sentence that they support."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any

from explorer.components import names
from explorer.components.curve_legend import key, swatch
from explorer.components.curve_picture import Picture, chart, counted, labelled
from explorer.components.curves_shown import CurvesShown, curves_shown
from explorer.components.markup import to_html
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.curve_points import CurvePoints
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.embeds.document import Embed, Html, inside

Curve = Mapping[str, Any]


def draw(lake: Lake, state: ViewState) -> Embed:
    """Return what the curves page shows at an address, without its controls."""
    words = Words(state)
    shown = curves_shown(lake, inside(state), words)
    picture = _bare(shown)
    return Embed(
        title=title(shown, words),
        caption=shown.heading,
        about=shown.subtitle,
        body=_plot(picture, words),
        legend=_legend(picture.data, words) + _key(picture, state, words),
        page=addresses.curves(inside(state)),
        counted=counted(picture),
        newest=newest(picture.data),
    )


def _key(picture: Picture, state: ViewState, words: Words) -> str:
    return to_html(key(picture.data, state, labelled(picture), words))


def title(shown: CurvesShown, words: Words) -> str:
    """Return what the picture shows, before what it says: model, y against x."""
    meta, models = shown.picture.meta, shown.filters["model"][:2]
    model = ", ".join(names.model(one, words) for one in models) or words("curves.all_models")
    axes = {axis: names.amid(names.metric(meta[axis], words)) for axis in ("x", "y")}
    return words("embeds.curve_title", model=model, **axes)


def newest(curves: Sequence[Curve]) -> str:
    """Return the date of the newest result shown, empty where none is dated."""
    every = (CurvePoints.of(curve["points"]) for curve in curves)
    dates = (date for points in every for date in points.column("date"))
    return max((str(date) for date in dates if date), default="")


def _bare(shown: CurvesShown) -> Picture:
    """Return the picture; without a point in the address none is marked as chosen."""
    picture = shown.picture
    return picture if picture.state["point"] else replace(picture, chosen=None)


def _plot(picture: Picture, words: Words) -> Html:
    if not picture.data:
        return f'<div class="box"><p>{escape(words("embeds.no_points"))}</p></div>'
    return f'<div class="plot" data-testid="curve-chart">{chart(picture)}</div>'


def _legend(curves: Sequence[Curve], words: Words) -> Html:
    items = "".join(
        f'<li><span class="swatch">{swatch(curve)}</span>{escape(names.curve(curve, words))}</li>'
        for curve in curves
    )
    return f'<ul class="legend">{items}</ul>' if items else ""
