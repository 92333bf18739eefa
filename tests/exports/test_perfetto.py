"""The Perfetto trace, read with the published protobuf classes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

from explorer.exports import protobuf
from explorer.exports.perfetto import COLUMNS, perfetto
from explorer.exports.timeline_files import Asked, file_of
from explorer.queries import points, requests, timeline
from explorer.queries.requests import Wanted
from explorer.queries.window import Window
from explorer.store.lake import open_lake
from tests.lake_fixture import Sample


class Read:
    """A trace's tracks and slices, by the rules of the format: names through interned data."""

    def __init__(self, data: bytes) -> None:
        self.trace = Trace.FromString(data)
        self.tracks: dict[int, Any] = {}
        self.slices: list[dict[str, Any]] = []
        self.counters: list[tuple[int, int, float]] = []
        self.open: dict[int, list[dict[str, Any]]] = {}
        for packet in sorted(self.trace.packet, key=lambda p: p.timestamp):
            self.read(packet)
        assert not any(self.open.values()), "a slice is never closed"

    def read(self, packet: Any) -> None:
        if packet.HasField("interned_data"):
            interned = packet.interned_data
            self.names = {one.iid: one.name for one in interned.event_names}
            self.categories = {one.iid: one.name for one in interned.event_categories}
            self.keys = {one.iid: one.name for one in interned.debug_annotation_names}
            words = interned.debug_annotation_string_values
            self.words = {one.iid: one.str.decode() for one in words}
        elif packet.HasField("track_descriptor"):
            self.tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        elif packet.HasField("track_event"):
            self.event(packet.timestamp, packet.track_event)

    def event(self, at: int, event: Any) -> None:
        stack = self.open.setdefault(event.track_uuid, [])
        if event.type == TrackEvent.TYPE_COUNTER:
            self.counters.append((event.track_uuid, at, event.double_counter_value))
        elif event.type == TrackEvent.TYPE_SLICE_BEGIN:
            stack.append(
                {
                    "track": event.track_uuid,
                    "name": self.names[event.name_iid],
                    "category": [self.categories[i] for i in event.category_iids],
                    "args": {self.keys[a.name_iid]: self.value(a) for a in event.debug_annotations},
                    "start": at,
                    "depth": len(stack),
                }
            )
        else:
            done = stack.pop()
            self.slices.append(done | {"took": at - done["start"]})

    def value(self, annotation: Any) -> Any:
        if annotation.HasField("string_value_iid"):
            return self.words[annotation.string_value_iid]
        return getattr(annotation, annotation.WhichOneof("value"))

    def above(self, uuid: int) -> list[str]:
        """Return a track's names from the top down to it."""
        track = self.tracks[uuid]
        before = self.above(track.parent_uuid) if track.parent_uuid else []
        return [*before, track.name]


def read(lake: Any, point: Any, window: Window) -> tuple[Read, list[dict[str, Any]]]:
    data, _ = file_of(Asked(lake, point, window), "perfetto")
    rows: list[dict[str, Any]] = []
    page = requests.many(lake, point, Wanted(window), limit=1_000)
    rows += page.rows
    while page.next:
        page = requests.many(lake, point, Wanted(window), limit=1_000, cursor=page.next)
        rows += page.rows
    return Read(data), rows


def check(trace: Read, rows: list[dict[str, Any]], root: str) -> None:
    """Counts, nesting and durations of a trace equal the requests served."""
    turns = {s["args"]["request_id"]: s for s in trace.slices if "request_id" in s["args"]}
    assert len(turns) == len(rows)
    low = min(turns[r["request_id"]]["start"] / 1e9 - r["start_s"] for r in rows)
    parts: dict[tuple[int, str, int], Counter] = {}
    for one in trace.slices:
        parts.setdefault((one["track"], one["name"], one["start"]), Counter())[one["took"]] += 1
    for row in rows:
        turn = turns[row["request_id"]]
        ns = {k: round(row[f"{k}_s"] * 1e9) for k in ("start", "end")}
        assert turn["took"] == pytest.approx(ns["end"] - ns["start"], abs=2)
        assert turn["start"] / 1e9 == pytest.approx(row["start_s"] + low, abs=1e-6)
        assert turn["name"] == f"turn {row['turn']}"
        assert turn["category"] == [row["status"]]
        assert turn["args"]["ordinal"] == row["ordinal"]
        assert turn["args"]["phase"] == row["phase"]
        assert turn["args"].get("isl_tokens") == row["isl_tokens"]
        names = trace.above(turn["track"])
        assert names[0] == root
        assert names[-1] == (row["agent"] or row["conversation"] or "requests")
        assert len(names) >= 2 + (row["depth"] or 0)
        if row["first_token_s"] is not None:
            wanted = round((row["first_token_s"] - row["start_s"]) * 1e9)
            took = parts[turn["track"], "prefill", turn["start"]]
            assert any(abs(one - wanted) <= 2 for one in took)
    with_first = sum(row["first_token_s"] is not None for row in rows)
    named = Counter(s["name"] for s in trace.slices if "request_id" not in s["args"])
    assert named["prefill"] == named["decode"] == with_first
    waits = sum(row["credit_s"] is not None and row["credit_s"] < row["start_s"] for row in rows)
    assert named["wait"] == waits
    depth = {"prefill": 1, "decode": 1, "wait": 0}
    assert all(s["depth"] == depth.get(s["name"], 0) for s in trace.slices)


def test_a_trace_says_what_the_requests_say(sample_lake: Sample) -> None:
    point = points.one(sample_lake.lake, sample_lake.ids["high"])
    trace, rows = read(sample_lake.lake, point, Window("all"))
    assert {row["status"] for row in rows} == {"ok", "failed", "cancelled"}
    check(trace, rows, point["point_id"])


def test_counters_follow_the_servers_series(sample_lake: Sample) -> None:
    point = points.one(sample_lake.lake, sample_lake.ids["low"])
    trace, _ = read(sample_lake.lake, point, Window("all"))
    tracks = {uuid: trace.above(uuid) for uuid, _, _ in trace.counters}
    assert {names[1].split()[0] for names in tracks.values()} == set(timeline.STRIP)
    assert all(names[0] == "server" for names in tracks.values())
    units = {trace.tracks[uuid].counter.unit_name for uuid in tracks}
    assert units == {"requests", "ratio"}


def test_a_window_leaves_its_requests_alone(sample_lake: Sample) -> None:
    point = points.one(sample_lake.lake, sample_lake.ids["high"])
    trace, rows = read(sample_lake.lake, point, Window("profiling", 4.0, 12.0))
    assert rows
    check(trace, rows, point["point_id"])


def test_no_requests_make_a_trace_without_slices(sample_lake: Sample) -> None:
    point = points.one(sample_lake.lake, sample_lake.ids["high"])
    columns = timeline.columns(sample_lake.lake, point, Window("all", 1e6, 2e6), COLUMNS)
    assert Read(perfetto("p", columns)).slices == []


@given(st.integers(0, 2**64 - 1), st.floats(allow_nan=False), st.text(max_size=300))
def test_fields_read_back(number: int, value: float, text: str) -> None:
    event = protobuf.uint(11, number) + protobuf.double(44, value) + protobuf.text(23, text)
    read = TrackEvent.FromString(event)
    assert (read.track_uuid, read.double_counter_value, read.name) == (number, value, text)


@pytest.mark.real_data
def test_traces_of_real_runs_equal_their_requests(real_lake: Path) -> None:
    lake = open_lake(real_lake)
    sql = "SELECT point_id FROM {points} WHERE requests_object IS NOT NULL"
    ids = [row["point_id"] for row in lake.rows(sql)]
    assert len(ids) > 30
    for point_id in ids:
        trace, rows = read(lake, points.one(lake, point_id), Window("all"))
        check(trace, rows, point_id)
