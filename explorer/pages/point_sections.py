"""Parts of a point's page below its charts: errors, siblings, requests, the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import parse_qsl

from dash import html
from dash.development.base_component import Component

from explorer.components import names, point_tables
from explorer.components.chart_figure import chart_figure
from explorer.components.frame import link
from explorer.components.markup import raw
from explorer.components.view import Words
from explorer.domain import addresses, view_state
from explorer.domain.answers import Timed
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.figures.chart import Axis, Chart, Trace
from explorer.queries import errors as errors_query
from explorer.queries import logs, request_page
from explorer.queries import siblings as siblings_query
from explorer.queries.window import Window

_ROWS = "rows-"


@dataclass(frozen=True, slots=True)
class Shown:
    """What the page shows: the point, the window, its series and numbers, and words."""

    lake: Lake
    point: dict[str, Any]
    state: ViewState
    words: Words
    window: Window
    timed: Timed
    numbers: Mapping[str, Any]

    def here(self, state: ViewState) -> str:
        return addresses.point(self.point["point_id"], state)


def errors(shown: Shown) -> list[Component]:
    """Return the errors of the phase and window: kinds over time, conversations, first seen."""
    words, args = shown.words, (shown.lake, shown.point, shown.window)
    kinds = errors_query.kinds(*args)
    recorded = bool(shown.point["requests_object"])
    title = html.H2(words("point.errors"), id="errors")
    if not kinds and not recorded:
        return []
    if not kinds:
        none = html.P(words("point.errors_none"), className="why")
        return [html.Section([title, none], className="errors")]
    total = sum(kind["n"] for kind in kinds)
    note = words("point.errors_note", n=f"{total:,}", kinds=len(kinds))
    parts: list[Component | None] = [title, html.P(note, className="def")]
    if recorded and not shown.timed.empty:
        parts.append(html.Div([chart_figure(_error_chart(shown), words)], className="charts one"))
    else:
        parts.append(html.P(words("point.errors_stated"), className="why"))
    parts.append(point_tables.error_table(kinds, words))
    parts += _error_places(shown)
    return [html.Section(parts, className="errors")]


def _error_chart(shown: Shown) -> Chart:
    """Return failures over time in 60 bins."""
    words, timed = shown.words, shown.timed
    width = (timed.to_s - timed.from_s) / 60
    edges = [timed.from_s + index * width for index in range(61)]
    counts = [0.0] * 60
    for one in errors_query.times(shown.lake, shown.point, shown.window):
        counts[min(max(int((one["t_s"] - timed.from_s) / width), 0), 59)] += 1
    return Chart(
        name="errors",
        title=words("point.errors_over_time"),
        note="",
        x=Axis(words("point.axis.time"), "time", low=timed.from_s, high=timed.to_s),
        y=Axis(words("point.axis.requests"), "requests"),
        traces=(Trace("errors", words("point.trace.requests"), "bar", edges, counts, "bad"),),
        summary=words("point.errors_over_time"),
        source=words("point.from.requests"),
    )


def _error_places(shown: Shown) -> list[Component]:
    found = errors_query.conversations(shown.lake, shown.point, shown.window)
    items = [
        html.Li(
            [
                one["conversation"] or "–",
                html.Span(
                    f"{one['failed'] + one['cancelled']:,} / {one['requests']:,}", className="n"
                ),
            ]
        )
        for one in found
    ]
    title = html.Summary(shown.words("point.errors_where"))
    return [html.Details([title, html.Ul(items, className="kinds")], className="twin-table")]


def siblings(shown: Shown) -> list[Component]:
    """Return the matrix of the same series: parallelism and offload by concurrency."""
    words, point = shown.words, shown.point
    metric = "total_tps_per_gpu" if point["gpus"] else "total_tps"
    matrix = siblings_query.matrix(shown.lake, point, metric, shown.state["snap"])
    title = html.H2(words("point.siblings"), id="siblings")
    if len(matrix.cells) < 2:
        return [html.Section([title, html.P(words("point.siblings_alone"), className="why")])]
    note = words("point.siblings_note", metric=names.metric(metric, words), n=len(matrix.cells))
    carried = shown.state.only(("snap", "lang", "theme", "phase"))
    ways = [
        link(words(f"point.{name}"), addresses.point(other, carried), className="btn", rel=rel)
        for name, other, rel in (
            ("previous", matrix.previous, "prev"),
            ("next", matrix.following, "next"),
        )
        if other
    ]
    table = point_tables.sibling_matrix(matrix, point, metric, shown.state, words)
    return [
        html.Section(
            [title, html.P(note, className="def"), table, html.P(ways, className="buttons")]
        )
    ]


def requests(shown: Shown) -> list[Component]:
    """Return the table of requests: sorted, searched, a page at a time."""
    words, state = shown.words, shown.state
    title = html.H2(words("point.requests"), id="requests")
    offset, failed = _opened(state)
    page = request_page.page(
        shown.lake,
        shown.point,
        shown.window,
        search=state["q"],
        sort=state["sort"],
        offset=offset,
        failed=failed,
        snap=state["snap"],
    )
    if page is None:
        why = html.P(words("point.requests_none"), className="why")
        return [html.Section([title, why], className="requests")]
    upto = min(page.offset + request_page.PAGE, page.total)
    note = words(
        "point.requests_note",
        shown=f"{page.offset + 1 if page.rows else 0:,}–{upto:,}",
        total=f"{page.total:,}",
        sort=page.sort.removeprefix("-").removesuffix("_s").removesuffix("_tokens"),
    )
    following = shown.here(_open(state, upto, failed)) + "#requests" if upto < page.total else ""
    more = words("point.more", n=min(request_page.PAGE, page.total - upto))
    table = (
        point_tables.request_rows(page.rows, shown.point, page.sort, state, words)
        if page.rows
        else html.P(words("point.requests_empty"), className="why")
    )
    first = shown.here(_open(state, 0, failed)) + "#requests"
    parts = [
        title,
        html.P(note, className="def"),
        html.Div(_filters(shown, failed), className="bar"),
        table,
        point_tables.pager(following, more, first, words("point.first_page"), offset),
    ]
    return [html.Section(parts, className="requests")]


def _opened(state: ViewState) -> tuple[int, bool]:
    """Return from which row the table starts and whether only failures are in it."""
    starts = [word.removeprefix(_ROWS) for word in state["open"] if word.startswith(_ROWS)]
    offset = int(starts[0]) if starts and starts[0].isdigit() else 0
    return offset, "not-ok" in state["open"]


def _open(state: ViewState, offset: int, failed: bool) -> ViewState:
    opened = [f"{_ROWS}{offset}"] * bool(offset) + ["not-ok"] * failed
    return state.having(open=tuple(opened))


def _filters(shown: Shown, failed: bool) -> list[Component]:
    """Return the search field, the switch to failures, and the download."""
    words, state = shown.words, shown.state
    api = addresses.api_point(shown.point["point_id"], "requests")
    switch = html.Nav(
        [
            link(
                words(f"point.filter_{name}"),
                shown.here(_open(state, 0, only)) + "#requests",
                className="on" if only == failed else None,
                **({"aria-current": "true"} if only == failed else {}),
            )
            for name, only in (("all", False), ("failed", True))
        ],
        className="toggle",
        **{"aria-label": words("point.request.status")},
    )
    phase = f"&phase={state['phase']}" if state["phase"] != "profiling" else ""
    download = html.A(
        words("point.download"), href=f"{api}?format=csv{phase}", className="chip plain"
    )
    return [_search(shown), switch, download]


def _search(shown: Shown) -> Component:
    words, state = shown.words, shown.state
    rest = view_state.format(state.having(q=None, open=None))
    hidden = "".join(
        f'<input type="hidden" name="{escape(key)}" value="{escape(value)}">'
        for key, value in parse_qsl(rest)
    )
    label, button = escape(words("point.search")), escape(words("point.search_go"))
    path = escape(addresses.point(shown.point["point_id"]))
    return raw(
        f'<form data-nav="1" method="get" action="{path}" role="search">{hidden}'
        f'<input type="search" name="q" value="{escape(state["q"] or "")}" aria-label="{label}" '
        f'placeholder="{label}"> <button class="btn">{button}</button></form>',
        className="search",
    )


def log(shown: Shown) -> list[Component]:
    """Return the kept lines of the server log with their search."""
    if not shown.point["logs_object"]:
        return []
    found, total = logs.lines(shown.lake, shown.point, shown.state["q"])
    title = html.Summary(html.H2(shown.words("point.log"), id="log"))
    inside = point_tables.log_lines(found, total, shown.words)
    return [html.Details([title, inside], className="log-part", open=bool(shown.state["q"]))]
