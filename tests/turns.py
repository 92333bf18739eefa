"""Small conversations for tests, linked by the product's own rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from explorer.domain.dag import Span, link
from explorer.domain.turns import Kind, Turn

Rows = Sequence[tuple[str | None, float, float]]


def turn(
    ordinal: int,
    number: int,
    span: tuple[float, float],
    agent: str | None = None,
    kind: Kind = "main",
    ends: tuple[int | None, int | None] = (None, None),
    **more: Any,
) -> Turn:
    """A turn of 100 input and 10 output tokens; `more` overrides any field."""
    fields: dict[str, Any] = {
        "ordinal": ordinal,
        "turn": number,
        "agent": agent,
        "agent_type": None if agent is None else "Explore",
        "parent_turn": ends[0],
        "join_turn": ends[1],
        "kind": kind,
        "t_ms": span[0],
        "end_ms": span[1],
        "isl_tokens": 100,
        "cached_tokens": 0,
        "uncached_tokens": 100,
        "osl_tokens": 10,
        "time_order_cached_tokens": 0,
        "blocks": 1,
        "hit_blocks": 0,
        "time_order_hit_blocks": 0,
        "shared_blocks": 0,
        "prefix_source": None,
        "model": "m",
        "source_outer_idx": ordinal,
        "source_inner_idx": None if agent is None else number,
        "think_time_ms": None,
        "api_time_ms": span[1] - span[0],
    }
    return Turn(**(fields | more))


def conversation(rows: Rows) -> list[Turn]:
    """Turns of (agent, start, end) rows in list order, linked by the rules under test.

    An agent named aux… is a side request.
    """
    mains = sorted((start, at) for at, (agent, start, _) in enumerate(rows) if agent is None)
    turns = []
    for at, (agent, start, end) in enumerate(rows):
        ends: tuple[int | None, int | None] = (None, None)
        kind: Kind = "main"
        if agent is not None:
            kind = "aux" if agent.startswith("aux") else "subagent"
            own = [(place, row) for place, row in enumerate(rows) if row[0] == agent]
            span = Span(min(r[1] for _, r in own), max(r[2] for _, r in own), own[0][0])
            hung = link(mains, span, joins=kind != "aux")
            ends = hung.spawn, hung.join
        line = sorted((r[1], place) for place, r in enumerate(rows) if r[0] == agent)
        number = line.index((start, at))
        inside = {"source_outer_idx": line[0][1], "source_inner_idx": number}
        more = inside if kind == "subagent" else {"source_inner_idx": None}
        turns.append(turn(at, number, (start, end), agent, kind, ends, **more))
    return turns
