"""Where a timeline is drawn: the element that assets/timeline.js fills, and its exports."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from dash.development.base_component import Component

from explorer.components.markup import raw
from explorer.components.view import Words
from explorer.domain import addresses, view_state
from explorer.domain.view_state import ViewState
from explorer.exports import scripts
from explorer.exports.offline import strings
from explorer.figures.timeline_pack import VERSION
from explorer.queries.points import bound

Point = Mapping[str, Any]
EXPORTS = ("perfetto", "csv", "parquet", "html")
"""Formats that the page links to, of exports/timeline_files.py."""
_MENU = {"perfetto": "perfetto", "parquet": "parquet", "html": "offline"}
"""Format → its name in the canvas' export menu, which makes CSV and PNG of its own."""


def timeline_mount(
    point: Point, snap: str, state: ViewState, words: Words, *, group: str = "", scope: str = ""
) -> Component:
    """Return the element in which a point's timeline draws itself.

    `snap` is the snapshot that data is asked of: pinned answers stay in the browser for good.
    Timelines of one `group` share clock and cursor; `scope` keeps their selections apart in the
    address.
    """
    held = ViewState().having(snap=snap)
    attributes = {
        "data-testid": "timeline",
        "data-src": _api(point, held.having(phase="all")) + f"&layout={VERSION}",
        "data-requests": addresses.with_query(_path(point, "requests"), held),
        "data-series": addresses.with_query(_path(point, "series"), held),
        "data-turn-url": turn_address(point, state) if bound(point) else "",
        "data-exports": json.dumps(
            {_MENU[name]: export_address(point, name, state) for name in EXPORTS if name in _MENU}
        ),
        "data-module": f"{scripts.ADDRESS}/{scripts.version()}/{scripts.ENTRY}",
        "data-query": view_state.format(state),
        "data-strings": json.dumps(strings(words.lang), ensure_ascii=False),
        "data-group": group,
        "data-scope": scope,
    }
    texts = "".join(f' {name}="{escape(text)}"' for name, text in attributes.items())
    silent = f"<noscript><p>{escape(words('timeline_page.no_script'))}</p></noscript>"
    return raw(f"{_preloads()}<div{texts}>{silent}</div>", className="timeline-host")


def _preloads() -> str:
    """Return links that fetch every module at once instead of one after another."""
    base = f"{scripts.ADDRESS}/{scripts.version()}"
    return "".join(f'<link rel="modulepreload" href="{base}/{n}">' for n in scripts.module_names())


def _path(point: Point, part: str) -> str:
    return addresses.api_point(point["point_id"], part)


def _api(point: Point, state: ViewState) -> str:
    return addresses.with_query(_path(point, "timeline"), state)


def export_address(point: Point, name: str, state: ViewState) -> str:
    """Return where a format of the timeline is had: the phase and window that the address names.

    The offline page holds both phases and no window: it has its own controls.
    """
    kept = ("snap", "lang") if name == "html" else ("snap", "phase", "from", "to")
    asked = state.only(kept).having(phase="all") if name == "html" else state.only(kept)
    address = _api(point, asked)
    return f"{address}{'&' if '?' in address else '?'}format={name}"


def turn_address(point: Point, state: ViewState) -> str:
    """Return the address of a turn with {dataset}, {conversation}, {turn}, {agent} to fill."""
    target = addresses.carried(state).having(
        turn="{turn}", agent="{agent}", point=point["point_id"]
    )
    address = addresses.conversation("{dataset}", "{conversation}", target)
    return address.replace("%7B", "{").replace("%7D", "}")
