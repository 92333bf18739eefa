"""The flame graph as geometry: one row per turn, groups at their place, shares of the full width.

The full width is the conversation's largest turn (input plus output). No markup here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from explorer.domain.dag import overlaps
from explorer.domain.turns import Turn, compactions, max_turn_tokens

BracketPart = Literal["", "start", "inside", "end"]


@dataclass(frozen=True, slots=True)
class Measured:
    """What a point's replays of one turn showed: means over its records, counts of failures.

    `cached_tokens` is read from cache on the server, of `isl_tokens` that the server counted.
    """

    replays: int
    failed: int
    isl_tokens: float | None
    cached_tokens: float | None
    ttft_s: float | None
    wait_s: float | None

    def cached_share(self) -> float | None:
        """Return the share of the input read from cache, null where the records do not say."""
        if self.cached_tokens is None or not self.isl_tokens:
            return None
        return self.cached_tokens / self.isl_tokens


@dataclass(frozen=True, slots=True)
class Row:
    """One turn's bar: where each part ends, 0–1 of the full width.

    `bracket` says whether other agents worked at the same time; `at_once` is how many at most.
    `compacted_from`: the input of the turn before, where this one starts from much less.
    `measured_cached`: where the measured cached prefix ends; from there to `cached` = evicted.
    """

    turn: Turn
    cached: float
    uncached: float
    output: float
    bracket: BracketPart
    at_once: int
    compacted_from: int | None
    measured: Measured | None
    measured_cached: float | None


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that belong together: a stretch of the main line (`agent` null), or one sub-agent."""

    agent: str | None
    rows: tuple[Row, ...]


def blocks(
    turns: Sequence[Turn], measured: Mapping[int, Measured] | None = None
) -> tuple[Block, ...]:
    """Return the graph's blocks in list order; `measured` is by ordinal.

    Side requests stand among the rows of the line they were sent from.
    """
    rows = _rows(turns, measured or {})
    grouped = groupby(rows, key=lambda row: _entry(row.turn))
    return tuple(
        Block(None if entry is None else _agent(members[0].turn), tuple(members))
        for entry, members in ((entry, list(part)) for entry, part in grouped)
    )


def _entry(turn: Turn) -> int | None:
    return None if turn.source_inner_idx is None else turn.source_outer_idx


def _agent(turn: Turn) -> str:
    return (turn.agent or "").split(":aux:", 1)[0]


def _rows(turns: Sequence[Turn], measured: Mapping[int, Measured]) -> list[Row]:
    full = max_turn_tokens(turns) or 1
    parts = _brackets(turns)
    before = _inputs_before(turns)
    return [
        Row(
            turn=turn,
            cached=turn.cached_tokens / full,
            uncached=turn.isl_tokens / full,
            output=turn.tokens / full,
            bracket=parts[turn.ordinal][0],
            at_once=parts[turn.ordinal][1],
            compacted_from=before.get(turn.ordinal),
            measured=measured.get(turn.ordinal),
            measured_cached=_measured_end(turn, measured.get(turn.ordinal), full),
        )
        for turn in turns
    ]


def _brackets(turns: Sequence[Turn]) -> dict[int, tuple[BracketPart, int]]:
    """Return each turn's part of a bracket: agents that worked beside each other."""
    parts: dict[int, tuple[BracketPart, int]] = {turn.ordinal: ("", 1) for turn in turns}
    for overlap in overlaps(turns, by_agent=True):
        first, last = overlap.ordinals[0], overlap.ordinals[-1]
        for ordinal in overlap.ordinals:
            part: BracketPart = "inside"
            if ordinal == first:
                part = "start"
            elif ordinal == last:
                part = "end"
            parts[ordinal] = (part, overlap.peak)
    return parts


def _inputs_before(turns: Sequence[Turn]) -> dict[int, int]:
    """Return the same agent's input before each compaction, by ordinal."""
    marked = set(compactions(turns))
    last: dict[str | None, int] = {}
    found = {}
    for turn in turns:
        if turn.ordinal in marked:
            found[turn.ordinal] = last[turn.agent]
        last[turn.agent] = turn.isl_tokens
    return found


def _measured_end(turn: Turn, measured: Measured | None, full: int) -> float | None:
    share = None if measured is None else measured.cached_share()
    return None if share is None else min(share, 1.0) * turn.isl_tokens / full
