"""Conversations for other tools: equal totals, files their importers accept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.exports.speedscope import speedscope
from explorer.ingest.weka import read
from tests.turns import conversation, turn


def walk(profile: dict[str, Any]) -> list[tuple[int, float, float]]:
    """Frames with start and end, as an importer that checks nesting reads them."""
    open_: list[tuple[int, float]] = []
    found = []
    last = profile["startValue"]
    for event in profile["events"]:
        assert event["at"] >= last
        last = event["at"]
        if event["type"] == "O":
            open_.append((event["frame"], event["at"]))
        else:
            frame, start = open_.pop()
            assert frame == event["frame"]
            found.append((frame, start, event["at"]))
    assert not open_
    assert last <= profile["endValue"]
    return found


@pytest.mark.real_data
@pytest.mark.parametrize("number", ["0014", "0254", "0277", "0177"])
def test_token_weights_equal_the_conversations_tokens(real_data: Path, number: str) -> None:
    (found,) = read([(real_data / "weka" / f"trace_{number}.json").read_bytes()])
    file = speedscope(found.id, found.turns)
    tokens, *times = file["profiles"]
    assert sum(tokens["weights"]) == sum(t.tokens for t in found.turns) == tokens["endValue"]
    assert len(tokens["samples"]) == len(tokens["weights"])
    spans = [span for profile in times for span in walk(profile)]
    assert len(spans) == sum(t.end_ms is not None for t in found.turns)
    busy = sum(t.stop_ms - t.t_ms for t in found.turns)
    assert sum(end - start for _, start, end in spans) == pytest.approx(busy, rel=1e-12)


def test_a_sub_agents_tokens_stand_under_the_turn_that_spawned_it() -> None:
    file = speedscope("c", conversation([(None, 0, 1), ("a", 2, 3), (None, 4, 5)]))
    names = [frame["name"] for frame in file["shared"]["frames"]]
    stacks = [[names[frame] for frame in sample] for sample in file["profiles"][0]["samples"]]
    assert stacks[2] == ["main", "turn 0", "a (Explore)", "a turn 0", "uncached input"]


def test_overlapping_requests_of_one_agent_take_lanes() -> None:
    file = speedscope("c", conversation([(None, 0, 5), (None, 3, 9), (None, 6, 7)]))
    assert [profile["name"] for profile in file["profiles"]] == [
        "tokens",
        "time: main",
        "time: main (2)",
    ]


def test_turns_without_a_duration_have_no_time() -> None:
    file = speedscope("c", [turn(0, 0, (0, 0), end_ms=None)])
    assert [profile["name"] for profile in file["profiles"]] == ["tokens"]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9)), max_size=12))
def test_time_profiles_always_nest(rows: list[tuple[int, int]]) -> None:
    turns = conversation([(None, start, start + length) for start, length in rows])
    for profile in speedscope("c", turns)["profiles"][1:]:
        walk(profile)
