"""`/snapshots`: every published state of the lake; `?a=<snap>&b=<snap>` says what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dash import html
from dash.development.base_component import Component

from explorer.components import snapshot_changes
from explorer.components.frame import link
from explorer.components.markup import raw, to_html
from explorer.components.view import View, Words
from explorer.domain import addresses
from explorer.domain.lake import Lake, Snapshot
from explorer.domain.view_state import ViewState
from explorer.queries.snapshot_changes import changes
from explorer.tables import price_version

_COLUMNS = ("snapshot", "time", "points", "requests", "conversations", "versions", "changes")
_NUMBERS = frozenset(("points", "requests", "conversations"))


def view(lake: Lake, params: Mapping[str, str], state: ViewState) -> View:
    """Return the list of snapshots, or what changed from `a` to `b` (the newest without it)."""
    words = Words(state)
    compared = state["a"] or state["b"]
    title, body = _changes(lake, state, words) if compared else _list(lake, state, words)
    return View(
        title=f"{title} · {words('frame.name')}",
        # One component: Dash's renderer takes a minute for tables of some thousand components.
        body=raw(to_html(body), className="snapshots", **{"data-testid": "snapshots-page"}),
        canonical=addresses.snapshots(state.having(lang=None, theme=None)),
        description=words("snapshots.sub"),
        nav="snapshots",
    )


def _changes(lake: Lake, state: ViewState, words: Words) -> tuple[str, list[Component]]:
    found = changes(lake, state["b"], state["a"])
    title = snapshot_changes.title(found, words)
    back = link(words("snapshots.all"), addresses.snapshots(_plain(state)))
    return title, [
        html.P(back, className="trail"),
        html.H1(title),
        *snapshot_changes.body(found, state, words),
    ]


def _plain(state: ViewState) -> ViewState:
    return addresses.carried(state)


def _list(lake: Lake, state: ViewState, words: Words) -> tuple[str, list[Component]]:
    every = lake.snapshots()
    title = words("snapshots.title")
    head = html.Tr(
        [
            html.Th(words(f"snapshots.{name}"), className="n" if name in _NUMBERS else None)
            for name in _COLUMNS
        ]
    )
    rows = [_row(one, at == 0, state, words) for at, one in enumerate(every)]
    return title, [
        html.H1(title),
        html.P(words("snapshots.sub"), className="sub"),
        html.Div(
            html.Table([html.Thead(head), html.Tbody(rows)]),
            className="scroll",
            tabIndex=0,
            role="region",
            **{"aria-label": title, "data-testid": "snapshots-table"},
        ),
        html.P(words("snapshots.price_now", version=price_version()), className="ghost"),
        html.P(words("snapshots.how"), className="ghost"),
        *_choose(every, state, words),
    ]


def _row(one: Snapshot, newest: bool, state: ViewState, words: Words) -> Component:
    pinned = addresses.curves(_plain(state).having(snap=one.name or one.snap))
    name = link(one.name or one.snap, pinned)
    said = [words(f"snapshots.{mark}") for mark in _marks(one, newest)]
    versions = words("snapshots.version", metric=one.metric_version, price=one.price_version)
    return html.Tr(
        [
            html.Th(
                [name, html.Small(" · ".join(said)), *_hash(one)],
                scope="row",
            ),
            html.Td(one.time[:16].replace("T", " "), className="time"),
            *(html.Td(f"{n:,}", className="n") for n in (one.points, one.requests)),
            html.Td(f"{one.conversations:,}", className="n"),
            html.Td(versions),
            html.Td(_what(one, state, words)),
        ]
    )


def _marks(one: Snapshot, newest: bool) -> list[str]:
    return ["newest"] * newest + ["kept"] * one.kept


def _hash(one: Snapshot) -> list[Component]:
    return [html.Br(), html.Code(one.snap, className="ghost")] if one.name else []


def _what(one: Snapshot, state: ViewState, words: Words) -> list[Component | str]:
    counts = {kind: f"{getattr(one, kind):,}" for kind in ("added", "changed", "removed")}
    href = addresses.snapshots(_plain(state).having(a=one.parent, b=one.snap))
    return [link(words("snapshots.counts", **counts), href)]


def _choose(every: Sequence[Snapshot], state: ViewState, words: Words) -> list[Component]:
    """Return the form that compares any two snapshots."""
    if len(every) < 2:
        return []
    return [
        html.H2(words("snapshots.compare"), id="compare"),
        snapshot_changes.form(every, state, words),
    ]
