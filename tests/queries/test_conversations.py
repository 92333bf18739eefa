"""Datasets and conversations of the sample lake: rows, search, sort, pages, distributions."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.errors import NotFoundError, UsageError
from explorer.queries import conversations, datasets
from tests.lake_fixture import BLOCK, DATASET, TURNS, Sample, turn_table


def ids(rows):
    return [row["conversation"] for row in rows]


def test_the_list_has_ratios_under_both_rules(sample_lake: Sample):
    (row,) = datasets.many(sample_lake.lake).rows
    turns = turn_table().to_pylist()
    hits = sum(turn["hit_blocks"] for turn in turns) / sum(turn["blocks"] for turn in turns)
    assert row["dataset"] == DATASET
    assert row["listorder_cache_hit_ratio"] == row["theoretical_cache_hit_ratio"] == hits


def test_an_unknown_dataset_names_the_nearest(sample_lake: Sample):
    with pytest.raises(NotFoundError, match="Did you mean sample-set"):
        datasets.one(sample_lake.lake, "sample-st")


def test_points_are_counted_by_the_dataset_they_are_bound_to(sample_lake: Sample):
    assert datasets.replayed(sample_lake.lake) == {DATASET: 1}


def test_distributions_hold_every_sample_and_equal_numpy(sample_lake: Sample):
    found = datasets.distributions(sample_lake.lake, datasets.one(sample_lake.lake, DATASET))
    isl = [turn["isl_tokens"] for turn in turn_table().to_pylist()]
    one = found["isl_tokens"].data
    assert sum(one.counts) == one.n == len(isl)
    assert one.percentiles["p90"] == pytest.approx(np.quantile(isl, 0.9), rel=1e-12)
    assert one.mean == pytest.approx(np.mean(isl), rel=1e-12)
    assert one.edges[0] <= min(isl) <= max(isl) <= one.edges[-1] * (1 + 1e-9)
    for low, high, count in zip(one.edges, one.edges[1:], one.counts, strict=False):
        assert count == sum(low < value <= high * (1 + 1e-12) for value in isl)


def test_delays_are_from_end_to_start_and_durations_need_sub_agents(sample_lake: Sample):
    found = datasets.distributions(sample_lake.lake, datasets.one(sample_lake.lake, DATASET))
    assert found["delay_s"].data.n == 3 * (TURNS - 1)
    assert found["delay_s"].data.minimum == found["delay_s"].data.maximum == 1.0
    assert found["turns"].data.n == 3
    assert "subagent_duration_s" not in found


def test_zeros_are_left_out_of_log_axes_and_counted(sample_lake: Sample):
    found = datasets.distributions(sample_lake.lake, datasets.one(sample_lake.lake, DATASET))
    ratio = found["cached_ratio"]
    assert (ratio.left_out, ratio.fit) == (0, None)
    assert ratio.data.counts[0] == 3
    assert sum(ratio.data.counts) == 3 * TURNS


def test_a_conversation_has_its_turns_in_list_order(sample_lake: Sample):
    found = conversations.one(sample_lake.lake, DATASET, "conv-1")
    assert [turn.ordinal for turn in found.turns] == list(range(TURNS))
    assert found.row["isl_tokens"] == sum(turn.isl_tokens for turn in found.turns)
    assert found.turns[3].cached_tokens == found.turns[3].hit_blocks * BLOCK


def test_a_turn_is_found_by_number_within_its_agent(sample_lake: Sample):
    found = conversations.one(sample_lake.lake, DATASET, "conv-1")
    assert found.find("4", None).ordinal == 4
    assert found.find("4", "").ordinal == 4
    assert found.find("4", "agent_001") is None
    assert found.find("99", None) is None
    assert found.find("four", None) is None
    assert found.find(None, None) is None


def test_an_unknown_conversation_is_not_found(sample_lake: Sample):
    with pytest.raises(NotFoundError, match="No conversation 'conv-9'"):
        conversations.one(sample_lake.lake, DATASET, "conv-9")
    with pytest.raises(NotFoundError, match="No dataset"):
        conversations.one(sample_lake.lake, "nothere", "conv-0")


def test_search_looks_in_ids_and_models_whatever_the_case(sample_lake: Sample):
    lake = sample_lake.lake
    assert ids(conversations.page(lake, DATASET, search="CONV-1").rows) == ["conv-1"]
    assert conversations.page(lake, DATASET, search="M").total == 3
    assert conversations.page(lake, DATASET, search="' OR 1=1 --").total == 0
    assert ids(conversations.many(lake, DATASET, search="-2").rows) == ["conv-2"]


@pytest.mark.parametrize("sort", conversations.SORTS)
@pytest.mark.parametrize("minus", ["", "-"])
def test_following_cursors_gives_every_conversation_once_in_any_order(
    sample_lake: Sample, sort: str, minus: str
):
    lake, found, cursor = sample_lake.lake, [], None
    while True:
        page = conversations.many(lake, DATASET, sort=minus + sort, limit=1, cursor=cursor)
        found += ids(page.rows)
        cursor = page.next
        if cursor is None:
            break
    assert sorted(found) == ["conv-0", "conv-1", "conv-2"]
    assert ids(conversations.page(lake, DATASET, sort=minus + sort).rows) == found


def test_an_unknown_sort_is_refused_by_the_api_and_left_by_the_page(sample_lake: Sample):
    with pytest.raises(UsageError, match="Did you mean isl_tokens"):
        conversations.many(sample_lake.lake, DATASET, sort="isl_token")
    page = conversations.page(sample_lake.lake, DATASET, sort="isl_token")
    assert (page.sort, page.total) == ("position", 3)
