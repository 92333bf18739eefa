"""Agentic coding sessions whose distributions follow the published AgentX figures.

A session is a main conversation that grows turn by turn, is compacted when its window fills,
starts sub-agents (in groups, awaited or in the background) and sends one-shot side requests.
Contexts are kept as lengths: how many leading tokens a turn shares with the turn before it in
its stream. The trace writer turns these lengths into prefix-chained ids of 64-token blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from explorer.demo.chance import lognormal, mix, normal

BLOCK_TOKENS = 64
SESSIONS = 393
SUBAGENT_RUNS = 1697
SUBAGENT_SESSION_SHARE = 0.44
CAPPED_WINDOW = 256 * 1024
IDLE_CAP_S = 300.0
_CAPPED_GROWTH = 1_900.0

_SUBAGENT_KINDS = ("Explore", "general-purpose", "Plan", "code-reviewer")


@dataclass(slots=True)
class Turn:
    """One request: start offset and service time in seconds, sizes in tokens.

    ``shared_tokens`` is the leading part known from the stream's previous turn (a multiple of
    64), or, at a sub-agent's first turn, from the session's earlier sub-agents.
    """

    start_s: float
    api_s: float
    delay_s: float
    isl_tokens: int
    osl_tokens: int
    shared_tokens: int


@dataclass(slots=True)
class SubAgent:
    """A run of turns by a sub-agent; ``start_s`` counts from the session's start."""

    agent_id: str
    kind: str
    start_s: float
    after_turn: int
    turns: list[Turn] = field(default_factory=list)

    @property
    def end_s(self) -> float:
        return self.start_s + self.duration_s

    @property
    def duration_s(self) -> float:
        last = self.turns[-1]
        return last.start_s + last.api_s


@dataclass(slots=True)
class SideRequest:
    """A one-shot request outside the conversation (a title, a summary); it never joins."""

    after_turn: int
    start_s: float
    turn: Turn


@dataclass(slots=True)
class Session:
    """One conversation tree. ``joins[i]`` lists the sub-agents that main turn i waits for."""

    session_id: str
    system_tokens: int
    subagent_system_tokens: int
    turns: list[Turn] = field(default_factory=list)
    subagents: list[SubAgent] = field(default_factory=list)
    sides: list[SideRequest] = field(default_factory=list)
    joins: dict[int, list[int]] = field(default_factory=dict)

    def requests(self) -> list[Turn]:
        """Return every request of the tree: main, sub-agents', side."""
        inner = [turn for agent in self.subagents for turn in agent.turns]
        return [*self.turns, *inner, *(side.turn for side in self.sides)]


def _blocks(tokens: float) -> int:
    return int(tokens) // BLOCK_TOKENS * BLOCK_TOKENS


def _delay(rng: Random) -> float:
    """Draw the pause before a turn: median near 3.8 s, about a tenth over a minute."""
    return round(lognormal(rng, 3.88, 2.23), 3)


def _output_tokens(rng: Random) -> int:
    return max(8, min(32_000, int(lognormal(rng, 466.0, 1.22))))


def _api_seconds(rng: Random, isl: int, osl: int) -> float:
    return round(0.9 + isl / 90_000 + osl / (38.0 + 40.0 * rng.random()), 3)


def subagent_counts(sessions: int, runs: int, seed: int) -> list[int]:
    """Return how many sub-agent runs each session has: 44 % have any, median 4, sum exact."""
    rng = Random(mix(seed, 1))
    having = round(sessions * SUBAGENT_SESSION_SHARE)
    counts = sorted(max(1, int(lognormal(rng, 4.9, 1.2))) for _ in range(having))
    half = having // 2
    missing = runs - sum(counts)
    step = 1 if missing > 0 else -1
    place = having - 1
    while missing:
        if step > 0 or counts[place] > 5:
            counts[place] += step
            missing -= step
        place = place - 1 if place > half + 1 else having - 1
    counts += [0] * (sessions - having)
    rng.shuffle(counts)
    return counts


class _Writer:
    """Grows one session; the state is its clock and the main conversation's context."""

    def __init__(self, rng: Random, session_id: str, window: int | None, runs: int) -> None:
        self.rng = rng
        system = _blocks(13_000 + 9_000 * rng.random())
        self.session = Session(session_id, system, _blocks(7_600 + 1_400 * rng.random()))
        own = 1_000_000 if rng.random() < 0.93 else 200_000
        self.window = min(own, window) if window else own
        floor = 10 + 3 * min(runs, 40)
        self.length = max(floor, 4, min(420, int(lognormal(rng, 58.0, 0.75))))
        growth = 2_300.0 if own == 200_000 else _CAPPED_GROWTH if window else 6_700.0
        self.growth = lognormal(rng, growth, 0.4)
        self.context = float(system + 1_500 + 9_000 * rng.random())
        self.clock = 0.0
        self.runs = runs

    def build(self) -> Session:
        groups = self._plan_groups()
        shared = 0
        for index in range(self.length):
            turn = self._main_turn(index, shared)
            self.clock = turn.start_s + turn.api_s
            awaited = self._spawn(index, groups.get(index, 0))
            if self.rng.random() < 0.035:
                self._side(index)
            self.clock = max(self.clock, awaited)
            shared = self._grow(turn)
        self._resolve_joins()
        return self.session

    def _plan_groups(self) -> dict[int, int]:
        """Spread the runs over turns in parallel groups of one to five."""
        left, groups = self.runs, dict[int, int]()
        while left:
            size = min(left, 1 + int(self.rng.random() ** 2 * 5))
            at = int(self.rng.random() * (self.length - 1))
            groups[at] = groups.get(at, 0) + size
            left -= size
        return groups

    def _main_turn(self, index: int, shared: int) -> Turn:
        delay = _delay(self.rng) if index else 0.0
        isl, osl = int(self.context), _output_tokens(self.rng)
        api = _api_seconds(self.rng, isl, osl)
        previous = self.session.turns[-1] if self.session.turns else None
        start = round(self.clock + delay, 3)
        gap = start - previous.start_s - previous.api_s if previous else 0.0
        turn = Turn(start, api, round(gap, 3), isl, osl, shared)
        self.session.turns.append(turn)
        return turn

    def _grow(self, turn: Turn) -> int:
        """Extend the context for the next turn; return the tokens it shares with this one."""
        added = 0.5 * turn.osl_tokens + lognormal(self.rng, self.growth * 0.45, 1.15)
        added = min(added, self.window * 0.2)
        if turn.isl_tokens + added > self.window * 0.88 - 20_000:
            kept = self.window * (0.05 + 0.06 * self.rng.random())
            self.context = self.session.system_tokens + kept
            return self.session.system_tokens
        self.context = turn.isl_tokens + added
        if self.rng.random() < 0.02:
            return max(self.session.system_tokens, _blocks(turn.isl_tokens * self.rng.random()))
        return _blocks(turn.isl_tokens)

    def _spawn(self, index: int, size: int) -> float:
        """Start a group of sub-agents; return when the main conversation may go on."""
        if not size:
            return 0.0
        background = self.rng.random() < 0.12
        ends = [self._subagent(index, lane) for lane in range(size)]
        return self.clock if background else max(ends)

    def _subagent(self, index: int, lane: int) -> float:
        number = len(self.session.subagents)
        kind = _SUBAGENT_KINDS[int(self.rng.random() ** 2 * len(_SUBAGENT_KINDS))]
        start = round(self.clock + 0.15 + 0.9 * lane * self.rng.random(), 3)
        agent = SubAgent(f"agent_{number + 1:03d}", kind, start, index)
        target = lognormal(self.rng, 110.0, 0.8)
        context = float(self.session.subagent_system_tokens + 900 + 5_000 * self.rng.random())
        growth = lognormal(self.rng, 4_200.0, 0.6)
        clock, shared = 0.0, self.session.subagent_system_tokens if number else 0
        while clock < target and len(agent.turns) < 60:
            turn = self._inner_turn(agent, clock, context, shared)
            clock = turn.start_s + turn.api_s
            shared = _blocks(turn.isl_tokens)
            context = min(
                turn.isl_tokens + 0.4 * turn.osl_tokens + lognormal(self.rng, growth, 0.9),
                180_000.0,
            )
            context = max(context, turn.isl_tokens + BLOCK_TOKENS)
        self.session.subagents.append(agent)
        return agent.end_s

    def _inner_turn(self, agent: SubAgent, clock: float, context: float, shared: int) -> Turn:
        delay = round(lognormal(self.rng, 3.6, 0.9), 3) if agent.turns else 0.0
        isl, osl = int(context), _output_tokens(self.rng)
        api = round(3.0 + _api_seconds(self.rng, isl, osl), 3)
        turn = Turn(round(clock + delay, 3), api, delay, isl, osl, shared)
        agent.turns.append(turn)
        return turn

    def _side(self, index: int) -> None:
        isl = int(1_800 + 5_200 * self.rng.random())
        osl = max(8, int(60 + 25 * normal(self.rng)))
        turn = Turn(round(self.clock + 0.3, 3), round(0.6 + osl / 80, 3), 0.0, isl, osl, 0)
        self.session.sides.append(SideRequest(index, turn.start_s, turn))

    def _resolve_joins(self) -> None:
        """A run joins at the first main turn that starts after its whole group has ended."""
        session = self.session
        groups: dict[int, list[int]] = {}
        for number, agent in enumerate(session.subagents):
            groups.setdefault(agent.after_turn, []).append(number)
        for after, members in groups.items():
            end = max(session.subagents[n].end_s for n in members)
            for index in range(after + 1, len(session.turns)):
                if session.turns[index].start_s >= end:
                    session.joins.setdefault(index, []).extend(members)
                    break


def build_sessions(capped: bool = False, seed: int = 62126, prefix: str = "sim") -> list[Session]:
    """Return the 393 sessions; ``capped`` compacts every conversation inside 256k tokens."""
    counts = subagent_counts(SESSIONS, SUBAGENT_RUNS, seed)
    window = CAPPED_WINDOW if capped else None
    return [
        _Writer(Random(mix(seed, 2, n)), f"{prefix}_{n:04d}", window, counts[n]).build()
        for n in range(SESSIONS)
    ]


def _median(values: list[float]) -> float:
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def published_figures(sessions: list[Session]) -> dict[str, float]:
    """Return the figures that AgentX publishes, computed from these sessions.

    Tokens over all requests; delays between consecutive requests of a stream (main
    conversation or sub-agent run), in seconds; run lengths in minutes.
    """
    requests = [turn for session in sessions for turn in session.requests()]
    streams = [s.turns for s in sessions] + [a.turns for s in sessions for a in s.subagents]
    delays = [turn.delay_s for turns in streams for turn in turns[1:]]
    counts = [len(s.subagents) for s in sessions if s.subagents]
    runs = [agent.duration_s / 60 for s in sessions for agent in s.subagents]
    return {
        "sessions": len(sessions),
        "isl_tokens_p50": _median([float(turn.isl_tokens) for turn in requests]),
        "osl_tokens_p50": _median([float(turn.osl_tokens) for turn in requests]),
        "delay_s_p50": _median(delays),
        "delay_over_minute_ratio": sum(delay > 60 for delay in delays) / len(delays),
        "subagent_session_ratio": len(counts) / len(sessions),
        "subagent_runs": float(sum(counts)),
        "subagent_runs_per_session_p50": _median([float(count) for count in counts]),
        "subagent_run_minutes_p50": _median(runs),
    }
