"""A lake of as many points as one likes, all of them on one picture."""

from __future__ import annotations

import random
from pathlib import Path

from explorer.domain.identity import point_id
from explorer.store.writer import publish

HARDWARE = ("b200", "mi355x", "h200", "gb200", "b300", "gb300")
ENGINES = ("vllm", "sglang")
HW = "hw=" + ",".join(HARDWARE)


def lake_of(folder: Path, n: int) -> Path:
    """Return a lake of n agentic points of one model over six hardware and two engines."""
    dice = random.Random(11)
    publish(folder, points=[_row(dice, index) for index in range(n)], price_version="2026-07")
    return folder


def _row(dice: random.Random, index: int) -> dict[str, object]:
    hw, engine = HARDWARE[index % 6], ENGINES[index % 2]
    speed = dice.uniform(5, 150)
    row: dict[str, object] = {
        "point_id": point_id({"bench": index}), "aliases": [], "run_id": f"run{index}",
        "source": "measured", "format": "bench", "status": "ok", "valid": True, "model": "bench",
        "hw": hw, "hw_raw": hw, "engine": engine, "precision": dice.choice(("fp4", "fp8")),
        "spec": "none", "mode": "agg", "nodes": 1, "gpus": 8, "tp": 8, "parallelism": "TP8",
        "scenario": "agentic", "workload": "coding", "kv_offload": dice.choice(("none", "dram")),
        "kv_offload_backend": "lmcache", "warnings": [], "errors": [], "revision": str(index),
        "date": "2026-05-20", "concurrency": float(index), "requests_ok": 100,
        "requests_total": 100,
    }  # fmt: skip
    for factor, statistic in ((1.0, "mean"), (1.1, "p50"), (0.9, "p90"), (0.7, "p99")):
        row[f"{statistic}_interactivity_tps"] = speed * factor
        row[f"{statistic}_ttft_s"] = dice.uniform(0.2, 6) / factor
    for basis, share in (("total", 1.0), ("input", 0.98), ("output", 0.02)):
        row[f"{basis}_tps_per_gpu"] = share * dice.uniform(2e5, 1e6) / speed
    return row
