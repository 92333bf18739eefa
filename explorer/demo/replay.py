"""Closed-loop replay of session trees against the engine model, as the field's generator does it.

Each lane plays one session tree at a time. A lane starts its first session at 25–75 % of its
main turns; eleven one-token requests warm it up; then all lanes start profiling together. Every
play has its own marker, so two plays of one session share no cache. Delays are capped at five
minutes. A main turn waits for the sub-agents that join at it.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from explorer.demo.chance import mix
from explorer.demo.engine import Clock, Counters, Engine, Rank, Request
from explorer.demo.rates import Deployment
from explorer.demo.workload import IDLE_CAP_S, Session, Turn

WARMUP_PER_LANE = 11
GRACE_S = 30.0
_FAIL_KINDS = ("server", "server", "busy", "disconnect", "disconnect", "timeout")
_BACKGROUND_S = 1e-3


@dataclass(frozen=True)
class ReplayPlan:
    """How a point is replayed; ratios are per request."""

    lanes: int
    duration_s: float = 3600.0
    seed: int = 42
    fail_ratio: float = 0.0006
    cancel_ratio: float = 0.0004
    scrape_s: float = 10.0
    stop_after_s: float | None = None


@dataclass(slots=True, eq=False)
class Record:
    """One request as the load generator saw it; times in seconds of virtual time."""

    number: int
    play: Play
    stream: int
    agent: int
    turn_index: int
    outer_index: int
    kind: str
    turn: Turn
    profiling: bool
    credit_s: float
    start_s: float
    status: str = "ok"
    osl_tokens: int = 1
    first_token_s: float = 0.0
    end_s: float = 0.0
    request: Request | None = None


@dataclass(slots=True, eq=False)
class Play:
    """One run of a session by a lane: its marker, where it is, and what it waits for."""

    marker: int
    lane: int
    session: Session
    first_turn: int
    done_agents: set[int] = field(default_factory=set)
    waiting_turn: int | None = None
    waiting_since_s: float = 0.0
    agent_streams: dict[int, int] = field(default_factory=dict)
    outer_main: list[int] = field(default_factory=list)
    outer_agents: list[int] = field(default_factory=list)
    outer_sides: list[int] = field(default_factory=list)


class RankState(NamedTuple):
    """One rank as its metrics endpoint would show it: gauges and a copy of the counters."""

    running: int
    waiting: int
    kv_usage_ratio: float
    dram_usage_ratio: float
    counters: Counters


@dataclass(slots=True)
class Scrape:
    """All ranks at one moment."""

    at_s: float
    rows: list[RankState]


@dataclass
class Outcome:
    """What a replay left: records in order of completion, scrapes, counts."""

    plan: ReplayPlan
    deployment: Deployment
    records: list[Record] = field(default_factory=list)
    scrapes: list[Scrape] = field(default_factory=list)
    start_s: float = 0.0
    end_s: float = 0.0
    overflows: int = 0
    children_spawned: int = 0
    children_completed: int = 0
    parents_suspended: int = 0
    parents_resumed: int = 0


def outer_order(session: Session) -> list[tuple[float, str, int]]:
    """Return the trace's outer entries in order of start: (start, kind, index)."""
    entries = [(turn.start_s, "main", n) for n, turn in enumerate(session.turns)]
    entries += [(agent.start_s, "subagent", n) for n, agent in enumerate(session.subagents)]
    entries += [(side.start_s, "side", n) for n, side in enumerate(session.sides)]
    return sorted(entries, key=lambda entry: (entry[0], entry[1], entry[2]))


class Replay:
    """Runs one plan against one deployment."""

    def __init__(self, plan: ReplayPlan, deployment: Deployment, sessions: list[Session]) -> None:
        self.plan, self.sessions = plan, sessions
        self.clock = Clock()
        self.engine = Engine(deployment, self.clock, self._on_done)
        self.outcome = Outcome(plan, deployment)
        self._rng = Random(mix(plan.seed, plan.lanes))
        self._order = list(range(len(sessions)))
        self._rng.shuffle(self._order)
        self._plays = self._streams = self._numbers = 0
        self._profiling = False
        self._warm_left = [WARMUP_PER_LANE] * plan.lanes
        self._parked: list[tuple[Play, int, int, float]] = []
        self._in_flight = 0
        self._outer: dict[str, tuple[list[int], list[int], list[int]]] = {}
        self._after: dict[str, tuple[dict[int, list[int]], dict[int, list[int]]]] = {}

    def run(self) -> Outcome:
        """Warm up, profile, and return what happened."""
        for lane in range(self.plan.lanes):
            self._start_play(lane, mid=True)
        while self._in_flight and self.clock.step():
            pass
        self._begin_profiling()
        end = self.outcome.start_s + (self.plan.stop_after_s or self.plan.duration_s)
        self.clock.run(end)
        self._profiling = False
        self.clock.run(end + GRACE_S)
        self.outcome.end_s = self.clock.now
        return self.outcome

    def _begin_profiling(self) -> None:
        self._profiling = True
        self.clock.run(self.clock.now + 1.0)
        self.outcome.start_s = self.clock.now
        parked, self._parked = self._parked, []
        for play, agent, index, delay in parked:
            self._schedule(play, agent, index, delay)
        self._scrape(None)

    def _scrape(self, _: None) -> None:
        rows = [self._state(rank) for rank in self.engine.all_ranks]
        self.outcome.scrapes.append(Scrape(self.clock.now, rows))
        if self._profiling or len(self.outcome.scrapes) == 1:
            self.clock.at(self.clock.now + self.plan.scrape_s, self._scrape, None)

    def _state(self, rank: Rank) -> RankState:
        rank.settle()
        dram = self.engine.dram
        return RankState(
            rank.running,
            len(rank.waiting) + rank.loading,
            rank.cache.usage_ratio(),
            dram.used / dram.capacity if dram else 0.0,
            copy(rank.counters),
        )

    def _start_play(self, lane: int, mid: bool = False) -> None:
        session = self.sessions[self._order[self._plays % len(self._order)]]
        self._plays += 1
        first = 0
        if mid:
            first = int(len(session.turns) * (0.25 + 0.5 * self._rng.random()))
        play = Play(self._plays, lane, session, first)
        play.done_agents = {
            n for n, agent in enumerate(session.subagents) if agent.after_turn < first
        }
        play.outer_main, play.outer_agents, play.outer_sides = self._outer_indices(session)
        play.agent_streams[-1] = self._new_stream()
        play.agent_streams[-2] = self._new_stream()
        self._schedule(play, -1, first, 0.0)

    def _outer_indices(self, session: Session) -> tuple[list[int], list[int], list[int]]:
        """Return for each main turn, sub-agent and side request its place in the trace."""
        known = self._outer.get(session.session_id)
        if known is None:
            places: dict[str, list[int]] = {"main": [], "subagent": [], "side": []}
            ordered = sorted(
                (kind, n, place) for place, (_, kind, n) in enumerate(outer_order(session))
            )
            for kind, _, place in ordered:
                places[kind].append(place)
            known = (places["main"], places["subagent"], places["side"])
            self._outer[session.session_id] = known
        return known

    def _followers(self, session: Session) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """Return which sub-agents and side requests follow each main turn."""
        known = self._after.get(session.session_id)
        if known is None:
            known = ({}, {})
            for n, agent in enumerate(session.subagents):
                known[0].setdefault(agent.after_turn, []).append(n)
            for n, side in enumerate(session.sides):
                known[1].setdefault(side.after_turn, []).append(n)
            self._after[session.session_id] = known
        return known

    def _new_stream(self) -> int:
        self._streams += 1
        return self._streams

    def _schedule(self, play: Play, agent: int, index: int, delay: float) -> None:
        """Issue a turn after its delay; while warming up, at once or not at all.

        ``agent`` is -1 for the main conversation, -2 for a side request.
        """
        if not self._profiling and not self.outcome.start_s:
            if self._warm_left[play.lane] <= 0:
                self._parked.append((play, agent, index, delay))
                return
            self._warm_left[play.lane] -= 1
            delay = 0.0
            self._in_flight += 1
        when = self.clock.now + min(delay, IDLE_CAP_S)
        self.clock.at(when, self._issue, (play, agent, index))

    def _turn(self, play: Play, agent: int, index: int) -> Turn:
        if agent == -1:
            return play.session.turns[index]
        if agent == -2:
            return play.session.sides[index].turn
        return play.session.subagents[agent].turns[index]

    def _issue(self, key: tuple[Play, int, int]) -> None:
        warming = not self.outcome.start_s
        if not warming and not self._profiling:
            return
        play, agent, index = key
        turn = self._turn(play, agent, index)
        if turn.isl_tokens + turn.osl_tokens > self.engine.deployment.context_tokens:
            self.outcome.overflows += not warming
            self._in_flight -= warming
            self._go_on(play, agent, index)
            return
        record = self._record(play, agent, index, turn)
        if record.status in ("server", "busy"):
            record.start_s = record.end_s = self.clock.now + 0.004
            self._close(record)
            return
        request = self._request(record, play, agent, index, turn)
        record.request = request
        self.engine.submit(request)

    def _record(self, play: Play, agent: int, index: int, turn: Turn) -> Record:
        self._numbers += 1
        stream, kind = self._stream(play, agent, index)
        if agent == -1:
            outer = play.outer_main[index]
        elif agent == -2:
            outer = play.outer_sides[index]
        else:
            outer = play.outer_agents[agent]
        luck = mix(self.plan.seed, self._numbers, 3)
        credit = self.clock.now - (luck % 3000) * 1e-6
        record = Record(
            self._numbers,
            play,
            stream,
            agent,
            index,
            outer,
            kind,
            turn,
            bool(self.outcome.start_s),
            credit,
            self.clock.now,
        )
        if record.profiling:
            record.osl_tokens = turn.osl_tokens
            record.status = self._fate(luck >> 13)
        return record

    def _fate(self, luck: int) -> str:
        draw = (luck % 1_000_003) / 1_000_003
        if draw < self.plan.fail_ratio:
            return _FAIL_KINDS[(luck >> 24) % len(_FAIL_KINDS)]
        return "cancelled" if draw < self.plan.fail_ratio + self.plan.cancel_ratio else "ok"

    def _stream(self, play: Play, agent: int, index: int) -> tuple[int, str]:
        if agent == -2:
            return self._new_stream(), "side"
        stream = play.agent_streams.get(agent)
        if stream is None:
            stream = play.agent_streams[agent] = self._new_stream()
        return stream, "main" if agent == -1 else "subagent"

    def _request(self, record: Record, play: Play, agent: int, index: int, turn: Turn) -> Request:
        first_of_agent = agent >= 0 and index == 0
        shared = 0 if first_of_agent else turn.shared_tokens
        prefix = play.session.subagent_system_tokens if first_of_agent else 0
        return Request(
            record.stream,
            play.marker,
            turn.isl_tokens,
            record.osl_tokens,
            shared,
            play.agent_streams[-2] if prefix else 0,
            prefix,
            gives_up=record.status != "ok",
            owner=record,
        )

    def _on_done(self, request: Request) -> None:
        record: Record = request.owner
        record.first_token_s = request.first_token_s
        record.end_s = self.clock.now
        self._close(record)

    def _close(self, record: Record) -> None:
        self.outcome.records.append(record)
        if not record.profiling:
            self._in_flight -= 1
        self._go_on(record.play, record.agent, record.turn_index)

    def _go_on(self, play: Play, agent: int, index: int) -> None:
        """Follow the tree from a turn that ended: next turn, spawns, joins, next session."""
        if agent == -2:
            return
        if agent >= 0:
            self._go_on_agent(play, agent, index)
            return
        session = play.session
        agents, sides = self._followers(session)
        end = session.turns[index].start_s + session.turns[index].api_s
        for number in agents.get(index, ()):
            self.outcome.children_spawned += 1
            self._schedule(play, number, 0, max(0.0, session.subagents[number].start_s - end))
        for number in sides.get(index, ()):
            self._schedule(play, -2, number, _BACKGROUND_S)
        self._next_main(play, index + 1)

    def _next_main(self, play: Play, index: int) -> None:
        if index >= len(play.session.turns):
            self._start_play(play.lane)
            return
        joins = play.session.joins.get(index)
        if joins and not play.done_agents.issuperset(joins):
            play.waiting_turn = index
            self.outcome.parents_suspended += 1
            return
        self._schedule(play, -1, index, self._delay(play.session, index))

    def _delay(self, session: Session, index: int) -> float:
        """Return the pause before a main turn, counted from what it waited for."""
        turn, joins = session.turns[index], session.joins.get(index)
        if not joins:
            return turn.delay_s
        ends = [session.subagents[n].end_s for n in joins]
        return max(0.0, min(turn.delay_s, turn.start_s - max(ends)))

    def _go_on_agent(self, play: Play, agent: int, index: int) -> None:
        turns = play.session.subagents[agent].turns
        if index + 1 < len(turns):
            self._schedule(play, agent, index + 1, turns[index + 1].delay_s)
            return
        play.done_agents.add(agent)
        self.outcome.children_completed += 1
        waiting = play.waiting_turn
        if waiting is not None and play.done_agents.issuperset(play.session.joins[waiting]):
            play.waiting_turn = None
            self.outcome.parents_resumed += 1
            self._schedule(play, -1, waiting, self._delay(play.session, waiting))
