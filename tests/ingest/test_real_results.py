"""Ingest of real results: the figures of the data's own README, and independent recomputation."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from explorer.ingest.report import Report
from tests.ingest.lakes import points, put, state
from tests.oracle import requests as oracle

pytestmark = pytest.mark.real_data
FOLDERS = (
    *("agentx-ci", "inferencex-api", "inferencex-csv", "inferencex-fixed-seq"),
    *("aiperf", "aiperf-2025"),
)
LATENCY = {"ttft": "ttft_s", "e2el": "e2el_s", "itl": "itl_s", "tpot": "tpot_s"}
TOKENS = {"input": "isl_tokens", "output_actual": "osl_tokens"}
SPEED = {"intvty": "interactivity_tps", "e2e_norm_intvty": "e2e_interactivity_tps"}


@pytest.fixture(scope="module")
def ingested(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Report]:
    """Return the lake of all real results and the report of its first ingest."""
    lake = tmp_path_factory.mktemp("real") / "lake"
    return lake, put(lake, *(real_data / name for name in FOLDERS))


@pytest.fixture(scope="module")
def rows(ingested: tuple[Path, Report]) -> list[dict[str, Any]]:
    return list(points(ingested[0]).values())


def _agentic(rows: list[dict[str, Any]], **wanted: Any) -> list[dict[str, Any]]:
    measured = [row for row in rows if row["scenario"] == "agentic" and row["source"] == "measured"]
    return [row for row in measured if all(row[key] == value for key, value in wanted.items())]


def test_report_counts_what_the_files_state(ingested):
    _, report = ingested
    assert report.results == {
        "agentx-flat": 57,
        "agentx-nested": 8,
        "aiperf": 75,
        "inferencex-api": 435,
        "inferencex-csv": 5,
        "inferencex-fixed": 5,
    }
    assert report.points_written == 516
    assert report.exit_code == 3


def test_only_folders_without_a_result_are_skipped(ingested):
    _, report = ingested
    assert [(skip.reason, Path(skip.path).name[-3:]) for skip in report.skipped] == [
        ("no_result", "_08"),
        ("no_result", "_09"),
        ("no_result", "zer"),
    ]


def test_every_agentx_row_is_one_point_with_its_run(rows):
    found = _agentic(rows)
    assert len(found) == 62
    assert Counter((row["model"], row["hw"]) for row in found) == {
        ("kimik2.5", "b200"): 23,
        ("kimik2.5", "mi355x"): 20,
        ("qwen3.5", "mi355x"): 14,
        ("kimik2.7", "mi355x"): 5,
    }
    assert all(row["format"] == "aiperf" and row["aliases"] for row in found)
    assert sum(row["requests_object"] is not None for row in found) == 23 + 4 + 4 + 1


def test_one_point_crashed_four_stopped_early_fifteen_are_invalid(rows):
    [crashed] = _agentic(rows, status="failed")
    assert (crashed["tp"], crashed["concurrency"], crashed["kv_offload_backend"]) == (
        8,
        32,
        "lmcache",
    )
    assert (crashed["requests_total"], crashed["requests_failed"]) == (32, 32)
    early = {(row["tp"], row["concurrency"]) for row in _agentic(rows, status="partial")}
    assert early == {(8, 16.0), (4, 16.0), (4, 22.0), (8, 36.0)}
    assert len(_agentic(rows, hw="b200", valid=False)) == 15


def test_no_stored_aggregate_differs_from_its_requests(rows):
    codes = Counter(warning["code"] for row in rows for warning in row["warnings"])
    assert codes["stated_differs"] == 0
    assert codes["short_window"] == 4
    assert codes["gpu_split_solved"] == 8
    assert codes["gpu_count_mismatch"] == 0


def test_every_point_with_requests_equals_an_independent_recomputation(real_data, rows):
    checked = 0
    for row in rows:
        sources = [one["path"] for one in row["sources"]]
        exports = [path for path in sources if path.endswith(".jsonl") and "metrics" not in path]
        exports = [path for path in exports if "telemetry" not in path]
        if not row["requests_object"]:
            continue
        [export] = exports
        file = next(p for name in FOLDERS if (p := real_data / name / export).exists())
        _check(row, oracle.load(file))
        checked += 1
    assert checked == 32 + 9 + 3


def _check(row: dict[str, Any], records: list[dict[str, Any]]) -> None:
    for key, value in oracle.counts(records).items():
        assert row[key] == value, key
    expected = oracle.metrics(records)
    for key, value in expected.items():
        assert row[key] == pytest.approx(value, rel=1e-9, nan_ok=False), (row["point_id"], key)


@pytest.mark.parametrize("conc", [2, 6])
def test_the_fields_own_aggregator_agrees_to_five_decimals(real_data, rows, conc: int):
    stored = json.loads(
        (real_data / f"aiperf/agg_rows/agentic_mock_tp2_conc{conc}.json").read_text()
    )
    [row] = [
        one
        for one in rows
        if one["source"] == "mock" and one["scenario"] == "agentic" and one["concurrency"] == conc
    ]
    found = stored["request_metrics"]
    compared = 0
    for group, names in (("latency", LATENCY | SPEED), ("tokens", TOKENS)):
        for raw, key in names.items():
            for stat, value in found[group][raw].items():
                if stat == "std" and raw in SPEED:
                    continue
                assert row[f"{stat}_{key}"] == pytest.approx(value, abs=0.51e-5), (stat, key)
                compared += 1
    for basis in ("total", "input", "output"):
        value = found["throughput"][basis]["tokens_per_second"]
        assert row[f"{basis}_tps"] == pytest.approx(value, abs=0.51e-5)
    assert compared == 6 * 6 + 5 * 2
    assert row["gpus"] == 2
    assert row["kv_pool_tokens"] == stored["kv_cache_pool_tokens"]
    cache = stored["server_metrics"]["cache"]
    assert row["gpu_cache_hit_ratio"] == pytest.approx(cache["gpu_cache_hit_rate"], abs=0.51e-5)


def test_rows_of_runs_already_there_attach_and_the_odd_one_stays(rows):
    mock = [row for row in rows if row["source"] == "mock"]
    attached = [row for row in mock if row["format"] == "aiperf" and row["aliases"]]
    assert sorted((row["scenario"], row["concurrency"]) for row in attached) == [
        ("agentic", 2.0),
        ("agentic", 6.0),
        ("fixed", 2.0),
        ("fixed", 8.0),
        ("fixed", 24.0),
    ]
    [alone] = [row for row in mock if row["format"] == "agentx-nested"]
    assert alone["concurrency"] == 12.0
    paths = {one["path"].split("/")[0] for row in attached for one in row["sources"]}
    assert paths == {"agg_rows", "e_sweep", "c_weka_agentic_c2", "c_weka_agentic_c6"}


def test_replays_are_bound_to_the_traces_that_were_replayed(rows):
    replays = [row for row in rows if row["source"] == "mock" and row["requests_object"]]
    bound = {row["concurrency"] for row in replays if row["dataset"] == "weka-traces-replayed"}
    assert bound == {2.0, 6.0}


def test_api_rows(rows):
    api = [row for row in rows if row["format"] == "inferencex-api"]
    assert len(api) == 435
    assert sum(row["mode"] == "disagg" for row in api) == 235
    assert sum(row["p90_ttft_s"] is None for row in api) == 290
    assert sum(row["accuracy"] is not None for row in api) == 221
    itl = [row for row in api if row["p50_itl_s"] > 5 * row["p50_tpot_s"]]
    assert len(itl) == 301
    assert all(row["gpus"] == row["tp"] for row in api if row["mode"] == "agg")
    for row in api:
        if row["mode"] == "disagg":
            both = row["input_tps"] + row["output_tps"]
            assert both == pytest.approx(row["total_tps"], rel=1e-3)
            assert row["prefill_gpus"] + row["decode_gpus"] == row["gpus"]
        assert row["p50_interactivity_tps"] == pytest.approx(1 / row["p50_tpot_s"], rel=1e-12)


def test_csv_lines_equal_to_an_api_row_are_the_same_point(rows):
    csv = [row for row in rows if any(one["path"].endswith(".csv") for one in row["sources"])]
    csv = [row for row in csv if row["model"] == "dsr1"]
    assert sorted((row["format"], row["concurrency"]) for row in csv) == [
        ("inferencex-api", 4.0),
        ("inferencex-api", 8.0),
        ("inferencex-csv", 16.0),
        ("inferencex-csv", 32.0),
        ("inferencex-csv", 64.0),
    ]
    assert all(0.05 < row["mean_ttft_s"] < 0.5 for row in csv)


def test_second_ingest_writes_nothing(ingested, real_data):
    lake, first = ingested
    before = state(lake)
    second = put(lake, *(real_data / name for name in reversed(FOLDERS)))
    assert state(lake) == before
    assert (second.points_written, second.points_unchanged) == (0, 516)
    assert (second.read, second.ignored) == (first.read, first.ignored)


def test_ids_are_the_same_when_results_arrive_one_by_one_and_rows_first(
    ingested, real_data, tmp_path
):
    aiperf = real_data / "aiperf"
    lake = tmp_path / "lake"
    put(lake, aiperf / "agg_rows")
    for name in ("e_sweep", "c_weka_agentic_c6", "c_weka_agentic_c2"):
        put(lake, aiperf / name)
    whole = points(ingested[0])
    mine = points(lake)
    assert len(mine) == 6
    for key, row in mine.items():
        assert row["revision"] == whole[key]["revision"]
        assert row["aliases"] == whole[key]["aliases"]


def test_a_crashed_row_and_its_run_meet_by_name_when_they_arrive_apart(real_data, tmp_path):
    download = real_data / "agentx-ci/2026-06/kimik2.5-fp4-b200-vllm-agentic-lmcache"
    [row] = download.glob("bmk_agentic_*_tp8_conc32_*")
    [run] = download.glob("agentic_*_tp8_conc32_*")
    ids = []
    for number, order in enumerate(((row, run), (run, row))):
        lake = tmp_path / str(number)
        for folder in order:
            put(lake, folder)
        [point] = points(lake).values()
        assert point["status"] == "failed"
        assert point["requests_failed"] == 32
        ids.append((point["point_id"], point["aliases"]))
    assert ids[0] == ids[1]
