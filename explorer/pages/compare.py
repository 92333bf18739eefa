"""`/compare?a=<point>&b=<point>[&c=&d=]`: up to four points beside one another, `a` the base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import compare_heads, compare_tables, exports_of
from explorer.components.chart_figure import absent_charts, chart_figure
from explorer.components.compare_story import story
from explorer.components.frame import link
from explorer.components.still import still
from explorer.components.view import View, Words
from explorer.domain import addresses, view_state
from explorer.domain.difference import Spent
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.figures import compare_charts
from explorer.figures.chart import clock
from explorer.figures.compare_charts import Side
from explorer.queries import compare, overlays, points, series, siblings
from explorer.queries.compare import Chosen
from explorer.queries.window import Window
from explorer.store.cache import Memo

BUDGET = 240
_NEWEST = 12
_VIEWS: Memo[tuple[str, str], View] = Memo(32)
"""(snapshot, address) → page: the first answer and the live page that follows are one."""


@dataclass(frozen=True)
class Compared:
    """The points, their names, the window they are compared over."""

    lake: Lake
    chosen: Sequence[Chosen]
    titles: Sequence[str]
    window: Window
    state: ViewState
    words: Words

    @cached_property
    def points(self) -> list[dict[str, Any]]:
        """The points' rows."""
        return [one.point for one in self.chosen]

    @cached_property
    def spent(self) -> list[Spent | None]:
        """What each point's requests take."""
        return [compare.spent(self.lake, point, self.window) for point in self.points]


def view(lake: Lake, params: Mapping[str, str], state: ViewState) -> View:
    """Return the comparison of the points that the address names."""
    key = (lake.snapshot(state["snap"]).snap, view_state.format(state))
    return _VIEWS.get(key, lambda: _draw(lake, state))


def _draw(lake: Lake, state: ViewState) -> View:
    words = Words(state)
    chosen, unknown = compare.choose(lake, state)
    titles = compare_heads.labels(chosen, words)
    shown = Compared(lake, chosen, titles, _window(state), state, words)
    title = words("compare.headline", n=len(chosen)) if len(chosen) > 1 else words("compare.title")
    body = [
        html.H1(title),
        html.P(words("compare.sub"), className="sub"),
        *[_problem(one, words) for one in unknown],
        *_heads(shown),
        *(_compared(shown) if len(chosen) > 1 else []),
        compare_heads.adding(chosen, _candidates(shown), state, words),
    ]
    return View(
        title=f"{title} · {words('frame.name')}",
        body=html.Div(
            [still(part) for part in body if part is not None],
            className="point compare",
            **{"data-testid": "compare"},
        ),
        canonical=addresses.compare(state.having(lang=None, theme=None)),
        description=words("compare.sub"),
        nav="compare",
        exports=tuple(
            export
            for one, name in zip(chosen, titles, strict=True)
            for export in exports_of.of_point(one.point, state, name)
        ),
    )


def _window(state: ViewState) -> Window:
    low, high = state["from"], state["to"]
    if low is not None and high is not None and low >= high:
        low = high = None
    return Window("profiling", low, high)


def _problem(one: compare.Unknown, words: Words) -> Component:
    text = words(f"compare.bad_{one.code}", key=one.key, value=one.point_id[:80])
    return html.P(text, className="problem", role="status")


def _candidates(shown: Compared) -> Sequence[Mapping[str, Any]]:
    """Return what could join: siblings of the base; the newest points when there is none."""
    if len(shown.chosen) == len(compare.SIDES):
        return []
    if shown.chosen:
        return siblings.candidates(shown.lake, shown.points[0], shown.state["snap"])
    pinned = shown.state.only(("snap",))
    return points.many(shown.lake, pinned, sort="-date", limit=_NEWEST).rows


def _heads(shown: Compared) -> list[Component]:
    if not shown.chosen:
        return []
    cards = compare_heads.heads(shown.chosen, shown.titles, shown.state, shown.words)
    return [cards, *compare_heads.unlike(shown.chosen, shown.words)]


def _compared(shown: Compared) -> list[Component]:
    lake, words = shown.lake, shown.words
    table = compare.table(lake, shown.chosen, shown.window)
    return [
        *_trail(shown),
        html.Section(compare_tables.settings(shown.points, shown.titles, words)),
        _origin(shown),
        *([html.Section(compare_tables.metric_table(table, shown.titles, words))] if table else []),
        html.Section(compare_tables.tiers(shown.points, shown.titles, words)),
        *_charts("distributions", _distributions(shown), words),
        *_charts("over_time", compare_charts.over_time(_sides(shown), words), words),
    ]


def _trail(shown: Compared) -> list[Component]:
    """Return the timelines on one clock, and the way out of a window."""
    words, state = shown.words, shown.state
    made = []
    if sum(bool(point["requests_object"]) for point in shown.points) > 1:
        ids = {one.key: one.point["point_id"] for one in shown.chosen}
        target = addresses.carried(state).having(**ids)
        made.append(link(words("compare.timelines"), addresses.compare_timelines(target)))
    if shown.window != shown.window.whole():
        low, high = (state[name] for name in ("from", "to"))
        ends = [words("compare.open_end") if end is None else clock(end) for end in (low, high)]
        whole = addresses.compare(state.having(from_=None, to=None))
        made += [
            html.Span(words("compare.window", low=ends[0], high=ends[1])),
            link(words("point.window_clear"), whole, **{"data-clear-window": "1"}),
        ]
    return [html.P(made, className="trail")] if made else []


def _origin(shown: Compared) -> Component:
    """Return where the difference of each point to the first comes from."""
    words, base = shown.words, shown.chosen[0]
    told: list[Component] = []
    for other, spent in list(zip(shown.chosen, shown.spent, strict=True))[1:]:
        whole = shown.window == shown.window.whole()
        pairs = compare.pairs(shown.lake, base.point, other.point) if whole else None
        sides = (base.key.upper(), shown.spent[0]), (other.key.upper(), spent)
        first, *rest = story(*sides, pairs, words)
        told.append(html.P([first, *([" ", html.B(rest[0])] if rest else [])], className="take"))
        told += [html.P(" ".join(rest[1:]), className="grounds")] * (len(rest) > 1)
    parts = [html.H2(words("compare.origin"), id="origin"), *told]
    if any(shown.spent):
        parts.append(compare_tables.spent_table(shown.spent, shown.titles, words))
        parts.append(html.P(words("compare.origin_note"), className="remark"))
    return html.Section(parts, **{"data-testid": "compare-origin"})


def _distributions(shown: Compared) -> list[compare_charts.Chart]:
    """Return a chart for each quantity that any point's requests have."""
    made = []
    for quantity in compare_charts.UNITS:
        found = overlays.overlay(shown.lake, shown.points, quantity, shown.window)
        if found is not None:
            made.append(
                compare_charts.distribution(
                    quantity, found.edges, found.shares, found.counts, shown.titles, shown.words
                )
            )
    return made


def _sides(shown: Compared) -> list[Side]:
    return [
        Side(title, series.collect(shown.lake, point, shown.window, BUDGET))
        for title, point in zip(shown.titles, shown.points, strict=True)
    ]


def _charts(name: str, charts: Sequence[compare_charts.Chart], words: Words) -> list[Component]:
    drawn = [chart_figure(chart, words) for chart in charts if not chart.empty]
    absent = [chart for chart in charts if chart.empty]
    title = html.H2(words(f"compare.{name}"), id=name)
    if not drawn:
        why = absent_charts(absent) if absent else html.P(words("point.reason.no_requests"))
        return [html.Section([title, why])]
    parts = [title, html.Div(drawn, className="charts")]
    return [html.Section(parts + ([absent_charts(absent)] if absent else []))]
