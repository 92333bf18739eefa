"""Sections under the chart: the ranked tables, the un-merged curve, ruler, bands."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import names
from explorer.components.markup import Html, anchor, to_html
from explorer.components.modes import FOLDED, folded
from explorer.components.view import Words
from explorer.domain import addresses, metrics
from explorer.domain.units import MISSING, number, percent, shown
from explorer.domain.view_state import ViewState
from explorer.figures.curves_svg import tick_text
from explorer.figures.marks import colour_class
from explorer.queries.lines import Curve, Point, sides
from explorer.queries.ranking import Candidate, ranking
from explorer.queries.reading import Bands, Reading, bands, baseline, ruler

LIMIT_KEYS = ("ttft_max", "speed_min", "e2e_min", "cost_max")
_ROWS = 6
Cell = Any


def table(
    caption: str, head: Sequence[tuple[str, str]], rows: Sequence[Sequence[Cell]], **props: Any
) -> Component:
    """Return a table; `head` is (text, CSS class) by column, its class holds for the cells too."""
    columns = "".join(
        f'<th scope="col"{_css(css)}>{escape(text, quote=False)}</th>' for text, css in head
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{_css(css)}>{to_html(cell)}</td>" for cell, (_, css) in zip(row, head, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    inner = (
        f"<table><caption>{escape(caption, quote=False)}</caption>"
        f"<thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>"
    )
    region = {"aria-label": caption, "role": "region", "tabIndex": 0}
    return html.Div(className="scroll", **{"data-html": inner, **region, **props})


def _css(names: str) -> str:
    return f' class="{names}"' if names else ""


def dot(hw: str | None) -> Html:
    """Return the dot of a hardware's colour."""
    return Html(f'<i class="{colour_class(hw)}"></i>')


def point_link(curve: Curve, point: Point, text: str, state: ViewState) -> list[Html]:
    """Return a swatch of a curve and a link to a point of it."""
    href = addresses.point(point["point_id"], addresses.carried(state))
    return [dot(curve["hw"]), anchor(text, href)]


def ranked(curves: Sequence[Curve], state: ViewState, words: Words) -> list[Component]:
    """Return the tables of what meets the limits; nothing without a limit."""
    limits = [name for name in LIMIT_KEYS if state[name] is not None]
    if not limits:
        return []
    found = ranking(curves, _ROWS)
    said = words("curves.comma").join(
        f"{words(f'curves.limit_short.{name}')} {state[name]:g}" for name in limits
    )
    note = words("curves.ranked_note", n=f"{found.meeting:,}", limits=said)
    if found.unpriced:
        note += " " + words("curves.ranked_unpriced", n=f"{found.unpriced:,}")
    tables = [
        _ranked_table(words(f"curves.ranked.{name}"), rows, state, words)
        for name, rows in (("cheapest", found.cheapest), ("fastest", found.fastest))
        if rows
    ]
    return [
        html.Section(
            [html.H2(words("curves.ranked_title")), html.P(note, className="ghost"), *tables],
            className="ranked",
            **{"data-testid": "ranked"},
        )
    ]


def _ranked_table(
    caption: str, rows: Sequence[Candidate], state: ViewState, words: Words
) -> Component:
    stat = names.statistic(state["limit_stat"], words)
    head = [
        (words("curves.col.rank"), "n rank"),
        (words("curves.col.curve"), ""),
        (words("curves.col.settings"), ""),
        (f"{words('metric.usd_per_mtok_total')}, $", "n"),
        (f"{words('metric.interactivity_tps')} {stat}", "n"),
        (f"TTFT {stat}, s", "n"),
    ]
    body = [
        (
            str(place),
            point_link(one.curve, one.point, names.curve(one.curve, words), state),
            names.configuration(one.point, words),
            number(one.cost),
            number(one.speed),
            number(one.point["at_limit"]["ttft_max"]),
        )
        for place, one in enumerate(rows, 1)
    ]
    return table(caption, head, body)


def ruled(
    curves: Sequence[Curve], meta: Mapping[str, Any], state: ViewState, words: Words
) -> list[Component]:
    """Return what each curve gives at the ruler, and its ratio to the baseline."""
    if state["at"] is None:
        return []
    base = baseline(curves, state["base"])
    readings = ruler(curves, state["at"], base, sides(meta))
    x, y = (metrics.by_key()[meta[axis]] for axis in ("x", "y"))
    value = percent(state["at"]) if x.unit == "ratio" else f"{state['at']:g}"
    at = value if x.unit == "ratio" else f"{value} {names.unit(x, words)}"
    head = [
        (words("curves.col.curve"), ""),
        (f"{names.metric(y.key, words)}", "n"),
        (words("curves.col.ratio"), "n"),
        (words("curves.col.how"), ""),
    ]
    rows = [_reading(one, base, y.unit, state, words) for one in readings]
    return [
        html.Section(
            [
                html.H2(_ruler_line(readings, base, at, words)),
                table(words("curves.ruler_caption", at=at), head, rows),
            ],
            className="ruler",
            **{"data-testid": "ruler"},
        )
    ]


def _ruler_line(readings: Sequence[Reading], base: str | None, at: str, words: Words) -> str:
    """Return the ruler in one sentence: the best over the next, interpolation said."""
    best = [one for one in readings if one.y is not None][:2]
    if len(best) < 2:
        return words("curves.ruler_alone", at=at)
    first, second = best
    high, low = first.y or 0.0, second.y or 0.0
    return words(
        "curves.ruler_line",
        at=at,
        best=names.curve(first.curve, words),
        other=names.curve(second.curve, words),
        ratio=number(max(high, low) / min(high, low), 2) if min(high, low) else MISSING,
        how=words("curves.interpolated")
        if first.interpolated or second.interpolated
        else words("curves.measured"),
    )


def _reading(
    one: Reading, base: str | None, unit: str, state: ViewState, words: Words
) -> tuple[Cell, ...]:
    curve_id = one.curve["curve_id"]
    name = names.curve(one.curve, words)
    named = [dot(one.curve["hw"]), name]
    if one.y is None:
        return named, MISSING, MISSING, words("curves.out_of_range")
    how = words("curves.interpolated") if one.interpolated else words("curves.measured")
    if curve_id == base:
        return named, shown(one.y, unit), words("curves.baseline"), how
    rebased = addresses.curves(state.having(base=curve_id))
    label = words("curves.make_baseline", curve=name)
    times = _times(one.ratio)
    ratio = anchor(times, rebased, title=label, aria_label=f"{times}, {label}")
    return named, shown(one.y, unit), ratio, how


def _times(ratio: float | None) -> str:
    return MISSING if ratio is None else f"{number(ratio)}×"


def banded(
    curves: Sequence[Curve], meta: Mapping[str, Any], state: ViewState, words: Words
) -> list[Component]:
    """Return the table of speed bands, closed until asked for; one curve makes none."""
    base = baseline(curves, state["base"])
    if base is None or len(curves) < 2:
        return []
    inside = [] if FOLDED else _bands(curves, base, meta, state, words)
    summary = html.Summary(words("curves.bands_table"))
    named = {"data-testid": "bands", **folded()}
    return [html.Details([summary, *inside], className="bands", **named)]


def _bands(
    curves: Sequence[Curve], base: str, meta: Mapping[str, Any], state: ViewState, words: Words
) -> list[Component]:
    found = bands(curves, base, sides(meta))
    note = words("curves.bands_note", x=names.amid(names.metric(meta["x"], words)))
    if found.shared is None:
        note += " " + words("curves.no_shared")
    return [html.P(note, className="ghost"), _bands_table(found, curves, meta, state, words)]


def _bands_table(
    found: Bands, curves: Sequence[Curve], meta: Mapping[str, Any], state: ViewState, words: Words
) -> Component:
    unit = metrics.by_key()[meta["y"]].unit
    spans = [f"{tick_text(a)}–{tick_text(b)}" for a, b in itertools.pairwise(found.edges)]
    head = [(words("curves.col.curve"), ""), *((span, "n") for span in spans)]
    if found.shared:
        low, high = (number(end) for end in found.shared)
        head.append((words("curves.col.area", low=low, high=high), "n"))
    rows = []
    for curve in curves:
        curve_id = curve["curve_id"]
        name = names.curve(curve, words)
        is_base = curve_id == found.base
        named = f"{name} ({words('curves.baseline')})" if is_base else name
        row: list[Cell] = [[dot(curve["hw"]), named]]
        row += [_band_cell(cell, is_base, unit, state) for cell in found.cells[curve_id]]
        if found.shared:
            area = found.area[curve_id]
            row.append(MISSING if area is None else _with_ratio(number(area[0]), area[1], is_base))
        rows.append(row)
    caption = f"{names.metric(meta['y'], words)} · {names.metric(meta['x'], words)}"
    return table(caption, head, rows)


def _band_cell(
    cell: tuple[Point, float | None] | None, is_base: bool, unit: str, state: ViewState
) -> Cell:
    if cell is None:
        return MISSING
    point, ratio = cell
    href = addresses.point(point["point_id"], addresses.carried(state))
    return [anchor(shown(point["y"], unit), href), *_with_ratio("", ratio, is_base)]


def _with_ratio(text: str, ratio: float | None, is_base: bool) -> list[Cell]:
    if is_base or ratio is None:
        return [text]
    return [text, " ", Html(f"<small>{_times(ratio)}</small>")]


def uncertain(
    found: Mapping[str, Any], curves: Sequence[Curve], policy: str, words: Words
) -> list[Component]:
    """Return what the bands are made of, and why a curve has none."""
    drawn = any(band.stops for band in found.values())
    lines = [html.Li(words("curves.band_policy"))] if drawn and policy != "plain" else []
    for curve in curves:
        band = found.get(curve["curve_id"])
        if band is None:
            continue
        name = names.curve(curve, words)
        if band.stops:
            text = words("curves.band_of", curve=name, n=band.drawn)
        else:
            text = words("curves.no_band", curve=name)
        why = [words(f"curves.band_fixed.{reason}", n=n) for reason, n in band.fixed.items()]
        lines.append(html.Li(words("curves.comma").join([text, *why]) + words("curves.stop")))
    return (
        [html.Ul(lines, className="key notes", **{"data-testid": "uncertainty"})] if lines else []
    )


def share(point: Point) -> str:
    """Return the share of a point's prompt tokens that its offload tier served."""
    return percent(point["tier_ratio"])
