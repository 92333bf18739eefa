from __future__ import annotations

import gzip
import json
import math
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from explorer.domain.identity import point_id
from explorer.errors import InputError
from explorer.ingest.aiperf import AiperfRun, RequestsWithoutSummary
from explorer.ingest.context import Context
from explorer.ingest.opening import head
from explorer.store.measure import measure
from tests.ingest.aiperf_samples import AIPERF, SAMPLES, ZERO, copy_of, read_run, sample

RUN = AiperfRun()
NAME = "profile_export_aiperf.json"


def _runs(folder: Path) -> list[str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    return [p.relative_to(folder).as_posix() for p in files if RUN.sniff(p, head(p))]


def _codes(draft: Any) -> set[str]:
    return {note.code for note in draft.warnings}


def test_runs_are_found_by_content_and_shadows_are_none():
    assert _runs(AIPERF) == [
        "prefixed/alpha.json",
        "prefixed/alpha_long.json",
        f"v013/{NAME}",
        f"v2025_records/{NAME}",
    ]


def test_a_phase_is_a_shadow_by_its_id_even_without_the_manifest(tmp_path: Path):
    folder = copy_of("v013", tmp_path)
    (folder / "phase_manifest.json").unlink()
    assert _runs(folder) == [NAME]


def test_a_trial_with_its_benchmarks_id_is_a_run_of_its_own(tmp_path: Path):
    folder = copy_of("v013", tmp_path)
    document = json.loads((folder / NAME).read_text())
    document["run_info"] |= {"trial": 1, "run_label": "run_0002"}
    trial = folder / "profile_runs" / "run_0002" / NAME
    trial.parent.mkdir(parents=True)
    trial.write_text(json.dumps(document))
    assert _runs(folder) == [NAME, f"profile_runs/run_0002/{NAME}"]
    assert point_id(read_run(trial).identity) != point_id(sample().identity)


def test_the_summary_says_who_what_and_how_long():
    fields = sample().fields
    expected = {
        "harness": "aiperf", "harness_version": "0.13.0", "run_id": "tiny00000001",
        "model_raw": "org/tiny-model", "scenario": "agentic", "dataset_raw": "tiny_traces",
        "planned_duration_s": 2.0, "wall_duration_s": 1.5, "interrupted": False,
        "valid": False, "invalid_reasons": ["unsafe_override"], "clock_zero_ns": ZERO,
        "date": "2027-01-15", "itl_source": "formula", "series_source": "jsonl",
        "cache_source": "prompt_tokens_by_source", "throughput_source": "requests",
        "engine_raw": "vllm", "tp": 2, "kv_offload": "dram", "kv_offload_backend": "lmcache",
        "hw_raw": "NVIDIA H200", "interactivity_source": "itl", "requests_overflow": 2,
    }  # fmt: skip
    assert {key: fields.get(key) for key in expected} == expected


def test_the_servers_side_gives_ratios_peaks_and_power():
    metrics = sample().metrics
    assert metrics["concurrency"] == 3
    assert metrics["gpu_cache_hit_ratio"] == pytest.approx(264 / 650)
    assert metrics["cpu_cache_hit_ratio"] == pytest.approx(50 / 650)
    assert metrics["theoretical_cache_hit_ratio"] == 0.75
    assert metrics["peak_kv_usage_ratio"] == 0.9
    assert metrics["spec_acceptance_length"] == 2.5
    assert metrics["kv_pool_tokens"] == 3200
    assert metrics["measured_power_w"] == pytest.approx(350)
    assert "external_cache_hit_ratio" not in metrics


def test_a_block_count_as_pool_is_marked_and_a_log_replaces_it():
    assert "kv_pool_from_block_count" in _codes(sample())
    logged = read_run(AIPERF / "v013" / NAME, SAMPLES / "server_logs" / "vllm.log")
    assert logged.metrics["kv_pool_tokens"] == 56_888
    assert "kv_pool_from_block_count" not in _codes(logged)
    assert logged.fields["engine_version"] == "0.24.0"
    assert logged.logs is not None
    assert logged.fields["series_source"] == "jsonl"


def test_a_log_is_the_series_where_no_better_file_is(tmp_path: Path):
    folder = copy_of("v013", tmp_path)
    for kind in ("json", "jsonl"):
        (folder / f"server_metrics_export.{kind}").unlink()
    shutil.copy(SAMPLES / "server_logs" / "vllm.log", folder)
    draft = read_run(folder / NAME)
    assert draft.fields["series_source"] == "log"
    assert draft.series is not None
    assert "gpu_hit_ratio" in draft.series["name"].to_pylist()


def test_time_slices_serve_only_a_run_without_anything_else(tmp_path: Path):
    folder = tmp_path / "run"
    folder.mkdir()
    shutil.copy(AIPERF / "prefixed" / "alpha.json", folder)
    slices = [
        {"start_ns": ZERO, "end_ns": ZERO + 10**9, "output_token_throughput": {"avg": 7.0}},
        {"start_ns": ZERO + 5 * 10**9, "end_ns": ZERO + 6 * 10**9, "request_count": {"avg": 0}},
    ]
    (folder / "alpha_timeslices.json").write_text(json.dumps({"timeslices": slices}))
    draft = read_run(folder / "alpha.json")
    assert draft.fields["series_source"] == "timeslices"
    assert draft.series is not None
    assert draft.series["value"].to_pylist() == [7.0]


def test_a_summary_alone_keeps_its_own_statistics_and_says_so(tmp_path: Path):
    path = Path(shutil.copy(AIPERF / "v013" / NAME, tmp_path))
    draft = read_run(path)
    assert draft.requests is None
    assert draft.fields["throughput_source"] == "summary"
    assert draft.fields["itl_source"] == "inter_token_latency"
    counts = ("total", "ok", "failed", "cancelled", "warmup", "overflow")
    assert [draft.fields[f"requests_{x}"] for x in counts] == [6, 4, 1, 1, 1, 2]
    assert draft.fields["errors"] == [{"type": "Bad Request", "code": 400, "n": 1}]
    assert draft.metrics["total_tps"] == pytest.approx(671 / 1.5)
    assert draft.metrics["p50_ttft_s"] == 0.035
    assert draft.metrics["p90_interactivity_tps"] == pytest.approx(1 / draft.metrics["p90_itl_s"])


def test_summary_statistics_are_stated_where_they_tell_of_the_same_requests():
    draft = sample()
    measured = measure(draft.requests)
    assert "p50_ttft_s" in draft.stated
    assert not any(key.endswith("_itl_s") for key in draft.stated)
    for key, (stated, _) in draft.stated.items():
        assert measured[key] == pytest.approx(stated, rel=1e-9), key


def test_a_request_file_shorter_than_its_summary_is_said():
    draft = read_run(AIPERF / "prefixed" / "alpha_long.json")
    note = next(n for n in draft.warnings if n.code == "requests_differ_from_summary")
    assert note.params == {"requests": 2, "summary": 64}
    assert draft.stated == {}


def test_two_prefixed_runs_in_one_folder_keep_their_own_files():
    short = read_run(AIPERF / "prefixed" / "alpha.json")
    long = read_run(AIPERF / "prefixed" / "alpha_long.json")
    assert [s.path for s in short.sources] == [
        "alpha.json",
        "alpha.jsonl",
        "alpha_server_metrics.json",
    ]
    assert [s.path for s in long.sources] == ["alpha_long.json", "alpha_long.jsonl"]
    assert short.metrics["peak_kv_usage_ratio"] == 0.88
    assert (short.metrics["concurrency"], long.metrics["concurrency"]) == (2, 4)


def test_the_oldest_dialect_nests_its_metrics():
    draft = sample("v2025_records")
    assert draft.fields["model_raw"] == "openai/gpt-oss-20b"
    assert draft.metrics["concurrency"] == 100
    assert draft.stated["p50_ttft_s"] == (0.15, 12)
    assert draft.requests is not None
    assert draft.requests.num_rows == 3


def test_an_id_depends_on_the_tools_own_id_alone(tmp_path: Path):
    folder = copy_of("v013", tmp_path)
    document = json.loads((folder / NAME).read_text())
    document["input_config"]["endpoint"]["urls"] = ["http://elsewhere:1"]
    document["request_latency"]["avg"] = 1.0
    (folder / NAME).write_text(json.dumps(document))
    for extra in ("profile_export.jsonl", "vllm_command.txt"):
        (folder / extra).unlink()
    assert point_id(read_run(folder / NAME).identity) == point_id(sample().identity)


def test_a_dialect_without_id_is_told_by_configuration_and_first_request(tmp_path: Path):
    path = AIPERF / "prefixed" / "alpha.json"
    moved = json.loads(path.read_text())
    moved["input_config"]["endpoint"]["url"] = "elsewhere:8000"
    moved["input_config"]["output"] = {"artifact_directory": "/another/place"}
    (tmp_path / "moved.json").write_text(json.dumps(moved))
    again = json.loads(path.read_text())
    again["min_request_timestamp"]["avg"] += 5e9
    (tmp_path / "again.json").write_text(json.dumps(again))
    ids = [
        point_id(read_run(p).identity)
        for p in (path, tmp_path / "moved.json", tmp_path / "again.json")
    ]
    assert ids[0] == ids[1] != ids[2]


def test_mock_servers_are_said_to_be_mocks(tmp_path: Path):
    folder = copy_of("v013", tmp_path)
    assert "source" not in sample().fields
    text = (folder / NAME).read_text().replace("org/tiny-model", "mock-model")
    (folder / NAME).write_text(text)
    assert read_run(folder / NAME).fields["source"] == "mock"


def test_nothing_stored_holds_an_address_a_user_or_a_key():
    draft = read_run(AIPERF / "v013" / NAME, SAMPLES / "server_logs" / "vllm.log")
    stored = repr(draft.fields) + repr(draft.metrics) + repr(draft.warnings) + repr(draft.identity)
    for table in (draft.requests, draft.series, draft.gpu, draft.logs):
        stored += repr(table.to_pylist())
    for secret in ("10.1.2", "node7", "someone", "sk-verysecret"):
        assert secret not in stored


def test_non_finite_numbers_of_a_summary_are_missing_and_named(tmp_path: Path):
    text = (AIPERF / "v013" / NAME).read_text()
    assert '"avg": 285.0' in text
    (tmp_path / NAME).write_text(text.replace('"avg": 285.0', '"avg": NaN'))
    draft = read_run(tmp_path / NAME)
    assert "mean_e2el_s" not in draft.metrics
    note = next(n for n in draft.warnings if n.code == "non_finite_numbers")
    assert note.params == {"file": NAME, "n": 1, "first": "request_latency.avg"}


def test_a_broken_file_beside_the_summary_is_a_warning_not_a_loss(tmp_path: Path):
    folder = copy_of("v013", tmp_path)
    parquet = folder / "server_metrics_export.parquet"
    names = ("endpoint_url", "metric_name", "timestamp_ns", "value")
    pq.write_table(pa.table({name: pa.array([1] * 999) for name in names}), parquet)
    data = parquet.read_bytes()
    parquet.write_bytes(data[:20] + bytes(200) + data[220:])
    (folder / "server_metrics_export.jsonl").unlink()
    draft = read_run(folder / NAME)
    note = next(n for n in draft.warnings if n.code == "file_unreadable")
    assert note.params["file"] == parquet.name
    assert draft.metrics["gpu_cache_hit_ratio"] == pytest.approx(264 / 650)


def test_a_packed_request_file_that_breaks_off_keeps_what_was_read(tmp_path: Path):
    folder = copy_of("v013", tmp_path)
    path = folder / "profile_export.jsonl"
    path.write_bytes(gzip.compress(path.read_bytes() * 500)[:-500])
    draft = read_run(folder / NAME)
    assert "file_broken_off" in _codes(draft)
    assert draft.requests is not None
    assert draft.requests.num_rows > 100


def test_a_truncated_summary_is_recognised_and_unusable(tmp_path: Path):
    path = tmp_path / NAME
    path.write_bytes((AIPERF / "v013" / NAME).read_bytes()[:-40])
    assert RUN.sniff(path, head(path))
    with pytest.raises(InputError) as caught:
        read_run(path)
    assert caught.value.params["reason"] in ("truncated", "not_json")


def test_requests_without_a_summary_are_skipped_with_the_reason(tmp_path: Path):
    reader = RequestsWithoutSummary()
    beside = AIPERF / "v013" / "profile_export.jsonl"
    assert not reader.sniff(beside, head(beside))
    alone = Path(shutil.copy(beside, tmp_path))
    assert reader.sniff(alone, head(alone))
    with pytest.raises(InputError) as caught:
        next(reader.read(alone, Context(tmp_path)))
    assert caught.value.params["reason"] == "no_summary"


@pytest.mark.real_data
def test_real_runs_are_found_without_their_shadows(real_data: Path):
    found = _runs(real_data / "aiperf")
    assert found == [
        f"{name}/{NAME}"
        for name in (
            "a_synthetic_c8", "b_multiturn_c6", "c_weka_agentic_c2", "c_weka_agentic_c6",
            "d_errors_c8", "e_sweep/concurrency_2", "e_sweep/concurrency_24",
            "e_sweep/concurrency_8", "x_cancelled", "x_summary_only",
        )
    ]  # fmt: skip
    assert len(_runs(real_data / "aiperf-2025")) == 3
    assert len(_runs(real_data / "agentx-ci")) == 62


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("run", "warmup", "ok", "gpu", "cpu", "theory"),
    [
        ("c_weka_agentic_c6", 203, 412, 0.505, 0.418, 0.948),
        ("c_weka_agentic_c2", 97, 70, 0.958, 0.0, 0.962),
    ],
)
def test_replays_have_the_true_figures(
    real_data: Path, run: str, warmup: int, ok: int, gpu: float, cpu: float, theory: float
):
    draft = read_run(real_data / "aiperf" / run / NAME)
    assert draft.requests is not None
    assert draft.requests["phase"].to_pylist().count("warmup") == warmup
    assert draft.requests["status"].to_pylist().count("ok") == warmup + ok
    keys = ("gpu_cache_hit_ratio", "cpu_cache_hit_ratio", "theoretical_cache_hit_ratio")
    assert [round(draft.metrics[key] or 0, 3) for key in keys] == [gpu, cpu, theory]


STATISTICS = ("mean", "p50", "p75", "p90", "p95", "std")
AGENTIC = {
    "ttft_s": ("latency", "ttft"), "e2el_s": ("latency", "e2el"), "itl_s": ("latency", "itl"),
    "tpot_s": ("latency", "tpot"), "interactivity_tps": ("latency", "intvty"),
    "e2e_interactivity_tps": ("latency", "e2e_norm_intvty"), "isl_tokens": ("tokens", "input"),
    "osl_tokens": ("tokens", "output_actual"),
}  # fmt: skip


@pytest.mark.real_data
@pytest.mark.parametrize("concurrency", [2, 6])
def test_recomputation_equals_the_fields_own_aggregator(real_data: Path, concurrency: int):
    draft = read_run(real_data / f"aiperf/c_weka_agentic_c{concurrency}" / NAME)
    row = json.loads(
        (real_data / f"aiperf/agg_rows/agentic_mock_tp2_conc{concurrency}.json").read_text()
    )
    stated = row["request_metrics"]
    found = {**draft.metrics, **measure(draft.requests)}
    expected = {
        f"{stat}_{key}": stated[group][name][stat]
        for key, (group, name) in AGENTIC.items()
        for stat in STATISTICS
        if not (stat == "std" and key.endswith("interactivity_tps"))
    }
    expected |= {
        f"{stat}_qps": stated["qps"][stat] for stat in ("mean", "p50", "p75", "p90", "p95", "std")
    }
    rates = stated["throughput"]
    expected |= {f"{b}_tps": rates[b]["tokens_per_second"] for b in ("input", "output", "total")}
    expected["duration_s"] = rates["duration_seconds"]
    cache = row["server_metrics"]["cache"]
    expected |= {
        f"{tier}_cache_hit_ratio": cache[f"{tier}_cache_hit_rate"]
        for tier in ("gpu", "cpu", "overall")
    }
    expected["theoretical_cache_hit_ratio"] = stated["cache"]["theoretical_cache_hit_rate"]
    expected["peak_kv_usage_ratio"] = row["server_metrics"]["kv_cache"]["gpu_usage_pct"]
    assert len(expected) >= 39
    wrong = {
        key: (found.get(key), value)
        for key, value in expected.items()
        if not math.isclose(found.get(key) or 0, value, abs_tol=0.5001e-5)
    }
    assert not wrong


@pytest.mark.real_data
def test_ci_run_takes_hints_logs_and_the_offloads_shares(real_data: Path):
    root = real_data / "agentx-ci/2026-07-kimik2.7-fp4-mi355x-vllm-tp4"
    [summary] = root.glob(f"agentic_*conc32_*/aiperf_artifacts/{NAME}")
    above = sorted(p for p in summary.parent.parent.iterdir() if p.is_file())
    near = (summary, *sorted(summary.parent.iterdir()), *above)
    draft = next(RUN.read(summary, Context(root, near)))
    assert draft.metrics["gpu_cache_hit_ratio"] == pytest.approx(0.058, abs=5e-4)
    assert draft.metrics["cpu_cache_hit_ratio"] == pytest.approx(0.858, abs=5e-4)
    assert draft.metrics["theoretical_cache_hit_ratio"] == pytest.approx(0.963, abs=5e-4)
    assert draft.metrics["kv_pool_tokens"] == 1_854_891
    assert (draft.fields["tp"], draft.fields["kv_offload_backend"]) == (4, "lmcache")
    assert draft.fields["planned_duration_s"] == 3600
    assert draft.fields["series_source"] == "log"
    assert "hit_rate_series_inflated" in _codes(draft)
    assert draft.series is not None
    assert "gpu_hit_ratio" not in draft.series["name"].to_pylist()
