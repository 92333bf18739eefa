"""The base series kept of a server, each with its shape and unit (metrics.md, series)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class BaseSeries:
    """One series as stored: a gauge is a level, a counter is cumulative since server start."""

    name: str
    shape: Literal["gauge", "counter"]
    unit: str


SERIES: tuple[BaseSeries, ...] = (
    BaseSeries("requests_running", "gauge", "requests"),
    BaseSeries("requests_waiting", "gauge", "requests"),
    BaseSeries("kv_usage_ratio", "gauge", "ratio"),
    BaseSeries("kv_pool_tokens", "gauge", "tokens"),
    BaseSeries("gpu_hit_ratio", "gauge", "ratio"),
    BaseSeries("external_hit_ratio", "gauge", "ratio"),
    BaseSeries("prompt_tps", "gauge", "tok/s"),
    BaseSeries("generation_tps", "gauge", "tok/s"),
    BaseSeries("prompt_tokens", "counter", "tokens"),
    BaseSeries("generation_tokens", "counter", "tokens"),
    BaseSeries("cached_tokens", "counter", "tokens"),
    BaseSeries("prefix_cache_hits", "counter", "tokens"),
    BaseSeries("prefix_cache_queries", "counter", "tokens"),
    BaseSeries("external_cache_hits", "counter", "tokens"),
    BaseSeries("external_cache_queries", "counter", "tokens"),
    BaseSeries("requests_completed", "counter", "requests"),
    BaseSeries("preemptions", "counter", "requests"),
    BaseSeries("spec_draft_tokens", "counter", "tokens"),
    BaseSeries("spec_accepted_tokens", "counter", "tokens"),
    BaseSeries("spec_drafts", "counter", "steps"),
    BaseSeries("offload_bytes_to_cpu", "counter", "bytes"),
    BaseSeries("offload_bytes_to_gpu", "counter", "bytes"),
)
"""Gauges named `gpu_hit_ratio` … `generation_tps` exist only where a log line states them.

`prompt_tokens_by_source.<source>` (counter, tokens) exists beside these, one name per source:
`local_compute`, `local_cache_hit`, `external_kv_transfer`, for SGLang `device`, `host`,
`computed`; each kept in the server's own words.
"""

BY_SOURCE = "prompt_tokens_by_source."


def unit(name: str) -> str:
    """Return the unit of a base series."""
    if name.startswith(BY_SOURCE):
        return "tokens"
    return next(series.unit for series in SERIES if series.name == name)


def shape(name: str) -> str:
    """Return `gauge` or `counter` of a base series."""
    if name.startswith(BY_SOURCE):
        return "counter"
    return next(series.shape for series in SERIES if series.name == name)
