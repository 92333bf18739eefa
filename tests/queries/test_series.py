"""Series of the sample lake and of real runs, against what made them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from explorer.queries import points, series
from explorer.queries.window import Window
from explorer.store.lake import open_lake
from tests.lake_fixture import Sample

KEYS = {"name", "engine", "role", "unit", "source", "t_s", "value"}
CONTRACT = {
    "requests_running", "requests_waiting", "kv_usage_ratio", "gpu_hit_ratio", "cpu_hit_ratio",
    "external_hit_ratio", "miss_ratio", "theoretical_hit_ratio", "prompt_tps", "generation_tps",
    "prompt_tokens_by_source", "unique_input_tokens", "p50_ttft_s", "p90_ttft_s",
    "p50_interactivity_tps", "p90_interactivity_tps", "in_flight_unique_tokens", "completed",
    "power_w", "preemptions",
}  # fmt: skip


def ask(sample: Sample, name: str, point: str = "low", **window: object) -> list[dict]:
    row = points.one(sample.lake, sample.ids[point])
    return series.series(sample.lake, row, [name], **window)  # type: ignore[arg-type]


def test_every_name_of_the_contract_is_known() -> None:
    assert set(series.NAMES) >= CONTRACT
    assert series.known("prompt_tokens_by_source.local_compute")
    assert not series.known("nonsense")


def test_rows_have_the_contract_s_keys_and_plain_lists(sample_lake: Sample) -> None:
    for row in series.series(
        sample_lake.lake, points.one(sample_lake.lake, sample_lake.ids["low"])
    ):
        assert set(row) == KEYS
        assert type(row["t_s"]) is list
        assert len(row["t_s"]) == len(row["value"]) <= series.DEFAULT_BUDGET
        json.dumps(row, allow_nan=False)


def test_a_counter_s_rate_is_its_gain_per_second(sample_lake: Sample) -> None:
    (row,) = ask(sample_lake, "prompt_tps")
    assert row["unit"] == "tok/s"
    assert row["source"] == "jsonl"
    assert np.array(row["value"], float) == pytest.approx(4000.0)


def test_tiers_and_miss_are_shares_that_add_up(sample_lake: Sample) -> None:
    (hit,), (miss,) = ask(sample_lake, "gpu_hit_ratio"), ask(sample_lake, "miss_ratio")
    assert hit["value"] == pytest.approx([0.75] * len(hit["value"]))
    assert miss["value"] == pytest.approx([0.25] * len(miss["value"]))


def test_unique_input_is_what_no_cache_held_since_the_window_began(sample_lake: Sample) -> None:
    (row,) = ask(sample_lake, "unique_input_tokens", from_s=10.0, to_s=20.0)
    assert row["value"][-1] == pytest.approx(1000.0 * 10)


def test_power_sums_the_gpus_and_is_absent_without_telemetry(sample_lake: Sample) -> None:
    (row,) = ask(sample_lake, "power_w", to_s=60.0)
    assert row["value"][5] == pytest.approx(600 + 610 + 620 + 630)
    assert ask(sample_lake, "power_w", point="high") == []


def test_warmup_samples_lie_before_the_zero(sample_lake: Sample) -> None:
    (row,) = ask(sample_lake, "kv_usage_ratio", phase="warmup")
    assert row["t_s"]
    assert max(row["t_s"]) < 0
    (row,) = ask(sample_lake, "kv_usage_ratio")
    assert min(row["t_s"]) >= 0


def test_completed_counts_ok_requests_only(sample_lake: Sample) -> None:
    point = points.one(sample_lake.lake, sample_lake.ids["high"])
    (row,) = ask(sample_lake, "completed", point="high")
    assert row["value"][-1] == point["requests_ok"]


@pytest.mark.parametrize("budget", [3, 17, 100])
def test_budget_bounds_every_row(sample_lake: Sample, budget: int) -> None:
    point = points.one(sample_lake.lake, sample_lake.ids["low"])
    rows = series.series(sample_lake.lake, point, budget=budget)
    assert max(len(row["t_s"]) for row in rows) <= budget


def test_what_is_missing_has_a_reason(sample_lake: Sample) -> None:
    lake, ids = sample_lake.lake, sample_lake.ids
    bare = series.collect(lake, points.one(lake, ids["other"]), Window())
    assert bare.empty
    assert bare.reason("p90_ttft_s") == "no_requests"
    assert bare.reason("kv_usage_ratio") == "no_series"
    assert bare.reason("power_w") == "no_gpu"
    full = series.collect(lake, points.one(lake, ids["low"]), Window())
    assert full.reason("offload_to_cpu_bps") == "not_in_jsonl"
    assert full.reason("p90_ttft_s") is None


def test_rolling_speed_is_one_over_the_slow_latency(sample_lake: Sample) -> None:
    (p90,), (p50,) = (
        ask(sample_lake, f"{rank}_interactivity_tps", point="high") for rank in ("p90", "p50")
    )
    pairs = [
        (slow, middle)
        for slow, middle in zip(p90["value"], p50["value"], strict=True)
        if slow is not None
    ]
    assert pairs
    assert all(slow <= middle for slow, middle in pairs)


@pytest.fixture(scope="module")
def weka_run(real_lake: Path):
    lake = open_lake(real_lake)
    found = lake.rows(
        "SELECT point_id FROM {points} WHERE requests_total = 412 AND requests_warmup = 203"
    )
    return lake, points.one(lake, found[0]["point_id"])


@pytest.mark.real_data
def test_weka_tiers_are_the_known_shares(weka_run) -> None:
    lake, point = weka_run
    rows = series.series(lake, point, ["prompt_tokens_by_source"])
    last = {row["name"].rpartition(".")[2]: row["value"][-1] for row in rows}
    whole = sum(last.values())
    assert last["local_cache_hit"] / whole == pytest.approx(0.505, abs=5e-4)
    assert last["external_kv_transfer"] / whole == pytest.approx(0.418, abs=5e-4)
    assert last["local_compute"] / whole == pytest.approx(0.077, abs=5e-4)


@pytest.mark.real_data
def test_weka_rolling_p90_equals_a_plain_recomputation(weka_run, real_data: Path) -> None:
    lake, point = weka_run
    path = real_data / "aiperf" / "c_weka_agentic_c6" / "profile_export.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    kept = [r for r in records if r["metadata"]["benchmark_phase"] == "profiling"]
    zero = min(r["metadata"]["request_start_ns"] for r in kept)
    samples = sorted(
        (
            (r["metadata"]["request_start_ns"] - zero) / 1e9
            + r["metrics"]["time_to_first_token"]["value"] / 1e3,
            r["metrics"]["time_to_first_token"]["value"] / 1e3,
        )
        for r in kept
        if "time_to_first_token" in r["metrics"]
    )
    (row,) = series.series(lake, point, ["p90_ttft_s"], budget=10_000)
    times, values = np.array(row["t_s"]), row["value"]
    for probe in (50, 200, 400):
        now = samples[probe][0]
        window = [v for t, v in samples if now - 30 < t <= now + 1e-9]
        index = int(np.argmin(np.abs(times - now)))
        assert times[index] == pytest.approx(now, abs=1e-6)
        assert values[index] == pytest.approx(float(np.quantile(window, 0.9)), rel=1e-6)


@pytest.mark.real_data
def test_july_points_have_queue_and_kv_from_their_server_log(real_lake: Path) -> None:
    lake = open_lake(real_lake)
    sql = (
        "SELECT point_id FROM {points} WHERE series_source = 'log' AND model = 'kimik2.7' "
        "ORDER BY point_id"
    )
    ids = [row["point_id"] for row in lake.rows(sql)]
    assert len(ids) == 5
    for point_id in ids:
        names = ["requests_running", "requests_waiting", "kv_usage_ratio"]
        rows = series.series(lake, points.one(lake, point_id), names)
        assert [row["name"] for row in rows] == names
        ratio = [value for value in rows[2]["value"] if value is not None]
        assert 0 <= min(ratio) <= max(ratio) <= 1.0


def test_hit_rates_left_out_as_inflated_say_so_and_other_series_do_not(sample_lake: Sample) -> None:
    point = points.one(sample_lake.lake, sample_lake.ids["low"])
    inflated = point | {"warnings": [{"code": "hit_rate_series_inflated", "params": {}}]}
    bare = inflated | {"series_object": None}
    found = series.collect(sample_lake.lake, bare, Window())
    assert found.reason("gpu_hit_ratio") == "requeued"
    assert found.reason("kv_usage_ratio") != "requeued"
