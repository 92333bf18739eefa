"""The whole way from files to a snapshot, on the samples."""

from __future__ import annotations

import gzip
import json
import shutil
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import zstandard

from explorer.errors import UsageError
from explorer.ingest.manifest import FILE
from explorer.ingest.pipeline import ingest
from tests.ingest.aiperf_samples import AIPERF
from tests.ingest.lakes import numbers, only, points, put, state
from tests.ingest.row_samples import API, CSV, FIXED, FLAT, INVALID, NESTED, ROWS, changed

RUN = AIPERF / "v013"


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return tmp_path / "lake"


def row_of(point: dict[str, Any]) -> dict[str, Any]:
    """Return a nested aggregate row as the field computes it from a run: five decimals."""

    def stats(quantity: str, *names: str) -> dict[str, float]:
        return {name: round(point[f"{name}_{quantity}"], 5) for name in names}

    usual = ("mean", "p50", "p75", "p90", "p95", "std")
    row = json.loads(NESTED.read_text())
    row |= {"conc": int(point["concurrency"]), "num_requests_successful": point["requests_ok"]}
    row.pop("request_accounting")
    row.pop("server_metrics")
    latency = {key: stats(f"{key}_s", *usual) for key in ("ttft", "e2el", "itl")}
    rates = {basis: {"tokens_per_second": round(point[f"{basis}_tps"], 5)} for basis in
             ("total", "input", "output")}  # fmt: skip
    row["request_metrics"] = {"latency": latency, "throughput": rates}
    return row


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Return a run's folder and a row computed from it, in folders of their own."""
    run, row = tmp_path / "run", tmp_path / "rows" / "row.json"
    shutil.copytree(RUN, run)
    put(tmp_path / "first", run)
    row.parent.mkdir()
    row.write_text(json.dumps(row_of(only(tmp_path / "first"))))
    return run, row


def test_second_ingest_writes_nothing(lake: Path):
    first = put(lake, ROWS, API, CSV, RUN)
    before = state(lake)
    second = put(lake, ROWS, API, CSV, RUN)
    assert state(lake) == before
    assert first.points_written > 8
    assert (second.points_written, second.points_unchanged) == (0, first.points_written)
    assert second.snapshot == first.snapshot
    assert second.results == first.results
    assert second.read == first.read


def test_ids_and_numbers_do_not_depend_on_place_or_order(tmp_path: Path):
    home, other = tmp_path / "a", tmp_path / "far" / "away"
    shutil.copytree(ROWS, other / "rows")
    shutil.copytree(API, other / "api")
    shutil.copytree(RUN, other / "run")
    put(home, ROWS, API, RUN)
    put(tmp_path / "b", other / "run", other / "api", other / "rows")
    mine, theirs = points(home), points(tmp_path / "b")
    assert {key: numbers(row) for key, row in mine.items()} == {
        key: numbers(row) for key, row in theirs.items()
    }


def test_row_and_run_are_one_point_in_every_arrival_order(tmp_path: Path, pair):
    found = []
    for number, order in enumerate(permutations(pair)):
        lake = tmp_path / f"lake{number}"
        for path in order:
            put(lake, path)
        found.append(numbers(only(lake)))
    together = tmp_path / "together"
    put(together, *pair)
    found.append(numbers(only(together)))
    assert found[0] == found[1] == found[2]


def test_the_rows_old_id_becomes_an_alias_of_the_run(tmp_path: Path, pair):
    run, row = pair
    lake = tmp_path / "lake"
    put(lake, row)
    old = only(lake)["point_id"]
    put(lake, run)
    point = only(lake)
    assert point["point_id"] != old
    assert point["aliases"] == [old]
    assert point["requests_object"] is not None
    assert point["hw"] == "mi355x"
    assert point["total_tps_per_gpu"] == pytest.approx(point["total_tps"] / 4, rel=1e-12)
    assert {warning["code"] for warning in point["warnings"]}.isdisjoint({"stated_differs"})


def test_reingesting_one_half_of_a_pair_changes_nothing(tmp_path: Path, pair):
    lake = tmp_path / "lake"
    put(lake, *pair)
    before = state(lake)
    for path in pair:
        assert put(lake, path).points_unchanged == 1
    assert state(lake) == before


def test_a_row_that_states_other_numbers_is_warned_of_and_requests_win(tmp_path: Path, pair):
    run, row = pair
    stated = json.loads(row.read_text())
    stated["request_metrics"]["throughput"]["total"]["tokens_per_second"] += 1.0
    row.write_text(json.dumps(stated))
    lake = tmp_path / "lake"
    put(lake, run, row)
    point = only(lake)
    [warning] = [one for one in point["warnings"] if one["code"] == "stated_differs"]
    assert warning["params"]["key"] == "total_tps"
    assert warning["params"]["recomputed"] == point["total_tps"]
    assert warning["params"]["stated"] == pytest.approx(point["total_tps"] + 1.0, abs=1e-5)


def test_a_lost_manifest_changes_no_point_and_no_pairing(tmp_path: Path, pair):
    run, row = pair
    lake = tmp_path / "lake"
    put(lake, row)
    (lake / FILE).unlink()
    put(lake, run)
    point = only(lake)
    assert point["aliases"] is not None
    (lake / FILE).unlink()
    report = put(lake, run, row)
    assert report.points_unchanged == 1


def test_copies_in_another_folder_are_one_point(tmp_path: Path, lake: Path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        shutil.copy(FLAT, tmp_path / name / "any.json")
    report = put(lake, tmp_path / "one", tmp_path / "two")
    assert report.points_written == 1
    assert report.read == 2


def test_array_and_own_file_are_one_point_with_two_sources(lake: Path):
    put(lake, ROWS / "flat")
    flat = next(row for row in points(lake).values() if row["status"] == "ok")
    assert len(points(lake)) == 2
    assert len(flat["sources"]) == 2


def test_csv_line_equal_to_an_api_row_is_the_same_point(lake: Path):
    put(lake, API, CSV)
    rows = points(lake)
    assert len(rows) == 5
    both = next(row for row in rows.values() if row["aliases"])
    assert both["format"] == "inferencex-api"
    assert both["date"] == "2026-05-17"
    assert len(both["aliases"]) == 2
    assert len(both["sources"]) == 3


def test_crashed_row_is_a_failed_point(lake: Path):
    put(lake, ROWS / "flat" / "crashed.json")
    point = only(lake)
    assert point["status"] == "failed"
    assert point["mean_ttft_s"] is None
    assert point["gpu_cache_hit_ratio"] is None


def test_names_are_normalised_and_unknown_ones_counted(tmp_path: Path, lake: Path):
    row = json.loads(FIXED.read_text()) | {"hw": "mi999x", "framework": "fastserve"}
    (tmp_path / "row.json").write_text(json.dumps(row))
    report = put(lake, tmp_path / "row.json")
    point = only(lake)
    assert (point["hw"], point["engine"], point["model"]) == ("mi999x", "fastserve", "kimik2.5")
    assert report.unknown_names == {"hw": {"mi999x": 1}, "engine": {"fastserve": 1}}
    assert {"code": "unknown_name", "params": {"kind": "hw", "name": "mi999x"}} in point["warnings"]


def test_labels_and_shape_of_points(lake: Path):
    put(lake, API, FIXED, NESTED)
    rows = list(points(lake).values())
    labels = {(row["hw"], row["parallelism"], row["workload"]) for row in rows}
    assert ("gb300", "2xTP4+1xTP8", "1k1k") in labels
    assert ("mi355x", "TP8", "8k1k") in labels
    assert ("mi355x", "TP4", "cc-traces-weka-062126-256k") in labels
    assert next(row for row in rows if row["hw"] == "950dt")["status"] == "failed"


def test_accuracy_is_joined_without_regard_to_disagg_and_the_latest_counts(lake: Path):
    put(lake, API)
    rows = {row["hw"]: row for row in points(lake).values() if row["concurrency"] != 8}
    assert rows["h200"]["accuracy"] == {"gsm8k": 0.96}
    assert rows["gb300"]["accuracy"] == {"gsm8k": 0.7}
    codes = [warning["code"] for warning in rows["gb300"]["warnings"]]
    assert "accuracy_of_other_parallelism" in codes
    assert rows["gb200"]["accuracy"] is None


def test_accuracy_that_comes_later_reaches_standing_points(lake: Path):
    put(lake, API / "benchmarks.json")
    assert all(row["accuracy"] is None for row in points(lake).values())
    report = put(lake, API / "evaluations.json")
    assert report.points_written == 2
    accuracies = [row["accuracy"] for row in points(lake).values() if row["hw"] == "h200"]
    assert accuracies == [{"gsm8k": 0.96}]


def test_changelog_of_the_same_download_is_kept(tmp_path: Path, lake: Path):
    shutil.copytree(ROWS / "flat", tmp_path / "download")
    shutil.copytree(ROWS / "changelog", tmp_path / "download" / "changelog-metadata")
    shutil.copytree(ROWS / "nested", tmp_path / "download" / "bmk_agentic_other")
    put(lake, tmp_path / "download")
    logs = {
        row["model"]: row["changelog"] for row in points(lake).values() if row["status"] == "ok"
    }
    assert logs["kimik2.5"] == [{"date": None, "text": "Bump vLLM"}]
    assert logs["kimik2.7"] is None


def test_meta_completes_without_changing_the_id(tmp_path: Path, lake: Path):
    put(lake, RUN)
    before = only(lake)
    file = tmp_path / "run.toml"
    file.write_text('hw = "NVIDIA B200"\ngpus = 2\nsource = "simulated"\nrun = "night"\n')
    put(lake, RUN, meta_file=file)
    after = only(lake)
    assert after["point_id"] == before["point_id"]
    assert (after["hw"], after["gpus"], after["source"], after["run_id"]) == (
        "b200",
        2,
        "simulated",
        "night",
    )
    assert after["total_tps_per_gpu"] == after["total_tps"] / 2
    put(lake, RUN)
    assert only(lake) == after


def test_explorer_toml_beside_a_run_completes_it_and_the_nearest_wins(tmp_path: Path, lake: Path):
    shutil.copytree(RUN, tmp_path / "runs" / "one")
    (tmp_path / "runs" / "explorer.toml").write_text('hw = "h100"\nengine = "sglang"\n')
    (tmp_path / "runs" / "one" / "explorer.toml").write_text('hw = "h200"\n')
    report = put(lake, tmp_path / "runs")
    point = only(lake)
    assert (point["hw"], point["engine"]) == ("h200", "sglang")
    assert report.skipped == []


def test_unusable_files_are_skipped_by_reason_and_cost_nothing_else(lake: Path):
    report = put(lake, INVALID, FIXED)
    assert Counter(skip.reason for skip in report.skipped) == {
        "zero_bytes": 1,
        "truncated": 2,
        "not_json": 1,
        "incomplete_row": 1,
        "no_rows": 1,
    }
    assert report.points_written == 1
    assert report.exit_code == 3


def test_logs_without_a_result_are_said_and_readmes_ignored(tmp_path: Path, lake: Path):
    lost = tmp_path / "in" / "agentic_x"
    lost.mkdir(parents=True)
    (lost / "vllm_command.txt").write_text("vllm serve org/model --tensor-parallel-size 8\n")
    (tmp_path / "in" / "README.md").write_text("# notes\n")
    shutil.copy(FIXED, tmp_path / "in" / "row.json")
    report = put(lake, tmp_path / "in")
    assert [(skip.reason, Path(skip.path).name) for skip in report.skipped] == [
        ("no_result", "agentic_x")
    ]
    assert report.ignored == 1
    assert report.read == 1


def test_wrapped_inputs_give_the_same_points(tmp_path: Path, lake: Path):
    put(lake, FIXED, RUN)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in sorted(RUN.rglob("*")):
            archive.write(path, f"run/{path.relative_to(RUN)}")
    (tmp_path / "row.json.gz").write_bytes(gzip.compress(FIXED.read_bytes()))
    (tmp_path / "row.zst").write_bytes(zstandard.compress(FIXED.read_bytes()))
    (tmp_path / "utf16.json").write_bytes(FIXED.read_text().encode("utf-16"))
    put(lake, tmp_path / "utf16.json")
    assert len(points(lake)) == 2
    other = tmp_path / "other"
    report = put(other, *(tmp_path / name for name in ("all.zip", "row.json.gz", "row.zst")))
    assert report.skipped == []
    assert {key: row["revision"] for key, row in points(other).items()} == {
        key: row["revision"] for key, row in points(lake).items()
    }


def test_a_bomb_in_a_zip_costs_itself_only(tmp_path: Path, lake: Path):
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.json", b"0" * (64 << 20))
    report = put(lake, tmp_path / "bomb.zip", FIXED)
    assert [skip.reason for skip in report.skipped] == ["too_large"]
    assert report.points_written == 1


def test_nothing_usable_is_exit_code_two(tmp_path: Path, lake: Path):
    (tmp_path / "notes.txt").write_text("hello")
    report = put(lake, tmp_path / "notes.txt")
    assert report.exit_code == 2
    assert report.snapshot is None


def test_a_path_that_does_not_exist_is_a_usage_error_and_makes_no_lake(tmp_path: Path, lake: Path):
    with pytest.raises(UsageError):
        put(lake, tmp_path / "nowhere")
    assert not lake.exists()


def test_two_ingests_beside_one_another_pair_what_they_bring(tmp_path: Path, pair):
    lake = tmp_path / "lake"
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda path: ingest([path], lake, jobs=1), pair))
    point = only(lake)
    assert point["requests_object"] is not None
    assert len(point["aliases"]) == 1


def test_a_damaged_manifest_is_put_aside(lake: Path):
    put(lake, FIXED)
    (lake / FILE).write_bytes(b"no database" * 1000)
    assert put(lake, FIXED).points_unchanged == 1


def test_completions_in_folders_of_the_same_name_stay_apart(tmp_path: Path):
    """Two PATHs may each hold `rows/explorer.toml`: one must not stand for the other."""
    for name, source in (("first", "simulated"), ("second", "third_party")):
        changed(FIXED, tmp_path / name / "rows" / "row.json", conc=len(name))
        (tmp_path / name / "rows" / "explorer.toml").write_text(f'source = "{source}"\n')
    put(tmp_path / "lake", tmp_path / "first", tmp_path / "second")
    found = {row["concurrency"]: row["source"] for row in points(tmp_path / "lake").values()}
    assert found == {5.0: "simulated", 6.0: "third_party"}
