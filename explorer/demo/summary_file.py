"""AIPerf's summary JSON of a simulated run."""

from __future__ import annotations

from typing import Any

from explorer.demo.aiperf_files import (
    Times,
    error_summary,
    metric_blocks,
    theoretical_blocks,
)
from explorer.demo.replay import GRACE_S, Outcome

AIPERF_VERSION = "0.13.0"
_OVERFLOW_LIMIT = 0.01


def summary_document(
    outcome: Outcome, times: Times, benchmark_id: str, dataset: str, entries: int
) -> dict[str, Any]:
    """Return the document; ``entries`` is the number of conversations replayed from."""
    ok = [one for one in outcome.records if one.profiling and one.status == "ok"]
    blocks = metric_blocks(ok, times)
    duration = outcome.end_s - outcome.start_s
    blocks["benchmark_duration"] = {"unit": "sec", "avg": duration}
    for key, amount in (("request", len(ok)), ("output_token", blocks["total_osl"]["avg"])):
        unit = "requests/sec" if key == "request" else "tokens/sec"
        blocks[f"{key}_throughput"] = {"unit": unit, "avg": amount / duration}
    hits, total = theoretical_blocks(outcome)
    if total:
        blocks["theoretical_prefix_cache_hit"] = {
            "unit": "%",
            "avg": 100 * hits / total,
            "count": total,
            "sum": hits,
        }
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
        "warmup_metrics": _warmup(outcome, times),
        "metadata": _metadata(outcome, dataset, entries, len(ok)),
    }


def _warmup(outcome: Outcome, times: Times) -> dict[str, Any]:
    warm = [one for one in outcome.records if not one.profiling]
    return metric_blocks(warm, times) if warm else {}


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
