"""GPU telemetry (gpu_telemetry_export.jsonl): power, utilisation, memory, energy per GPU.

Names had no `nvidia_` prefix before 0.13. One GPU can appear under two URLs: `gpu_uuid` tells,
and the collector with most samples is kept.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from explorer.ingest.draft import Note
from explorer.ingest.numbers import finite, integer
from explorer.ingest.opening import lines
from explorer.ingest.values import mapping
from explorer.store.schema import GPU

_FACTORS = {
    "w": 1.0, "kw": 1e3, "mw": 1e-3,
    "%": 0.01, "percent": 0.01, "ratio": 1.0,
    "gb": 1e9, "mb": 1e6, "gib": 2.0**30, "mib": 2.0**20, "bytes": 1.0, "b": 1.0,
    "mj": 1e6, "kj": 1e3, "j": 1.0, "celsius": 1.0, "c": 1.0, "°c": 1.0,
}  # fmt: skip
_QUANTITIES = {
    "power_usage": ("power_w", "w"),
    "utilization": ("utilization_ratio", "%"),
    "memory_used": ("memory_used_bytes", "gb"),
    "energy_consumption": ("energy_j", "mj"),
    "temperature": ("temperature_c", "c"),
}
"""AIPerf's name without vendor → our column and the unit where the summary states none."""


class _Sample(msgspec.Struct, gc=False):
    timestamp_ns: int
    telemetry_data: dict[str, Any]
    gpu_index: Any = None
    gpu_uuid: Any = None
    gpu_model_name: Any = None
    telemetry_source_url: Any = None
    dcgm_url: Any = None


_DECODER = msgspec.json.Decoder(_Sample)


@dataclass(slots=True)
class Telemetry:
    """Samples as a GPU_COLUMNS table with absolute times in `t_ns`, and the GPUs' model names."""

    table: pa.Table
    models: list[str]
    notes: list[Note] = field(default_factory=list)

    def after(self, zero_ns: int) -> pa.Table:
        """Return the table on the point's clock."""
        times = [time - zero_ns for time in self.table["t_ns"].to_pylist()]
        return self.table.set_column(1, "t_ns", pa.array(times, pa.int64()))


def is_telemetry(head: bytes) -> bool:
    """Say whether a file's first bytes are GPU telemetry samples."""
    line = head.split(b"\n", 1)[0]
    return b'"telemetry_data"' in line and b'"gpu_index"' in line


def quantity(name: str) -> str:
    """Return a metric's name without vendor and `gpu_` (nvidia_gpu_utilization: utilization)."""
    for prefix in ("nvidia_", "amd_", "rocm_", "gpu_"):
        name = name.removeprefix(prefix)
    return name


def read(path: Path, units: Mapping[str, str] | None = None) -> Telemetry:
    """Return the samples; `units` are those of the summary's telemetry block, by metric name."""
    samples, bad = _samples(path)
    collectors: dict[str, Counter[str]] = defaultdict(Counter)
    for gpu, url, _ in samples:
        collectors[gpu][url] += 1
    best = {gpu: max(sorted(urls), key=urls.__getitem__) for gpu, urls in collectors.items()}
    rows = [_row(gpu, sample, units or {}) for gpu, url, sample in samples if url == best[gpu]]
    rows.sort(key=lambda row: (row["gpu"], row["t_ns"]))
    models = {str(s.gpu_model_name) for _, _, s in samples if s.gpu_model_name}
    notes = []
    if bad:
        where = {"file": path.name, "line": bad[0][0], "reason": bad[0][1], "n": len(bad)}
        notes.append(Note("bad_lines", where))
    return Telemetry(pa.Table.from_pylist(rows, schema=GPU), sorted(models), notes)


def _samples(path: Path) -> tuple[list[tuple[str, str, _Sample]], list[tuple[int, str]]]:
    samples, bad = [], []
    for number, line in enumerate(lines(path), 1):
        if not line.strip():
            continue
        try:
            sample = _decode(line)
        except (ValueError, msgspec.MsgspecError) as error:
            bad.append((number, str(error)[:120]))
            continue
        gpu = str(sample.gpu_uuid or sample.gpu_index)
        url = str(sample.telemetry_source_url or sample.dcgm_url or "")
        samples.append((gpu, url, sample))
    return samples, bad


def _decode(line: bytes) -> _Sample:
    try:
        return _DECODER.decode(line)
    except msgspec.MsgspecError:
        return msgspec.convert(json.loads(line.decode("utf-8", "replace")), _Sample)


def _row(gpu: str, sample: _Sample, units: Mapping[str, str]) -> dict[str, Any]:
    row: dict[str, Any] = {"gpu": gpu, "t_ns": integer(sample.timestamp_ns)}
    for name, value in sample.telemetry_data.items():
        column, unit = _QUANTITIES.get(quantity(name), (None, ""))
        if column is not None:
            row[column] = converted(value, units.get(name, unit))
    return row


def converted(value: Any, unit: str) -> float | None:
    """Return a telemetry value in our unit (W, ratio, bytes, J, °C); null for unknown units."""
    number, factor = finite(value), _FACTORS.get(unit.strip().lower())
    return None if number is None or factor is None else number * factor


@dataclass(frozen=True, slots=True)
class Power:
    """Mean board power per GPU in W, and all GPUs' energy in J, over the profiling window."""

    mean_w: float | None
    energy_j: float | None


def power(table: pa.Table, end_ns: int) -> Power:
    """Return what the GPUs drew between 0 and `end_ns` of the point's clock.

    Energy is the counters' growth; a GPU whose counter is absent makes it null.
    """
    means, energies = [], []
    for rows in _by_gpu(table).values():
        inside = [row for row in rows if 0 <= (row["t_ns"] or 0) <= end_ns]
        watts = [row["power_w"] for row in inside if row["power_w"] is not None]
        joules = [row["energy_j"] for row in inside if row["energy_j"] is not None]
        if watts:
            means.append(sum(watts) / len(watts))
        energies.append(joules[-1] - joules[0] if len(joules) > 1 else None)
    known = [energy for energy in energies if energy is not None and energy > 0]
    whole = sum(known) if known and len(known) == len(energies) else None
    return Power(sum(means) / len(means) if means else None, whole)


def _by_gpu(table: pa.Table) -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in table.select(["gpu", "t_ns", "power_w", "energy_j"]).to_pylist():
        rows[row["gpu"]].append(row)
    return rows


def summary_gpus(telemetry: Any) -> list[Mapping[str, Any]]:
    """Return the GPUs of a summary's `telemetry_data`, each uuid once, in a stable order."""
    endpoints = mapping(mapping(telemetry).get("endpoints"))
    found: dict[str, Mapping[str, Any]] = {}
    for endpoint in sorted(endpoints):
        for name, gpu in sorted(mapping(mapping(endpoints[endpoint]).get("gpus")).items()):
            if isinstance(gpu, dict):
                found.setdefault(str(gpu.get("gpu_uuid") or f"{endpoint}/{name}"), gpu)
    return list(found.values())


def summary_power_w(telemetry: Any) -> float | None:
    """Return mean board power per GPU of a summary's telemetry block, W."""
    watts = []
    for gpu in summary_gpus(telemetry):
        for name, metric in (gpu.get("metrics") or {}).items():
            if quantity(name) == "power_usage" and isinstance(metric, dict):
                watts.append(converted(metric.get("avg"), str(metric.get("unit"))))
    known = [value for value in watts if value is not None]
    return sum(known) / len(known) if known else None


def summary_units(telemetry: Any) -> dict[str, str]:
    """Return the unit of each telemetry metric as the summary states it."""
    return {
        name: str(metric["unit"])
        for gpu in summary_gpus(telemetry)
        for name, metric in (gpu.get("metrics") or {}).items()
        if isinstance(metric, dict) and metric.get("unit")
    }
