from __future__ import annotations

from pathlib import Path

import pytest

from explorer.ingest import gpu_telemetry
from explorer.store.schema import GPU
from tests.ingest.aiperf_samples import AIPERF, ZERO

SAMPLE = AIPERF / "v013" / "gpu_telemetry_export.jsonl"


def test_samples_are_in_our_units_on_the_points_clock():
    telemetry = gpu_telemetry.read(SAMPLE)
    table = telemetry.after(ZERO)
    assert table.schema == GPU
    assert table.to_pylist()[1] == {
        "gpu": "GPU-0", "t_ns": 0, "power_w": 300.0, "utilization_ratio": 0.5,
        "memory_used_bytes": 1e11, "energy_j": pytest.approx(1_000_100.0), "temperature_c": 60.0,
    }  # fmt: skip
    assert telemetry.models == ["NVIDIA H200"]


def test_one_gpu_under_two_urls_is_one_gpu():
    assert gpu_telemetry.read(SAMPLE).table["power_w"].to_pylist() == [100, 300, 500, 200, 400]


def test_power_is_the_mean_per_gpu_and_energy_the_sum_inside_the_window():
    drawn = gpu_telemetry.power(gpu_telemetry.read(SAMPLE).after(ZERO), 1_000_000_000)
    assert drawn.mean_w == 350
    assert drawn.energy_j == pytest.approx(400 + 300)


def test_energy_is_null_when_one_gpu_states_none():
    drawn = gpu_telemetry.power(gpu_telemetry.read(SAMPLE).after(ZERO), 500_000_000)
    assert (drawn.mean_w, drawn.energy_j) == (250, None)


def test_units_of_the_summary_overrule_the_defaults():
    table = gpu_telemetry.read(SAMPLE, {"nvidia_memory_used": "MiB"}).table
    assert table["memory_used_bytes"][0].as_py() == 100 * 2**20


@pytest.mark.parametrize(
    "name", ["power_usage", "gpu_power_usage", "nvidia_power_usage", "amd_gpu_power_usage"]
)
def test_names_of_every_version_and_vendor(name: str):
    assert gpu_telemetry.quantity(name) == "power_usage"


@pytest.mark.real_data
def test_2025_file_holds_one_gpu_under_two_urls(real_data: Path):
    path = real_data / "aiperf-2025/qwen_concurrency2/gpu_telemetry_export.jsonl"
    table = gpu_telemetry.read(path).table
    assert len(set(table["gpu"].to_pylist())) == 1
    assert table.num_rows == len(path.read_text().splitlines()) / 2
