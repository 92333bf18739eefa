"""Cards of comparisons that no embed shows: timelines above one another, conversations by turn."""

from __future__ import annotations

from explorer.components.conversation_shown import point_name
from explorer.components.conversations_compared import choose
from explorer.components.view import Words
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.embeds import timeline
from explorer.errors import NotFoundError
from explorer.exports.cards import Picture
from explorer.exports.standalone import Margin
from explorer.figures.chart import Chart
from explorer.figures.chart_svg import chart_svg
from explorer.figures.conversation_charts import charts
from explorer.queries import points
from explorer.queries.compare import SIDES

_LANES = Margin(32, 6, 22, 118)
_CHART = Margin(36, 12, 24, 52)
_CHARTS = 2
"""Charts of conversations that a card has room for: how they grow, and how long they waited."""
_LEAST = 20


def timelines(lake: Lake, state: ViewState, high: float) -> list[Picture]:
    """Return each point's requests, on one clock, in `high` px together; none without records."""
    words, chosen = Words(state), {}
    for key in SIDES:
        try:
            point = points.one(lake, state[key], state["snap"]) if state[key] else None
        except NotFoundError:
            point = None
        if point and point["requests_object"]:
            chosen[key] = point
    tall = _each(high, len(chosen), _LANES)
    drawn = timeline.stacked(lake, list(chosen.values()), state, tall)
    return [
        Picture(markup, _LANES, f"{key.upper()} · {point_name(point, words)}", "timeline point")
        for (key, point), markup in zip(chosen.items(), drawn, strict=True)
    ]


def conversations(lake: Lake, state: ViewState, high: float) -> list[Picture]:
    """Return what the comparison of conversations shows first, in `high` px together."""
    words = Words(state)
    chosen, _ = choose(lake, state, words)
    drawn = charts([one.side for one in chosen], words)[:_CHARTS]
    tall = _each(high, len(drawn), _CHART)
    legend = [(f"c-{trace.colour}", trace.label) for chart in drawn[:1] for trace in chart.traces]
    return [
        Picture(
            chart_svg(chart, tall, data=False), _CHART, _title(chart), "point conversation",
            legend if at == 0 else (),
        )
        for at, chart in enumerate(drawn)
    ]  # fmt: skip


def _title(chart: Chart) -> str:
    return " · ".join(part for part in (chart.title, chart.y.label) if part)


def _each(high: float, n: int, margin: Margin) -> int:
    """Return the height of each of n pictures without its margin, px."""
    return max(int(high / max(n, 1) - margin.top - margin.bottom), _LEAST)
