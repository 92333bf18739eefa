"""The infinite prefix cache under its two rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.domain.prefix_cache import (
    PrefixTree,
    Prompt,
    Share,
    cached_tokens,
    common_prefix,
    hit_ratio,
    list_order,
    prefix_tree,
    repeats,
    time_order,
)


def in_list_order(prompts: list[Prompt]) -> list[int]:
    return list_order(prompts, repeats(prompts))


def in_time_order(prompts: list[Prompt]) -> list[int]:
    return time_order(prompts, repeats(prompts))


def tree_of(prompts: list[Prompt]) -> PrefixTree:
    return prefix_tree(prompts, repeats(prompts))


def main(*blocks: int, t_ms: float = 0) -> Prompt:
    return Prompt(blocks, None, t_ms)


def sub(group: int, *blocks: int, t_ms: float = 0) -> Prompt:
    return Prompt(blocks, group, t_ms)


def test_only_contiguous_leading_blocks_hit() -> None:
    assert in_list_order([main(1, 2, 3), main(1, 9, 3)]) == [0, 1]


def test_blocks_after_the_first_miss_are_still_sent() -> None:
    assert in_list_order([main(1, 2), main(1, 9, 3), main(1, 9, 3)]) == [0, 1, 3]


def test_a_sub_agent_reads_its_parents_blocks_at_its_place() -> None:
    prompts = [main(1, 2), sub(1, 1, 5), main(1, 2, 3), sub(3, 1, 2, 3)]
    assert in_list_order(prompts) == [0, 1, 2, 3]


def test_a_sub_agents_blocks_are_not_merged_back() -> None:
    prompts = [main(1), sub(1, 1, 7), sub(1, 1, 7), main(1, 7), sub(4, 1, 7)]
    assert in_list_order(prompts) == [0, 1, 2, 1, 2]


def test_two_sub_agents_in_a_row_do_not_see_each_other() -> None:
    assert in_list_order([main(1), sub(1, 1, 7), sub(2, 1, 7)]) == [0, 1, 1]


def test_time_order_has_one_cache_and_ignores_the_list() -> None:
    prompts = [main(1, 2, t_ms=10), sub(1, 1, 2, 3, t_ms=5), main(1, 2, 3, t_ms=20)]
    assert in_time_order(prompts) == [2, 0, 3]


def test_equal_starts_keep_the_lists_order() -> None:
    assert in_time_order([main(1, t_ms=3), main(1, t_ms=3)]) == [0, 1]


def test_shares_name_the_turn_that_first_sent_the_last_shared_block() -> None:
    prompts = [main(1, 2), main(1, 2, 3), main(1, 2, 3, 4), main(1, 9)]
    tree = tree_of(prompts)
    assert tree.shares == (Share(0, None), Share(2, 0), Share(3, 1), Share(1, 0))
    assert tree.unique_blocks == 5


def test_shares_see_siblings_that_list_order_does_not() -> None:
    prompts = [main(1), sub(1, 1, 7), sub(2, 1, 7, 8)]
    assert tree_of(prompts).shares[2] == Share(2, 1)


@pytest.mark.parametrize(("isl", "hits", "cached"), [(200, 2, 128), (100, 2, 100), (64, 0, 0)])
def test_cached_tokens_are_whole_blocks_and_at_most_the_prompt(
    isl: int, hits: int, cached: int
) -> None:
    assert cached_tokens(isl, hits, 64) == cached


def test_a_ratio_without_blocks_is_missing() -> None:
    assert hit_ratio(0, 0) is None
    assert hit_ratio(1, 4) == 0.25


@st.composite
def prompt_lists(draw: st.DrawFn) -> list[Prompt]:
    entries = draw(st.lists(st.integers(0, 2), max_size=12))
    prompts = []
    for place, size in enumerate(entries):
        for _ in range(size or 1):
            blocks = tuple(draw(st.lists(st.integers(0, 6), max_size=6)))
            group = place if size else None
            prompts.append(Prompt(blocks, group, draw(st.integers(0, 5))))
    return prompts


def _literal_list_order(prompts: list[Prompt]) -> list[int]:
    """Each prompt against everything it may see, looked up anew."""
    hits = []
    for at, prompt in enumerate(prompts):
        visible = set()
        for before in prompts[:at]:
            same_agent = before.group == prompt.group
            if before.group is None or same_agent:
                visible |= set(before.blocks)
        count = 0
        while count < len(prompt.blocks) and prompt.blocks[count] in visible:
            count += 1
        hits.append(count)
    return hits


@given(prompt_lists())
def test_list_order_equals_the_literal_rule(prompts: list[Prompt]) -> None:
    assert in_list_order(prompts) == _literal_list_order(prompts)


@given(prompt_lists())
def test_time_order_equals_the_literal_rule(prompts: list[Prompt]) -> None:
    order = sorted(range(len(prompts)), key=lambda at: (prompts[at].t_ms, at))
    as_one_line = [Prompt(prompts[at].blocks, None, 0) for at in order]
    literal = _literal_list_order(as_one_line)
    assert [in_time_order(prompts)[at] for at in order] == literal


@given(prompt_lists())
def test_without_sub_agents_and_in_time_the_two_rules_agree(prompts: list[Prompt]) -> None:
    straight = [Prompt(prompt.blocks, None, at) for at, prompt in enumerate(prompts)]
    assert in_list_order(straight) == in_time_order(straight)


@given(prompt_lists())
def test_content_shares_at_least_what_list_order_reads(prompts: list[Prompt]) -> None:
    for share, hits in zip(tree_of(prompts).shares, in_list_order(prompts), strict=True):
        assert share.blocks >= hits
        assert (share.source is None) == (share.blocks == 0)


@given(st.lists(st.integers(0, 2), max_size=9), st.lists(st.integers(0, 2), max_size=9))
def test_common_prefix_is_the_first_difference(left: list[int], right: list[int]) -> None:
    differs = [at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b]
    assert common_prefix(left, right) == (differs or [min(len(left), len(right))])[0]
