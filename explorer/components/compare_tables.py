"""Tables of a comparison: what differs, metrics with ratios, where time goes, cache tiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import names
from explorer.components.markup import raw
from explorer.components.point_facts import configuration, run_facts
from explorer.components.view import Words
from explorer.domain.difference import Spent
from explorer.domain.metrics import Metric, by_key
from explorer.domain.units import MISSING, number, percent, with_unit
from explorer.queries.compare import Cell

Point = dict[str, Any]
Rows = Sequence[tuple[str, Sequence[str]]]
_LONGEST = 90
_SILENT = ("", "base", "no_value", "not_requests")


def settings(points: Sequence[Point], titles: Sequence[str], words: Words) -> list[Component]:
    """Return what differs between the points, and folded away what does not."""
    rows = _settings(points, words)
    differ = [row for row in rows if len(set(row[1])) > 1]
    same = [(label, values[:1]) for label, values in rows if len(set(values)) == 1]
    table = (
        _table(differ, titles, words("compare.setting"), "compare-differs", words)
        if differ
        else html.P(words("compare.nothing_differs"), className="why")
    )
    fold = html.Details(
        [
            html.Summary(words("compare.same", n=len(same))),
            _table(same, [words("compare.all")], words("compare.setting"), "compare-same", words),
        ],
        className="twin-table",
    )
    return [html.H2(words("compare.differs"), id="differs"), table, fold]


def _settings(points: Sequence[Point], words: Words) -> Rows:
    """Return every setting that any point states: facts first, then commands and options."""
    stated = [dict([*configuration(p, words), *run_facts(p, words)]) for p in points]
    options = [p["config"] or {} for p in points]
    hidden = {words(f"point.fact.{name}") for name in ("point_id", "revision")}
    rows = [
        (label, [one.get(label) or MISSING for one in stated])
        for label in _keys(stated)
        if label not in hidden
    ]
    return rows + [
        (name, [_option(one.get(name)) for one in options]) for name in sorted(_keys(options))
    ]


def _keys(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for row in rows for key in row))


def _option(value: Any) -> str:
    return MISSING if value is None else str(value)


def _table(rows: Rows, titles: Sequence[str], first: str, hook: str, words: Words) -> Component:
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
    body = "".join(
        f'<tr><th scope="row">{escape(label)}</th>'
        + "".join(f"<td>{_folded(value)}</td>" for value in values)
        + "</tr>"
        for label, values in rows
    )
    return raw(
        f'<table><thead><tr><th scope="col">{escape(first)}</th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>",
        className="scroll settings",
        tabIndex="0",
        role="region",
        **{"aria-label": first, "data-testid": hook},
    )


def _folded(value: str) -> str:
    """Return a value as HTML; a long one shows its start and opens."""
    if len(value) <= _LONGEST:
        return escape(value)
    short = escape(value[: _LONGEST - 20])
    return f"<details><summary>{short}…</summary>{escape(value)}</details>"


def metric_table(
    found: Mapping[str, Sequence[Cell]], titles: Sequence[str], words: Words
) -> list[Component]:
    """Return metrics by point: value, ratio to the base, its 95 % interval, better or worse."""
    head = "".join(f'<th scope="col" class="n">{escape(title)}</th>' for title in titles)
    body = "".join(_metric(by_key()[key], cells, words) for key, cells in found.items())
    table = raw(
        f'<table><thead><tr><th scope="col">{escape(words("compare.metric"))}</th>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table>",
        className="scroll statistics metrics",
        tabIndex="0",
        role="region",
        **{"aria-labelledby": "metrics", "data-testid": "compare-metrics"},
    )
    whys = dict.fromkeys(
        cell.why for cells in found.values() for cell in cells if cell.why not in _SILENT
    )
    notes = [html.P(words(f"compare.why.{why}"), className="remark") for why in whys]
    return [
        html.H2(words("compare.metrics"), id="metrics"),
        html.P(words("compare.metrics_note"), className="def"),
        table,
        *notes,
    ]


def _metric(metric: Metric, cells: Sequence[Cell], words: Words) -> str:
    unit = names.unit(metric, words)
    label = names.metric(metric.key, words)
    if metric.unit not in ("ratio", "$/Mtok"):
        label = f"{label}, {unit}"
    row = "".join(f'<td class="n">{_cell(metric, cell, words)}</td>' for cell in cells)
    return f'<tr data-metric="{metric.key}"><th scope="row">{escape(label)}</th>{row}</tr>'


def _cell(metric: Metric, cell: Cell, words: Words) -> str:
    value = (
        with_unit(cell.value, metric.unit)
        if metric.unit in ("ratio", "$/Mtok")
        else number(cell.value)
    )
    if cell.ratio is None or cell.why == "base":
        return escape(value)
    said = [f"×{number(cell.ratio)}"]
    if cell.low is not None:
        said.append(f"({number(cell.low)}–{number(cell.high)})")
    judged = verdict(metric, cell)
    if judged:
        said.append(words(f"compare.{judged}"))
    return f'{escape(value)}<small class="{judged}">{escape(" ".join(said))}</small>'


def verdict(metric: Metric, cell: Cell) -> str:
    """Return better, worse or unclear; empty where no direction is better or no interval is."""
    if metric.direction == "none" or cell.low is None or cell.high is None:
        return ""
    if cell.low <= 1 <= cell.high:
        return "unclear"
    return "better" if (cell.low > 1) == (metric.direction == "higher") else "worse"


def spent_table(found: Sequence[Spent | None], titles: Sequence[str], words: Words) -> Component:
    """Return what a request takes on average, part by part."""
    rows = [(name, [write(s, part) for s in found]) for name, part, write in _SPENT]
    named = [
        (words(f"compare.spent.{name}"), values)
        for name, values in rows
        if any(value != MISSING for value in values)
    ]
    return _table(named, titles, words("compare.per_request"), "compare-spent", words)


def _seconds(spent: Spent | None, part: str) -> str:
    value = getattr(spent, part, None)
    if value is None:
        return MISSING
    return f"{number(value * 1000)} ms" if value < 1 else f"{number(value)} s"


def _count(spent: Spent | None, part: str) -> str:
    value = getattr(spent, part, None)
    return MISSING if value is None else f"{value:,.0f}"


def _share(spent: Spent | None, part: str) -> str:
    return percent(getattr(spent, part, None))


_SPENT = (
    ("requests", "requests", _count),
    ("e2el", "e2el_s", _seconds),
    ("ttft", "ttft_s", _seconds),
    ("queue", "queue_s", _seconds),
    ("prefill", "prefill_s", _seconds),
    ("decode", "decode_s", _seconds),
    ("step", "step_s", _seconds),
    ("steps", "steps", _count),
    ("isl", "isl_tokens", _count),
    ("hits", "hit_ratio", _share),
    ("computed", "uncached_tokens", _count),
    ("client", "client_wait_s", _seconds),
)
"""Rows of what a request takes: word, part of `Spent`, how it is written."""


def tiers(points: Sequence[Point], titles: Sequence[str], words: Words) -> list[Component]:
    """Return where prompt tokens came from: a bar a point on one scale, with the ceiling."""
    rows = [tier(point, title, words) for point, title in zip(points, titles, strict=True)]
    definitions = dict.fromkeys(
        words.or_key(
            f"point.cache_source.{point['cache_source']}", words("point.fact.cache_unknown")
        )
        for point in points
        if point["gpu_cache_hit_ratio"] is not None
    )
    return [
        html.H2(words("compare.tiers"), id="tiers"),
        html.P(words("compare.tiers_note"), className="def"),
        html.Div(rows, className="tiers", **{"data-testid": "compare-tiers"}),
        *[html.P(text, className="remark") for text in definitions],
    ]


def tier(point: Point, title: str, words: Words) -> Component:
    """Return one point's bar of cache tiers, with what it says in words."""
    gpu = point["gpu_cache_hit_ratio"]
    name = "cpu" if point["cpu_cache_hit_ratio"] is not None else "external"
    second, ceiling = point[f"{name}_cache_hit_ratio"], point["theoretical_cache_hit_ratio"]
    known = gpu is not None or second is not None
    miss = max(0.0, 1.0 - (gpu or 0.0) - (second or 0.0))
    parts = (("hit", "gpu", gpu), ("tier", name, second), ("miss", "miss", miss))
    said = ", ".join(
        f"{words(f'point.trace.{label}')} {percent(value)}"
        for _, label, value in parts
        if value is not None
    )
    said = said if known else words("point.fact.no_cache")
    if ceiling is not None:
        said += " · " + words("point.trace.theory", value=percent(ceiling))
    bar = [_bar(parts, ceiling, said)] if known else []
    head = [html.H3(title)] if title else []
    return html.Div([*head, *bar, html.P(said, className="ghost")])


def _bar(
    parts: Sequence[tuple[str, str, float | None]], ceiling: float | None, said: str
) -> Component:
    spans = "".join(
        f'<span class="{css}" style="width:{value * 100:.2f}%"></span>'
        for css, _, value in parts
        if value
    )
    if ceiling is not None:
        spans += f'<b style="left:{ceiling * 100:.2f}%"></b>'
    return raw(spans, className="tier", role="img", **{"aria-label": said})
