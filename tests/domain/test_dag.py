"""The graph of a conversation: the article's figures, one test each."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.domain.dag import (
    Dag,
    Edge,
    Link,
    Overlap,
    Span,
    build,
    link,
    overlaps,
    side_requests,
)
from explorer.domain.turns import Turn
from tests.turns import Rows, conversation


def arrows(dag: Dag) -> set[tuple[int, int, str]]:
    return {(edge.source, edge.target, edge.kind) for edge in dag.edges}


def test_single_line() -> None:
    dag = build(conversation([(None, 0, 5), (None, 7, 9), (None, 9, 12)]))
    assert dag.main == (0, 1, 2)
    assert dag.groups == ()
    assert dag.edges == (Edge(0, 1, "next", 2), Edge(1, 2, "next", 0))


def test_one_sub_agent_with_join() -> None:
    dag = build(conversation([(None, 0, 5), ("a", 6, 8), ("a", 9, 11), (None, 12, 13)]))
    assert arrows(dag) == {(0, 1, "spawn"), (1, 2, "next"), (2, 3, "join"), (0, 3, "next")}
    (group,) = dag.groups
    assert (group.kind, group.spawn, group.join) == ("joined", 0, 3)
    assert {edge.kind: edge.delay_ms for edge in dag.edges if edge.kind != "next"} == {
        "spawn": 1,
        "join": 1,
    }


def test_two_parallel_sub_agents() -> None:
    rows: Rows = [(None, 0, 5), ("a", 6, 20), ("b", 7, 15), (None, 21, 22)]
    dag = build(conversation(rows))
    assert arrows(dag) == {
        (0, 1, "spawn"),
        (0, 2, "spawn"),
        (1, 3, "join"),
        (2, 3, "join"),
        (0, 3, "next"),
    }
    assert overlaps(conversation(rows)) == (Overlap(6, 20, (1, 2), 2),)


def test_two_groups_with_different_joins_and_main_line_overlap() -> None:
    rows: Rows = [
        (None, 0, 5),
        ("a", 6, 12),
        ("b", 7, 30),
        (None, 13, 20),
        (None, 21, 29),
        (None, 31, 33),
    ]
    dag = build(conversation(rows))
    assert {(g.agent, g.spawn, g.join) for g in dag.groups} == {("a", 0, 3), ("b", 0, 5)}
    assert overlaps(conversation(rows)) == (Overlap(6, 30, (1, 2, 3, 4), 2),)


def test_a_side_request_never_joins() -> None:
    dag = build(conversation([(None, 0, 5), ("aux:000", 6, 7), (None, 8, 9)]))
    assert arrows(dag) == {(0, 1, "side"), (0, 2, "next")}
    assert dag.groups[0].kind == "aux"
    assert dag.groups[0].join is None


def test_a_background_agent_outlives_the_main_line() -> None:
    dag = build(conversation([(None, 0, 5), ("a", 6, 90), (None, 8, 9)]))
    assert arrows(dag) == {(0, 1, "spawn"), (0, 2, "next")}
    assert dag.groups[0].kind == "background"


def test_an_orphan_starts_before_any_main_request() -> None:
    dag = build(conversation([("a", 0, 2), (None, 5, 6), (None, 8, 9)]))
    assert (dag.groups[0].kind, dag.groups[0].spawn, dag.groups[0].join) == ("orphan", None, 1)
    assert arrows(dag) == {(0, 1, "join"), (1, 2, "next")}


def test_the_spawning_request_is_the_last_before_the_start_even_in_flight() -> None:
    assert link([(0, 0), (10, 1), (20, 3)], Span(12, 19, 2)) == Link(1, 2)


def test_at_equal_times_the_list_decides_who_spawns_and_who_joins() -> None:
    assert link([(0, 0), (5, 2)], Span(5, 5, 1)) == Link(0, 1)
    assert link([(0, 0), (5, 1)], Span(5, 5, 2)) == Link(1, None)


def test_overlapping_turns_of_one_agent_have_a_negative_delay() -> None:
    dag = build(conversation([(None, 0, 5), (None, 3, 6)]))
    assert dag.edges == (Edge(0, 1, "next", -2),)


def test_agents_beside_each_other_overlap_even_while_one_is_idle() -> None:
    turns = conversation([(None, 0, 1), ("a", 2, 4), ("a", 8, 9), ("b", 5, 7), (None, 9, 10)])
    assert overlaps(turns) == ()
    assert overlaps(turns, by_agent=True) == (Overlap(2, 9, (1, 2, 3), 2),)


def test_touching_turns_do_not_overlap() -> None:
    assert overlaps(conversation([(None, 0, 5), (None, 5, 6)])) == ()


@pytest.mark.parametrize(
    ("first_blocks", "asides"),
    [
        ([1, 1, 9, 1], {2}),
        ([9, 1, 1], {0}),
        ([1, 2, 3], set()),
        ([1, 1, None], set()),
        ([1, 1, 2, 2], set()),
        ([], set()),
    ],
)
def test_side_requests_open_with_a_block_of_their_own(
    first_blocks: list[int | None], asides: set[int]
) -> None:
    assert side_requests(first_blocks) == asides


@st.composite
def sessions(draw: st.DrawFn) -> list[Turn]:
    agents = st.sampled_from([None, None, None, "a", "b", "c", "aux:000"])
    rows = draw(st.lists(st.tuples(agents, st.integers(0, 40), st.integers(0, 9)), max_size=25))
    return conversation([(agent, start, start + length) for agent, start, length in rows])


@given(sessions())
def test_every_turn_is_on_the_main_line_or_in_one_group(turns: list[Turn]) -> None:
    dag = build(turns)
    placed = [*dag.main, *(ordinal for group in dag.groups for ordinal in group.ordinals)]
    assert sorted(placed) == [t.ordinal for t in turns]


@given(sessions())
def test_edges_go_forward_in_time(turns: list[Turn]) -> None:
    starts = {t.ordinal: t.t_ms for t in turns}
    assert all(starts[edge.source] <= starts[edge.target] for edge in build(turns).edges)


@given(sessions())
def test_joins_come_after_the_groups_last_end(turns: list[Turn]) -> None:
    assert all(edge.delay_ms >= 0 for edge in build(turns).edges if edge.kind == "join")


@given(sessions())
def test_overlap_sets_are_disjoint_in_time_and_truly_concurrent(turns: list[Turn]) -> None:
    found = overlaps(turns)
    assert all(one.end_ms <= next_.start_ms for one, next_ in itertools.pairwise(found))
    by_ordinal = {t.ordinal: t for t in turns}
    for one in found:
        members = [by_ordinal[ordinal] for ordinal in one.ordinals]
        moments = [t.t_ms for t in members]
        assert one.peak == max(sum(t.t_ms <= at < t.stop_ms for t in members) for at in moments)
