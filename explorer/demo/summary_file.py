"""AIPerf's summary JSON of a simulated run."""

from __future__ import annotations

from typing import Any

from explorer.demo.aiperf_files import ERRORS
from explorer.demo.measured import Measured
from explorer.demo.replay import GRACE_S, Outcome, Record
from explorer.demo.stats import summary

AIPERF_VERSION = "0.13.0"
_OVERFLOW_LIMIT = 0.01


def summary_document(
    measured: Measured, benchmark_id: str, dataset: str, entries: int
) -> dict[str, Any]:
    """Return the document; ``entries`` is the number of conversations replayed from."""
    outcome, times = measured.outcome, measured.times
    blocks = metric_blocks(measured.values)
    duration = outcome.end_s - outcome.start_s
    blocks["benchmark_duration"] = {"unit": "sec", "avg": duration}
    for name, unit, amount in (
        ("request_throughput", "requests/sec", len(measured.ok)),
        ("output_token_throughput", "tokens/sec", blocks["total_osl"]["avg"]),
    ):
        blocks[name] = {"unit": unit, "avg": amount / duration}
    hits, total = measured.theoretical_blocks
    if total:
        blocks["theoretical_prefix_cache_hit"] = {
            "unit": "%",
            "avg": 100 * hits / total,
            "count": total,
            "sum": hits,
        }
    bad = len(outcome.records) - len(measured.ok) - len(measured.warm)
    if bad:
        blocks["error_request_count"] = {"unit": "requests", "avg": float(bad)}
    if outcome.overflows:
        blocks["context_overflow_count"] = {"unit": "requests", "avg": float(outcome.overflows)}
    return {
        "schema_version": "1.4",
        "aiperf_version": AIPERF_VERSION,
        "benchmark_id": benchmark_id,
        **blocks,
        "input_config": _input_config(outcome, dataset),
        "run_info": _run_info(outcome, benchmark_id, dataset),
        "was_cancelled": bool(outcome.plan.stop_after_s),
        "is_complete": not outcome.plan.stop_after_s,
        "error_summary": error_summary(outcome.records),
        "start_time": times.local(outcome.start_s),
        "end_time": times.local(outcome.end_s),
        "branch_stats": _branch_stats(outcome),
        "warmup_metrics": _warmup(measured),
        "metadata": _metadata(outcome, dataset, entries, len(measured.ok)),
    }


def metric_blocks(values: dict[str, list[float]]) -> dict[str, Any]:
    """Return the summary's per-metric blocks over one phase's ok requests."""
    blocks = {
        "request_latency": summary("ms", values["latency"]),
        "request_count": {"unit": "requests", "avg": float(len(values["latency"]))},
        "time_to_first_token": summary("ms", values["ttft"]),
        "output_sequence_length": summary("tokens", values["osl"]),
        "input_sequence_length": summary("tokens", values["isl"]),
        "total_output_tokens": {"unit": "tokens", "avg": sum(values["osl"])},
        "total_isl": {"unit": "tokens", "avg": sum(values["isl"])},
        "total_osl": {"unit": "tokens", "avg": sum(values["osl"])},
    }
    if values["itl"]:
        blocks["inter_token_latency"] = summary("ms", values["itl"])
    return blocks


def _warmup(measured: Measured) -> dict[str, Any]:
    return metric_blocks(measured.values_of(measured.warm)) if measured.warm else {}


def error_summary(records: list[Record]) -> list[dict[str, Any]]:
    """Return failed profiling requests grouped as AIPerf groups them."""
    counts: dict[str, int] = {}
    for record in records:
        if record.profiling and record.status != "ok":
            counts[record.status] = counts.get(record.status, 0) + 1
    return [
        {"count": count, "error_details": {"code": None, **ERRORS[status]}}
        for status, count in sorted(counts.items())
    ]


def _metadata(outcome: Outcome, dataset: str, entries: int, ok: int) -> dict[str, Any]:
    valid = outcome.overflows <= _OVERFLOW_LIMIT * max(1, ok)
    found: dict[str, Any] = {
        "source": "simulated",
        "dataset": {
            "source_type": "simulated",
            "loader": dataset,
            "hf_dataset_name": dataset,
            "num_dataset_entries": entries,
        },
        "scenario": "inferencex-agentx-mvp",
        "submission_valid": valid,
    }
    if not valid:
        found["submission_invalid_reasons"] = ["context_overflow_rate_exceeded"]
    return found


def _branch_stats(outcome: Outcome) -> dict[str, int]:
    return {
        "children_spawned": outcome.children_spawned,
        "children_completed": outcome.children_completed,
        "children_errored": 0,
        "children_truncated": outcome.children_spawned - outcome.children_completed,
        "parents_suspended": outcome.parents_suspended,
        "parents_resumed": outcome.parents_resumed,
        "parents_failed_due_to_child_error": 0,
        "joins_suppressed": 0,
    }


def _input_config(outcome: Outcome, dataset: str) -> dict[str, Any]:
    plan = outcome.plan
    return {
        "models": {"items": [{"name": outcome.deployment.model}]},
        "endpoint": {
            "urls": ["http://127.0.0.1:8000"],
            "type": "chat",
            "streaming": True,
            "use_server_token_count": True,
        },
        "datasets": [
            {
                "name": dataset,
                "type": "file",
                "path": dataset,
                "format": "weka_trace",
                "random_seed": plan.seed,
                "trace_idle_gap_cap_seconds": 300.0,
            }
        ],
        "phases": [
            {
                "name": "profiling",
                "kind": "profiling",
                "type": "concurrency",
                "duration": plan.duration_s,
                "concurrency": plan.lanes,
                "grace_period": GRACE_S,
                "timing_mode": "agentic_replay",
                "failed_request_threshold": 0.1,
                "trajectory_start_min_ratio": 0.25,
                "trajectory_start_max_ratio": 0.75,
            }
        ],
        "server_metrics": {"enabled": True, "formats": ["jsonl", "parquet"]},
        "scenario": "inferencex-agentx-mvp",
    }


def _run_info(outcome: Outcome, benchmark_id: str, dataset: str) -> dict[str, Any]:
    plan = outcome.plan
    command = (
        f"aiperf profile --scenario inferencex-agentx-mvp --model {outcome.deployment.model}"
        f" --url http://127.0.0.1:8000 --endpoint-type chat --streaming"
        f" --custom-dataset-type weka_trace --input-file {dataset}"
        f" --concurrency {plan.lanes} --benchmark-duration {plan.duration_s:g}"
        f" --random-seed {plan.seed}"
    )
    return {
        "benchmark_id": benchmark_id,
        "random_seed": plan.seed,
        "trial": 0,
        "cli_command": command,
    }
