"""The card beside the flame graph: the chosen turn and its replays, else the conversation."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components.conversation_shown import Shown, point_name, turn_name
from explorer.components.frame import link
from explorer.components.names import dataset
from explorer.domain import addresses
from explorer.domain.turns import Turn
from explorer.domain.units import number, percent
from explorer.figures.dag import duration
from explorer.figures.flame import clock

Value = Any
"""A text or a component."""


def card(shown: Shown) -> Component:
    """Return the facts of the chosen turn, or of the conversation and how to choose one."""
    parts = _conversation(shown) if shown.turn is None else _turn(shown, shown.turn)
    label = shown.words("conversation.facts")
    return html.Aside(
        parts, className="card facts", **{"aria-label": label, "data-testid": "turn-card"}
    )


def _facts(shown: Shown, pairs: Iterable[tuple[str, Value | None]]) -> Component:
    rows = [
        part
        for name, value in pairs
        if value
        for part in (html.Dt(shown.words(f"conversation.fact.{name}")), html.Dd(value))
    ]
    return html.Dl(rows)


def _conversation(shown: Shown) -> list[Component]:
    row, words = shown.found.row, shown.words
    unknown = row["unknown_fields"] or {}
    length = row["duration_ms"]
    facts = _facts(
        shown,
        (
            ("dataset", dataset(shown.found.dataset)),
            ("models", ", ".join(row["models"])),
            ("duration", None if length is None else clock(length)),
            ("subagents", f"{row['subagents']:,}"),
            ("aux", f"{row['aux_requests']:,}" if row["aux_requests"] else None),
            ("largest", f"{row['max_turn_tokens']:,}"),
            ("cuts", f"{row['compactions']:,}"),
            ("unique", f"{row['unique_blocks'] or 0:,}"),
            ("block", f"{row['block_tokens'] or 0:,}"),
            ("unknown", json.dumps(unknown) if unknown else None),
        ),
    )
    choose = html.P(words("conversation.choose"), className="note")
    return [html.H2(words("conversation.facts")), facts, choose]


def _turn(shown: Shown, turn: Turn) -> list[Component]:
    words = shown.words
    kind = f"{turn.agent_type} · " if turn.agent_type else ""
    return [
        html.H2(turn_name(turn, words)),
        html.P(f"{kind}{turn.model or ''}".rstrip(" ·"), className="ghost"),
        _facts(shown, _turn_facts(shown, turn)),
        html.P(_neighbours(shown, turn), className="buttons"),
        *_replays(shown),
    ]


def _turn_facts(shown: Shown, turn: Turn) -> list[tuple[str, Value | None]]:
    isl = turn.isl_tokens or 0
    length = None if turn.end_ms is None else turn.end_ms - turn.t_ms
    ceiling = turn.time_order_cached_tokens
    return [
        ("start", clock(turn.t_ms)),
        ("length", None if length is None else duration(length)),
        ("think", None if turn.think_time_ms is None else duration(turn.think_time_ms)),
        ("isl", f"{isl:,}"),
        ("cached", f"{turn.cached_tokens:,} ({percent(_share(turn.cached_tokens, isl))})"),
        ("ceiling", f"{ceiling:,} ({percent(_share(ceiling, isl))})"),
        ("uncached", f"{turn.uncached_tokens:,}"),
        ("osl", f"{turn.osl_tokens:,}"),
        ("shared", f"{turn.shared_blocks * (shown.found.row['block_tokens'] or 0):,}"),
        ("shared_from", _source(shown, turn)),
        ("spawned", _main(shown, turn.parent_turn)),
        ("joins", _joins(shown, turn)),
    ]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _to(shown: Shown, turn: Turn) -> Component:
    return link(turn_name(turn, shown.words), shown.href(turn))


def _source(shown: Shown, turn: Turn) -> Component | None:
    source = turn.prefix_source
    return None if source is None else _to(shown, shown.found.turns[source])


def _main(shown: Shown, number_: int | None) -> Component | None:
    if number_ is None:
        return None
    found = shown.found.find(str(number_), None)
    return None if found is None else _to(shown, found)


def _joins(shown: Shown, turn: Turn) -> Value | None:
    if turn.kind != "subagent":
        return None
    return _main(shown, turn.join_turn) or shown.words("conversation.fact.background")


def _neighbours(shown: Shown, turn: Turn) -> list[Component]:
    turns, words = shown.found.turns, shown.words
    ways = [("previous", turn.ordinal - 1, "prev"), ("next", turn.ordinal + 1, "next")]
    links = [
        link(words(f"conversation.fact.{name}"), shown.href(turns[at]), className="btn", rel=rel)
        for name, at, rel in ways
        if 0 <= at < len(turns)
    ]
    close = shown.here(shown.state.having(turn=None, agent=None))
    return [*links, link(words("conversation.fact.close"), close, className="btn")]


def _replays(shown: Shown) -> list[Component]:
    """Return the chosen point's requests that replayed the turn, each with its ways."""
    if shown.point is None:
        return []
    words, name = shown.words, point_name(shown.point, shown.words)
    title = html.H2(words("conversation.fact.replays", point=name))
    own = [one for one in shown.strips if one.point["point_id"] == shown.point["point_id"]]
    if not own:
        return [title, html.P(words("conversation.fact.no_replay"), className="note")]
    items = [_replay(shown, row) for row in own[0].replays]
    return [title, html.Ul(items, className="replays")]


def _replay(shown: Shown, row: dict[str, Any]) -> Component:
    words, point_id = shown.words, shown.strips and shown.point and shown.point["point_id"]
    phase = words(f"conversation.phase_{row['phase']}")
    if row["status"] == "ok":
        cached, isl = row["cached_tokens"], row["isl_tokens"]
        share = None if cached is None or not isl else cached / isl
        text = words(
            "conversation.fact.replay",
            phase=phase,
            ttft=number(row["ttft_s"]),
            cached=percent(share),
        )
    else:
        text = words(
            "conversation.fact.replay_bad", phase=phase, status=row["error_type"] or row["status"]
        )
    carried = addresses.carried(shown.state).having(phase=row["phase"])
    timeline = addresses.timeline(str(point_id), carried.having(req=row["request_id"]))
    table = addresses.point(str(point_id), carried.having(q=row["request_id"])) + "#requests"
    return html.Li(
        [
            html.Span(text),
            " ",
            link(words("conversation.fact.in_table"), table),
            " ",
            link(words("conversation.fact.in_timeline"), timeline),
        ]
    )
