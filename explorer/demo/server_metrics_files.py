"""Server metrics of a simulated run: AIPerf's JSONL of scrapes, or its Parquet for large points.

JSONL holds both phases and the servers' own cumulative counters; Parquet holds the profiling
window only, with counters as deltas from its start.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from explorer.demo.measured import Times
from explorer.demo.rates import engine_rates
from explorer.demo.replay import Outcome, RankState
from explorer.demo.summary_file import AIPERF_VERSION

Sample = tuple[str, str, dict[str, str], float]
"""Metric, type (gauge or counter), labels beside the engine's own, value."""

_SGLANG = ("sglang", "dynamo-sglang", "mori-sglang")
METERED = ("vllm", "dynamo-vllm", *_SGLANG)
"""Engines whose metrics endpoint the demo writes; the others leave none."""


def _vllm(row: RankState, offload: bool) -> list[Sample]:
    running, waiting, usage, dram, count = row
    prompt = count.hbm + count.dram + count.computed
    samples: list[Sample] = [
        ("vllm:num_requests_running", "gauge", {}, running),
        ("vllm:num_requests_waiting", "gauge", {}, waiting),
        ("vllm:kv_cache_usage_perc", "gauge", {}, round(usage, 6)),
        ("vllm:prompt_tokens", "counter", {}, prompt),
        ("vllm:generation_tokens", "counter", {}, int(count.generated)),
        ("vllm:prefix_cache_queries", "counter", {}, prompt),
        ("vllm:prefix_cache_hits", "counter", {}, count.hbm),
        ("vllm:num_preemptions", "counter", {}, 0),
        ("vllm:request_success", "counter", {"finished_reason": "length"}, count.finished),
        ("vllm:request_success", "counter", {"finished_reason": "abort"}, count.aborted),
    ]
    for source, tokens in (
        ("local_compute", count.computed),
        ("local_cache_hit", count.hbm),
        ("external_kv_transfer", count.dram),
    ):
        samples.append(("vllm:prompt_tokens_by_source", "counter", {"source": source}, tokens))
    if offload:
        samples += [
            ("vllm:external_prefix_cache_queries", "counter", {}, prompt - count.hbm),
            ("vllm:external_prefix_cache_hits", "counter", {}, count.dram),
            ("vllm:cpu_kv_cache_usage_perc", "gauge", {}, round(dram, 6)),
        ]
    return samples


def _speculation(generated: float, spec: str) -> list[Sample]:
    """Return vLLM's counters of speculative decoding; a draft proposes three tokens."""
    drafts = int(generated / engine_rates()["spec"][spec]["acceptance"])
    return [
        ("vllm:spec_decode_num_drafts", "counter", {}, drafts),
        ("vllm:spec_decode_num_draft_tokens", "counter", {}, 3 * drafts),
        ("vllm:spec_decode_num_accepted_tokens", "counter", {}, int(generated) - drafts),
    ]


def _sglang(row: RankState, offload: bool) -> list[Sample]:
    running, waiting, usage, _, count = row
    samples: list[Sample] = [
        ("sglang:num_running_reqs", "gauge", {}, running),
        ("sglang:num_queue_reqs", "gauge", {}, waiting),
        ("sglang:token_usage", "gauge", {}, round(usage, 6)),
        ("sglang:prompt_tokens", "counter", {}, count.hbm + count.dram + count.computed),
        ("sglang:generation_tokens", "counter", {}, int(count.generated)),
        ("sglang:num_requests", "counter", {}, count.finished),
        ("sglang:cached_tokens", "counter", {"cache_source": "device"}, count.hbm),
    ]
    if offload:
        samples.append(("sglang:cached_tokens", "counter", {"cache_source": "host"}, count.dram))
    return samples


class Meter:
    """Turns scrapes of an outcome into labelled samples per endpoint."""

    def __init__(self, outcome: Outcome) -> None:
        deployment = outcome.deployment
        self.outcome = outcome
        self.sglang = deployment.engine in _SGLANG
        self.offload = deployment.dram_ratio > 0
        self.prefills = deployment.prefill.ranks if deployment.prefill else 0
        self.model, self.spec = deployment.model, deployment.spec
        self._pool = deployment.pool_tokens(deployment.prefill or deployment.decode)
        self._decode_pool = deployment.pool_tokens(deployment.decode)

    def endpoint(self, rank: int) -> str:
        """Return the scraped address: one for all ranks, or one per role."""
        if not self.prefills:
            return "http://127.0.0.1:8000/metrics"
        return f"http://127.0.0.1:{8100 if rank < self.prefills else 8200}/metrics"

    def labels(self, rank: int) -> dict[str, str]:
        role, number = None, rank
        if self.prefills:
            role = "prefill" if rank < self.prefills else "decode"
            number = rank if role == "prefill" else rank - self.prefills
        if self.sglang:
            return {
                "model_name": self.model,
                "engine_type": role or "unified",
                "tp_rank": "0",
                "pp_rank": "0",
                "dp_rank": str(number),
            }
        labels = {"engine": str(number), "model_name": self.model}
        return {**labels, "role": role} if role else labels

    def samples(self, rank: int, row: RankState) -> list[Sample]:
        if not self.sglang:
            drafted = _speculation(row.counters.generated, self.spec) if self.spec != "none" else []
            return [*_vllm(row, self.offload), *drafted]
        pool = (
            self._pool if rank < max(1, self.prefills) or not self.prefills else (self._decode_pool)
        )
        return [*_sglang(row, self.offload), ("sglang:max_total_num_tokens", "gauge", {}, pool)]


def scrape_lines(outcome: Outcome, times: Times) -> Iterator[str]:
    """Yield ``server_metrics_export.jsonl``: one line per scrape and endpoint."""
    meter = Meter(outcome)
    for scrape in outcome.scrapes:
        by_endpoint: dict[str, dict[str, list[dict[str, Any]]]] = {}
        for rank, row in enumerate(scrape.rows):
            metrics = by_endpoint.setdefault(meter.endpoint(rank), {})
            own = meter.labels(rank)
            for metric, _, labels, value in meter.samples(rank, row):
                sample = {"labels": {**own, **labels}, "value": float(value)}
                metrics.setdefault(metric, []).append(sample)
        for endpoint, metrics in by_endpoint.items():
            line = {
                "endpoint_url": endpoint,
                "timestamp_ns": times.ns(scrape.at_s),
                "endpoint_latency_ns": 4_000_000,
                "metrics": metrics,
            }
            yield json.dumps(line, separators=(",", ":")) + "\n"


_LABELS = (
    "cache_source",
    "dp_rank",
    "engine",
    "engine_type",
    "finished_reason",
    "model_name",
    "pp_rank",
    "role",
    "source",
    "tp_rank",
)


@dataclass
class _Series:
    """One labelled metric of one rank over the profiling window."""

    endpoint: str
    metric: str
    kind: str
    labels: dict[str, str]
    values: list[float] = field(default_factory=list)

    def deltas(self) -> list[float]:
        """Return the values; a counter's as growth since the window's start."""
        base = self.values[0] if self.kind == "counter" else 0.0
        return [float(value - base) for value in self.values]


def _series(outcome: Outcome) -> tuple[list[float], list[_Series]]:
    meter = Meter(outcome)
    scrapes = [scrape for scrape in outcome.scrapes if scrape.at_s >= outcome.start_s]
    found: list[_Series] = []
    for rank in range(len(scrapes[0].rows)):
        own, endpoint = meter.labels(rank), meter.endpoint(rank)
        columns = zip(*(meter.samples(rank, scrape.rows[rank]) for scrape in scrapes), strict=True)
        for column in columns:
            metric, kind, labels, _ = column[0]
            values = [sample[3] for sample in column]
            found.append(_Series(endpoint, metric, kind, own | labels, values))
    return [scrape.at_s for scrape in scrapes], found


def write_parquet(outcome: Outcome, times: Times, benchmark_id: str, path: Path) -> None:
    """Write ``server_metrics_export.parquet`` with the columns of AIPerf 0.13."""
    at_s, series = _series(outcome)
    stamps = [times.ns(at) for at in at_s]
    lengths = [len(stamps)] * len(series)
    arrays = {
        "endpoint_url": _repeated([one.endpoint for one in series], lengths),
        "metric_name": _repeated([one.metric for one in series], lengths),
        "metric_type": _repeated([one.kind for one in series], lengths),
        "unit": pa.nulls(sum(lengths), pa.string()),
        "description": pa.nulls(sum(lengths), pa.string()),
        "timestamp_ns": pa.array(stamps * len(series), pa.int64()),
    }
    for label in _LABELS:
        if any(label in one.labels for one in series):
            arrays[label] = _repeated([one.labels.get(label) for one in series], lengths)
    values = [value for one in series for value in one.deltas()]
    arrays["value"] = pa.array(values, pa.float64())
    for name in ("sum", "count", "bucket_count"):
        arrays[name] = pa.nulls(sum(lengths), pa.float64())
    arrays["bucket_le"] = pa.nulls(sum(lengths), pa.string())
    _write(arrays, outcome, times, benchmark_id, path)


def _repeated(texts: Sequence[str | None], lengths: list[int]) -> pa.Array:
    """Return each text as often as its series is long."""
    places = [place for place, length in enumerate(lengths) for _ in range(length)]
    return pa.array(texts, pa.string()).take(pa.array(places, pa.int32()))


def _write(
    arrays: dict[str, pa.Array], outcome: Outcome, times: Times, benchmark_id: str, path: Path
) -> None:
    metadata = {
        "aiperf.schema_version": "1.0",
        "aiperf.version": AIPERF_VERSION,
        "aiperf.benchmark_id": benchmark_id,
        "aiperf.exporter": "ServerMetricsParquetExporter",
        "aiperf.time_filter_start_ns": str(times.ns(outcome.start_s)),
        "aiperf.time_filter_end_ns": str(times.ns(outcome.end_s)),
        "aiperf.concurrency": str(outcome.plan.lanes),
    }
    table = pa.table(arrays).replace_schema_metadata(metadata)
    pq.write_table(table, path, compression="zstd")
