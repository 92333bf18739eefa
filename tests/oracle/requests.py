"""An independent recomputation of a run's numbers from its request export, in plain Python.

Shares no code with the product: json, sorted lists and arithmetic by the definitions of
docs/metrics.md. Slow on purpose, readable on purpose.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

QUANTILES = {"p50": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999}
Record = dict[str, Any]


def load(path: Path) -> list[Record]:
    """Return the records of an export, one a line."""
    with path.open(encoding="utf-8") as stream:
        return [json.loads(line) for line in stream if line.strip()]


def is_warmup(record: Record) -> bool:
    meta = record["metadata"]
    return (meta.get("benchmark_phase") or meta.get("credit_phase")) == "warmup"


def is_cancelled(record: Record) -> bool:
    return bool(
        record["metadata"].get("was_cancelled") or (record.get("error") or {}).get("code") == 499
    )


def kept(records: list[Record]) -> list[Record]:
    """Return profiling records without error that were not cancelled."""
    return [r for r in records if not is_warmup(r) and not r.get("error") and not is_cancelled(r)]


def counts(records: list[Record]) -> dict[str, int]:
    """Return profiling attempts by outcome and warm-up records."""
    profiling = [r for r in records if not is_warmup(r)]
    cancelled = sum(is_cancelled(r) for r in profiling)
    failed = sum(bool(r.get("error")) and not is_cancelled(r) for r in profiling)
    return {
        "requests_total": len(profiling),
        "requests_ok": len(profiling) - cancelled - failed,
        "requests_failed": failed,
        "requests_cancelled": cancelled,
        "requests_warmup": len(records) - len(profiling),
    }


def value(record: Record, *tags: str) -> float | None:
    """Return a metric's value; times come in ms and leave in s."""
    for tag in tags:
        metric = record["metrics"].get(tag)
        if metric is not None:
            number = metric["value"]
            return number / 1000 if metric["unit"] == "ms" else number
    return None


def start_ns(record: Record) -> int:
    meta = record["metadata"]
    if "request_start_ns" in meta:
        return int(meta["request_start_ns"])
    first = record["metrics"].get("min_request_timestamp")
    return int(first["value"]) if first else int(meta["timestamp_ns"])


def end_ns(record: Record) -> int:
    meta = record["metadata"]
    if "request_end_ns" in meta:
        return int(meta["request_end_ns"])
    return int(record["metrics"]["max_response_timestamp"]["value"])


def itl(record: Record) -> float | None:
    """Return (E2EL − TTFT) / (OSL − 1) where OSL ≥ 2 and it is positive."""
    ttft, e2el = value(record, "time_to_first_token", "ttft"), value(record, "request_latency")
    osl = value(record, "output_sequence_length")
    if ttft is None or e2el is None or osl is None or osl < 2:
        return None
    return (e2el - ttft) / (osl - 1)


def percentile(samples: list[float], p: float) -> float:
    """Return the value at rank (n − 1)·p, linear between neighbours."""
    ordered = sorted(samples)
    rank = (len(ordered) - 1) * p
    low = math.floor(rank)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (rank - low)


def describe(samples: list[float]) -> dict[str, float]:
    """Return mean, percentiles, minimum, maximum and population standard deviation."""
    if not samples:
        return {}
    mean = math.fsum(samples) / len(samples)
    spread = math.sqrt(math.fsum((x - mean) ** 2 for x in samples) / len(samples))
    found = {name: percentile(samples, p) for name, p in QUANTILES.items()}
    return {**found, "mean": mean, "min": min(samples), "max": max(samples), "std": spread}


def positive(samples: list[float | None]) -> list[float]:
    return [x for x in samples if x is not None and math.isfinite(x) and x > 0]


def reciprocals(latency: dict[str, float]) -> dict[str, float]:
    """Return speeds as 1 / the same statistic of the latency; min and max change places."""
    swapped = {"min": "max", "max": "min"}
    return {swapped.get(s, s): 1 / x for s, x in latency.items() if s != "std" and x > 0}


def e2e_latency_per_token(record: Record) -> float | None:
    ttft, e2el = value(record, "time_to_first_token", "ttft"), value(record, "request_latency")
    isl, osl = value(record, "input_sequence_length"), value(record, "output_sequence_length")
    if None in (ttft, e2el, isl, osl) or min(ttft, e2el, isl, osl) <= 0:  # type: ignore[type-var]
        return None
    return e2el / osl  # type: ignore[operator]


def completions_per_second(records: list[Record]) -> list[float]:
    """Return completions in each whole second from the first to the last completion."""
    ends = sorted(end_ns(r) for r in records)
    whole = (ends[-1] - ends[0]) // 1_000_000_000
    seconds = [0.0] * whole
    for end in ends:
        second = (end - ends[0]) // 1_000_000_000
        if second < whole:
            seconds[second] += 1
    return seconds


def metrics(records: list[Record]) -> dict[str, float]:
    """Return every requests metric under the product's keys."""
    ok = kept(records)
    if not ok:
        return {}
    groups = {
        "ttft_s": describe(positive([value(r, "time_to_first_token", "ttft") for r in ok])),
        "e2el_s": describe(positive([value(r, "request_latency") for r in ok])),
        "itl_s": describe(positive([itl(r) for r in ok])),
        "isl_tokens": describe(positive([value(r, "input_sequence_length") for r in ok])),
        "osl_tokens": describe(positive([value(r, "output_sequence_length") for r in ok])),
        "qps": describe(completions_per_second(ok)),
    }
    groups["tpot_s"] = groups["itl_s"]
    groups["interactivity_tps"] = reciprocals(groups["itl_s"])
    per_token = describe(positive([e2e_latency_per_token(r) for r in ok]))
    groups["e2e_interactivity_tps"] = reciprocals(per_token)
    found = {f"{stat}_{key}": x for key, group in groups.items() for stat, x in group.items()}
    return {**found, **throughput(ok)}


def throughput(ok: list[Record]) -> dict[str, float]:
    """Return Σ tokens over (max end − min start) of the kept requests."""
    duration = (max(map(end_ns, ok)) - min(map(start_ns, ok))) / 1e9
    inputs = sum(value(r, "input_sequence_length") or 0 for r in ok)
    outputs = sum(value(r, "output_sequence_length") or 0 for r in ok)
    if duration <= 0:
        return {}
    return {
        "duration_s": duration,
        "input_tps": inputs / duration,
        "output_tps": outputs / duration,
        "total_tps": (inputs + outputs) / duration,
    }
