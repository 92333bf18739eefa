"""`/datasets/<slug>/conversations/<id>`: flame graph, session graph, growth, prefix tree, table.

Theory stands alone, or beside what a point measured of it (`point=`); `turn=` and `agent=` choose
a turn, `open=dag` unfolds the session graph.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import exports_of
from explorer.components.conversation_card import card
from explorer.components.conversation_head import head, headline
from explorer.components.conversation_shown import Shown, measured_of, point_name
from explorer.components.frame import link
from explorer.components.markup import raw
from explorer.components.view import View, Words
from explorer.domain import addresses, view_state
from explorer.domain.dag_layout import FOLD_ABOVE
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.figures.context_growth import context_growth
from explorer.figures.dag import dag_svg
from explorer.figures.flame import flame
from explorer.figures.prefix_tree import prefix_tree
from explorer.figures.ttft_strip import StripRow, ttft_strip
from explorer.figures.turns_table import turns_table
from explorer.queries import conversations, replays
from explorer.queries.replays import Strip
from explorer.store.cache import Memo

LONG = 36
"""Rows above which the flame graph scrolls in a window of its own."""

UNFOLDED = "dag"
_VIEWS: Memo[tuple[str, str, str, str], View] = Memo(16)
"""(snapshot, dataset, id, address) → page: the first answer and the live page are one."""


def view(lake: Lake, params: Mapping[str, str], state: ViewState) -> View:
    """Return the page of a conversation."""
    snap = lake.snapshot(state["snap"]).snap
    key = (snap, params["slug"], params["conversation"], view_state.format(state))
    return _VIEWS.get(key, lambda: _draw(_shown(lake, params, state)))


def _shown(lake: Lake, params: Mapping[str, str], state: ViewState) -> Shown:
    slug, snap = params["slug"], state["snap"]
    found = conversations.one(lake, slug, params["conversation"], snap)
    id_ = found.row["conversation"]
    replayed = replays.points(lake, slug, id_, snap)
    wanted = (one for one in replayed.points if one["point_id"] == state["point"])
    point: dict[str, Any] | None = next(wanted, None)
    turn = found.find(state["turn"], state["agent"])
    return Shown(
        found=found,
        state=state,
        words=Words(state),
        replayed=replayed,
        point=point,
        measured=measured_of(replays.measured(lake, point, id_, found.turns, state["phase"]))
        if point
        else {},
        turn=turn,
        strips=replays.strips(lake, replayed.points, id_, turn) if turn else [],
    )


def _draw(shown: Shown) -> View:
    words = shown.words
    lead = html.Div([*head(shown), _flame(shown)], className="lead")
    twin = html.Div(
        [
            *_everywhere(shown),
            _dag(shown),
            _section(shown, "growth", context_growth(shown.found.turns, say=words)),
            _prefix(shown),
            _table(shown),
        ],
        className="twin",
    )
    return View(
        title=f"{shown.id} · {words('frame.name')}",
        body=html.Div(
            html.Div([lead, card(shown), twin], className="with-card"),
            className="point conversation",
            **{"data-testid": "conversation-page"},
        ),
        canonical=shown.here(shown.state.having(lang=None, theme=None)),
        description=headline(shown),
        nav="datasets",
        exports=exports_of.of_turns(shown.slug, shown.id, shown.state),
    )


def _section(
    shown: Shown, name: str, markup: str, *more: Component, test_id: str = "", **props: Any
) -> Component:
    words = shown.words
    hook = {"data-testid": test_id} if test_id else {}
    return html.Section(
        [
            html.H2(words(f"conversation.{name}"), id=name),
            html.P(words(f"conversation.{name}_note"), className="def"),
            *more,
            raw(markup, **props, **hook),
        ]
    )


def _flame(shown: Shown) -> Component:
    picture = flame(
        shown.found.turns,
        say=shown.words,
        href=shown.href,
        selected=shown.selected,
        measured=shown.measured or None,
    )
    long = "flame-box long" if len(shown.found.turns) > LONG else "flame-box"
    note = []
    if shown.measured:
        note = [html.P(shown.words("conversation.measured_note"), className="def")]
    return _section(shown, "flame", picture, *note, className=long, test_id="flame-graph")


def _dag(shown: Shown) -> Component:
    """Return the session graph, folded where it is long; the switch is a link."""
    words, state = shown.words, shown.state
    unfolded = UNFOLDED in state["open"]
    picture = dag_svg(
        shown.found.turns,
        say=words,
        href=shown.href,
        fold=False if unfolded else None,
        selected=shown.selected,
    )
    switch = []
    if len(shown.found.turns) > FOLD_ABOVE:
        label = words("dag.fold" if unfolded else "dag.unfold")
        target = shown.here(state.toggled("open", UNFOLDED)) + "#dag"
        switch = [html.P(link(label, target, className="btn"), className="buttons")]
    label = words("conversation.dag")
    return _section(
        shown, "dag", picture, *switch, className="dag-scroll", tabIndex=0, role="region",
        test_id="dag", **{"aria-label": label},
    )  # fmt: skip


def _prefix(shown: Shown) -> Component:
    words, block = shown.words, shown.found.row["block_tokens"]
    if not any(turn.blocks for turn in shown.found.turns):
        title = html.H2(words("conversation.prefix"), id="prefix")
        return html.Section([title, html.P(words("conversation.prefix_none"), className="why")])
    picture = prefix_tree(
        shown.found.turns,
        say=words,
        href=shown.href,
        block_tokens=block,
        selected=shown.selected,
    )
    label = words("conversation.prefix")
    return _section(
        shown, "prefix", picture, className="prefix-scroll", tabIndex=0, role="region",
        **{"aria-label": label},
    )  # fmt: skip


def _table(shown: Shown) -> Component:
    """Return the flame graph's twin: every turn's numbers."""
    words = shown.words
    table = turns_table(
        shown.found.turns,
        say=words,
        href=shown.href,
        selected=shown.selected,
        measured=shown.measured or None,
    )
    label = words("conversation.turns")
    return html.Section(
        [
            html.H2(label, id="turns"),
            raw(
                table,
                className="scroll turns-scroll",
                tabIndex=0,
                role="region",
                **{"aria-label": label, "data-testid": "turns-table"},
            ),
        ]
    )


def _everywhere(shown: Shown) -> list[Component]:
    """Return the chosen turn's TTFT at every point that replayed it."""
    if shown.turn is None:
        return []
    words = shown.words
    title = html.H2(words("conversation.everywhere"), id="everywhere")
    if not shown.strips:
        none = html.P(words("conversation.everywhere_none"), className="why")
        return [html.Section([title, none])]
    rows = [_strip_row(shown, one) for one in shown.strips]
    picture = ttft_strip(rows, say=words)
    return [
        html.Section(
            [
                title,
                html.P(words("conversation.everywhere_note"), className="def"),
                raw(
                    picture,
                    className="scroll",
                    tabIndex=0,
                    role="region",
                    **{"aria-label": words("conversation.everywhere"), "data-testid": "strip"},
                ),
            ]
        )
    ]


def _strip_row(shown: Shown, one: Strip) -> StripRow:
    ok = [row for row in one.replays if row["status"] == "ok"]
    known = [row for row in ok if row["cached_tokens"] is not None and row["isl_tokens"]]
    whole = sum(row["isl_tokens"] for row in known)
    point_id = one.point["point_id"]
    target = addresses.carried(shown.state).having(
        q=one.replays[0]["request_id"], phase=one.replays[0]["phase"]
    )
    return StripRow(
        label=point_name(one.point, shown.words),
        href=addresses.point(point_id, target) + "#requests",
        ttft_s=[row["ttft_s"] for row in ok if row["ttft_s"] and row["ttft_s"] > 0],
        failed=len(one.replays) - len(ok),
        cached_share=sum(row["cached_tokens"] for row in known) / whole if whole else None,
        here=shown.point is not None and shown.point["point_id"] == point_id,
    )
