"""What a replay measured, each figure computed once for all files that state it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cached_property

from explorer.demo.replay import Outcome, Record


class Times:
    """Virtual seconds as wall-clock nanoseconds of the point's date."""

    def __init__(self, started: datetime) -> None:
        self.zero_ns = int(started.timestamp()) * 1_000_000_000

    def ns(self, seconds: float) -> int:
        return self.zero_ns + int(seconds * 1e9)

    def local(self, seconds: float) -> str:
        moment = datetime.fromtimestamp(self.zero_ns // 1_000_000_000, UTC)
        return (moment + timedelta(seconds=int(seconds))).replace(tzinfo=None).isoformat()


class Measured:
    """An outcome with its clock, and the values that summary and row are made of."""

    def __init__(self, outcome: Outcome, times: Times) -> None:
        self.outcome, self.times = outcome, times
        self.ok = [one for one in outcome.records if one.profiling and one.status == "ok"]
        self.warm = [one for one in outcome.records if not one.profiling]

    @cached_property
    def values(self) -> dict[str, list[float]]:
        """Latencies (ms) and sizes (tokens) of the ok profiling requests."""
        return self.values_of(self.ok)

    def values_of(self, records: list[Record]) -> dict[str, list[float]]:
        """Return per-request values as the request lines state them."""
        found: dict[str, list[float]] = {
            key: [] for key in ("latency", "ttft", "itl", "isl", "osl")
        }
        for record in records:
            start, end = self.times.ns(record.start_s), self.times.ns(record.end_s)
            ttft = self.times.ns(record.first_token_s) - start
            found["latency"].append((end - start) / 1e6)
            found["ttft"].append(ttft / 1e6)
            found["isl"].append(float(record.turn.isl_tokens))
            found["osl"].append(float(record.osl_tokens))
            if record.osl_tokens > 1:
                found["itl"].append((end - start - ttft) / (record.osl_tokens - 1) / 1e6)
        return found

    @cached_property
    def duration_s(self) -> float:
        """Seconds from the first start to the last end of the ok profiling requests."""
        starts = [self.times.ns(one.start_s) for one in self.ok]
        ends = [self.times.ns(one.end_s) for one in self.ok]
        return (max(ends) - min(starts)) / 1e9

    @cached_property
    def theoretical_blocks(self) -> tuple[int, int]:
        """(hit, all) blocks of ok profiling requests with an infinite cache, by start time."""
        hits = blocks = 0
        seen = _Seen()
        for record in sorted(self.outcome.records, key=lambda one: (one.start_s, one.number)):
            if record.request is None:
                continue
            known = seen.known_tokens(record)
            if record.profiling and record.status == "ok":
                hits += known // 64
                blocks += record.turn.isl_tokens // 64
        return hits, blocks


class _Seen:
    """Which prefixes an infinite cache holds: streams' own, and plays' sub-agent prefixes."""

    def __init__(self) -> None:
        self._streams: set[int] = set()
        self._plays: set[int] = set()

    def known_tokens(self, record: Record) -> int:
        known = record.turn.shared_tokens if record.stream in self._streams else 0
        self._streams.add(record.stream)
        if record.kind == "subagent" and record.turn_index == 0:
            marker = record.play.marker
            prefix = record.play.session.subagent_system_tokens
            known = prefix if marker in self._plays else 0
            self._plays.add(marker)
        return known
