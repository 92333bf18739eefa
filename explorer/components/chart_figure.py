"""A Chart on a page: title, definition, legend, drawing, read-out, table twin, links."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from explorer.components.frame import link
from explorer.components.markup import raw
from explorer.components.view import Words
from explorer.figures.chart import Chart, Trace
from explorer.figures.chart_svg import HEIGHT, chart_svg
from explorer.figures.chart_table import chart_table


def chart_figure(
    chart: Chart, words: Words, *, enlarge: str = "", height: int = HEIGHT
) -> Component:
    """Return a chart as a figure; `absent_charts` is for those with a reason instead."""
    return html.Figure(
        [
            html.Div(
                [html.H3(chart.title), _unit(chart), *_larger(chart, enlarge, words)],
                className="chart-head",
            ),
            html.P(chart.note, className="def"),
            _legend(chart),
            raw(chart_svg(chart, height), className=_plot_class(chart)),
            html.Figcaption(_below(chart, words)),
        ],
        className="chart",
        id=f"chart-{chart.name}",
        **{"data-testid": f"chart-{chart.name}"},
    )


def absent_charts(charts: Sequence[Chart]) -> Component:
    """Return charts that are not there, gathered by their reason."""
    reasons = dict.fromkeys(chart.empty for chart in charts)
    return html.Dl(
        [
            html.Div([html.Dt(_titles(charts, reason)), html.Dd(reason)], className="absent")
            for reason in reasons
        ],
        className="absents",
    )


def _titles(charts: Sequence[Chart], reason: str) -> list[Component | str]:
    """Return the titles that share a reason, each with its hook, comma between."""
    titles: list[Component | str] = []
    for chart in charts:
        if chart.empty == reason:
            hooks = {"data-testid": f"chart-{chart.name}", "id": f"chart-{chart.name}"}
            titles += [", "] * bool(titles) + [html.Span(chart.title, **hooks)]
    return titles


def _plot_class(chart: Chart) -> str:
    kinds = ["plot", "chart-plot"]
    if chart.timed:
        kinds.append("timed")
    if chart.column:
        kinds.append("ranged")
    if any(reference.axis == "x" for reference in chart.references):
        kinds.append("guided")
    return " ".join(kinds)


def _unit(chart: Chart) -> Component | None:
    return html.Span(chart.y.label, className="unit") if chart.y.label else None


def _larger(chart: Chart, href: str, words: Words) -> list[Component]:
    if not href:
        return []
    label = f"{words('point.enlarge')}: {chart.title}"
    return [link(words("point.enlarge"), href, className="larger", **{"aria-label": label})]


def _legend(chart: Chart) -> Component:
    """Return the names of traces; a chart of one trace needs none but keeps the row."""
    if len(chart.traces) < 2:
        return html.Div(className="legend")
    return html.Ul([_entry(trace) for trace in chart.traces], className="legend")


def _entry(trace: Trace) -> Component:
    mark = html.I(className=f"k-{trace.kind} c-{trace.colour} {trace.weight}")
    return html.Li([mark, trace.label])


def _below(chart: Chart, words: Words) -> list[Component]:
    """Return notes, the source, and the table twin behind a summary."""
    reach = {"tabIndex": "0", "role": "region", "aria-label": chart.title}
    table = raw(chart_table(chart), className="scroll", **reach)
    parts = [html.P(note, className="remark") for note in chart.notes]
    source = [html.Span(words("point.source_line", source=chart.source))]
    if chart.data_href:
        source.append(html.A(words("point.data"), href=chart.data_href))
    name = words("point.table")
    hidden = html.Span(f": {chart.title}", className="sr")
    return [
        *parts,
        html.Div(
            [
                html.Details([html.Summary([name, hidden]), table], className="twin-table"),
                html.Div(source, className="source"),
            ],
            className="below",
        ),
    ]
