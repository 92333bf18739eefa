"""The drawing grid of a graph: readable at five nodes and at 150."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from explorer.domain.dag import Dag, Edge, Group
from explorer.domain.dag_layout import FOLD_RUN, Layout, layout


def chain(ordinals: tuple[int, ...]) -> list[Edge]:
    return [Edge(a, b, "next", 1.0) for a, b in itertools.pairwise(ordinals)]


def graph(main: int, groups: list[tuple[int, int, int | None]]) -> Dag:
    """A main line of `main` turns; groups of (size, spawn, join), numbered after it."""
    line = tuple(range(main))
    edges, made, at = chain(line), [], main
    for number, (size, spawn, join) in enumerate(groups):
        own = tuple(range(at, at + size))
        at += size
        kind = "background" if join is None else "joined"
        made.append(Group(f"a{number}", None, kind, own, spawn, join, 0.0, 1.0))
        edges += [*chain(own), Edge(spawn, own[0], "spawn", 1.0)]
        if join is not None:
            edges.append(Edge(own[-1], join, "join", 1.0))
    return Dag(line, tuple(made), tuple(edges))


def cells(found: Layout) -> set[tuple[int, int]]:
    return {(box.lane, box.layer) for box in found.boxes}


def crossed(found: Layout) -> list[tuple[int, int]]:
    """Cells that a group's join line runs through: its own lane, below its last box."""
    at = []
    for arrow in found.arrows:
        if arrow.edge.kind == "join":
            source, target = found.boxes[arrow.source], found.boxes[arrow.target]
            at += [(source.lane, layer) for layer in range(source.layer + 1, target.layer)]
    return at


def test_five_turns_with_one_sub_agent_stand_on_two_lanes() -> None:
    found = layout(graph(3, [(2, 0, 1)]))
    assert [(box.ordinals, box.lane, box.layer) for box in found.boxes] == [
        ((0,), 0, 0),
        ((1,), 0, 3),
        ((2,), 0, 4),
        ((3,), 1, 1),
        ((4,), 1, 2),
    ]
    assert (found.lanes, found.layers) == (2, 5)


def test_parallel_groups_take_lanes_beside_each_other() -> None:
    found = layout(graph(2, [(1, 0, 1), (1, 0, 1)]))
    assert {box.lane for box in found.boxes} == {0, 1, 2}


def test_a_lane_is_free_again_below_the_join() -> None:
    found = layout(graph(4, [(1, 0, 1), (1, 2, 3)]))
    assert found.lanes == 2


def test_150_turns_fold_to_a_page() -> None:
    found = layout(graph(122, [(7, 20, 21), (4, 20, 21), (6, 20, 24), (11, 70, None)]))
    assert len(found.boxes) <= 30
    assert found.layers <= 20
    assert sum(len(box.ordinals) for box in found.boxes) == 150


def test_unfolded_150_turns_have_a_box_each() -> None:
    found = layout(graph(122, [(28, 20, 21)]), fold=False)
    assert len(found.boxes) == 150


def test_folding_keeps_turns_that_spawn_or_are_joined_apart() -> None:
    found = layout(graph(60, [(3, 30, 33)]), fold=True)
    runs = {box.ordinals for box in found.boxes}
    assert (30,) in runs
    assert tuple(range(33, 60)) in runs
    assert tuple(range(30)) in runs
    assert tuple(range(60, 63)) in runs


def test_an_empty_graph_has_an_empty_grid() -> None:
    assert layout(Dag((), (), ())) == Layout((), (), 1, 0)


@st.composite
def graphs(draw: st.DrawFn) -> Dag:
    main = draw(st.integers(1, 60))
    groups = []
    for _ in range(draw(st.integers(0, 8))):
        spawn = draw(st.integers(0, main - 1))
        joins = st.integers(spawn + 1, main - 1) if spawn + 1 < main else st.nothing()
        groups.append((draw(st.integers(1, 9)), spawn, draw(st.none() | joins)))
    return graph(main, groups)


@given(graphs(), st.sampled_from([None, True, False]))
def test_no_two_boxes_share_a_cell_and_no_join_line_meets_a_box(
    dag: Dag, fold: bool | None
) -> None:
    found = layout(dag, fold)
    assert len(cells(found)) == len(found.boxes)
    assert not cells(found) & set(crossed(found))


@given(graphs(), st.sampled_from([None, True, False]))
def test_arrows_point_down(dag: Dag, fold: bool | None) -> None:
    found = layout(dag, fold)
    assert all(
        found.boxes[arrow.source].layer < found.boxes[arrow.target].layer for arrow in found.arrows
    )


@given(graphs())
def test_folding_loses_no_turn_and_no_branch(dag: Dag) -> None:
    found, plain = layout(dag, fold=True), layout(dag, fold=False)
    turns = sorted(ordinal for box in found.boxes for ordinal in box.ordinals)
    assert turns == list(range(len(plain.boxes)))
    assert all(len(box.ordinals) == 1 or len(box.ordinals) >= FOLD_RUN for box in found.boxes)
    branches = [arrow.edge for arrow in plain.arrows if arrow.edge.kind != "next"]
    assert set(branches) <= {arrow.edge for arrow in found.arrows}
