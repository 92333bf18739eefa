"""A conversation as a graph: main line, spawned sub-agents, joins, background and side requests.

Rules: a group is spawned by the last main request before it starts and joins the first main
request that starts after it ends; without such a request it runs in the background. A one-shot
side request (aux) never joins. A group without a main request before it is an orphan.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from explorer.domain.turns import Turn

GroupKind = Literal["joined", "background", "aux", "orphan"]
EdgeKind = Literal["next", "spawn", "join", "side"]


@dataclass(frozen=True, slots=True)
class Span:
    """A group before it is linked: start and end in ms, and its first request's list place."""

    start_ms: float
    end_ms: float
    place: int


@dataclass(frozen=True, slots=True)
class Link:
    """Indices into the main line, in time order: who spawned a group, whom it joins."""

    spawn: int | None
    join: int | None


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow between two turns, by ordinal. `delay_ms` = target's start − source's end.

    A negative delay says that the two overlap.
    """

    source: int
    target: int
    kind: EdgeKind
    delay_ms: float


@dataclass(frozen=True, slots=True)
class Group:
    """The requests of one sub-agent or side request; `spawn` and `join` are main ordinals."""

    agent: str
    agent_type: str | None
    kind: GroupKind
    ordinals: tuple[int, ...]
    spawn: int | None
    join: int | None
    start_ms: float
    end_ms: float


@dataclass(frozen=True, slots=True)
class Dag:
    """`main`: ordinals of the main line in time order; `groups` by start; `edges` by source."""

    main: tuple[int, ...]
    groups: tuple[Group, ...]
    edges: tuple[Edge, ...]


def link(main: Sequence[tuple[float, int]], span: Span, *, joins: bool = True) -> Link:
    """Return where a group hangs on a main line of (start ms, list place), sorted.

    At equal times the list's order decides. `joins=False`: a side request, which never joins.
    """
    at = bisect_left(main, (span.start_ms, span.place))
    spawn = at - 1 if at else None
    after = max(at, bisect_left(main, (span.end_ms, -1)))
    return Link(spawn, after if joins and after < len(main) else None)


def side_requests(first_blocks: Sequence[int | None]) -> set[int]:
    """Return indices of one-shot side requests among one line's requests.

    A side request (a title, a summary for the client) starts from a prompt of its own: its first
    block opens no other request of the line, while other requests share theirs. A line in which
    no two requests share a first block has none, and a prompt under one block tells nothing.
    """
    opened = Counter(block for block in first_blocks if block is not None)
    if not opened or max(opened.values()) < 2:
        return set()
    return {i for i, block in enumerate(first_blocks) if block is not None and opened[block] == 1}


def build(turns: Sequence[Turn]) -> Dag:
    """Return the graph of a conversation's turns, as linked when they were stored.

    Every turn is in `main` or in exactly one group; all edges go forward in time.
    """
    main = sorted((t for t in turns if t.kind == "main"), key=_by_time)
    places = {turn.turn: turn.ordinal for turn in main}
    agents: dict[str, list[Turn]] = {}
    for turn in turns:
        if turn.kind != "main":
            agents.setdefault(turn.agent or "", []).append(turn)
    groups = [_group(agent, members, places) for agent, members in agents.items()]
    groups.sort(key=lambda group: (group.start_ms, group.ordinals[0]))
    by_ordinal = {turn.ordinal: turn for turn in turns}
    edges = _chain(main)
    for group in groups:
        edges += _group_edges(group, by_ordinal)
    edges.sort(key=lambda edge: (edge.source, edge.target))
    return Dag(tuple(turn.ordinal for turn in main), tuple(groups), tuple(edges))


def _by_time(turn: Turn) -> tuple[float, int]:
    return turn.t_ms, turn.ordinal


def _group(agent: str, members: list[Turn], places: dict[int, int]) -> Group:
    members = sorted(members, key=_by_time)
    first = members[0]
    spawn = None if first.parent_turn is None else places[first.parent_turn]
    join = None if first.join_turn is None else places[first.join_turn]
    return Group(
        agent=agent,
        agent_type=first.agent_type,
        kind=_group_kind(first, spawn, join),
        ordinals=tuple(turn.ordinal for turn in members),
        spawn=spawn,
        join=join,
        start_ms=first.t_ms,
        end_ms=max(turn.stop_ms for turn in members),
    )


def _group_kind(first: Turn, spawn: int | None, join: int | None) -> GroupKind:
    if first.kind == "aux":
        return "aux"
    if spawn is None:
        return "orphan"
    return "background" if join is None else "joined"


def _chain(turns: Sequence[Turn]) -> list[Edge]:
    return [
        Edge(before.ordinal, after.ordinal, "next", after.t_ms - before.stop_ms)
        for before, after in pairwise(turns)
    ]


def _group_edges(group: Group, turns: dict[int, Turn]) -> list[Edge]:
    members = [turns[ordinal] for ordinal in group.ordinals]
    edges = _chain(members)
    if group.spawn is not None:
        kind: EdgeKind = "side" if group.kind == "aux" else "spawn"
        delay = group.start_ms - turns[group.spawn].stop_ms
        edges.append(Edge(group.spawn, group.ordinals[0], kind, delay))
    if group.join is not None:
        delay = turns[group.join].t_ms - group.end_ms
        edges.append(Edge(group.ordinals[-1], group.join, "join", delay))
    return edges


@dataclass(frozen=True, slots=True)
class Overlap:
    """What ran at once, chained: each overlaps another of the set in time."""

    start_ms: float
    end_ms: float
    ordinals: tuple[int, ...]
    peak: int


def overlaps(turns: Sequence[Turn], *, by_agent: bool = False) -> tuple[Overlap, ...]:
    """Return the sets of turns that overlap in time, by start; `peak` = most at one moment.

    `by_agent`: a sub-agent runs from its first start to its last end, idle times included, so
    that a set says which agents worked beside each other. Touching is not overlapping, and what
    has no duration overlaps nothing at its own end.
    """
    found: list[Overlap] = []
    open_: list[list[Turn]] = []
    end = float("-inf")
    for members in sorted(_intervals(turns, by_agent), key=lambda members: _by_time(members[0])):
        if members[0].t_ms >= end:
            found += _overlap(open_)
            open_, end = [], float("-inf")
        open_.append(members)
        end = max(end, _stop(members))
    return tuple(found + _overlap(open_))


def _intervals(turns: Sequence[Turn], by_agent: bool) -> list[list[Turn]]:
    """Return what counts as one: each turn, or with `by_agent` all turns of a sub-agent."""
    agents: dict[object, list[Turn]] = {}
    for turn in sorted(turns, key=_by_time):
        whole = by_agent and turn.kind == "subagent"
        agents.setdefault(turn.agent if whole else turn.ordinal, []).append(turn)
    return list(agents.values())


def _stop(members: Sequence[Turn]) -> float:
    return max(turn.stop_ms for turn in members)


def _overlap(intervals: list[list[Turn]]) -> list[Overlap]:
    if len(intervals) < 2:
        return []
    events = [(members[0].t_ms, 1) for members in intervals]
    events += [(_stop(members), -1) for members in intervals]
    running = peak = 0
    for _, step in sorted(events):
        running += step
        peak = max(peak, running)
    end = max(_stop(members) for members in intervals)
    ordinals = sorted(turn.ordinal for members in intervals for turn in members)
    return [Overlap(intervals[0][0].t_ms, end, tuple(ordinals), peak)]
