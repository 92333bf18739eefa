"""The packed timeline: what goes in comes out, at a size a phone can load."""

from __future__ import annotations

import gzip
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.figures.timeline_pack import NULL, pack_timeline, unpack_timeline
from explorer.figures.timeline_planes import (
    from_log_linear,
    join,
    read_planes,
    split,
    to_log_linear,
    unzigzag,
    write_planes,
    zigzag,
)
from explorer.figures.timeline_streams import KINDS, stream_table

UNIT = 10_000
BENCH = Path(__file__).parents[2] / "bench" / "timeline_data.py"


def generated(n: int) -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location("timeline_data", BENCH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    columns: dict[str, Any] = module.generate(n)
    return columns


def request(**changes: Any) -> dict[str, Any]:
    plain = {
        "stream_id": "s0",
        "root_id": "s0",
        "parent_id": None,
        "conversation": "trace_1",
        "agent": None,
        "turn": 0,
        "depth": 0,
        "kind": "main",
        "phase": "profiling",
        "client_worker": "w0",
        "engine": None,
        "credit_ns": 0,
        "start_ns": 1 * UNIT,
        "first_token_ns": 5 * UNIT,
        "end_ns": 9 * UNIT,
        "isl_tokens": 100,
        "osl_tokens": 10,
        "cached_tokens": 64,
        "status": "ok",
        "error_type": None,
        "error_code": NULL,
    }
    assert set(changes) <= set(plain)
    return plain | changes


TEXTS = {"stream_id", "root_id", "parent_id", "conversation", "agent", "kind", "phase"}
TEXTS |= {"client_worker", "engine", "status", "error_type"}


def columns(*rows: dict[str, Any]) -> dict[str, Any]:
    made = {
        key: np.array([row[key] for row in rows], dtype=object if key in TEXTS else np.int64)
        for key in request()
    }
    return made | {"ordinal": np.arange(len(rows))}


@given(st.lists(st.integers(-(2**31) + 1, 2**31 - 1)))
def test_zigzag_round_trip_is_unsigned(values: list[int]) -> None:
    coded = zigzag(np.array(values, dtype=np.int64))
    assert (coded >= 0).all()
    assert unzigzag(coded).tolist() == values


@given(st.lists(st.integers(0, 2**32 - 1)))
def test_planes_round_trip(values: list[int]) -> None:
    column = np.array(values, dtype=np.int64)
    width, data = split(column)
    assert len(data) == width * len(values)
    assert join(data, 0, width, len(values)).tolist() == values
    directory, body = write_planes({"zeros": column * 0, "column": column})
    assert read_planes(directory, body)["column"].tolist() == values


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1), st.integers(4, 16))
def test_log_linear_keeps_the_leading_bits_and_the_order(values: list[int], bits: int) -> None:
    column = np.sort(np.array(values, dtype=np.int64))
    codes = to_log_linear(column, bits)
    back = from_log_linear(codes, bits)
    assert (np.diff(codes) >= 0).all()
    assert (back <= column).all()
    assert ((column - back) * 2 ** (bits - 1) <= column).all()
    small = column < 2**bits
    assert (back[small] == column[small]).all()


def test_split_refuses_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="a plane holds"):
        split(np.array([2**32]))


def test_a_request_comes_back_with_every_fact() -> None:
    timeline = unpack_timeline(pack_timeline(columns(request()), skipped_overflow=4))
    facts = {key: int(values[0]) for key, values in timeline.requests.items()}
    assert facts == {
        "ordinal": 0,
        "stream": 0,
        "turn": 0,
        "status": 0,
        "phase": 0,
        "credit": 0,
        "start": 1,
        "first": 5,
        "end": 9,
        "isl": 100,
        "osl": 10,
        "cached": 64,
        "error": -1,
        "worker": 0,
        "engine": -1,
    }
    assert timeline.header["workers"] == ["w0"]
    assert timeline.header["counts"]["profiling_ok"] == 1
    assert timeline.header["counts"]["skipped_overflow"] == 4


def test_missing_values_stay_missing() -> None:
    bare = request(
        credit_ns=NULL,
        first_token_ns=NULL,
        end_ns=NULL,
        isl_tokens=NULL,
        osl_tokens=NULL,
        cached_tokens=NULL,
        client_worker=None,
        status="failed",
        error_type="http",
        error_code=500,
    )
    timeline = unpack_timeline(pack_timeline(columns(bare)))
    missing = {k for k, v in timeline.requests.items() if v[0] == -1}
    assert missing == {"credit", "first", "end", "isl", "osl", "cached", "worker", "engine"}
    assert timeline.header["errors"] == [{"type": "http", "code": 500}]


def test_warm_up_lies_before_the_zero_of_the_clock() -> None:
    early = request(phase="warmup", credit_ns=-7 * UNIT, start_ns=-6 * UNIT, first_token_ns=-UNIT)
    timeline = unpack_timeline(pack_timeline(columns(early)))
    origin = timeline.header["origin_ns"]
    assert origin == -7 * UNIT
    assert origin + int(timeline.requests["start"][0]) * UNIT == -6 * UNIT
    assert timeline.requests["phase"].tolist() == [1]


def test_generated_columns_survive_packing() -> None:
    given_columns = generated(5_000)
    timeline = unpack_timeline(pack_timeline(given_columns))
    got = timeline.requests
    for name, key in (("isl", "isl_tokens"), ("osl", "osl_tokens"), ("cached", "cached_tokens")):
        wanted = np.where(given_columns[key] == NULL, -1, given_columns[key])
        assert got[name].tolist() == wanted.tolist()
    assert got["turn"].tolist() == given_columns["turn"].tolist()
    workers = [timeline.header["workers"][w] for w in got["worker"]]
    assert workers == given_columns["client_worker"].tolist()
    start = got["start"] * UNIT + timeline.header["origin_ns"]
    assert (start <= given_columns["start_ns"]).all()
    assert (given_columns["start_ns"] - start < UNIT).all()
    took = (got["end"] - got["start"]) * UNIT
    truth = given_columns["end_ns"] - given_columns["start_ns"]
    assert (np.abs(took - truth) <= 2 * UNIT + truth / 2**13).all()


def test_a_parent_without_a_record_gets_a_placeholder() -> None:
    orphan = request(stream_id="child", parent_id="gone", root_id="gone", depth=1, kind="subagent")
    streams = unpack_timeline(pack_timeline(columns(orphan))).streams
    assert [KINDS[k] for k in streams["kind"]] == ["subagent", "placeholder"]
    assert streams["parent"].tolist() == [1, -1]
    assert streams["conversation"].tolist() == [0, 0]


def test_two_orphans_of_one_parent_share_its_placeholder() -> None:
    first = request(stream_id="a", parent_id="gone", root_id="gone", kind="subagent")
    second = request(stream_id="b", parent_id="gone", root_id="gone", kind="subagent")
    table = stream_table(columns(first, second))
    assert table.parent.tolist() == [2, 2, -1]


def test_parents_in_a_circle_become_roots() -> None:
    rows = [request(stream_id="a", parent_id="b"), request(stream_id="b", parent_id="a")]
    assert stream_table(columns(*rows)).parent.tolist() == [-1, -1]


def test_replays_of_one_conversation_are_two_streams() -> None:
    rows = [request(stream_id="a", root_id="a"), request(stream_id="b", root_id="b")]
    table = stream_table(columns(*rows))
    assert table.of_request.tolist() == [0, 1]
    assert table.conversation.tolist() == [0, 0]


def test_a_stream_with_two_agents_is_not_merged() -> None:
    rows = [request(agent="x"), request(agent="y")]
    assert stream_table(columns(*rows)).of_request.tolist() == [0, 1]


def test_an_empty_point_packs() -> None:
    empty = {key: values[:0] for key, values in columns(request()).items()}
    timeline = unpack_timeline(pack_timeline(empty))
    assert timeline.header["n"] == 0
    assert all(len(values) == 0 for values in timeline.requests.values())


def test_a_part_of_the_requests_keeps_their_ordinals() -> None:
    part = columns(request(), request(), request()) | {"ordinal": np.array([3, 4, 900])}
    assert unpack_timeline(pack_timeline(part)).requests["ordinal"].tolist() == [3, 4, 900]


def test_ordinals_out_of_order_are_refused() -> None:
    for ordinals in ([1, 0], [0, 0], [-1, 0]):
        broken = columns(request(), request()) | {"ordinal": np.array(ordinals)}
        with pytest.raises(ValueError, match="sorted by ordinal"):
            pack_timeline(broken)


def test_the_header_carries_what_is_said_about_the_point() -> None:
    timeline = unpack_timeline(pack_timeline(columns(request()), about={"dataset": "d"}))
    assert timeline.header["about"] == {"dataset": "d"}


def test_another_version_is_refused() -> None:
    data = pack_timeline(columns(request()))
    with pytest.raises(ValueError, match="version 9"):
        unpack_timeline(data[:4] + b"\x09" + data[5:])
    with pytest.raises(ValueError, match="XTLN"):
        unpack_timeline(b"JUNK" + data[4:])


def test_eight_thousand_requests_stay_under_fifteen_bytes_each() -> None:
    packed = gzip.compress(pack_timeline(generated(8_000)), 9)
    assert len(packed) <= 8_000 * 15
