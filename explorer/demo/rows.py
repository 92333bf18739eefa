"""Aggregate rows of simulated points: agentic (nested v3) and what all rows say of a deployment."""

from __future__ import annotations

from typing import Any

from explorer.demo.measured import Measured
from explorer.demo.rates import Deployment, Shape, engine_rates
from explorer.demo.replay import Outcome
from explorer.demo.stats import mean_and_std, per_second, percentile, row_stats

OFFLOAD_BACKENDS = {
    "vllm": ("lmcache", "0.4.2"),
    "sglang": ("hicache", "0.5.12"),
    "dynamo-vllm": ("lmcache", "0.4.2"),
    "dynamo-sglang": ("mooncake", "0.3.9"),
    "mori-sglang": ("hicache", "0.5.12"),
    "trt": ("simple", "1.3.0"),
    "atom": ("simple", "0.1.4"),
    "dynamo-trt": ("simple", "1.3.0"),
}


def _role(prefix: str, shape: Shape) -> dict[str, Any]:
    size = shape.gpus // shape.workers
    parallel = shape.ranks > shape.workers
    return {
        f"{prefix}_tp": size,
        f"{prefix}_ep": size if parallel else 1,
        f"{prefix}_dp_attention": "true" if parallel else "false",
        f"{prefix}_num_workers": shape.workers,
        f"num_{prefix}_gpu": shape.gpus,
    }


def deployment_fields(
    deployment: Deployment, lanes: int, image: str | None = None
) -> dict[str, Any]:
    """Return a row's fields that name hardware, software and shape."""
    table = engine_rates()
    shape = deployment.decode
    size = shape.gpus // shape.workers
    parallel = shape.ranks > shape.workers
    fields: dict[str, Any] = {
        "source": "simulated",
        "hw": deployment.hw,
        "conc": lanes,
        "image": image or table["engine"][deployment.engine]["image"],
        "model": deployment.model,
        "infmax_model_prefix": table["model"][deployment.model]["short"],
        "framework": deployment.engine,
        "precision": deployment.precision,
        "spec_decoding": deployment.spec,
        "disagg": deployment.prefill is not None,
        "is_multinode": deployment.gpus > 8,
    }
    if deployment.prefill is None:
        fields |= {
            "tp": size,
            "ep": size if parallel else 1,
            "dp_attention": "true" if parallel else "false",
        }
    else:
        fields |= {**_role("prefill", deployment.prefill), **_role("decode", shape)}
    return fields


def _offload(deployment: Deployment) -> dict[str, Any]:
    if not deployment.dram_ratio:
        return {"kv_offloading": "none", "kv_offload_backend": "", "allocated_cpu_dram_gb": 0}
    name, version = OFFLOAD_BACKENDS[deployment.engine]
    size = deployment.kv_pool_tokens * deployment.dram_ratio * deployment.kv_bytes / 1e9
    return {
        "kv_offloading": "dram",
        "kv_offload_backend": {"name": name, "version": version},
        "allocated_cpu_dram_gb": int(size),
    }


def agentic_row(measured: Measured, dataset: str, entries: int) -> dict[str, Any]:
    """Return the nested v3 row of one replay; one of a crash when no request succeeded."""
    outcome, ok, warm = measured.outcome, measured.ok, len(measured.warm)
    deployment, records = outcome.deployment, outcome.records
    bad = len(records) - len(ok) - warm
    row = {
        **deployment_fields(deployment, outcome.plan.lanes),
        "scenario_type": "agentic-coding",
        **_offload(deployment),
        "num_requests_total": len(records),
        "num_requests_successful": len(ok),
        "request_accounting": {
            "records_total": len(records),
            "records_profiled": len(ok),
            "records_dropped_total": warm + bad,
            "records_warmup_dropped": warm,
            "records_error_dropped": bad,
            "error_categories": {},
        },
        "dataset": {
            "source_type": "simulated",
            "loader": dataset,
            "hf_dataset_name": dataset,
            "num_dataset_entries": entries,
        },
    }
    if ok:
        row["request_metrics"] = _request_metrics(measured)
        row["server_metrics"] = _server_metrics(outcome)
    return row


def _request_metrics(measured: Measured) -> dict[str, Any]:
    values, duration = measured.values, measured.duration_s
    gpus = measured.outcome.deployment.gpus
    hits, blocks = measured.theoretical_blocks
    totals = {"input": sum(values["isl"]), "output": sum(values["osl"])}
    totals["total"] = totals["input"] + totals["output"]
    rates = {
        key: {"tokens_per_second": round(amount / duration, 5)} for key, amount in totals.items()
    }
    per_gpu = {
        f"{key}_tput_tps": round(amount / duration / gpus, 5) for key, amount in totals.items()
    }
    windows = per_second([measured.times.ns(one.end_s) / 1e9 for one in measured.ok])
    return {
        "qps": {"window_seconds": 1, "samples": len(windows), **row_stats(windows)},
        "latency": _latency(values),
        "tokens": {
            "input": row_stats(values["isl"]),
            "output_actual": row_stats(values["osl"]),
            "output_expected": {},
        },
        "throughput": {**rates, "duration_seconds": round(duration, 5), "per_gpu": per_gpu},
        "cache": {"theoretical_cache_hit_rate": round(hits / blocks, 5) if blocks else None},
    }


def _latency(values: dict[str, list[float]]) -> dict[str, Any]:
    """Return latency blocks in seconds; speeds are the slow tail, 1/ITL of the same statistic."""
    itl = [value / 1e3 for value in values["itl"]]
    found: dict[str, Any] = {
        "ttft": row_stats([value / 1e3 for value in values["ttft"]]),
        "e2el": row_stats([value / 1e3 for value in values["latency"]]),
        "itl": row_stats(itl),
        "tpot": row_stats(itl),
        "intvty": _reciprocal(itl),
        "e2e_norm_intvty": _reciprocal(
            [late / 1e3 / size for late, size in zip(values["latency"], values["osl"], strict=True)]
        ),
    }
    return found


def _reciprocal(seconds: list[float]) -> dict[str, float]:
    if not seconds:
        return {}
    ordered = sorted(seconds)
    found = {"mean": 1 / mean_and_std(ordered)[0]}
    found |= {f"p{rank}": 1 / percentile(ordered, rank) for rank in (50, 75, 90, 95)}
    return {key: round(value, 5) for key, value in found.items()}


def _server_metrics(outcome: Outcome) -> dict[str, Any]:
    """Return the row's server block: the counters' growth over the profiling window."""
    first = next(scrape for scrape in outcome.scrapes if scrape.at_s >= outcome.start_s)
    last = outcome.scrapes[-1]
    pairs = [(a.counters, b.counters) for a, b in zip(first.rows, last.rows, strict=True)]
    hbm = sum(b.hbm - a.hbm for a, b in pairs)
    dram = sum(b.dram - a.dram for a, b in pairs)
    computed = sum(b.computed - a.computed for a, b in pairs)
    prompt = hbm + dram + computed
    peak = max(row.kv_usage_ratio for scrape in outcome.scrapes for row in scrape.rows)
    disagg = outcome.deployment.prefill is not None
    second = round(dram / prompt, 5) if prompt else None
    return {
        "present": True,
        "adapter": "sglang" if "sglang" in outcome.deployment.engine else "vllm",
        "cache": {
            "gpu_cache_hit_rate": round(hbm / prompt, 5) if prompt else None,
            "cpu_cache_hit_rate": None if disagg else second,
            "external_cache_hit_rate": second,
            "overall_cache_hit_rate": round((hbm + dram) / prompt, 5) if prompt else None,
            "prefix_cache_hits": hbm,
            "prefix_cache_queries": prompt,
        },
        "kv_cache": {
            "gpu_usage_pct": round(peak, 5),
            "gpu_total_tokens": outcome.deployment.kv_pool_tokens,
        },
        "tokens": {
            "prompt_total": prompt,
            "generation_total": int(sum(b.generated - a.generated for a, b in pairs)),
            "requests_completed": sum(b.finished - a.finished for a, b in pairs),
            "prompt_by_source": {
                "gpu_cache_hit": hbm,
                "cpu_or_external_cache_hit": dram,
                "computed": computed,
            },
        },
    }
