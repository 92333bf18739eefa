"""Cards of comparisons without an embed: each side is drawn, on one scale, in the room there is."""

from __future__ import annotations

import re

import pytest

from explorer.domain import view_state
from explorer.exports.cards import room
from explorer.links import comparisons
from explorer.links.pictures import subject
from tests.lake_fixture import DATASET, Sample

HIGH = room("Title", "Subtitle")[1]
TICK = re.compile(r'class="tick" x="([^"]+%)" y="[^"]+"[^>]*>([^<]+)<')


def compared(sample: Sample, *names: str, more: str = "") -> view_state.ViewState:
    pairs = zip("abcd", names, strict=False)
    return view_state.parse(
        "&".join(f"{key}={sample.ids.get(name, name)}" for key, name in pairs) + more
    )


def test_timelines_stand_above_one_another_on_one_clock(sample_lake: Sample):
    state = compared(sample_lake, "low", "high")
    drawn = comparisons.timelines(sample_lake.lake, state, HIGH)
    assert [one.title[0] for one in drawn] == ["A", "B"]
    clocks = [TICK.findall(one.markup) for one in drawn]
    assert clocks[0] == clocks[1]
    assert len(clocks[0]) > 2
    assert comparisons.timelines(sample_lake.lake, state, HIGH) == drawn


def test_the_clock_starts_where_the_address_says(sample_lake: Sample):
    state = compared(sample_lake, "low", "high", more="&from=10&to=20")
    texts = [
        text
        for _, text in TICK.findall(comparisons.timelines(sample_lake.lake, state, HIGH)[0].markup)
    ]
    assert texts[0].startswith("10")


def test_what_keeps_no_requests_or_is_not_there_is_left_out(sample_lake: Sample):
    state = compared(sample_lake, "other", "nosuchpoint0", "high")
    drawn = comparisons.timelines(sample_lake.lake, state, HIGH)
    assert [one.title[0] for one in drawn] == ["C"]
    assert comparisons.timelines(sample_lake.lake, compared(sample_lake, "other"), HIGH) == []


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_pictures_fit_the_room_of_a_card(sample_lake: Sample, n: int):
    names = ("low", "high", "low", "high")[:n]
    drawn = comparisons.timelines(sample_lake.lake, compared(sample_lake, *names), HIGH)
    tall = [int(re.search(r'height="(\d+)"', one.markup)[1]) for one in drawn]
    margins = sum(one.margin.top + one.margin.bottom for one in drawn)
    assert sum(tall) + margins <= HIGH + n * 4
    assert all(len(one.markup) < 100_000 for one in drawn)


def test_conversations_are_lines_with_names_and_waits_where_measured(sample_lake: Sample):
    high = sample_lake.ids["high"]
    asked = f"a={DATASET}/conv-0@{high}&b={DATASET}/nothere&c={DATASET}/conv-1&lang=zh"
    drawn = comparisons.conversations(sample_lake.lake, view_state.parse(asked), HIGH)
    assert [label for _, label in drawn[0].legend] == ["A · conv-0", "C · conv-1"]
    assert len(drawn) == 2
    assert "TTFT" in drawn[1].title
    plain = view_state.parse(f"a={DATASET}/conv-0&b={DATASET}/conv-1")
    assert len(comparisons.conversations(sample_lake.lake, plain, HIGH)) == 1


@pytest.mark.parametrize("path", ["/compare/timelines", "/compare/conversations"])
def test_a_comparison_of_nothing_is_words(sample_lake: Sample, path: str):
    shown = subject(sample_lake.lake, path, view_state.parse(""), "Title", "Subtitle")
    assert not shown.pictures
