"""Server logs of vLLM and SGLang: the KV pool, levels every few seconds, facts worth keeping.

A log's times have no zone and often no year; `LogClock` places them. The same log lying twice,
byte for byte, is read once.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from explorer.ingest.log_stats import Level, levels
from explorer.ingest.mask import mask
from explorer.ingest.numbers import integer
from explorer.ingest.opening import lines
from explorer.ingest.server_metrics import Key, series_table
from explorer.store.schema import LOGS

_EPOCH = datetime(1970, 1, 1)
_SECOND_NS = 1_000_000_000
_QUARTER_NS = 15 * 60 * _SECOND_NS
_MOST_LINES = 2_000
_LONGEST = 2_000

_TIME = re.compile(r"(?:(\d{4})-)?(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)")
_LEVEL = re.compile(r"\b(DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL)\b")
_ANSI = re.compile(r"\x1b?\[[0-9;]{1,6}m|\x1b")
_TAG = re.compile(r"\((\w+)[ )]")
_POOL = re.compile(r"GPU KV cache size: ([\d,]+) tokens")
_SGLANG_POOL = re.compile(r"\bmax_total_num_tokens=(\d+)")
_RANK = re.compile(r"[ _]?(?:TP|PP|EP|PCP|DCP)\d+")
_DP = re.compile(r"\bDP(\d+)\b")
_VERSION = re.compile(r"\bversion (\d+\.[\w.+-]+)|engine \(v(\d[\w.+-]*)\)")
_FACT = re.compile(
    r"non-default args|server_args=|LLM engine \(v|version \d|KV cache (?:size|memory)|"
    r"Maximum concurrency|max_total_num_tokens|Model loading took|max model len|mem usage=|"
    r"Resolved architecture|Chunked prefill|[Aa]ttention backend|Graph capturing|"
    r"Available KV|Checkpoint size|Initial profiling|speculative|hicache|LMCacheEngine|"
    r"DP group leader|Memory pool end|KV Cache is allocated"
)
_SIGNS = (b"vllm", b"sglang", b"EngineCore", b"KV cache size", b"max_total_num_tokens")


@dataclass(frozen=True, slots=True)
class LogClock:
    """How a log's local times meet the point's clock.

    `zero_ns` is the clock's zero in Unix ns, null when nothing absolute is known; `local_start`
    is the harness's own local start of profiling, on the same machine and in the same zone.
    """

    zero_ns: int | None
    local_start: datetime | None

    def offset_ns(self) -> int | None:
        """Return what to add to a log's local ns to get ns after zero; null when unknown.

        With an absolute zero the zone is the nearest quarter of an hour between the two clocks.
        Without one, zero is the harness's local start.
        """
        if self.local_start is None:
            return None
        local = local_ns(self.local_start)
        if self.zero_ns is None:
            return -local
        zone = round((local - self.zero_ns) / _QUARTER_NS) * _QUARTER_NS
        return -zone - self.zero_ns


def local_ns(time: datetime) -> int:
    """Return a local time as ns, read as if it were UTC."""
    delta = time - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * _SECOND_NS + delta.microseconds * 1_000


class ServerLog(NamedTuple):
    """`facts` are point fields and metrics; tables are null when there is nothing to hold."""

    facts: dict[str, Any]
    series: pa.Table | None
    logs: pa.Table | None


def is_server_log(head: bytes) -> bool:
    """Say whether a text's first bytes come from an inference server's log."""
    return not head.lstrip().startswith((b"{", b"[{")) and any(sign in head for sign in _SIGNS)


def read_server_log(paths: Iterable[Path], clock: LogClock | None = None) -> ServerLog:
    """Return facts, series on the point's clock and masked kept lines of a point's server logs.

    Facts: `kv_pool_tokens` (all pools), `engine_raw`, `engine_version`, `config`. Series need a
    clock. Levels of several logs, one per engine or node, stand side by side.
    """
    clock = clock or LogClock(None, None)
    kept: list[dict[str, Any]] = []
    facts: dict[str, Any] = {}
    samples: dict[Key, tuple[list[int], list[float]]] = {}
    files = _different(paths)
    for number, path in enumerate(files):
        reading = _Reading(path.name, clock.local_start)
        for line in lines(path):
            reading.take(line.decode("utf-8", "replace"))
        _merge(facts, reading.facts())
        kept += reading.kept
        _place(samples, reading.levels, clock, number if len(files) > 1 else None)
    logs = pa.Table.from_pylist(kept, schema=LOGS) if kept else None
    return ServerLog(facts, series_table(samples, 0) if samples else None, logs)


def _different(paths: Iterable[Path]) -> list[Path]:
    """Return the files in name order, byte-identical copies once."""
    found: dict[str, Path] = {}
    for path in sorted(paths, key=lambda path: (path.name, str(path))):
        with path.open("rb") as stream:
            found.setdefault(hashlib.file_digest(stream, "sha256").hexdigest(), path)
    return list(found.values())


def _merge(facts: dict[str, Any], more: dict[str, Any]) -> None:
    pool = facts.get("kv_pool_tokens"), more.get("kv_pool_tokens")
    facts |= {key: value for key, value in more.items() if facts.get(key) is None}
    if None not in pool:
        facts["kv_pool_tokens"] = sum(pool)


@dataclass(slots=True)
class _Reading:
    """One pass over one log."""

    file: str
    around: datetime | None
    number: int = 0
    pools: dict[str, int] = field(default_factory=dict)
    levels: list[tuple[datetime, Level]] = field(default_factory=list)
    kept: list[dict[str, Any]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    engine: str | None = None
    version: str | None = None
    arguments: dict[str, Any] = field(default_factory=dict)

    def take(self, raw: str) -> None:
        self.number += 1
        found = levels(raw)
        if found is not None:
            time = self._time(raw)
            if time is not None:
                self.levels.append((time, found))
            return
        if '"GET /' in raw or '"POST /' in raw:
            return
        line = _ANSI.sub("", raw).rstrip()
        level = _LEVEL.search(line[:200])
        word = {"WARN": "WARNING"}.get(level[1], level[1]) if level else None
        fact = bool(_FACT.search(line))
        if fact:
            self._fact(line)
        if fact or word in ("WARNING", "ERROR", "CRITICAL"):
            self._keep(line, word)

    def _keep(self, line: str, level: str | None) -> None:
        """Keep a line once, whatever rank and time it has, up to a cap a file."""
        shape = re.sub(r"\d+", "", _TAG.sub("", line))
        if shape in self.seen or len(self.kept) >= _MOST_LINES:
            return
        self.seen.add(shape)
        text = mask(line)[:_LONGEST]
        self.kept.append({"line": self.number, "file": self.file, "level": level, "text": text})

    def _fact(self, line: str) -> None:
        if pool := _POOL.search(line):
            tag = _TAG.search(line[:60])
            self.engine = self.engine or "vllm"
            self.pools[_RANK.sub("", tag[1]) if tag else ""] = int(pool[1].replace(",", ""))
        elif pool := _SGLANG_POOL.search(line):
            self.engine = "sglang"
            dp = _DP.search(line[:80])
            self.pools[dp[1] if dp else ""] = int(pool[1])
        if version := _VERSION.search(line):
            self.version = self.version or version[1] or version[2]
        if "non-default args:" in line:
            self.engine = self.engine or "vllm"
            self.arguments |= _vllm_arguments(line)
        elif "server_args=" in line:
            self.engine = "sglang"
            self.arguments |= _sglang_arguments(line)

    def _time(self, line: str) -> datetime | None:
        """Return the line's local time; a year left out is the one nearest to the run's."""
        found = _TIME.search(line[:200])
        if found is None or (found[1] is None and self.around is None):
            return None
        month, day, hour, minute, second = (int(found[i]) for i in range(2, 7))
        try:
            if found[1]:
                return datetime(int(found[1]), month, day, hour, minute, second)
            return self._nearest(month, day, hour, minute, second)
        except ValueError:
            return None

    def _nearest(self, *rest: int) -> datetime:
        around = self.around or _EPOCH
        years = (around.year - 1, around.year, around.year + 1)
        times = [datetime(year, *rest) for year in years if _exists(year, *rest)]  # type: ignore[arg-type]
        return min(times, key=lambda time: abs(time - around))

    def facts(self) -> dict[str, Any]:
        pools = sum(self.pools.values())
        if len(self.pools) == 1 and self.engine == "sglang" and "" in self.pools:
            pools *= integer(self.arguments.get("dp_size")) or 1
        stated = {
            "kv_pool_tokens": float(pools) if pools else None,
            "engine_raw": self.engine,
            "engine_version": self.version,
            "config": {f"log.{k}": mask(str(v)) for k, v in sorted(self.arguments.items())},
        }
        return {key: value for key, value in stated.items() if value}


def _exists(year: int, *rest: int) -> bool:
    try:
        datetime(year, *rest)  # type: ignore[arg-type]
    except ValueError:
        return False
    return True


_SECRET = frozenset(
    ("api_key", "admin_api_key", "host", "port", "nccl_port", "dist_init_addr", "ssl_keyfile")
)


_VLLM_PAIR = re.compile(r"'(\w+)': ('[^']*'|\[[^\[\]{}()]*\]|[\w.+-]+)(?=[,}])")


def _vllm_arguments(line: str) -> dict[str, Any]:
    """Return the scalar arguments; values that are Python objects are left out."""
    pairs = _VLLM_PAIR.findall(line.split("non-default args:", 1)[1])
    return {key: value.strip("'") for key, value in pairs if key not in _SECRET}


def _sglang_arguments(line: str) -> dict[str, Any]:
    pairs = re.findall(r"(\w+)=('[^']*'|[\w.+-]+)", line.split("server_args=", 1)[1])
    return {key: value.strip("'") for key, value in pairs if key not in _SECRET and value != "None"}


def _place(
    samples: dict[Key, tuple[list[int], list[float]]],
    found: list[tuple[datetime, Level]],
    clock: LogClock,
    log_number: int | None,
) -> None:
    """Add levels to the samples, times after the point's zero."""
    offset = clock.offset_ns()
    if offset is None:
        return
    for time, level in found:
        engine = level.engine if log_number is None else f"{log_number}.{level.engine}"
        at = local_ns(time) + offset
        for name, value in level.values.items():
            times, values = samples.setdefault(Key(name, engine, None), ([], []))
            times.append(at)
            values.append(value)


def covers(series: pa.Table, window_s: float | None) -> bool:
    """Say whether a log's samples meet the profiling window at all: else the clocks disagree."""
    end_ns = int((window_s or 0) * 1e9) or int(timedelta(hours=12).total_seconds() * 1e9)
    return any(0 <= time <= end_ns for time in series["t_ns"].to_pylist())
