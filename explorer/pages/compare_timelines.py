"""`/compare/timelines?a=<point>&b=<point>[&c=&d=]`: timelines above one another, on one clock."""

from __future__ import annotations

from collections.abc import Mapping

from dash import html

from explorer.components import exports_of
from explorer.components.frame import link
from explorer.components.timeline_pair import timeline_pair
from explorer.components.view import View, Words
from explorer.domain import addresses
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.errors import NotFoundError
from explorer.queries import points
from explorer.queries.compare import SIDES


def view(lake: Lake, params: Mapping[str, str], state: ViewState) -> View:
    """Return the timelines of the points that the address names."""
    words, snap = Words(state), lake.snapshot(state["snap"]).snap
    chosen, unknown = {}, []
    for key in SIDES:
        if state[key]:
            try:
                chosen[key] = points.one(lake, state[key], state["snap"])
            except NotFoundError:
                unknown.append(words("timeline_page.unknown_point", key=key, point=state[key]))
    kept = addresses.carried(state).having(**{key: state[key] for key in SIDES})
    title = words("timeline_page.pair_title", n=len(chosen))
    body = [
        html.P(link(words("timeline_page.pair_back"), addresses.compare(kept)), className="trail"),
        html.H1(title),
        html.P(words(f"timeline_page.{'pair' if chosen else 'pair_none'}"), className="sub"),
        *[html.P(text, className="problem", role="status") for text in unknown],
        *timeline_pair(chosen, snap, state, words),
    ]
    return View(
        title=f"{title} · {words('frame.name')}",
        body=html.Div(body, className="point", **{"data-testid": "compare-timelines"}),
        canonical=addresses.compare_timelines(state.having(lang=None, theme=None)),
        description=words("timeline_page.pair"),
        nav="compare",
        exports=tuple(
            export
            for key, point in chosen.items()
            for export in exports_of.of_timeline(point, state, key.upper())
        ),
    )
