"""Which parts are one measurement: a row and its run, copies, an API row and its CSV line.

A part is what one file says of one point. Parts meet by the artifact's name within a download,
else by their numbers: concurrency and every latency statistic both have, at least four of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from explorer.ingest.manifest import Part

RUN = 3
_RANKS = {
    "inferencex-csv": 0,
    "agentx-flat": 1,
    "agentx-nested": 1,
    "inferencex-fixed": 1,
    "inferencex-api": 2,
}
_COMPARED = tuple(
    f"{stat}_{key}"
    for key in ("ttft_s", "e2el_s")
    for stat in ("mean", "p50", "p75", "p90", "p95", "p99")
)
_ENOUGH = 4
_RELATIVE = 1e-9
_REACH = 1e-5


def rank(part: Mapping[str, Any]) -> int:
    """Return who speaks first: 3 a run folder, 2 a row with a workflow run, 1 a row, 0 a CSV."""
    return _RANKS.get(part["format"], RUN)


def numbers(part: Mapping[str, Any]) -> dict[str, float]:
    """Return a part's metrics, recomputed ones first."""
    measured = {k: v for k, v in (part["measured"] or {}).items() if v is not None}
    return {**part["metrics"], **measured}


def tolerance(part: Mapping[str, Any], key: str, value: float) -> float:
    """Return how far a part's number may be off: half its last digit, else 1e-9 of it."""
    stated = part["stated"].get(key)
    digit = 0.5 * 10.0 ** -stated[1] if stated else 0.0
    return max(digit, abs(value) * _RELATIVE)


def same_numbers(one: Part, other: Part) -> bool:
    """Return whether two parts state the same latencies at the same concurrency."""
    mine, theirs = numbers(one), numbers(other)
    if mine.get("concurrency") != theirs.get("concurrency"):
        return False
    common = [key for key in _COMPARED if key in mine and key in theirs]
    return len(common) >= _ENOUGH and all(
        abs(mine[key] - theirs[key])
        <= tolerance(one, key, mine[key]) + tolerance(other, key, theirs[key])
        for key in common
    )


def complementary(one: Part, other: Part) -> bool:
    """Return whether one part is a run folder, the other a row, both at one concurrency."""
    load = [part["metrics"].get("concurrency") for part in (one, other)]
    return (rank(one) == RUN) != (rank(other) == RUN) and load[0] == load[1]


def reach(ttft_s: float) -> tuple[float, float]:
    """Return the range of mean TTFT in which the same measurement can lie, whatever its digits."""
    width = _REACH + ttft_s * _RELATIVE
    return ttft_s - width, ttft_s + width


class Groups:
    """Parts joined into measurements; at most one run folder and one workflow row in each."""

    def __init__(self) -> None:
        self._parts: dict[str, Part] = {}
        self._group: dict[str, str] = {}
        self._members: dict[str, list[str]] = {}

    def add(self, part: Part) -> None:
        """Take a part, alone at first; a part already here stays as it is."""
        if part["part"] not in self._parts:
            self._parts[part["part"]] = part
            self._group[part["part"]] = part["part"]
            self._members[part["part"]] = [part["part"]]

    def join(self, one: str, other: str) -> bool:
        """Make two parts' groups one; return whether they now are."""
        a, b = self._group[one], self._group[other]
        if a == b:
            return True
        ranks = [rank(self._parts[part]) for key in (a, b) for part in self._members[key]]
        if any(ranks.count(level) > 1 for level in (RUN, RUN - 1)):
            return False
        for part in self._members.pop(b):
            self._group[part] = a
            self._members[a].append(part)
        return True

    def __contains__(self, part: str) -> bool:
        return part in self._parts

    def __iter__(self) -> Iterator[list[Part]]:
        """Yield each measurement's parts, the one that gives its id first."""
        for members in self._members.values():
            yield ordered(self._parts[part] for part in members)


def ordered(parts: Iterable[Part]) -> list[Part]:
    """Return parts by rank, then by id."""
    return sorted(parts, key=lambda part: (-rank(part), part["part"]))
