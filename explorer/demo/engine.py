"""An event-driven, fluid model of a serving engine.

Between two events every running request decodes at one constant rate, so a rank keeps a single
clock of tokens per request; a request ends when that clock reaches its mark. Nothing steps token
by token. Each rank has one KV pool, one prefill in progress (chunks share steps with decode) and
a waiting queue. Events: a prefill ends, a decode ends, a load from DRAM ends, a transfer arrives.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from explorer.demo.kv_cache import Tier
from explorer.demo.rates import Deployment, Shape, Speed, load_tps

_MAX_RUNNING = 512
_TRANSFER_GBPS = 40.0
_ROUTER_SLACK = {"session": (2.0, 12.0), "load": (1.0, 2.0)}
_FRONTEND_S = 0.035
_FRONTEND_S_PER_TOKEN = 2.2e-6


@dataclass(slots=True, eq=False)
class Request:
    """What the engine sees of a request, and what it notes on it."""

    stream: int
    tree: int
    isl_tokens: int
    osl_tokens: int
    shared_tokens: int
    prefix_stream: int = 0
    prefix_tokens: int = 0
    gives_up: bool = False
    arrived_s: float = 0.0
    started_s: float = 0.0
    first_token_s: float = 0.0
    hbm_tokens: int = 0
    dram_tokens: int = 0
    work: float = 0.0
    rank: int = 0
    owner: Any = None


class Clock:
    """The simulation's agenda: calls, in time order, ties in order of entry."""

    def __init__(self) -> None:
        self.now = 0.0
        self._agenda: list[tuple[float, int, Callable[[Any], None], Any]] = []
        self._entries = 0

    def at(self, when: float, call: Callable[[Any], None], argument: Any) -> None:
        self._entries += 1
        heappush(self._agenda, (when, self._entries, call, argument))

    def run(self, until: float) -> None:
        """Make every call due up to a moment."""
        agenda = self._agenda
        while agenda and agenda[0][0] <= until:
            self.now, _, call, argument = heappop(agenda)
            call(argument)
        self.now = max(self.now, until) if until != float("inf") else self.now

    def step(self) -> bool:
        """Make the next call; False when the agenda is empty."""
        if not self._agenda:
            return False
        self.now, _, call, argument = heappop(self._agenda)
        call(argument)
        return True


@dataclass(slots=True)
class Counters:
    """Cumulative tokens and requests of one rank, as its metrics endpoint would say them."""

    hbm: int = 0
    dram: int = 0
    computed: int = 0
    transferred: int = 0
    generated: float = 0.0
    finished: int = 0
    aborted: int = 0


class Rank:
    """One KV pool with its queue, its prefill and its decoding batch."""

    def __init__(
        self, engine: Engine, number: int, shape: Shape, pool_tokens: int, decodes: bool
    ) -> None:
        self.engine, self.number, self.decodes = engine, number, decodes
        self.clock = engine.clock
        self.speed = Speed(engine.deployment, shape)
        self.load_tps = load_tps(engine.deployment, shape)
        self.cache = Tier(pool_tokens)
        self.counters = Counters()
        self.waiting: deque[Request] = deque()
        self.loaded: deque[Request] = deque()
        self.prefilling: Request | None = None
        self.decoding: list[tuple[float, int, Request]] = []
        self.loading = 0
        self.load = 0
        self.queued_tokens = 0
        self.context = 0
        self._tokens = 0.0
        self._at = 0.0
        self._decode_tps = 0.0
        self._prefill_tps = 0.0
        self._version = 0
        self._joined = 0
        self._load_free_s = 0.0

    @property
    def running(self) -> int:
        return len(self.decoding) + (self.prefilling is not None) + len(self.loaded)

    def arrive(self, request: Request) -> None:
        self._advance()
        self.waiting.append(request)
        self._admit()
        self._reschedule()

    def join(self, request: Request) -> None:
        """Take a request whose prompt another rank has prefilled (disaggregated decode)."""
        self._advance()
        self.counters.transferred += request.isl_tokens
        self.waiting.append(request)
        self._admit()
        self._reschedule()

    def settle(self) -> None:
        """Bring counters up to now, for a scrape."""
        self._advance()

    def _advance(self) -> None:
        elapsed = self.clock.now - self._at
        if elapsed <= 0.0:
            return
        self._at = self.clock.now
        if self.decoding:
            made = self._decode_tps * elapsed
            self._tokens += made
            self.counters.generated += made * len(self.decoding)
        if self.prefilling is not None:
            self.prefilling.work -= self._prefill_tps * elapsed

    def _admit(self) -> None:
        while self.waiting:
            request = self.waiting[0]
            if self.running >= _MAX_RUNNING:
                return
            if self.engine.disaggregated and self.decodes:
                if not self._reserve(request, request.isl_tokens + request.osl_tokens):
                    return
                self.waiting.popleft()
                self._start_decode(request)
                continue
            if self.prefilling is not None or not self._start(request):
                return

    def _reserve(self, request: Request, tokens: int) -> bool:
        if not self.cache.fits(tokens):
            return False
        self.cache.pin(tokens)
        return True

    def _needed(self, request: Request) -> int:
        return request.isl_tokens + (request.osl_tokens if self.decodes else 0)

    def _start(self, request: Request) -> bool:
        """Look the prompt up in both tiers and begin to load or to prefill it."""
        if not self.cache.fits(self._needed(request)):
            return False
        self.waiting.popleft()
        self.queued_tokens -= request.isl_tokens
        request.started_s = self.clock.now
        request.hbm_tokens = self._lookup(request)
        self.cache.pin(self._needed(request))
        known = self.engine.dram_length(request)
        request.dram_tokens = max(0, known - request.hbm_tokens)
        if request.dram_tokens:
            self._load(request)
        else:
            self._prefill(request)
        return True

    def _lookup(self, request: Request) -> int:
        found = self.cache.take(request.stream, request.shared_tokens)
        if not found and request.prefix_stream:
            found = min(self.cache.length(request.prefix_stream), request.prefix_tokens)
            self.cache.touch(request.prefix_stream)
        return found

    def _load(self, request: Request) -> None:
        begin = max(self.clock.now, self._load_free_s)
        self._load_free_s = begin + request.dram_tokens / self.load_tps
        self.loading += 1
        self.clock.at(self._load_free_s, self._on_loaded, request)

    def _on_loaded(self, request: Request) -> None:
        self._advance()
        self.loading -= 1
        if self.prefilling is None:
            self._prefill(request)
        else:
            self.loaded.append(request)
        self._reschedule()

    def _prefill(self, request: Request) -> None:
        new = request.isl_tokens - request.hbm_tokens - request.dram_tokens
        request.work = self.speed.prefill_cost(new, request.isl_tokens)
        self.prefilling = request

    def _reschedule(self) -> None:
        """Recompute the rates and enter the next event; older entries lapse by their version."""
        batch = len(self.decoding)
        step = self.speed.step_s(batch, self.context) if batch else 0.0
        if self.prefilling is not None:
            chunk = float(self.speed.chunk_tokens)
            mixed = step + chunk / self.speed.prefill_tps
            self._prefill_tps = chunk / mixed
            step = mixed if batch else 0.0
        self._decode_tps = self.speed.acceptance / step if batch else 0.0
        self._version += 1
        due = self._next_due()
        if due is not None:
            self.clock.at(due, self._on_due, self._version)

    def _next_due(self) -> float | None:
        due = None
        if self.decoding:
            due = self._at + max(0.0, self.decoding[0][0] - self._tokens) / self._decode_tps
        if self.prefilling is not None:
            end = self._at + max(0.0, self.prefilling.work) / self._prefill_tps
            due = end if due is None or end < due else due
        return due

    def _on_due(self, version: int) -> None:
        if version != self._version:
            return
        self._advance()
        if self.prefilling is not None and self.prefilling.work <= 1e-6:
            self._end_prefill(self.prefilling)
        while self.decoding and self.decoding[0][0] <= self._tokens + 1e-6:
            self._end_decode(heappop(self.decoding)[2])
        self._admit()
        self._reschedule()

    def _end_prefill(self, request: Request) -> None:
        self.prefilling = self.loaded.popleft() if self.loaded else None
        if self.prefilling is not None:
            self._prefill(self.prefilling)
        counters = self.counters
        counters.hbm += request.hbm_tokens
        counters.dram += request.dram_tokens
        counters.computed += request.isl_tokens - request.hbm_tokens - request.dram_tokens
        self.engine.remember_prefix(self, request)
        if self.decodes or request.osl_tokens <= 1 or request.gives_up:
            request.first_token_s = self.clock.now
            self._start_decode(request)
            return
        self.load -= 1
        self._free(request)
        self.engine.hand_over(request)

    def _start_decode(self, request: Request) -> None:
        if self.engine.disaggregated and self.decodes:
            request.first_token_s = self.clock.now
        if request.osl_tokens <= 1 or request.gives_up:
            self.counters.generated += 0 if request.gives_up else 1
            self._finish(request)
            return
        self.counters.generated += 1
        self._joined += 1
        self.context += request.isl_tokens + request.osl_tokens // 2
        mark = self._tokens + request.osl_tokens - 1
        heappush(self.decoding, (mark, self._joined, request))

    def _end_decode(self, request: Request) -> None:
        self.context -= request.isl_tokens + request.osl_tokens // 2
        self._finish(request)

    def _finish(self, request: Request) -> None:
        self.load -= 1
        if request.gives_up:
            self.counters.aborted += 1
        else:
            self.counters.finished += 1
        self._free(request)
        self.engine.on_done(request)

    def _free(self, request: Request) -> None:
        """Give the reservation back; the prompt stays cached where prefixes are kept."""
        if self.engine.disaggregated and self.decodes:
            self.cache.release(request.isl_tokens + request.osl_tokens)
            return
        self.cache.release(self._needed(request))
        kept = request.isl_tokens // 64 * 64
        self.cache.put(request.stream, kept)
        self.engine.write_through(request, kept)


class Engine:
    """A deployment's ranks, its DRAM tier, and the router before them."""

    def __init__(
        self, deployment: Deployment, clock: Clock, on_done: Callable[[Request], None]
    ) -> None:
        self.deployment, self.clock, self.on_done = deployment, clock, on_done
        self.disaggregated = deployment.prefill is not None
        entry = deployment.prefill or deployment.decode
        self.ranks = self._ranks(entry, not self.disaggregated, 0)
        self.decoders = (
            self._ranks(deployment.decode, True, len(self.ranks)) if self.disaggregated else []
        )
        capacity = int(deployment.kv_pool_tokens * deployment.dram_ratio)
        self.dram = Tier(capacity) if capacity else None
        self._home: dict[int, int] = {}
        self._turn = 0
        self._transfer_tps = _TRANSFER_GBPS * 1e9 / deployment.kv_bytes

    def _ranks(self, shape: Shape, decodes: bool, first: int) -> list[Rank]:
        pool = self.deployment.pool_tokens(shape)
        return [Rank(self, first + n, shape, pool, decodes) for n in range(shape.ranks)]

    @property
    def all_ranks(self) -> list[Rank]:
        return [*self.ranks, *self.decoders]

    def submit(self, request: Request) -> None:
        """Take a request: the front end tokenises it, the router picks a rank."""
        request.arrived_s = self.clock.now
        rank = self.ranks[self._route(request)]
        request.rank = rank.number
        rank.load += 1
        rank.queued_tokens += request.isl_tokens
        parsed = self.clock.now + _FRONTEND_S + _FRONTEND_S_PER_TOKEN * request.isl_tokens
        self.clock.at(parsed, rank.arrive, request)

    def _route(self, request: Request) -> int:
        """Send a stream where its prefix lies, a new one where least is queued.

        With affinity ``none`` each request goes round; a stream leaves its rank when that one
        has more to do than the least loaded: far more with ``session``, a little with ``load``.
        """
        if len(self.ranks) == 1:
            return 0
        if self.deployment.affinity == "none":
            self._turn = (self._turn + 1) % len(self.ranks)
            return self._turn
        home = self._home.get(request.stream)
        if home is None:
            home = self._lightest()
        elif self._overloaded(self.ranks[home]):
            home = min(self.ranks, key=lambda rank: rank.load).number
        self._home[request.stream] = home
        return home

    def _overloaded(self, home: Rank) -> bool:
        ratio, slack = _ROUTER_SLACK[self.deployment.affinity]
        if home.load <= slack:
            return False
        return home.load > ratio * min(rank.load for rank in self.ranks) + slack

    def _lightest(self) -> int:
        return min(self.ranks, key=lambda rank: rank.cache.pinned + rank.queued_tokens).number

    def dram_length(self, request: Request) -> int:
        """Return the prompt's leading tokens that the DRAM tier holds."""
        if self.dram is None:
            return 0
        found = min(self.dram.length(request.stream), request.shared_tokens)
        if not found and request.prefix_stream:
            found = min(self.dram.length(request.prefix_stream), request.prefix_tokens)
        return found

    def write_through(self, request: Request, tokens: int) -> None:
        if self.dram is not None and tokens <= self.dram.capacity:
            self.dram.put(request.stream, tokens)

    def remember_prefix(self, rank: Rank, request: Request) -> None:
        """Keep the prefix that a session's sub-agents share, once per rank."""
        if not request.prefix_stream:
            return
        for tier in (rank.cache, self.dram):
            if tier is not None and not tier.length(request.prefix_stream):
                tier.put(request.prefix_stream, request.prefix_tokens)

    def hand_over(self, request: Request) -> None:
        """Send a prefilled prompt's KV to the least loaded decode rank."""
        rank = min(self.decoders, key=lambda one: one.load)
        rank.load += 1
        arrival = self.clock.now + 0.002 + request.isl_tokens / self._transfer_tps
        self.clock.at(arrival, rank.join, request)
