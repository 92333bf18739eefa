"""The point embed: its key figures, latency over time, where its prompt tokens came from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from html import escape
from typing import Any

from explorer.components import compare_tables, names
from explorer.components.markup import to_html
from explorer.components.point_numbers import headline, key_figures, statistics, under
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.answers import Cells
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.embeds import charts
from explorer.embeds.document import Embed, Html, inside
from explorer.embeds.notices import of_point
from explorer.figures import point_charts
from explorer.figures.chart import Chart
from explorer.figures.point_charts import Facts
from explorer.queries import distributions, money, points, samples, series, window_stats
from explorer.queries.window import of_state

CHARTS = {
    "small": ("ttft",),
    "medium": ("ttft", "interactivity"),
    "large": ("ttft", "interactivity", "queue", "kv", "hits", "throughput"),
}
BUDGET = 120
"""Samples a chart is drawn from: an embed's is half as wide as a page's."""
ACROSS, UP = 100, 32
"""Cells of the samples under the percentiles, at most."""
_PRICES = ("price", "rate", "kw")


def draw(lake: Lake, state: ViewState) -> Embed:
    """Return a point in short, over the phase and window that the address names."""
    words = Words(state)
    prices = money.dated(lake, state).only(_PRICES)
    point = points.one(lake, state["point"], state["snap"], prices)
    window = of_state(state)
    numbers = window_stats.stats(lake, point, window) or point
    drawn = _charts(lake, point, state, words)
    page = inside(state).having(point=None)
    notices = of_point(lake, point, state, words)
    if state["phase"] != "profiling" and point["requests_object"]:
        notices.append(words("embeds.phase", phase=words(f"timeline.phase_{state['phase']}")))
    return Embed(
        title=name(point, words),
        caption=headline(numbers, point, words),
        about=under(point, words),
        body=_numbers(numbers, point, words) + charts.blocks(drawn, state["size"]),
        legend=_tiers(point, words),
        more=to_html(statistics(numbers, "", words)) + charts.tables(drawn),
        page=addresses.point(point["point_id"], page),
        notices=notices,
        counted=" ".join(charts.absent(drawn)),
    )


def name(point: Mapping[str, Any], words: Words) -> str:
    """Return a point's name: hardware, engine, settings."""
    parts = [names.hardware(point["hw"], words), names.engine(point["engine"], words)]
    return " · ".join([*parts, names.configuration(point, words)])


def _numbers(numbers: Mapping[str, Any], point: Mapping[str, Any], words: Words) -> Html:
    if any(numbers.get(key) is not None for key in ("mean_e2el_s", "total_tps")):
        return to_html(key_figures(numbers, point, words))
    return f'<p class="about">{escape(words("embeds.no_numbers"))}</p>'


def _charts(lake: Lake, point: dict[str, Any], state: ViewState, words: Words) -> list[Chart]:
    """Return the charts of a size; those with nothing to draw carry their reason."""
    window = of_state(state)
    facts = Facts(
        point=point,
        timed=series.collect(lake, point, window, BUDGET),
        distribution=lambda column: distributions.distribution(lake, point, column, window),
        samples=lambda quantity: _coarser(samples.cells(lake, point, quantity, window)),
        words=words,
    )
    made = (point_charts.one(facts, wanted) for wanted in CHARTS[state["size"]])
    return [chart for chart in made if chart is not None]


def _coarser(cells: Cells | None) -> Cells | None:
    """Return samples folded further; each cell shows the sample that stood for most."""
    if cells is None or len(cells.n) < ACROSS * UP // 4:
        return cells
    logs = [math.log(value) for value in cells.value]
    first, low = min(cells.t_s), min(logs)
    wide, tall = max(cells.t_s) - first or 1.0, max(logs) - low or 1.0
    kept: dict[tuple[int, int], tuple[int, float, float]] = {}
    sums: Counter[tuple[int, int]] = Counter()
    for t_s, log, value, n in zip(cells.t_s, logs, cells.value, cells.n, strict=True):
        at = (int((t_s - first) / wide * ACROSS), int((log - low) / tall * UP))
        sums[at] += n
        kept[at] = max(kept.get(at, (0, 0.0, 0.0)), (n, t_s, value))
    return Cells([kept[at][1] for at in sums], [kept[at][2] for at in sums], list(sums.values()))


def _tiers(point: dict[str, Any], words: Words) -> Html:
    known = any(point[f"{tier}_cache_hit_ratio"] is not None for tier in ("gpu", "cpu", "external"))
    if not known:
        return ""
    title = f"<h2>{escape(words('compare.tiers'))}</h2>"
    bar = to_html(compare_tables.tier(point, "", words))
    return f'<div class="tiers">{title}{bar}</div>'
