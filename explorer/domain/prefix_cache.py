"""The infinite prefix cache: what each turn could have read, under two named rules.

A block hits when it is one of a prompt's contiguous leading blocks that were seen before. The two
rules differ in what "before" means; a hit rate names its rule wherever it is shown.

- `list_order`: the flame graph's rule. Requests in the order of the trace's list; a sub-agent
  works on a copy of its parent's blocks at its place, and nothing is merged back.
- `time_order`: the replay's theoretical ceiling. One cache for the whole conversation, requests
  in the order of their absolute start.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Literal

DEFAULT_BLOCK_TOKENS = 64

Rule = Literal["list_order", "time_order"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request's prompt as block ids, at its place in the trace's list.

    `group` is null on the main line, else a number shared by the requests of one sub-agent;
    requests of one group stand together in the list. `t_ms` is the absolute start.
    """

    blocks: Sequence[int]
    group: int | None
    t_ms: float


@dataclass(frozen=True, slots=True)
class Share:
    """The prefix a prompt shares with earlier prompts of its conversation.

    `blocks` leading blocks were all sent before; `source` is the index of the prompt that first
    sent the last of them (null when nothing is shared). Together they form the prefix tree.
    """

    blocks: int
    source: int | None


@dataclass(frozen=True, slots=True)
class PrefixTree:
    """Each prompt's share, in list order, and how many different blocks there are."""

    shares: tuple[Share, ...]
    unique_blocks: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """How a prompt begins like the one before it on its line: by index, and in how many blocks."""

    before: int | None
    blocks: int


def repeats(prompts: Sequence[Prompt]) -> list[Repeat]:
    """Return what each prompt repeats of its line's last one.

    Nearly all of a long conversation is such a repeat; the rules below look up only the rest.
    Computed once, it serves all three of them.
    """
    last: dict[int | None, int] = {}
    found = []
    for index, prompt in enumerate(prompts):
        before = last.get(prompt.group)
        same = 0 if before is None else common_prefix(prompt.blocks, prompts[before].blocks)
        found.append(Repeat(before, same))
        last[prompt.group] = index
    return found


def list_order(prompts: Sequence[Prompt], repeated: Sequence[Repeat]) -> list[int]:
    """Return each prompt's hit blocks in list order, sub-agents on a copy of their parent's set.

    `repeated` = `repeats(prompts)`. O(blocks), plus one copy of the set per sub-agent.
    """
    main: set[int] = set()
    group, seen = None, main
    hits = []
    for prompt, repeat in zip(prompts, repeated, strict=True):
        if prompt.group != group:
            group = prompt.group
            seen = main if group is None else set(main)
        hits.append(_send(prompt.blocks, seen, repeat.blocks))
    return hits


def time_order(prompts: Sequence[Prompt], repeated: Sequence[Repeat]) -> list[int]:
    """Return each prompt's hit blocks with one cache in order of absolute start.

    Equal starts keep the list's order. The result is in the order of `prompts`; `repeated` =
    `repeats(prompts)`, and counts only where the repeated prompt came first in time too.
    """
    seen: set[int] = set()
    sent = [False] * len(prompts)
    hits = [0] * len(prompts)
    for index in sorted(range(len(prompts)), key=lambda index: prompts[index].t_ms):
        repeat = repeated[index]
        known = repeat.blocks if repeat.before is not None and sent[repeat.before] else 0
        hits[index] = _send(prompts[index].blocks, seen, known)
        sent[index] = True
    return hits


def prefix_tree(prompts: Sequence[Prompt], repeated: Sequence[Repeat]) -> PrefixTree:
    """Return what each prompt shares, and which earlier prompt sent it first.

    Content only, in list order over the whole conversation: a prefix first sent by a sibling
    sub-agent counts, although `list_order` does not let the turn read it.
    """
    first: dict[int, int] = {}
    shares = []
    for index, (prompt, repeat) in enumerate(zip(prompts, repeated, strict=True)):
        blocks = prompt.blocks
        shared = _leading(blocks, first, repeat.blocks)
        shares.append(Share(shared, first[blocks[shared - 1]] if shared else None))
        for block in blocks[shared:]:
            first.setdefault(block, index)
    return PrefixTree(tuple(shares), len(first))


def common_prefix(left: Sequence[int], right: Sequence[int]) -> int:
    """Return how many leading blocks two prompts of one sequence type have in common."""
    low, high = 0, min(len(left), len(right))
    if left[:high] == right[:high]:
        return high
    while low < high:
        middle = (low + high) // 2
        if left[low : middle + 1] == right[low : middle + 1]:
            low = middle + 1
        else:
            high = middle
    return low


def _leading(blocks: Sequence[int], seen: Container[int], known: int) -> int:
    """Return how many contiguous leading blocks were seen, the first `known` being so."""
    rest = islice(blocks, known, None)
    return known + len(list(takewhile(seen.__contains__, rest)))


def _send(blocks: Sequence[int], seen: set[int], known: int) -> int:
    """Return a prompt's hit blocks, then take its blocks as seen."""
    hits = _leading(blocks, seen, known)
    seen.update(blocks[hits:])
    return hits


def cached_tokens(isl_tokens: int, hit_blocks: int, block_tokens: int) -> int:
    """Return the tokens read from cache: whole hit blocks, never more than the prompt."""
    return min(isl_tokens, hit_blocks * block_tokens)


def hit_ratio(hit_blocks: int, blocks: int) -> float | None:
    """Return hit blocks over all blocks, null without blocks (a ratio of sums, 0–1)."""
    return hit_blocks / blocks if blocks else None
