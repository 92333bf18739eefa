"""Where a conversation's graph stands: layers downwards in time, lanes to the right.

The main line keeps lane 0. A group's lane is its own from its first box to the row above its
join, so lines run in free lanes and in the gaps between layers, never through a box.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from explorer.domain.dag import Dag, Edge, Group

FOLD_ABOVE = 40
FOLD_RUN = 3


@dataclass(frozen=True, slots=True)
class Box:
    """One turn, or a folded run of turns nothing branches from. `group` indexes `Dag.groups`."""

    ordinals: tuple[int, ...]
    lane: int
    layer: int
    group: int | None


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge between two boxes, by index."""

    source: int
    target: int
    edge: Edge


@dataclass(frozen=True, slots=True)
class Layout:
    """Boxes and arrows on a grid of `lanes` × `layers`; no two boxes share a cell."""

    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    lanes: int
    layers: int


def layout(dag: Dag, fold: bool | None = None) -> Layout:
    """Return the drawing grid of a graph.

    `fold` joins runs of three or more turns that nothing branches from into one box; by default
    it is used above 40 turns, so that 150 turns read like 20. O(turns + edges).
    """
    turns = len(dag.main) + sum(len(group.ordinals) for group in dag.groups)
    folding = turns > FOLD_ABOVE if fold is None else fold
    runs = _runs(dag, folding)
    where = {ordinal: i for i, (run, _) in enumerate(runs) for ordinal in run}
    arrows = [
        Arrow(where[edge.source], where[edge.target], edge)
        for edge in dag.edges
        if where[edge.source] != where[edge.target]
    ]
    layers = _layers(len(runs), arrows)
    lanes = _lanes(dag.groups, where, layers)
    boxes = tuple(
        Box(run, 0 if group is None else lanes[group], layers[i], group)
        for i, (run, group) in enumerate(runs)
    )
    return Layout(boxes, tuple(arrows), 1 + max(lanes, default=0), 1 + max(layers, default=-1))


def _runs(dag: Dag, folding: bool) -> list[tuple[tuple[int, ...], int | None]]:
    """Return the boxes' turns, each with its group: main line first, then the groups."""
    leaves = {group.spawn for group in dag.groups}
    enters = {group.join for group in dag.groups}
    chains: list[tuple[Sequence[int], int | None]] = [(dag.main, None)]
    chains += [(group.ordinals, index) for index, group in enumerate(dag.groups)]
    if not folding:
        return [((ordinal,), group) for chain, group in chains for ordinal in chain]
    return [
        (run, group)
        for chain, group in chains
        for piece in _pieces(chain, leaves, enters)
        for run in ([piece] if len(piece) >= FOLD_RUN else [(ordinal,) for ordinal in piece])
    ]


def _pieces(
    chain: Sequence[int], leaves: set[int | None], enters: set[int | None]
) -> Iterable[tuple[int, ...]]:
    """Cut a chain around each turn that spawns, and before each turn that is joined."""
    piece: list[int] = []
    for ordinal in chain:
        if piece and (ordinal in enters or ordinal in leaves):
            yield tuple(piece)
            piece = []
        piece.append(ordinal)
        if ordinal in leaves:
            yield tuple(piece)
            piece = []
    if piece:
        yield tuple(piece)


def _layers(count: int, arrows: Sequence[Arrow]) -> list[int]:
    """Return each box's longest distance from a box that nothing leads to."""
    out: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for arrow in arrows:
        out[arrow.source].append(arrow.target)
        waiting[arrow.target] += 1
    layers = [0] * count
    ready = [box for box in range(count) if not waiting[box]]
    while ready:
        box = ready.pop()
        for target in out[box]:
            layers[target] = max(layers[target], layers[box] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return layers


def _lanes(groups: Sequence[Group], where: dict[int, int], layers: Sequence[int]) -> list[int]:
    """Return each group's lane: the lowest one free over its rows, from 1."""
    rows = [_rows(group, where, layers) for group in groups]
    lanes = [0] * len(groups)
    busy_until: list[int] = []
    for index in sorted(range(len(groups)), key=lambda index: rows[index]):
        first, last = rows[index]
        free = (lane for lane, until in enumerate(busy_until) if until < first)
        lane = next(free, len(busy_until))
        if lane == len(busy_until):
            busy_until.append(last)
        busy_until[lane] = last
        lanes[index] = lane + 1
    return lanes


def _rows(group: Group, where: dict[int, int], layers: Sequence[int]) -> tuple[int, int]:
    first = layers[where[group.ordinals[0]]]
    last = layers[where[group.ordinals[-1]]]
    if group.join is not None:
        last = max(last, layers[where[group.join]] - 1)
    return first, last
