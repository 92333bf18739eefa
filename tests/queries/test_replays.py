"""Theory beside measurement: joined by entry, counted whole, and back over all points."""

from __future__ import annotations

import pytest

from explorer.queries import conversations, points, replays, request_page, requests
from explorer.queries.requests import Wanted
from explorer.queries.window import Window
from tests.lake_fixture import DATASET, FIRST_TURN, Sample


@pytest.fixture
def found(sample_lake: Sample):
    return conversations.one(sample_lake.lake, DATASET, "conv-1")


@pytest.fixture
def high(sample_lake: Sample):
    return points.one(sample_lake.lake, sample_lake.ids["high"])


def own(sample_lake: Sample, high, phase: str):
    page = requests.many(
        sample_lake.lake, high,
        Wanted(Window(phase), {"conversation": ("conv-1",)}), limit=1000,
    )  # fmt: skip
    return page.rows


def test_only_bound_points_that_replayed_it_are_listed(sample_lake: Sample):
    replayed = replays.points(sample_lake.lake, DATASET, "conv-1")
    assert [(one["point_id"], one["requests"]) for one in replayed.points] == [
        (sample_lake.ids["high"], 36)
    ]
    assert replayed.unseen == 0
    assert replays.points(sample_lake.lake, DATASET, "conv-9").points == []


@pytest.mark.parametrize("phase", ["profiling", "warmup", "all"])
def test_each_turn_has_its_replays_of_the_phase(sample_lake: Sample, found, high, phase):
    measured = replays.measured(sample_lake.lake, high, "conv-1", found.turns, phase)
    rows = own(sample_lake, high, phase)
    assert sum(one["replays"] for one in measured.values()) == len(rows)
    for ordinal, one in measured.items():
        same = [row for row in rows if row["turn"] + FIRST_TURN == ordinal]
        ok = [row for row in same if row["status"] == "ok"]
        assert one["replays"] == len(same)
        assert one["failed"] == len(same) - len(ok)
        assert one["ttft_s"] == pytest.approx(sum(row["ttft_s"] for row in ok) / len(ok))
        waits = [row["start_s"] - row["credit_s"] for row in ok]
        assert one["wait_s"] == pytest.approx(sum(waits) / len(waits))


def test_turns_that_were_not_replayed_are_absent(sample_lake: Sample, found, high):
    measured = replays.measured(sample_lake.lake, high, "conv-1", found.turns, "all")
    assert set(measured) == set(range(FIRST_TURN, FIRST_TURN + 12))


def test_a_point_without_records_measured_nothing(sample_lake: Sample, found):
    other = points.one(sample_lake.lake, sample_lake.ids["other"])
    assert replays.measured(sample_lake.lake, other, "conv-1", found.turns, "all") == {}


def test_a_turn_at_all_points_lists_its_requests(sample_lake: Sample, found, high):
    replayed = replays.points(sample_lake.lake, DATASET, "conv-1")
    (strip,) = replays.strips(sample_lake.lake, replayed.points, "conv-1", found.turns[5])
    wanted = [r["request_id"] for r in own(sample_lake, high, "all") if r["turn"] + FIRST_TURN == 5]
    assert [row["request_id"] for row in strip.replays] == wanted
    first = found.turns[0]
    assert replays.strips(sample_lake.lake, replayed.points, "conv-1", first) == []


def test_rows_of_the_request_table_name_the_datasets_turn(sample_lake: Sample, high):
    page = request_page.page(sample_lake.lake, high, Window("all"), limit=500)
    assert page.rows
    for row in page.rows:
        assert row["dataset_ref"] == {
            "dataset": DATASET,
            "conversation": row["conversation"],
            "agent": None,
            "turn": row["turn"] + FIRST_TURN,
        }
