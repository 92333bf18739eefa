"""Lanes without a script: every request on exactly one, tracks never overlap, density adds up."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer import i18n
from explorer.embeds import timeline
from explorer.embeds.lanes import (
    GROUPINGS,
    SHADES,
    VALUES,
    default_grouping,
    end_ns,
    first_fit,
    lanes,
    left_ns,
    shades,
)
from explorer.queries import points
from explorer.queries import timeline as asked
from explorer.queries.window import Window

SECOND = 1_000_000_000


def columns(sample, name="high", phase="profiling"):
    point = points.one(sample.lake, sample.ids[name])
    return asked.columns(sample.lake, point, Window(phase))


@pytest.mark.parametrize("by", GROUPINGS)
def test_every_request_is_on_one_lane(sample_lake, by):
    found = columns(sample_lake)
    members = np.concatenate([lane.members for lane in lanes(found, by)])
    assert sorted(members.tolist()) == list(range(len(found["start_ns"])))


def test_lanes_by_conversation_are_plays_in_order_of_start(sample_lake):
    found = columns(sample_lake)
    made = lanes(found, "conversation")
    starts = [int(found["start_ns"][lane.members[0]]) for lane in made]
    assert starts == sorted(starts)
    assert len(made) == len(set(found["root_id"]))
    assert {lane.name for lane in made} == set(found["conversation"])


def test_lanes_by_worker_have_the_workers_names(sample_lake):
    assert [lane.name for lane in lanes(columns(sample_lake), "worker")] == ["w0", "w1"]


def test_what_names_no_engine_is_on_a_lane_without_a_name(sample_lake):
    assert [lane.name for lane in lanes(columns(sample_lake), "engine")] == [None]


def test_a_slot_holds_one_conversation_at_a_time(sample_lake):
    found = columns(sample_lake)
    for lane in lanes(found, "slot"):
        spans = {}
        for at in lane.members.tolist():
            root = found["root_id"][at]
            low, high = spans.get(root, (np.inf, -np.inf))
            spans[root] = min(low, left_ns(found)[at]), max(high, end_ns(found)[at])
        ordered = sorted(spans.values())
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(ordered))


def test_conversations_are_the_default_unless_streams_are_single_turns(sample_lake):
    found = columns(sample_lake)
    assert default_grouping(found) == "conversation"
    single = dict(found, stream_id=np.arange(len(found["start_ns"])).astype(str).astype(object))
    assert default_grouping(single) == "slot"


def test_an_empty_window_has_no_lanes(sample_lake):
    point = points.one(sample_lake.lake, sample_lake.ids["high"])
    found = asked.columns(sample_lake.lake, point, Window("profiling", 1e6, 2e6))
    assert lanes(found, "slot") == []


SPANS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), max_size=40).map(
    lambda pairs: sorted((start, start + length) for start, length in pairs)
)


@given(SPANS)
def test_tracks_never_overlap_and_are_as_few_as_can_be(spans):
    tracks, used = first_fit(spans)
    busy = [sum(start <= at < max(end, start + 1) for start, end in spans) for at in range(72)]
    assert used == max(busy, default=0)
    for track in range(used):
        mine = [span for span, one in zip(spans, tracks, strict=True) if one == track]
        for (start, end), (following, _) in itertools.pairwise(mine):
            assert max(end, start + 1) <= following


@pytest.mark.parametrize("colour", VALUES)
def test_shades_rise_with_the_value(sample_lake, colour):
    found = columns(sample_lake)
    made, values = shades(found, colour), VALUES[colour][1](found)
    known = np.isfinite(values)
    assert (made.of[~known] == 0).all()
    assert ((made.of[known] >= 1) & (made.of[known] <= SHADES)).all()
    order = np.argsort(values[known], kind="stable")
    assert (np.diff(made.of[known][order]) >= 0).all()


def test_every_request_is_a_link_where_there_are_few(get, sample_lake):
    page = get(f"/e/v1/timeline?point={sample_lake.ids['high']}").text
    total = len(columns(sample_lake)["start_ns"])
    drawn = re.findall(r'<a [^>]*href="/points/[^"]*/timeline\?[^"]*req=([^"&]+)"[^>]*><path', page)
    assert sorted(set(drawn)) == sorted(
        f"r{stream:02d}-{turn:03d}" for stream in range(8) for turn in range(1, 12)
    )
    assert len(drawn) == total == 88
    said = i18n.text("en", "timeline.showing", shown="88", total="96")
    assert said in page


def test_density_draws_all_and_says_so(get, sample_lake, monkeypatch):
    monkeypatch.setattr(timeline, "BARS", 10)
    monkeypatch.setattr(timeline, "FEW", 0)
    monkeypatch.setattr(timeline, "LANES", dict.fromkeys(timeline.LANES, 3))
    page = get(f"/e/v1/timeline?point={sample_lake.ids['high']}&title=dense").text
    assert i18n.text("en", "embeds.density", lanes="8", each=3) in page
    assert i18n.text("en", "timeline.showing", shown="88", total="96") in page
    rows = re.findall(r'<a target="_blank" [^>]*aria-label="([^"]*)"><rect class="hit"', page)
    assert len(rows) == 3
    said = sum(int(n) for label in rows for n in re.findall(r"(\d+) requests", label))
    assert said == 88
    assert 'class="failed"' in page  # never folded away
    assert 'class="cancelled"' in page
    assert len(re.findall(r'class="e[1-4]"', page)) > 3


@pytest.mark.parametrize("query", ["by=worker", "color=ttft", "phase=warmup", "phase=all"])
def test_the_address_decides_lanes_colour_and_phase(get, sample_lake, query):
    base = f"/e/v1/timeline?point={sample_lake.ids['high']}"
    assert get(base).data != get(f"{base}&{query}").data


def test_a_window_counts_what_starts_in_it(get, sample_lake):
    point = points.one(sample_lake.lake, sample_lake.ids["high"])
    inside = asked.columns(sample_lake.lake, point, Window("profiling", 5.0, 10.0))
    page = get(f"/e/v1/timeline?point={sample_lake.ids['high']}&from=5&to=10").text
    n = len(inside["start_ns"])
    assert 0 < n < 88
    assert i18n.text("en", "timeline.showing", shown=n, total="96") in page


def test_a_request_is_framed_or_said_to_be_missing(get, sample_lake):
    base = f"/e/v1/timeline?point={sample_lake.ids['high']}"
    assert 'class="chosen"' in get(f"{base}&req=r03-004").text
    missing = get(f"{base}&req=nothing").text
    assert 'class="chosen"' not in missing
    assert i18n.text("en", "embeds.no_request", id="nothing") in missing


def test_an_aggregate_has_no_timeline_and_says_so(get, sample_lake):
    page = get(f"/e/v1/timeline?point={sample_lake.ids['other']}&lang=zh").text
    assert i18n.text("zh", "timeline_page.none") in page
