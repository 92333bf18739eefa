"""Timelines of several points, one above the other, on one clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components.conversation_shown import point_name
from explorer.components.frame import link
from explorer.components.timeline_mount import timeline_mount
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.view_state import ViewState

GROUP = "pair"


def timeline_pair(
    points: Mapping[str, Mapping[str, Any]], snap: str, state: ViewState, words: Words
) -> list[Component]:
    """Return a section a point: key of the address (`a`, `b`, …) → point's row.

    Zero is each point's own phase start; windows and cursors move together. Points without
    request records say so instead.
    """
    return [
        html.Section(
            [
                html.H2([f"{key.upper()} · ", _name(point, state, words)], id=f"timeline-{key}"),
                timeline_mount(point, snap, state, words, group=GROUP, scope=key)
                if point["requests_object"]
                else html.P(words("timeline_page.none"), className="why"),
            ],
            className="timeline-of-pair",
            **{"aria-labelledby": f"timeline-{key}"},
        )
        for key, point in points.items()
    ]


def _name(point: Mapping[str, Any], state: ViewState, words: Words) -> Component:
    target = addresses.carried(state).having(phase=state["phase"])
    return link(point_name(point, words), addresses.timeline(point["point_id"], target))
