"""Which Prometheus metric of which server becomes which base series."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from explorer.domain.series import BY_SOURCE


class Target(NamedTuple):
    """A base series; `by` is the label whose value is appended to the name."""

    name: str
    by: str | None = None


CACHE_CONFIG = "vllm:cache_config_info"
"""A gauge of value 1 whose labels describe the KV pool."""

_SAME = ["prompt_tokens", "generation_tokens"]
_VLLM = {
    "num_requests_running": "requests_running",
    "num_requests_waiting": "requests_waiting",
    "kv_cache_usage_perc": "kv_usage_ratio",
    "gpu_cache_usage_perc": "kv_usage_ratio",
    "prompt_tokens_cached": "cached_tokens",
    "prefix_cache_hits": "prefix_cache_hits",
    "prefix_cache_queries": "prefix_cache_queries",
    "gpu_prefix_cache_hits": "prefix_cache_hits",
    "gpu_prefix_cache_queries": "prefix_cache_queries",
    "external_prefix_cache_hits": "external_cache_hits",
    "external_prefix_cache_queries": "external_cache_queries",
    "request_success": "requests_completed",
    "num_preemptions": "preemptions",
    "spec_decode_num_drafts": "spec_drafts",
    "spec_decode_num_draft_tokens": "spec_draft_tokens",
    "spec_decode_num_accepted_tokens": "spec_accepted_tokens",
    "kv_offload_bytes_gpu_to_cpu": "offload_bytes_to_cpu",
    "kv_offload_bytes_cpu_to_gpu": "offload_bytes_to_gpu",
}
_SGLANG = {
    "num_running_reqs": "requests_running",
    "num_queue_reqs": "requests_waiting",
    "token_usage": "kv_usage_ratio",
    "max_total_num_tokens": "kv_pool_tokens",
    "num_requests": "requests_completed",
    "num_retracted_requests": "preemptions",
}
_ATOM = {
    "requests_running": "requests_running",
    "requests_waiting": "requests_waiting",
    "kv_cache_usage_ratio": "kv_usage_ratio",
    "prefix_cache_cached_tokens": "cached_tokens",
    "prefix_cache_full_tokens": "prefix_cache_queries",
    "lmcache_loaded_tokens": "external_cache_hits",
    "preemptions": "preemptions",
}
TARGETS: dict[str, Target] = {
    **{f"vllm:{raw}": Target(name) for raw, name in _VLLM.items()},
    **{f"sglang:{raw}": Target(name) for raw, name in _SGLANG.items()},
    **{f"atom:{raw}": Target(name) for raw, name in _ATOM.items()},
    **{f"{server}:{name}": Target(name) for server in ("vllm", "sglang", "atom") for name in _SAME},
    "vllm:prompt_tokens_by_source": Target(BY_SOURCE, by="source"),
    "sglang:cached_tokens": Target(BY_SOURCE, by="cache_source"),
}

HOST_TIER = "sglang:hicache_host_total_tokens"
"""Present when SGLang runs with a host tier, whether or not it was ever hit."""

_SPELT = {*TARGETS, *(name.replace("atom:", "atom_") for name in TARGETS)}
WANTED = frozenset({*_SPELT, *(f"{name}_total" for name in _SPELT), CACHE_CONFIG, HOST_TIER})
"""Metric names a format reader needs to keep; all others can be skipped unread."""

RANK_LABELS = ("tp_rank", "pp_rank", "moe_ep_rank", "ep_rank", "pcp_rank", "dcp_rank")
"""Ranks of one pool report copies of the same values."""

POOL_LABELS = ("engine", "dp_rank", "engine_id")
"""Labels that tell KV pools apart, the first present one counts."""


def plain(metric: str) -> str:
    """Return a metric's name without Prometheus' counter suffix; ATOM has two separators."""
    name = metric.removesuffix("_total")
    return f"atom:{name.removeprefix('atom_')}" if name.startswith("atom_") else name


def base_name(metric: str, labels: Mapping[str, str]) -> str | None:
    """Return the base series of a metric with its labels; null when we keep none."""
    target = TARGETS.get(plain(metric))
    if target is None or target.by is None:
        return target.name if target else None
    value = labels.get(target.by)
    if value:
        return f"{target.name}{value}"
    return "cached_tokens" if plain(metric) == "sglang:cached_tokens" else None


def role(labels: Mapping[str, str]) -> str | None:
    """Return prefill or decode where a label says so."""
    words = [labels.get(label, "") for label in ("engine_type", "role", "worker_type")]
    component = labels.get("dynamo_component", "")
    words += ["decode" if component == "backend" else component]
    return next((r for r in ("prefill", "decode") for word in words if r in word.lower()), None)
