from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.ingest.aiperf_requests import is_request_export, read_requests
from explorer.ingest.conversation_id import parse
from explorer.ingest.counts import counts
from explorer.ingest.request_table import Stream, depth_of, root_of
from explorer.store.measure import measure
from explorer.store.schema import REQUESTS
from tests.ingest.aiperf_samples import AIPERF, ZERO
from tests.oracle import requests as oracle

V013 = AIPERF / "v013" / "profile_export.jsonl"
V2025 = AIPERF / "v2025_records" / "profile_export.jsonl"


def _by_id(table: pa.Table) -> dict[str, dict[str, object]]:
    return {row["request_id"]: row for row in table.to_pylist()}


def test_table_has_exactly_the_request_columns_sorted_by_start():
    table = read_requests(V013).table
    assert table.schema == REQUESTS
    assert table["ordinal"].to_pylist() == list(range(7))
    assert table["request_id"].to_pylist() == [f"req-{n}" for n in (0, 1, 2, 3, 4, 5, 6)]


def test_zero_is_the_first_profiling_start_and_keeps_every_digit():
    log = read_requests(V013)
    rows = _by_id(log.table)
    assert log.zero_ns == ZERO
    assert rows["req-1"]["start_ns"] == 0
    assert rows["req-0"]["start_ns"] == -2_000_000_000
    assert rows["req-1"]["credit_ns"] == -5_000_000
    assert rows["req-1"]["first_token_ns"] == 50_000_000


def test_statuses_tell_cancelled_from_failed_and_keep_zero_durations():
    rows = _by_id(read_requests(V013).table)
    assert [rows[f"req-{n}"]["status"] for n in (1, 5, 6)] == ["ok", "failed", "cancelled"]
    assert rows["req-5"]["start_ns"] == rows["req-5"]["end_ns"]
    assert (rows["req-5"]["error_type"], rows["req-5"]["error_code"]) == ("Bad Request", 400)
    assert rows["req-5"]["isl_tokens"] == 9000


def test_error_line_is_the_first_line_only():
    line = _by_id(read_requests(V013).table)["req-5"]["error_line"]
    assert line == '{"message": "This model\'s maximum context length is 780 tokens"}'


def test_itl_is_the_formula_and_single_chunk_answers_have_none():
    log = read_requests(V013)
    rows = _by_id(log.table)
    assert log.itl_source == "formula"
    assert rows["req-1"]["itl_s"] == pytest.approx(0.1, rel=1e-12)
    assert rows["req-4"]["itl_s"] is None
    assert rows["req-0"]["itl_s"] is None


def test_full_response_itl_wins_for_the_whole_point(tmp_path: Path):
    records = oracle.load(V013)
    records[0]["metrics"]["full_response_inter_token_latency"] = {"value": 7, "unit": "ms"}
    log = read_requests(_written(tmp_path, records))
    assert log.itl_source == "full_response"
    assert [x for x in log.table["itl_s"].to_pylist() if x is not None] == [0.007]


def test_plain_itl_serves_only_where_the_formula_cannot(tmp_path: Path):
    records = oracle.load(V013)
    for record in records:
        record["metrics"].pop("time_to_first_token", None)
    log = read_requests(_written(tmp_path, records))
    assert log.itl_source == "inter_token_latency"
    assert _by_id(log.table)["req-1"]["itl_s"] == 0.1


def test_units_are_those_beside_the_values(tmp_path: Path):
    records = oracle.load(V013)[2:3]
    records[0]["metrics"]["request_latency"] = {"value": 0.55, "unit": "s"}
    records[0]["metrics"]["time_to_first_token"] = {"value": 50_000, "unit": "us"}
    row = read_requests(_written(tmp_path, records)).table.to_pylist()[0]
    assert (row["e2el_s"], row["ttft_s"]) == (0.55, 0.05)


def test_unknown_unit_is_null_and_named(tmp_path: Path):
    records = oracle.load(V013)[2:3]
    records[0]["metrics"]["request_latency"] = {"value": 1, "unit": "fortnights"}
    log = read_requests(_written(tmp_path, records))
    assert log.table["e2el_s"].to_pylist() == [None]
    assert [(n.code, n.params["units"]) for n in log.notes] == [("unknown_unit", ["fortnights"])]


def test_2025_dialect_takes_start_and_end_from_its_metrics():
    log = read_requests(V2025)
    rows = _by_id(log.table)
    assert log.zero_ns == ZERO
    assert (rows["r0"]["start_ns"], rows["r0"]["end_ns"]) == (0, 1_100_000_000)
    assert (rows["r0"]["ttft_s"], rows["r0"]["phase"]) == (0.1, "profiling")
    assert rows["r2"]["status"] == "cancelled"


def test_sub_agents_hang_under_their_root():
    rows = _by_id(read_requests(V013).table)
    found = rows["req-2"]
    assert (found["conversation"], found["agent"], found["kind"]) == (
        "t1",
        "sa:agent_1:s0",
        "subagent",
    )
    assert (found["root_id"], found["parent_id"], found["depth"]) == ("s-a", "s-a", 1)
    assert rows["req-5"]["kind"] == "aux"
    assert rows["req-2"]["source_inner_idx"] == 0


def test_roots_are_walked_where_the_file_names_none(tmp_path: Path):
    records = oracle.load(V013)
    for record in records:
        record["metadata"].pop("root_correlation_id")
        record["metadata"].pop("agent_depth")
    rows = _by_id(read_requests(_written(tmp_path, records)).table)
    assert (rows["req-2"]["root_id"], rows["req-2"]["depth"]) == ("s-a", 1)
    assert (rows["req-1"]["root_id"], rows["req-1"]["depth"]) == ("s-a", 0)


def test_a_cycle_of_parents_ends_and_all_its_members_agree():
    streams = {"a": Stream("b", None), "b": Stream("c", None), "c": Stream("a", None)}
    assert {root_of(stream, streams) for stream in streams} == {"a"}
    assert depth_of("a", streams) == 2


def test_a_parent_without_a_record_is_the_root():
    assert root_of("child", {"child": Stream("ghost", None)}) == "ghost"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t", ("t", None, "main")),
        ("t::sa:x", ("t", "sa:x", "subagent")),
        ("t::sa:x:s3", ("t", "sa:x:s3", "subagent")),
        ("t::sa:x:aux:1", ("t", "sa:x:aux:1", "aux")),
        ("t::fa:000", ("t", "fa:000", "subagent")),
        ("t::wg:1_2", ("t", "wg:1_2", "subagent")),
        ("t::aux:000", ("t", "aux:000", "aux")),
        (None, ("trace", None, "main")),
    ],
)
def test_conversation_ids_follow_the_grammar(text: str | None, expected: tuple[object, ...]):
    assert tuple(parse(text, "trace")) == expected


def test_truncated_last_line_is_said_and_the_rest_kept(tmp_path: Path):
    path = tmp_path / "cut.jsonl"
    path.write_bytes(V013.read_bytes()[:-200])
    log = read_requests(path)
    assert log.table.num_rows == 6
    assert [(n.code, n.params["line"]) for n in log.notes] == [("truncated_last_line", 7)]


def test_bad_lines_are_counted_with_the_first_ones_place(tmp_path: Path):
    good = V013.read_text().splitlines()
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join([good[0], "{oops", "[]", good[1]]))
    log = read_requests(path)
    assert log.table.num_rows == 2
    assert [(n.code, n.params["line"], n.params["n"]) for n in log.notes] == [("bad_lines", 2, 2)]


def test_nan_infinity_and_overflowing_numbers_are_missing_not_zero(tmp_path: Path):
    line = V013.read_text().splitlines()[2]
    path = tmp_path / "odd.jsonl"
    path.write_text(
        line.replace('"value":50.0', '"value":NaN')
        + "\n"
        + line.replace('"value":550.0', '"value":1e400')
        + "\n"
        + line.replace('"value":200', '"value":-Infinity')
        + "\n"
        + line.replace('"value":200', '"value":123456789012345678901234567890')
    )
    log = read_requests(path)
    rows = log.table.to_pylist()
    params = {"file": "odd.jsonl", "n": 4, "first": "line 1"}
    assert [(n.code, n.params) for n in log.notes] == [("non_finite_numbers", params)]
    assert [row["ttft_s"] for row in rows].count(None) == 1
    assert [row["e2el_s"] for row in rows].count(None) == 1
    assert [row["isl_tokens"] for row in rows].count(None) == 2


@pytest.mark.parametrize("pack", ["gzip", "bom", "utf16"])
def test_packed_and_other_encodings_read_the_same(tmp_path: Path, pack: str):
    raw = V013.read_bytes()
    packed = {
        "gzip": gzip.compress(raw),
        "bom": b"\xef\xbb\xbf" + raw,
        "utf16": raw.decode().encode("utf-16"),
    }[pack]
    path = tmp_path / "x.jsonl"
    path.write_bytes(packed)
    assert read_requests(path).table.equals(read_requests(V013).table)


def test_overflow_skips_are_counted_and_leave_no_row(tmp_path: Path):
    records = oracle.load(V013)
    records[0]["metadata"]["context_overflow_skip"] = True
    log = read_requests(_written(tmp_path, records))
    assert (log.overflow_skips, log.overflow_failures, log.table.num_rows) == (1, 1, 6)


def test_a_record_without_any_start_is_left_out_and_said(tmp_path: Path):
    records = oracle.load(V013)
    records[0]["metadata"].pop("request_start_ns")
    log = read_requests(_written(tmp_path, records))
    assert log.table.num_rows == 6
    assert [(n.code, n.params["n"]) for n in log.notes] == [("requests_without_start", 1)]


def test_a_record_without_a_phase_counts_as_profiling(tmp_path: Path):
    records = oracle.load(V013)
    for record in records:
        record["metadata"].pop("benchmark_phase")
    assert set(read_requests(_written(tmp_path, records)).table["phase"].to_pylist()) == {
        "profiling"
    }


def test_the_raw_export_is_not_taken_for_requests():
    raw = {"metadata": {"x_request_id": "r"}, "start_perf_ns": 1, "responses": [], "error": None}
    assert not is_request_export(json.dumps(raw).encode())
    assert is_request_export(V013.read_bytes()[:1000].split(b"\n")[0])
    assert is_request_export(V013.read_bytes()[:700])


@settings(deadline=None, max_examples=30)
@given(st.permutations(range(7)))
def test_line_order_does_not_matter(tmp_path_factory: pytest.TempPathFactory, order: list[int]):
    lines = V013.read_text().splitlines()
    path = tmp_path_factory.mktemp("order") / "x.jsonl"
    path.write_text("\n".join(lines[index] for index in order))
    assert read_requests(path).table.equals(read_requests(V013).table)


def test_sample_equals_the_oracle():
    assert_equals_oracle(V013)


def _written(folder: Path, records: list[oracle.Record]) -> Path:
    path = folder / "profile_export.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records))
    return path


def assert_equals_oracle(path: Path) -> None:
    """Every metric of every request file, and the counts, as the independent recomputation."""
    records, log = oracle.load(path), read_requests(path)
    expected = oracle.metrics(records)
    found = {key: x for key, x in measure(log.table).items() if x is not None}
    compared = {key for key in found if not key.endswith(("_queue_wait_s", "_uncached_tokens"))}
    assert compared == expected.keys()
    wrong = {
        key: (found[key], expected[key])
        for key in compared
        if not math.isclose(found[key], expected[key], rel_tol=1e-9, abs_tol=1e-12)
    }
    assert not wrong
    counted = counts(log.table)
    assert {key: counted[key] for key in oracle.counts(records)} == oracle.counts(records)


@pytest.mark.real_data
def test_every_real_request_file_equals_the_oracle(real_data: Path):
    paths = sorted(real_data.rglob("profile_export.jsonl"))
    assert len(paths) >= 40
    for path in paths:
        assert_equals_oracle(path)


@pytest.mark.real_data
def test_error_run_has_the_true_counts_and_kinds(real_data: Path):
    table = read_requests(real_data / "aiperf/d_errors_c8/profile_export.jsonl").table
    found = counts(table)
    assert [found[f"requests_{x}"] for x in ("total", "ok", "failed", "cancelled", "warmup")] == [
        240,
        162,
        65,
        13,
        8,
    ]
    rows = table.to_pylist()
    failed = [r for r in rows if r["phase"] == "profiling" and r["status"] == "failed"]
    assert len({(r["error_type"], r["error_code"]) for r in failed}) == 6
    warm = [r for r in rows if r["phase"] == "warmup" and r["status"] == "failed"]
    assert [r["error_type"] for r in warm] == ["ServerDisconnectedError"]


@pytest.mark.real_data
def test_replay_has_fifteen_roots_and_both_phases(real_data: Path):
    table = read_requests(real_data / "aiperf/c_weka_agentic_c6/profile_export.jsonl").table
    found = counts(table)
    assert (found["requests_warmup"], found["requests_ok"]) == (203, 412)
    assert len(set(table["root_id"].to_pylist())) == 15
