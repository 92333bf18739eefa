"""Notices on a point that something newer has taken the place of, with the way there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components.frame import link
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.errors import NotFoundError
from explorer.queries import points
from explorer.queries.newer import newer

Point = Mapping[str, Any]


def superseded(lake: Lake, point: Point, state: ViewState, words: Words) -> list[Component]:
    """Return what is newer than the point shown; nothing where it is the newest there is.

    A later run of the same configuration in the snapshot shown; and, while a snapshot is pinned,
    what became of the point since: other numbers, another id, or gone.
    """
    found = []
    if later := newer(lake, point, state["snap"]):
        carried = addresses.carried(state)
        text = words("snapshots.newer_run", date=later["date"])
        found.append(_notice(text, addresses.point(later["point_id"], carried), words))
    if state["snap"]:
        found += _since(lake, point, state, words)
    return found


def _since(lake: Lake, point: Point, state: ViewState, words: Words) -> list[Component]:
    pinned, newest = lake.snapshot(state["snap"]), lake.snapshot()
    if pinned.snap == newest.snap:
        return []
    free = state.having(snap=None)
    try:
        now = points.one(lake, point["point_id"], newest.snap)
    except NotFoundError:
        text = words("snapshots.point_removed", date=newest.time[:10])
        return [_notice(text, addresses.curves(free.only(("lang", "theme"))), words)]
    if now["revision"] == point["revision"]:
        return []
    text = words("snapshots.point_changed", date=newest.time[:10])
    return [_notice(text, addresses.point(now["point_id"], free), words)]


def _notice(text: str, href: str, words: Words) -> Component:
    return html.P(
        [text, " ", link(words("snapshots.open_newest"), href)],
        className="problem notice",
        role="note",
        **{"data-testid": "superseded"},
    )
