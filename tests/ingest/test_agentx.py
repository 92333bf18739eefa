"""AgentX rows: both dialects and their traps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ingest.row_samples import FLAT, NESTED, ROWS, changed, draft, drafts


def test_flat_row_takes_speed_from_itl_not_from_the_stored_fast_tail():
    made = draft(FLAT)
    assert made.metrics["p90_interactivity_tps"] == pytest.approx(1 / 0.04, rel=1e-12)
    assert made.metrics["p90_interactivity_tps"] < made.metrics["p75_interactivity_tps"]
    assert "std_interactivity_tps" not in made.metrics
    assert not any("interactivity" in key for key in made.stated)


def test_flat_row_counts_successes_only():
    made = draft(FLAT)
    assert made.fields["requests_ok"] == 10
    assert "requests_total" not in made.fields


def test_flat_offloading_names_backend_and_tier():
    made = draft(FLAT)
    assert (made.fields["kv_offload"], made.fields["kv_offload_backend"]) == ("dram", "lmcache")
    assert made.fields["gpus"] == 4


def test_crashed_row_has_no_latency_and_says_so():
    made = draft(ROWS / "flat" / "crashed.json")
    assert made.fields["requests_ok"] == 0
    assert not any(key.endswith("_s") for key, value in made.metrics.items() if value is not None)
    assert [note.code for note in made.warnings] == ["no_request_succeeded"]


def test_array_repeats_the_identity_of_the_rows_own_file():
    repeated = drafts(ROWS / "flat" / "results_bmk" / "agg_bmk.json")
    assert repeated[0].identity == draft(FLAT).identity
    assert repeated[1].identity == draft(ROWS / "flat" / "crashed.json").identity


def test_nested_row_counts_without_warmup_though_the_drops_overlap():
    fields = draft(NESTED).fields
    assert fields["requests_ok"] == 10
    assert fields["requests_warmup"] == 3
    assert fields["requests_total"] == 11
    assert fields["requests_failed"] == 1


def test_nested_row_prefers_hits_by_source_and_tiers_add_up():
    metrics = draft(NESTED).metrics
    assert metrics["gpu_cache_hit_ratio"] == pytest.approx(0.1)
    assert metrics["cpu_cache_hit_ratio"] == pytest.approx(0.75)
    assert metrics["overall_cache_hit_ratio"] == pytest.approx(0.85)
    assert "external_cache_hit_ratio" not in metrics


def test_inflated_queries_give_no_hit_ratio(tmp_path: Path):
    server = {
        "cache": {"gpu_cache_hit_rate": 0.01, "prefix_cache_queries": 2000},
        "tokens": {"prompt_total": 100},
    }
    made = draft(changed(NESTED, tmp_path / "row.json", server_metrics=server))
    assert "gpu_cache_hit_ratio" not in made.metrics
    assert [note.code for note in made.warnings] == ["queries_inflated"]


def test_second_tier_of_a_disaggregated_row_is_external(tmp_path: Path):
    made = draft(changed(NESTED, tmp_path / "row.json", disagg="true"))
    assert made.metrics["external_cache_hit_ratio"] == pytest.approx(0.75)
    assert "cpu_cache_hit_ratio" not in made.metrics


def test_usage_gauge_above_one_and_a_half_is_percent(tmp_path: Path):
    server = {"kv_cache": {"gpu_usage_pct": 87.5, "gpu_total_tokens": 10}}
    made = draft(changed(NESTED, tmp_path / "row.json", server_metrics=server))
    assert made.metrics["peak_kv_usage_ratio"] == 0.875


@pytest.mark.parametrize(
    ("backend", "name", "version"),
    [
        ("", None, None),
        (None, None, None),
        ("lmcache", "lmcache", None),
        ({"name": "LMCache", "version": "0.4.1"}, "LMCache", "0.4.1"),
    ],
)
def test_backend_may_be_text_object_or_nothing(tmp_path: Path, backend, name, version):
    made = draft(changed(NESTED, tmp_path / "row.json", kv_offload_backend=backend))
    assert made.fields["kv_offload_backend"] == name
    assert made.fields["kv_offload_backend_version"] == version


def test_fast_tail_e2e_interactivity_is_left(tmp_path: Path):
    import json

    row = json.loads(NESTED.read_text())
    latency = row["request_metrics"]["latency"]
    latency["e2e_norm_intvty"] = {"p50": 20.0, "p90": 60.0}
    (tmp_path / "row.json").write_text(json.dumps(row))
    made = draft(tmp_path / "row.json")
    assert not any(key.endswith("e2e_interactivity_tps") for key in made.metrics)
    assert draft(NESTED).metrics["p90_e2e_interactivity_tps"] == 20.0


def test_zero_latency_is_missing_with_its_key(tmp_path: Path):
    made = draft(changed(FLAT, tmp_path / "row.json", p90_ttft=0, tput_per_gpu=0.0))
    assert made.metrics["p90_ttft_s"] is None
    assert made.metrics["total_tps_per_gpu"] is None
    notes = {note.code: note.params for note in made.warnings}
    assert notes["zero_is_missing"] == {"keys": ["p90_ttft_s", "total_tps_per_gpu"]}
