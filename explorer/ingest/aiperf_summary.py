"""AIPerf's summary (profile_export_aiperf.json), 2025 to 0.13: identity, load, totals, validity.

`start_time` is local without a zone and never a clock here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from explorer.domain.metrics import interactivity
from explorer.ingest.aiperf_requests import is_context_overflow
from explorer.ingest.command_hints import load_fields, options
from explorer.ingest.numbers import finite, integer, nanoseconds, ratio, seconds, text
from explorer.ingest.values import mapping

_STATISTICS = {"avg": "mean", "min": "min", "max": "max", "std": "std"} | {
    name: name for name in ("p50", "p75", "p90", "p95", "p99")
}
_LATENCIES = {
    "ttft_s": ("time_to_first_token", "ttft"),
    "e2el_s": ("request_latency",),
    "itl_s": ("inter_token_latency",),
}
_LENGTHS = {"isl_tokens": "input_sequence_length", "osl_tokens": "output_sequence_length"}
_PLACES = frozenset(
    (
        *("endpoint", "output", "artifacts", "cli_command", "runtime", "gpu_telemetry"),
        *("server_metrics", "otel", "mlflow", "wandb", "network_latency", "logging", "service"),
    )
)
"""Parts of input_config that say where a run happened, not what was measured."""


@dataclass(slots=True)
class Summary:
    """One run's summary with its metrics under one name, whatever dialect nests them."""

    document: Mapping[str, Any]
    metrics: Mapping[str, Any]
    config: Mapping[str, Any]
    run_info: Mapping[str, Any]
    metadata: Mapping[str, Any]
    command: dict[str, Any] = field(default_factory=dict)

    @property
    def benchmark_id(self) -> str | None:
        return text(self.document.get("benchmark_id")) or text(self.run_info.get("benchmark_id"))

    @property
    def local_start(self) -> datetime | None:
        """Return the harness's local start of profiling, for logs of the same machine only."""
        return _datetime(self.document.get("start_time"))

    def metric(self, *tags: str) -> Mapping[str, Any]:
        """Return the first of these metrics that the summary has, else an empty one."""
        return next((mapping(self.metrics[tag]) for tag in tags if self.metrics.get(tag)), {})

    def average(self, *tags: str) -> float | None:
        return finite(self.metric(*tags).get("avg"))

    def count(self, *tags: str) -> int | None:
        return integer(self.average(*tags))


def is_summary(document: Any) -> bool:
    """Say whether a JSON document is a run's summary; aggregates of runs are not."""
    if not isinstance(document, dict) or not isinstance(document.get("input_config"), dict):
        return False
    if "timeslices" in document or "metrics" in document or "metrics_phase" in document:
        return False
    metrics = mapping(document.get("records")) or document
    known = ("request_latency", "request_count", "error_request_count", "request_throughput")
    return any(isinstance(metrics.get(tag), dict) for tag in known)


def parse(document: Mapping[str, Any]) -> Summary:
    """Return the summary of a document that `is_summary`."""
    summary = Summary(
        document,
        mapping(document.get("records")) or document,
        mapping(document.get("input_config")),
        mapping(document.get("run_info")),
        mapping(document.get("metadata")),
    )
    command = text(summary.run_info.get("cli_command")) or text(summary.config.get("cli_command"))
    summary.command = dict(options(command)) if command else {}
    return summary


def cell(summary: Summary) -> dict[str, Any]:
    """Return what tells runs of one benchmark apart: variation, trial, label."""
    info = summary.run_info
    return {
        "variation": info.get("variation_values") or None,
        "trial": info.get("trial") or None,
        "label": info.get("run_label"),
    }


def identity(summary: Summary) -> dict[str, Any]:
    """Return the raw identity: the tool's own id and cell, else the summary's own values.

    A dialect without an id is told by its configuration without places, and by the ns of its
    first request (else its start as spelt). Paths, hosts and metrics never enter.
    """
    if summary.benchmark_id:
        stated = {key: value for key, value in cell(summary).items() if value is not None}
        return {"kind": "aiperf", "benchmark_id": summary.benchmark_id, **stated}
    first = summary.metric("min_request_timestamp").get("avg")
    return {
        "kind": "aiperf",
        "config": {key: summary.config[key] for key in summary.config if key not in _PLACES},
        "models": model_names(summary),
        "first": first if first is not None else summary.document.get("start_time"),
    }


def model_names(summary: Summary) -> list[str]:
    """Return the models a summary names, in its order."""
    endpoint = mapping(summary.config.get("endpoint"))
    items = mapping(summary.config.get("models")).get("items") or ()
    named = [mapping(item).get("name") for item in items]
    return [str(name) for name in named or endpoint.get("model_names") or () if name]


def profiling_phase(summary: Summary) -> Mapping[str, Any]:
    """Return the phase whose kind is profiling (0.13), else the load generator's settings."""
    for phase in summary.config.get("phases") or ():
        found = mapping(phase)
        if (found.get("kind") or found.get("name")) == "profiling":
            return found
    return mapping(summary.config.get("loadgen"))


def concurrency(summary: Summary) -> float | None:
    """Return the concurrency asked for, from the profiling phase or the 2025 load generator."""
    phase = profiling_phase(summary)
    varied = mapping(summary.run_info.get("variation_values"))
    named = next((value for key, value in varied.items() if key.endswith("concurrency")), None)
    return finite(phase.get("concurrency")) or finite(named) or _hint(summary, "concurrency")


def planned_duration_s(summary: Summary) -> float | None:
    """Return the profiling time planned, s; None when the run was planned by count."""
    phase = profiling_phase(summary)
    stated = finite(phase.get("duration")) or finite(phase.get("benchmark_duration"))
    return stated or _hint(summary, "planned_duration_s")


def _hint(summary: Summary, key: str) -> float | None:
    return finite(load_fields(summary.command).get(key))


def fields(summary: Summary) -> dict[str, Any]:
    """Return the point fields a summary states; counts are those of its own totals."""
    document, metadata = summary.document, summary.metadata
    duration = summary.metric("benchmark_duration")
    reasons = metadata.get("submission_invalid_reasons") or document.get("invalid_reasons")
    return {
        "harness": "aiperf",
        "harness_version": text(document.get("aiperf_version")),
        "run_id": text(summary.run_info.get("sweep_id")) or summary.benchmark_id,
        "model_raw": next(iter(model_names(summary)), None),
        "valid": metadata.get("submission_valid"),
        "invalid_reasons": [str(reason) for reason in reasons] if reasons else None,
        "planned_duration_s": planned_duration_s(summary),
        "wall_duration_s": seconds(duration.get("avg"), duration.get("unit")),
        "interrupted": _interrupted(document),
        **_scenario(summary),
    }


def _interrupted(document: Mapping[str, Any]) -> bool | None:
    stated = [document.get("was_cancelled"), document.get("is_complete")]
    if stated == [None, None]:
        return None
    return stated[0] is True or stated[1] is False


def dataset_name(summary: Summary) -> str | None:
    """Return the replayed dataset's name: the hub's, the loader's, else its file's without path."""
    stated = mapping(summary.metadata.get("dataset"))
    given = mapping(summary.config.get("input"))
    for source in (
        stated.get("hf_dataset_name"),
        stated.get("loader"),
        given.get("public_dataset"),
    ):
        if text(source):
            return str(source)
    listed = [mapping(item) for item in summary.config.get("datasets") or ()]
    paths = [
        item.get("path") or item.get("dataset") or item.get("public_dataset") for item in listed
    ]
    path = next((str(found) for found in [*paths, given.get("file")] if text(found)), None)
    return path.rstrip("/").rsplit("/", 1)[-1] if path else None


def _scenario(summary: Summary) -> dict[str, Any]:
    """Return scenario and what belongs to it: nominal lengths, or the trace set."""
    named = text(summary.metadata.get("scenario")) or text(summary.config.get("scenario")) or ""
    replay = profiling_phase(summary).get("timing_mode") == "agentic_replay"
    if "agent" in named or replay:
        return {"scenario": "agentic", "dataset_raw": dataset_name(summary)}
    prompts, turns = _prompts(summary)
    if (finite(turns) or 1) > 1:
        return {"scenario": "multiturn", "dataset_raw": dataset_name(summary)}
    isl, osl = (_fixed(mapping(prompts.get(key))) for key in ("isl", "osl"))
    if isl and osl:
        return {"scenario": "fixed", "isl": isl, "osl": osl}
    return {"scenario": "synthetic", "dataset_raw": dataset_name(summary)}


def _prompts(summary: Summary) -> tuple[Mapping[str, Any], Any]:
    """Return {isl, osl: {mean, stddev}} and mean turns of either dialect."""
    for item in summary.config.get("datasets") or ():
        found = mapping(item)
        return mapping(found.get("prompts")), mapping(found.get("turns")).get("mean")
    given = mapping(summary.config.get("input"))
    prompt = mapping(given.get("prompt"))
    lengths = {"isl": prompt.get("input_tokens"), "osl": prompt.get("output_tokens")}
    turns = mapping(mapping(given.get("conversation")).get("turn")).get("mean")
    return lengths, turns


def _fixed(length: Mapping[str, Any]) -> int | None:
    """Return a length that does not vary. A standard deviation left out is none."""
    return integer(length.get("mean")) if not finite(length.get("stddev")) else None


def counts(summary: Summary) -> dict[str, int | None]:
    """Return request counts of the summary alone; AIPerf counts cancelled ones as errors."""
    ok = summary.count("request_count")
    errors = summary.count("error_request_count") or 0
    cancelled = sum(n for code, _, n in _errors(summary) if code == 499)
    failed = max(errors - cancelled, 0)
    total = (ok or 0) + errors
    return {
        "requests_total": total or None,
        "requests_ok": ok if ok is not None else 0 if errors else None,
        "requests_failed": failed,
        "requests_cancelled": min(cancelled, errors),
        "requests_warmup": integer(
            mapping(mapping(summary.document.get("warmup_metrics")).get("request_count")).get("avg")
        ),
    }


def errors(summary: Summary) -> list[dict[str, Any]]:
    """Return the summary's failures as [{type, code, n}], cancelled ones left out."""
    grouped: dict[tuple[str | None, int | None], int] = {}
    for item in summary.document.get("error_summary") or ():
        details = mapping(mapping(item).get("error_details"))
        key = text(details.get("type")), integer(details.get("code"))
        grouped[key] = grouped.get(key, 0) + (integer(mapping(item).get("count")) or 0)
    listed = [{"type": t, "code": c, "n": n} for (t, c), n in grouped.items() if c != 499]
    return sorted(listed, key=lambda error: (-int(error["n"] or 0), str(error)))


def _errors(summary: Summary) -> list[tuple[int | None, str | None, int]]:
    found = []
    for item in summary.document.get("error_summary") or ():
        details = mapping(mapping(item).get("error_details"))
        n = integer(mapping(item).get("count")) or 0
        found.append((integer(details.get("code")), text(details.get("message")), n))
    return found


def overflow(summary: Summary, recorded: int | None) -> int | None:
    """Return context overflows that left no record; null when the summary states none.

    Some versions count refused prompts that do have a (failed) record: `recorded` of the request
    file, else those of the error summary, are taken off.
    """
    stated = summary.count("context_overflow_count")
    if stated is None:
        return None
    if recorded is None:
        recorded = sum(n for code, text_, n in _errors(summary) if is_context_overflow(code, text_))
    return max(stated - recorded, 0)


def theoretical_hit_ratio(summary: Summary) -> float | None:
    """Return the replay's infinite-cache ceiling: Σ hit blocks / Σ blocks."""
    metric = summary.metric("theoretical_prefix_cache_hit")
    hits, blocks = finite(metric.get("sum")), finite(metric.get("count"))
    if hits is not None and blocks:
        return hits / blocks
    return ratio(metric.get("avg"), metric.get("unit"))


def statistics(summary: Summary) -> dict[str, float]:
    """Return the summary's latency and length statistics under the registry's keys, in s."""
    found: dict[str, float | None] = {}
    for key, tags in _LATENCIES.items():
        metric = summary.metric(*tags)
        for raw, stat in _STATISTICS.items():
            found[f"{stat}_{key}"] = seconds(metric.get(raw), metric.get("unit"))
    for key, tag in _LENGTHS.items():
        metric = summary.metric(tag)
        for raw, stat in _STATISTICS.items():
            found[f"{stat}_{key}"] = finite(metric.get(raw))
    return {key: value for key, value in found.items() if value is not None and value > 0}


def stored_metrics(summary: Summary) -> dict[str, float | None]:
    """Return the metrics of a run without a request file, from its summary alone.

    Throughput is Σ tokens over the phase's wall time. TPOT is ITL, as for runs with requests.
    """
    found: dict[str, float | None] = dict(statistics(summary))
    for stat in _STATISTICS.values():
        itl = found.get(f"{stat}_itl_s")
        found[f"{stat}_tpot_s"] = itl
        other = {"min": "max", "max": "min"}.get(stat, stat)
        if stat != "std":
            found[f"{other}_interactivity_tps"] = interactivity(itl)
    duration = summary.metric("benchmark_duration")
    lasted = seconds(duration.get("avg"), duration.get("unit"))
    tokens = {"input": summary.average("total_isl"), "output": _output_tokens(summary)}
    if lasted and None not in tokens.values():
        rates = {f"{basis}_tps": (value or 0) / lasted for basis, value in tokens.items()}
        found |= {**rates, "total_tps": sum(rates.values()), "duration_s": lasted}
    return {key: value for key, value in found.items() if value is not None}


def _output_tokens(summary: Summary) -> float | None:
    return summary.average("total_osl") or summary.average("total_output_tokens")


def first_request_ns(summary: Summary) -> int | None:
    """Return the earliest request's start where the dialect states it (a float: ±128 ns)."""
    return nanoseconds(summary.metric("min_request_timestamp"))


def _datetime(value: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return found.replace(tzinfo=None)
