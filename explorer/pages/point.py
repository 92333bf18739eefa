"""`/points/<id>`: one point, all it knows of itself; the address says phase, engine, window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import quote

from dash import html
from dash.development.base_component import Component

from explorer.components import exports_of, names, point_controls
from explorer.components.chart_figure import absent_charts, chart_figure
from explorer.components.frame import link
from explorer.components.point_facts import facts
from explorer.components.point_numbers import headline, key_figures, statistics, under
from explorer.components.still import still
from explorer.components.superseded import superseded
from explorer.components.view import View, Words
from explorer.domain import addresses, ranges, view_state
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.figures import point_charts
from explorer.figures.chart import Chart
from explorer.figures.chart_facts import Facts
from explorer.pages import point_requests, point_sections
from explorer.pages.point_sections import Shown
from explorer.queries import (
    distributions,
    money,
    points,
    samples,
    series,
    window_stats,
)
from explorer.queries.window import of_state
from explorer.store.cache import Memo

NUMBERS, CHARTS, ROWS = "numbers", "charts", "rows"
"""Views that scripts ask for: what a brush changes first, the charts in sight (named in `open`),
rows of requests as one scrolls."""
_BIN = "BIN"
_HOOKS = {"data-testid": "point-page", "data-parts": "1"}
"""`data-parts` tells assets/point.js that the page answers those views."""
LARGE_BUDGET, LARGE_HEIGHT = 1200, 420
BUDGET = 240
"""Samples a chart is drawn from: more than its pixels can tell apart on most screens."""


_VIEWS: Memo[tuple[str, str, str], View] = Memo(32)
"""(snapshot and newest, point, address) → page: the first answer and the live page are one."""


def view(lake: Lake, params: Mapping[str, str], state: ViewState) -> View:
    """Return the page of a point; an older id shows the point it became."""
    snaps = f"{lake.snapshot(state['snap']).snap} {lake.snapshot().snap}"  # a notice names newer
    key = (snaps, params["point_id"], view_state.format(state))
    return _VIEWS.get(key, lambda: _draw(lake, params, state))


def _draw(lake: Lake, params: Mapping[str, str], state: ViewState) -> View:
    words = Words(state)
    prices = money.dated(lake, state).only(("price", "rate", "kw"))
    point = points.one(lake, params["point_id"], state["snap"], prices)
    window = of_state(state)
    timed = series.collect(lake, point, window, LARGE_BUDGET if _is_large(state) else BUDGET)
    only_rows = state["view"] == ROWS
    measured = None if only_rows else window_stats.stats(lake, point, window)
    shown = Shown(lake, point, state, words, window, timed, measured or point)
    title = _title(point, words)
    parts = {ROWS: point_requests.rows, NUMBERS: _only_numbers, CHARTS: _only_charts}
    alone = parts.get(state["view"] or "")
    body = html.Div(alone(shown)) if alone else _body(shown, title)
    return View(
        title=f"{title} · {words('frame.name')}",
        body=html.Div(body, className="point", **_HOOKS),
        canonical=addresses.point(point["point_id"], state.having(lang=None, theme=None)),
        description=headline(shown.numbers, point, words),
        nav="curves",
        exports=exports_of.of_point(point, state),
    )


def _is_large(state: ViewState) -> bool:
    return state["view"] is not None and state["view"] not in (NUMBERS, CHARTS, ROWS)


def _body(shown: Shown, title: str) -> Component:
    parts = [still(part) for part in (*_head(shown, title), *_lead(shown)) if part is not None]
    card = still(facts(shown.point, shown.state, shown.words))
    return html.Div([html.Div(parts, className="lead"), card], className="with-card")


def _title(point: Mapping[str, Any], words: Words) -> str:
    parts = [names.hardware(point["hw"], words), names.engine(point["engine"], words)]
    return " · ".join([*parts, names.configuration(point, words)])


def _head(shown: Shown, title: str) -> list[Component | None]:
    point, words = shown.point, shown.words
    return [
        html.P(_trail(shown), className="trail"),
        *superseded(shown.lake, point, shown.state, words),
        html.H1(title),
        html.P(under(point, words), className="sub under"),
        html.P(headline(shown.numbers, point, words), className="take"),
        *[html.P(text, className="mark") for text in _marks(shown)],
    ]


def _trail(shown: Shown) -> list[Component]:
    """Return ways from here: the curve, the neighbours, the timeline, the API."""
    point, words = shown.point, shown.words
    carried = addresses.carried(shown.state)
    curve = carried.having(point=point["point_id"])
    made = [link(words("point.back"), addresses.curves(curve))]
    if point["requests_object"]:
        timeline = addresses.timeline(
            point["point_id"], shown.state.only((*carried.values, "phase"))
        )
        made.append(link(words("point.timeline"), timeline))
    made.append(
        link(words("point.compare"), addresses.compare(carried.having(a=point["point_id"])))
    )
    made.append(html.A(words("point.api_point"), href=addresses.api_point(point["point_id"])))
    return made


def _marks(shown: Shown) -> list[str]:
    """Return what a reader must know before reading a number."""
    point, words = shown.point, shown.words
    said = []
    if point["source"] in ("simulated", "mock"):
        said.append(words(f"frame.{point['source']}"))
    if point["source"] == "third_party":
        said.append(words("point.third_party"))
    if point["gpus"] is None and shown.numbers.get("total_tps") is not None:
        said.append(words("point.whole_deployment"))
    if shown.window.ranges and point["requests_object"]:
        what = "; ".join(point_controls.range_text(one, words) for one in shown.window.ranges)
        said.append(words("point.selection_mark", what=what))
    if shown.state["engine_id"] and point["requests_object"]:
        role = str(shown.state["engine_id"]).startswith(point_controls.ROLE)
        said.append(words("point.role_requests" if role else "point.engine_requests"))
    return said


def _lead(shown: Shown) -> list[Component]:
    if large := _large(shown):
        return large
    made, absent = _sections(shown)
    return [
        point_controls.controls(shown.point, shown.timed, shown.state, shown.words),
        *_numbers(shown),
        *made,
        *_statistics(shown),
        *point_sections.errors(shown),
        *point_sections.siblings(shown),
        *_absent(shown, absent),
        *point_requests.section(shown),
        *point_sections.log(shown),
    ]


def _known(shown: Shown) -> bool:
    """Tell whether any latency or throughput is known in this window."""
    return any(shown.numbers.get(key) is not None for key in ("mean_e2el_s", "total_tps"))


def _numbers(shown: Shown) -> list[Component]:
    return [key_figures(shown.numbers, shown.point, shown.words)] if _known(shown) else []


def _statistics(shown: Shown) -> list[Component]:
    if not _known(shown):
        return []
    return [statistics(shown.numbers, _statistics_note(shown), shown.words)]


def _only_numbers(shown: Shown) -> list[Component]:
    return [*_numbers(shown), *_statistics(shown)]


def _only_charts(shown: Shown) -> list[Component]:
    drawn = _drawn(shown)
    charts = [point_charts.one(drawn, name) for name in shown.state["open"]]
    return [_figure(shown, chart) for chart in charts if chart is not None and not chart.empty]


def _statistics_note(shown: Shown) -> str:
    if shown.point["requests_object"]:
        return shown.words("point.statistics_note_requests", n=f"{shown.numbers['ok'] or 0:,}")
    said = shown.words("point.statistics_note_row")
    if shown.state["phase"] != "profiling":
        said += " " + shown.words("point.statistics_phase_row")
    return said


def _large(shown: Shown) -> list[Component]:
    """Return the page with one chart alone; empty when none is named."""
    chart = point_charts.one(_drawn(shown), shown.state["view"])
    if chart is None or chart.empty:
        return []
    back = link(shown.words("point.shrink"), shown.here(shown.state.having(view=None)))
    drawn = chart_figure(chart, shown.words, height=LARGE_HEIGHT)
    return [
        point_controls.controls(shown.point, shown.timed, shown.state, shown.words),
        *_numbers(shown),
        html.P(back, className="trail back"),
        html.Div(drawn, className="charts one"),
        *_statistics(shown),
        *point_requests.section(shown),
    ]


def _drawn(shown: Shown) -> Facts:
    """Return what the charts draw from."""
    lake, point, window = shown.lake, shown.point, shown.window
    return Facts(
        point=point,
        timed=shown.timed,
        distribution=lambda column: distributions.distribution(lake, point, column, window),
        samples=lambda quantity: samples.cells(lake, point, quantity, window),
        words=shown.words,
        data_href=lambda wanted: _data_href(shown, wanted),
        requests_href=_requests_href(shown),
        bin_hrefs=lambda column, edges: _bin_hrefs(shown, column, edges),
        ranged=bool(window.ranges),
        large=_is_large(shown.state),
    )


def _bin_hrefs(shown: Shown, column: str, edges: Sequence[float]) -> tuple[str, ...]:
    """Return the pages with one bin of a distribution chosen."""
    others = ranges.without(shown.window.ranges, column)
    page = shown.here(shown.state.having(where=_BIN, open=None))
    chosen = (ranges.of_bins(column, *ends) for ends in pairwise(edges))
    texts = (ranges.format(ranges.having(others, one)) for one in chosen)
    return tuple(page.replace(_BIN, quote(text, safe=":")) for text in texts)


def _sections(shown: Shown) -> tuple[list[Component], list[Chart]]:
    """Return the sections with charts, and the charts of sections that have none."""
    made, absent = [], []
    for name, charts in point_charts.sections(_drawn(shown)):
        if all(chart.empty for chart in charts):
            absent += charts
        else:
            made.append(_section(shown, name, charts))
    return made, absent


def _data_href(shown: Shown, wanted: Any) -> str:
    path = addresses.api_point(shown.point["point_id"], "series")
    query = view_state.format(point_requests.cut(shown))
    return f"{path}?names={','.join(wanted)}" + (f"&{query}" if query else "")


def _requests_href(shown: Shown) -> str:
    if not shown.point["requests_object"]:
        return ""
    path = addresses.api_point(shown.point["point_id"], "requests")
    return addresses.with_query(path, point_requests.cut(shown))


def _section(shown: Shown, name: str, charts: list[Chart]) -> Component:
    """Return a section: what was recorded as charts, the rest as a list of reasons."""
    words = shown.words
    there = [chart for chart in charts if not chart.empty]
    absent = [chart for chart in charts if chart.empty]
    figures = [_figure(shown, chart) for chart in there]
    parts: list[Component] = [html.H2(words(f"point.section.{name}"), id=name)]
    if figures:
        parts.append(html.Div(figures, className="charts"))
    if absent:
        parts.append(absent_charts(absent))
    return html.Section(parts, className="chart-section", **{"aria-labelledby": name})


def _figure(shown: Shown, chart: Chart) -> Component:
    enlarge = shown.here(shown.state.having(view=chart.name))
    return chart_figure(chart, shown.words, enlarge=enlarge)


def _absent(shown: Shown, charts: list[Chart]) -> list[Component]:
    if not charts:
        return []
    return [
        html.Section([html.H2(shown.words("point.absent"), id="absent"), absent_charts(charts)])
    ]
