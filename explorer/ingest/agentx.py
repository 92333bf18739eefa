"""AgentX aggregate rows: flat (May and June 2026) and nested v3 (July 2026 on)."""

from __future__ import annotations

from typing import Any

from explorer.domain.metrics import interactivity
from explorer.ingest.draft import Draft, Note
from explorer.ingest.row_fields import FULL_DECIMALS, Row, draft, keep_positive
from explorer.ingest.values import integer, mapping, number, positive, text

NESTED_DECIMALS = 5
_STATISTICS = ("mean", "p50", "p75", "p90", "p95", "p99", "std")
_LATENCY = {"ttft": "ttft_s", "e2el": "e2el_s", "itl": "itl_s", "tpot": "tpot_s"}
_MANY_QUERIES = 1.05
_PERCENT_FROM = 1.5


def is_agentic(row: Row) -> bool:
    """Return whether a row is an agentic one, of either dialect."""
    return str(row.get("scenario_type") or "").startswith("agentic") or "request_metrics" in row


def agentic_draft(row: Row) -> Draft:
    """Return the draft of an agentic row."""
    nested = "request_metrics" in row or "request_accounting" in row
    made = draft(row, "agentx-nested" if nested else "agentx-flat")
    made.fields["scenario"] = "agentic"
    (_nested if nested else _flat)(row, made)
    _interactivity(made)
    if not made.fields.get("requests_ok"):
        made.warnings.append(Note("no_request_succeeded", {}))
    return made


def _flat(row: Row, made: Draft) -> None:
    """Flat rows count successes only: `num_requests_total` says nothing of failures."""
    made.fields["requests_ok"] = integer(row.get("num_requests_successful"))
    tokens = {"input_tokens": "isl_tokens", "output_tokens_actual": "osl_tokens"}
    named = {**_LATENCY, **tokens}
    found = {
        f"{stat}_{key}": row[f"{stat}_{raw}"]
        for raw, key in named.items()
        for stat in _STATISTICS
        if row.get(f"{stat}_{raw}") is not None
    }
    keep_positive(made, {**found, **_flat_rates(row)}, FULL_DECIMALS)
    _rates_per_second(made, row, "{}_qps", FULL_DECIMALS)
    made.metrics["theoretical_cache_hit_ratio"] = number(row.get("theoretical_cache_hit_rate"))
    _tiers(made, row.get("server_gpu_cache_hit_rate"), row.get("server_cpu_cache_hit_rate"), None)


def _flat_rates(row: Row) -> dict[str, Any]:
    keys = {
        "input_tput_tps": "input_tps",
        "output_tput_tps": "output_tps",
        "total_tput_tps": "total_tps",
        "duration_seconds": "duration_s",
        "tput_per_gpu": "total_tps_per_gpu",
        "output_tput_per_gpu": "output_tps_per_gpu",
        "input_tput_per_gpu": "input_tps_per_gpu",
    }
    return {key: row[raw] for raw, key in keys.items() if row.get(raw) is not None}


def _rates_per_second(made: Draft, values: Row, pattern: str, decimals: int) -> None:
    """Keep completions per second; zero is a real value there."""
    for stat in _STATISTICS:
        found = number(values.get(pattern.format(stat)))
        if found is not None:
            made.metrics[f"{stat}_qps"] = found
            made.stated[f"{stat}_qps"] = (found, decimals)


def _nested(row: Row, made: Draft) -> None:
    measured, server = mapping(row.get("request_metrics")), mapping(row.get("server_metrics"))
    _counts(row, made)
    latency, tokens = mapping(measured.get("latency")), mapping(measured.get("tokens"))
    found = {
        **_statistics(latency, _LATENCY),
        **_statistics(tokens, {"input": "isl_tokens", "output_actual": "osl_tokens"}),
        **_nested_rates(mapping(measured.get("throughput"))),
        **_e2e(mapping(latency.get("e2e_norm_intvty"))),
    }
    keep_positive(made, found, NESTED_DECIMALS)
    _rates_per_second(made, mapping(measured.get("qps")), "{}", NESTED_DECIMALS)
    _cache(mapping(measured.get("cache")), server, row, made)
    _dataset(mapping(row.get("dataset")), made)


def _counts(row: Row, made: Draft) -> None:
    """Keep the counts; warm-up and error records overlap, so failures are the rest.

    `num_requests_total` counts warm-up lines, `records_total` too.
    """
    accounts = mapping(row.get("request_accounting"))
    ok = integer(row.get("num_requests_successful"))
    total, warmup = (
        integer(accounts.get(f"records_{name}")) for name in ("total", "warmup_dropped")
    )
    made.fields["requests_ok"], made.fields["requests_warmup"] = ok, warmup
    if ok is not None and total is not None and warmup is not None:
        made.fields["requests_total"] = max(total - warmup, ok)
        made.fields["requests_failed"] = max(total - warmup - ok, 0)


def _statistics(groups: Row, named: dict[str, str]) -> dict[str, Any]:
    return {
        f"{stat}_{key}": value
        for raw, key in named.items()
        for stat, value in mapping(groups.get(raw)).items()
        if stat in _STATISTICS and value is not None
    }


def _e2e(values: Row) -> dict[str, Any]:
    """Return E2E interactivity where it is the slow tail: p90 not above p50. No std."""
    kept = {stat: value for stat, value in values.items() if stat in _STATISTICS and stat != "std"}
    low, high = number(kept.get("p50")), number(kept.get("p90"))
    if low is not None and high is not None and high > low:
        return {}
    return {f"{stat}_e2e_interactivity_tps": value for stat, value in kept.items()}


def _nested_rates(rates: Row) -> dict[str, Any]:
    per_gpu = mapping(rates.get("per_gpu"))
    found = {
        f"{basis}_tps": mapping(rates.get(basis)).get("tokens_per_second")
        for basis in ("total", "input", "output")
    }
    found |= {
        "total_tps_per_gpu": per_gpu.get("total_tput_tps"),
        "output_tps_per_gpu": per_gpu.get("output_tput_tps"),
        "input_tps_per_gpu": per_gpu.get("input_tput_tps"),
        "duration_s": rates.get("duration_seconds"),
    }
    return {key: value for key, value in found.items() if value is not None}


def _cache(measured: Row, server: Row, row: Row, made: Draft) -> None:
    """Keep hit ratios of prompt tokens: by source where counted, else the row's own rates."""
    rates, pool = mapping(server.get("cache")), mapping(server.get("kv_cache"))
    sources = mapping(mapping(server.get("tokens")).get("prompt_by_source"))
    made.metrics["theoretical_cache_hit_ratio"] = number(measured.get("theoretical_cache_hit_rate"))
    total = sum(number(sources.get(key)) or 0 for key in _SOURCES)
    if total > 0:
        gpu, other = ((number(sources.get(key)) or 0) / total for key in _SOURCES[:2])
        _tiers(made, gpu, other, gpu + other)
        made.fields["cache_source"] = "by_source"
    else:
        _row_rates(rates, mapping(server.get("tokens")), made)
    usage = number(pool.get("gpu_usage_pct"))
    if usage is not None:
        made.metrics["peak_kv_usage_ratio"] = usage / 100 if usage > _PERCENT_FROM else usage
    tokens = positive(pool.get("gpu_total_tokens")) or positive(row.get("kv_cache_pool_tokens"))
    made.metrics["kv_pool_tokens"] = tokens


_SOURCES = ("gpu_cache_hit", "cpu_or_external_cache_hit", "computed")


def _row_rates(rates: Row, tokens: Row, made: Draft) -> None:
    """Keep hits over queries only where re-queued requests did not inflate the queries."""
    queries, prompt = number(rates.get("prefix_cache_queries")), number(tokens.get("prompt_total"))
    if queries and prompt and queries > _MANY_QUERIES * prompt:
        made.warnings.append(Note("queries_inflated", {"ratio": queries / prompt}))
        return
    _tiers(
        made,
        rates.get("gpu_cache_hit_rate"),
        rates.get("external_cache_hit_rate") or rates.get("cpu_cache_hit_rate"),
        rates.get("overall_cache_hit_rate"),
    )


def _tiers(made: Draft, gpu: Any, other: Any, overall: Any) -> None:
    """Keep hit ratios by tier: the second tier is cpu when aggregated, external when not."""
    second = "external" if made.fields["mode"] == "disagg" else "cpu"
    found = {"gpu": number(gpu), second: number(other), "overall": number(overall)}
    for tier, value in found.items():
        made.metrics[f"{tier}_cache_hit_ratio"] = value
    if found["gpu"] is not None:
        made.fields["cache_source"] = "row"


def _dataset(dataset: Row, made: Draft) -> None:
    made.fields["dataset_raw"] = text(dataset.get("hf_dataset_name")) or text(dataset.get("loader"))


def _interactivity(made: Draft) -> None:
    """Derive speed from ITL: rows before July 2026 store the fast tail, so none is believed."""
    for stat in ("mean", "p50", "p75", "p90", "p95", "p99"):
        latency = made.metrics.get(f"{stat}_itl_s")
        if latency is not None:
            made.metrics[f"{stat}_interactivity_tps"] = interactivity(latency)
    made.fields["interactivity_source"] = "itl"
