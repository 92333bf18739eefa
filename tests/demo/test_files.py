"""Written files: what they say agrees, and a second build says it in the same bytes."""

import hashlib
import json
import tomllib
from functools import cache
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from explorer.demo.build import all_sessions, sample
from explorer.demo.folders import build_dataset, build_fixed, build_point
from explorer.demo.plan import CAPPED_DATASET, AgenticPoint, FixedRun, corpus
from explorer.demo.stats import percentile
from explorer.demo.workload import Session

GOLDEN = ("6634e12dea442947", "8d9d1ae4c9c6276f")
"""First 16 digits of SHA-256 over the files' hashes: two traces; one point's folder."""


@cache
def _sessions() -> list[Session]:
    return sample(all_sessions(CAPPED_DATASET), 36)


def _point(metrics: str, *, telemetry: bool = False, private: bool = False) -> AgenticPoint:
    return next(
        point
        for point in corpus("small").points
        if point.metrics == metrics
        and point.replay.lanes == 8
        and point.telemetry == telemetry
        and (point.layout == "private") == private
    )


def _hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("metrics", ["jsonl", "parquet", "log"])
def test_a_second_build_of_a_point_is_byte_identical(metrics: str, tmp_path: Path) -> None:
    point = _point(metrics, telemetry=metrics == "jsonl")
    once = build_point(point, _sessions(), tmp_path / "a")
    twice = build_point(point, list(_sessions()), tmp_path / "b")
    assert _hashes(once) == _hashes(twice)


def test_datasets_and_rows_are_byte_identical_too(tmp_path: Path) -> None:
    for name in ("a", "b"):
        build_dataset("some", _sessions()[:3], tmp_path / name)
        build_fixed(corpus("small").fixed[0], tmp_path / name)
    assert _hashes(tmp_path / "a") == _hashes(tmp_path / "b")


def test_texts_have_these_hashes_on_every_machine(tmp_path: Path) -> None:
    build_dataset("some", _sessions()[:2], tmp_path)
    folder = build_point(_point("log"), _sessions(), tmp_path)
    traces = hashlib.sha256("".join(_hashes(tmp_path / "some").values()).encode()).hexdigest()
    requests = hashlib.sha256("".join(_hashes(folder).values()).encode()).hexdigest()
    assert (traces[:16], requests[:16]) == GOLDEN


def test_summary_and_row_state_what_the_lines_say(tmp_path: Path) -> None:
    folder = build_point(_point("parquet"), _sessions(), tmp_path)
    (export,) = folder.rglob("profile_export.jsonl")
    lines = [json.loads(line) for line in export.read_text().splitlines()]
    kept = [
        line
        for line in lines
        if line["metadata"]["benchmark_phase"] == "profiling" and "error" not in line
    ]
    summary = json.loads(export.with_name("profile_export_aiperf.json").read_text())
    (row_file,) = folder.glob("bmk_agentic_*/*.json")
    row = json.loads(row_file.read_text())
    ttft = sorted(line["metrics"]["time_to_first_token"]["value"] for line in kept)
    assert summary["request_count"]["avg"] == len(kept) == row["num_requests_successful"]
    assert summary["time_to_first_token"]["p90"] == pytest.approx(percentile(ttft, 90))
    stated = row["request_metrics"]["latency"]["ttft"]["p90"]
    assert stated == pytest.approx(percentile(ttft, 90) / 1e3, abs=6e-6)
    assert row["num_requests_total"] == len(lines)


def test_request_lines_name_their_place_in_the_trace(tmp_path: Path) -> None:
    build_dataset("some", _sessions(), tmp_path)
    folder = build_point(_point("parquet"), _sessions(), tmp_path)
    (export,) = folder.rglob("profile_export.jsonl")
    kinds = set()
    for line in export.read_text().splitlines():
        meta = json.loads(line)["metadata"]
        trace = json.loads((tmp_path / "some" / f"{meta['source_trace_id']}.json").read_text())
        entry = trace["requests"][meta["source_outer_idx"]]
        if "source_inner_idx" in meta:
            entry = entry["requests"][meta["source_inner_idx"]]
        size = json.loads(line)["metrics"].get("input_sequence_length")
        kinds.add(meta["source_kind"])
        assert size is None or size["value"] == entry["in"]
    assert {"weka_main", "weka_subagent"} <= kinds


def test_parquet_counters_are_deltas_of_the_profiling_window(tmp_path: Path) -> None:
    point = next(p for p in corpus("small").points if p.metrics == "parquet")
    folder = build_point(point, _sessions(), tmp_path)
    (path,) = folder.rglob("server_metrics_export.parquet")
    table = pq.read_table(path)
    first = int(table.schema.metadata[b"aiperf.time_filter_start_ns"])
    rows = table.filter(
        (pc.field("metric_name") == "vllm:prompt_tokens") & (pc.field("timestamp_ns") == first)
    )
    assert rows.num_rows == point.deployment.decode.ranks
    assert set(rows["value"].to_pylist()) == {0.0}


def test_every_folder_says_that_it_is_simulated(tmp_path: Path) -> None:
    plan = corpus("small")
    build_dataset("some", _sessions()[:1], tmp_path)
    run: FixedRun = plan.fixed[0]
    build_fixed(run, tmp_path)
    build_point(_point("jsonl", private=True), _sessions(), tmp_path)
    build_point(_point("log"), _sessions(), tmp_path)
    stated = [tomllib.loads(p.read_text())["source"] for p in tmp_path.rglob("explorer.toml")]
    assert stated == ["simulated"] * 5
    (rows,) = tmp_path.rglob("agg_bmk.json")
    assert {row["source"] for row in json.loads(rows.read_text())} == {"simulated"}


def test_the_log_states_the_pool_once_per_engine(tmp_path: Path) -> None:
    point = _point("log")
    folder = build_point(point, _sessions(), tmp_path)
    (log,) = folder.rglob("server.log")
    pools = [line for line in log.read_text().splitlines() if "GPU KV cache size" in line]
    pool = point.deployment.kv_pool_tokens
    assert len(pools) == 1
    assert pools[0].endswith(f"GPU KV cache size: {pool:,} tokens")
