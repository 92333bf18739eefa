"""A lake of simulated points for measurements: generated requests, an hour of server series."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from explorer.store.objects import put_table
from explorer.store.schema import SERIES
from explorer.store.writer import publish

ENGINES, DURATION_S = 8, 3600


def build(lake: Path, points: Mapping[str, pa.Table]) -> None:
    """Publish a point for each table of requests, named by its id; all have the same series."""
    strip = put_table(lake, series(), "series")
    rows = []
    for point_id, requests in points.items():
        phases = requests["phase"].to_pylist()
        rows.append(
            {
                "point_id": point_id,
                "revision": "bench",
                "source": "simulated",
                "format": "bench",
                "status": "ok",
                "model": "kimik2.5",
                "hw": "b200",
                "engine": "vllm",
                "gpus": 8,
                "parallelism": "TP8",
                "concurrency": 64.0,
                "scenario": "agentic",
                "mode": "agg",
                "requests_total": phases.count("profiling"),
                "requests_warmup": phases.count("warmup"),
                "series_source": "parquet",
                "requests_object": put_table(lake, requests, "requests"),
                "series_object": strip,
            }
        )
    publish(lake, points=rows)


def series() -> pa.Table:
    """Return a scrape a second of eight engines: gauges and growing counters."""
    rng = np.random.default_rng(11)
    t_ns = (np.arange(DURATION_S) * 1_000_000_000).astype(np.int64)
    parts = []
    gauges = ("requests_running", "requests_waiting", "kv_usage_ratio")
    counted = (
        "prompt_tokens",
        "generation_tokens",
        "preemptions",
        "prompt_tokens_by_source.local_compute",
        "prompt_tokens_by_source.local_cache_hit",
        "prompt_tokens_by_source.external_kv_transfer",
    )
    for name in (*gauges, *counted):
        for engine in range(ENGINES):
            noise = rng.random(DURATION_S)
            value = noise if name in gauges else np.cumsum(noise * 4000)
            shape = "gauge" if name in gauges else "counter"
            parts.append(
                pa.table(
                    {
                        "name": [name] * DURATION_S,
                        "shape": [shape] * DURATION_S,
                        "engine": [str(engine)] * DURATION_S,
                        "role": pa.nulls(DURATION_S, pa.string()),
                        "t_ns": t_ns,
                        "value": value,
                    }
                ).cast(SERIES)
            )
    return pa.concat_tables(parts)
