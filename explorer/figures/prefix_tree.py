"""The prefix tree of a conversation's blocks: which turns share what, drawn by depth.

A row is a run of turns that each extend the one before; it starts where it leaves the prefix it
shares. Only depths and counts are known here, never a block's id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from explorer.domain.turns import Turn
from explorer.domain.units import number

ROW_PX = 24
LABEL_PX = 168
NAME_CHARS = 15

Say = Callable[..., str]
Href = Callable[[Turn], str]


@dataclass(frozen=True, slots=True)
class Run:
    """Turns that each extend the one before: `start` to `end` are blocks of depth.

    `parent` is the index of the run that first sent what is shared (null at a root), `readers`
    the number of turns of other runs whose prompt begins with blocks of this one.
    """

    turns: tuple[Turn, ...]
    start: int
    end: int
    parent: int | None
    readers: int


def runs(turns: Sequence[Turn]) -> tuple[Run, ...]:
    """Return the tree's runs in list order; every turn with blocks is in exactly one."""
    members: list[list[Turn]] = []
    at: dict[int, int] = {}
    for turn in turns:
        if turn.blocks:
            run = _extended(turn, members, at)
            if run is None:
                members.append([])
                run = len(members) - 1
            members[run].append(turn)
            at[turn.ordinal] = run
    parents = [
        None if run[0].prefix_source is None else at[run[0].prefix_source] for run in members
    ]
    readers = _readers(members, parents)
    return tuple(
        Run(tuple(run), run[0].shared_blocks, max(t.blocks for t in run), parent, readers[index])
        for index, (run, parent) in enumerate(zip(members, parents, strict=True))
    )


def _extended(turn: Turn, members: list[list[Turn]], at: dict[int, int]) -> int | None:
    """Return the run whose last turn this one repeats whole and goes on from."""
    run = None if turn.prefix_source is None else at[turn.prefix_source]
    if run is None:
        return None
    last = members[run][-1]
    same = last.agent == turn.agent and last.ordinal >= (turn.prefix_source or 0)
    return run if same and turn.shared_blocks == last.blocks else None


def _readers(members: list[list[Turn]], parents: list[int | None]) -> list[int]:
    readers = [0] * len(members)
    for index in reversed(range(len(members))):
        parent = parents[index]
        if parent is not None:
            readers[parent] += len(members[index]) + readers[index]
    return readers


def prefix_tree(
    turns: Sequence[Turn],
    *,
    say: Say,
    href: Href,
    block_tokens: int,
    selected: int | None = None,
) -> str:
    """Return the tree as HTML: labels beside one `<svg>`, depth in tokens across."""
    found = runs(turns)
    depth = max((run.end for run in found), default=0) or 1
    height = len(found) * ROW_PX + 24
    labels = "".join(
        f'<text x="{LABEL_PX - 10}" y="{_top(index) + 16}">{escape(_label(run, say))}</text>'
        for index, run in enumerate(found)
    )
    bars = "".join(
        _row(index, found, depth, say, href, block_tokens, selected) for index in range(len(found))
    )
    title = escape(say("prefix.title"))
    desc = escape(say("prefix.desc", runs=len(found), tokens=f"{depth * block_tokens:,}"))
    return (
        f'<div class="prefix-tree"><svg class="labels" width="{LABEL_PX}" height="{height}" '
        f'aria-hidden="true">{labels}</svg><svg class="depth" role="group" aria-label="{title}" '
        f'width="100%" height="{height}"><title>{title}</title><desc>{desc}</desc>'
        f"{_ends(depth * block_tokens)}{bars}</svg></div>"
    )


def _top(index: int) -> int:
    return 24 + index * ROW_PX


def _ends(tokens: int) -> str:
    return (
        '<text class="tick" x="0" y="14">0</text>'
        f'<text class="tick" x="100%" y="14" text-anchor="end">{number(tokens)}</text>'
    )


def _label(run: Run, say: Say) -> str:
    first, last = run.turns[0], run.turns[-1]
    name = first.agent or ""
    short = name if len(name) <= NAME_CHARS else f"{name[: NAME_CHARS - 1]}…"
    if len(run.turns) == 1:
        return f"{short} {say('prefix.one', turn=first.turn)}".strip()
    return f"{short} {say('prefix.run', first=first.turn, last=last.turn)}".strip()


def _row(
    index: int,
    found: Sequence[Run],
    depth: int,
    say: Say,
    href: Href,
    block_tokens: int,
    selected: int | None,
) -> str:
    run, y = found[index], _top(index)
    here = ' aria-current="true"' if any(t.ordinal == selected for t in run.turns) else ""
    words = say(
        "prefix.tip",
        label=_label(run, say),
        shared=f"{run.start * block_tokens:,}",
        new=f"{(run.end - run.start) * block_tokens:,}",
        readers=run.readers,
    )
    return (
        f"{_branch(index, found, depth)}"
        f'<a href="{escape(href(run.turns[0]))}" data-nav=""{here}><title>{escape(words)}</title>'
        f'<rect class="hit" y="{y}" width="100%" height="{ROW_PX}"/>'
        f'<rect class="shared" x="0" y="{y + 11}" width="{_share(run.start, depth)}" height="2"/>'
        f'<rect class="new" x="{_share(run.start, depth)}" y="{y + 5}" '
        f'width="{_share(run.end - run.start, depth)}" height="14"/></a>'
    )


def _branch(index: int, found: Sequence[Run], depth: int) -> str:
    """Return the line from the run that first sent the shared prefix, at its depth."""
    parent = found[index].parent
    if parent is None:
        return ""
    x = _share(found[index].start, depth)
    y1, y2 = _top(parent) + 19, _top(index) + 12
    return f'<line class="branch" x1="{x}" x2="{x}" y1="{y1}" y2="{y2}"/>'


def _share(blocks: int, depth: int) -> str:
    return f"{blocks / depth * 100:.3f}%"
