"""Parts of a point's page below its charts: errors, siblings, the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import names, point_tables
from explorer.components.chart_figure import chart_figure
from explorer.components.frame import link
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.answers import Timed
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.figures.chart import Axis, Chart, Trace
from explorer.queries import errors as errors_query
from explorer.queries import logs
from explorer.queries import siblings as siblings_query
from explorer.queries.window import Window


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


def log(shown: Shown) -> list[Component]:
    """Return the kept lines of the server log with their search."""
    if not shown.point["logs_object"]:
        return []
    found, total = logs.lines(shown.lake, shown.point, shown.state["q"])
    title = html.Summary(html.H2(shown.words("point.log"), id="log"))
    inside = point_tables.log_lines(found, total, shown.words)
    return [html.Details([title, inside], className="log-part", open=bool(shown.state["q"]))]
