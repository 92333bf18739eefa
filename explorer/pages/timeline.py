"""`/points/<id>/timeline`: every request of a point; words and a table first, then the canvas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import exports_of
from explorer.components.conversation_shown import point_name
from explorer.components.frame import link
from explorer.components.markup import raw, to_html
from explorer.components.timeline_mount import EXPORTS, export_address, timeline_mount
from explorer.components.timeline_table import timeline_table
from explorer.components.timeline_words import summary
from explorer.components.view import View, Words
from explorer.domain import addresses, view_state
from explorer.domain.lake import Lake, Snapshot
from explorer.domain.view_state import ViewState
from explorer.queries import points, requests, timeline
from explorer.queries.requests import Wanted
from explorer.queries.timeline import Counts
from explorer.queries.window import of_state
from explorer.store.cache import Memo

ROWS = 50
PHASES = ("warmup", "profiling", "all")
_VIEWS: Memo[tuple[str, str, str], View] = Memo(32)
"""(snapshot, point, address) → page: the first answer and the live page that follows are one."""


def view(lake: Lake, params: Mapping[str, str], state: ViewState) -> View:
    """Return the timeline of a point; an older id shows the point it became."""
    snapshot = lake.snapshot(state["snap"])
    key = (snapshot.snap, params["point_id"], view_state.format(state))
    return _VIEWS.get(key, lambda: _draw(lake, snapshot, params, state))


def _draw(lake: Lake, snapshot: Snapshot, params: Mapping[str, str], state: ViewState) -> View:
    words = Words(state)
    point = points.one(lake, params["point_id"], state["snap"])
    name = point_name(point, words)
    said, body = words("timeline_page.none"), [html.P(words("timeline_page.none"), className="why")]
    if point["requests_object"]:
        counts = timeline.counts(lake, point, state["phase"])
        said = _summary(point, counts, state, words)
        body = _body(lake, point, counts, snapshot, state, words)
    head = [
        html.P(_trail(point, state, words), className="trail"),
        html.H1(words("timeline_page.title", point=name)),
        html.P(said, className="sub"),
        *[html.P(text, className="mark") for text in _marks(point, words)],
    ]
    return View(
        title=f"{words('timeline_page.title', point=name)} · {words('frame.name')}",
        # One component: React has nothing to do inside, and nothing of it is to be kept.
        body=raw(to_html([*head, *body]), className="point", **{"data-testid": "timeline-page"}),
        canonical=addresses.timeline(point["point_id"], state.having(lang=None, theme=None)),
        description=said,
        nav="curves",
        exports=exports_of.of_timeline(point, state),
    )


def _marks(point: Mapping[str, Any], words: Words) -> list[str]:
    """Return what a reader must know before reading: that nothing was measured on hardware."""
    source = point["source"]
    return [words(f"frame.{source}")] if source in ("simulated", "mock") else []


def _trail(point: Mapping[str, Any], state: ViewState, words: Words) -> list[Component]:
    """Return ways from here: the point, the comparison, the files."""
    carried = addresses.carried(state)
    to_point = carried.having(phase=state["phase"])
    compare = carried.having(a=point["point_id"])
    made = [
        link(words("timeline_page.back"), addresses.point(point["point_id"], to_point)),
        link(words("timeline_page.compare"), addresses.compare(compare)),
    ]
    if point["requests_object"]:
        made += [
            html.A(
                words(f"timeline_page.export.{name}"),
                href=export_address(point, name, state),
                download=True,
            )
            for name in EXPORTS
        ]
    return made


def _summary(point: Mapping[str, Any], counts: Counts, state: ViewState, words: Words) -> str:
    said = summary(point, counts, state, words)
    return said if points.bound(point) else f"{said} {words('timeline_page.unbound')}"


def _body(
    lake: Lake,
    point: Mapping[str, Any],
    counts: Counts,
    snapshot: Snapshot,
    state: ViewState,
    words: Words,
) -> list[Component]:
    page = requests.many(lake, point, Wanted(of_state(state)), snap=state["snap"], limit=ROWS)
    caption = words(
        "timeline_page.caption",
        n=f"{len(page.rows):,}",
        phase=words(f"timeline.phase_{state['phase']}"),
    )
    everything = addresses.point(
        point["point_id"], state.only((*addresses.SHARED_KEYS, "phase", "from", "to", "q"))
    )
    return [
        html.Div(_phases(point, counts, state, words), className="bar"),
        timeline_mount(point, snapshot.snap, state, words),
        html.Section(
            [
                timeline_table(page.rows, point, state, words, caption),
                html.P(link(words("timeline_page.all_rows"), f"{everything}#requests")),
            ]
        ),
    ]


def _phases(
    point: Mapping[str, Any], counts: Counts, state: ViewState, words: Words
) -> list[Component]:
    """Return the toggle; where scripts run, the canvas answers its clicks (`data-phase`)."""
    links = [
        link(
            html.Span(
                [
                    words(f"point.phases.{phase}"),
                    html.Span(f"{counts.sum(phase):,}", className="n"),
                ]
            ),
            addresses.timeline(point["point_id"], state.having(phase=phase)),
            className="on" if state["phase"] == phase else None,
            **({"aria-current": "true"} if state["phase"] == phase else {}),
            **{"data-phase": phase},
        )
        for phase in PHASES
    ]
    label = {"aria-label": words("point.phase"), "data-testid": "phase-toggle"}
    return [html.Nav(links, className="toggle", **label)]
