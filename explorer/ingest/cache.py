"""Cache hit ratios of one run, every tier over all prompt tokens (metrics.md, cache and KV)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from explorer.domain.series import BY_SOURCE
from explorer.ingest.server_metrics import Folded

INFLATED_FROM = 1.05
"""Queries beyond this multiple of the prompt tokens count re-queued requests again."""


class CacheRatios(NamedTuple):
    """Shares 0–1; `second` is the tier behind HBM: DRAM, or external when disaggregated."""

    gpu: float | None
    second: float | None
    overall: float | None
    source: str

    def metrics(self, *, disaggregated: bool) -> dict[str, float | None]:
        """Return the ratios under the registry's keys; one of cpu and external is null."""
        tier = "external" if disaggregated else "cpu"
        return {
            "gpu_cache_hit_ratio": self.gpu,
            f"{tier}_cache_hit_ratio": self.second,
            "overall_cache_hit_ratio": self.overall,
        }


def totals_by_name(folded: Folded) -> dict[str, float]:
    """Return the deployment's totals: prefill engines' where roles are told apart."""
    roles = {key.role for key in folded.totals}
    only = "prefill" if {"prefill", "decode"} <= roles else None
    totals: dict[str, float] = {}
    for key, value in folded.totals.items():
        if only is None or key.role == only:
            totals[key.name] = totals.get(key.name, 0.0) + value
    return totals


def ratios(totals: Mapping[str, float], *, has_host_tier: bool = False) -> CacheRatios | None:
    """Return hit ratios by the best definition the totals allow; null when none does."""
    return (
        _by_source(totals)
        or _by_cached_tokens(totals, has_host_tier=has_host_tier)
        or _by_queries(totals)
        or _by_admission(totals)
    )


def _by_source(totals: Mapping[str, float]) -> CacheRatios | None:
    """vLLM: shares of prompt_tokens_by_source."""
    sources = {
        name.removeprefix(BY_SOURCE): value
        for name, value in totals.items()
        if name.startswith(BY_SOURCE)
    }
    whole = sum(sources.values())
    if "local_compute" not in sources or whole <= 0:
        return None
    gpu = sources.get("local_cache_hit", 0.0) / whole
    second = sources.get("external_kv_transfer")
    return CacheRatios(
        gpu,
        None if second is None else second / whole,
        1 - sources["local_compute"] / whole,
        "prompt_tokens_by_source",
    )


def _by_cached_tokens(totals: Mapping[str, float], *, has_host_tier: bool) -> CacheRatios | None:
    """SGLang: cached_tokens by tier over prompt tokens; a tier never hit has no series."""
    prompt = totals.get("prompt_tokens", 0.0)
    device, host = totals.get(f"{BY_SOURCE}device"), totals.get(f"{BY_SOURCE}host")
    storage = totals.get(f"{BY_SOURCE}storage", 0.0)
    if prompt <= 0 or (device is None and host is None):
        return None
    second = None
    if host is not None or has_host_tier:
        second = ((host or 0.0) + storage) / prompt
    gpu = (device or 0.0) / prompt
    return CacheRatios(gpu, second, gpu + (second or 0.0), "cached_tokens_by_tier")


def queries_inflated(totals: Mapping[str, float]) -> bool:
    """Say whether re-queued requests were counted again, so that hits/queries means nothing."""
    prompt, queries = totals.get("prompt_tokens"), totals.get("prefix_cache_queries")
    return bool(prompt and queries and queries > INFLATED_FROM * prompt)


def _by_queries(totals: Mapping[str, float]) -> CacheRatios | None:
    queries, hits = totals.get("prefix_cache_queries", 0.0), totals.get("prefix_cache_hits")
    if not queries or hits is None or "prompt_tokens" not in totals or queries_inflated(totals):
        return None
    second = totals.get("external_cache_hits")
    gpu = hits / queries
    share = None if second is None else second / queries
    return CacheRatios(gpu, share, gpu + (share or 0.0), "hits_over_queries")


def _by_admission(totals: Mapping[str, float]) -> CacheRatios | None:
    """ATOM: cached over full prompt tokens at admission; LMCache's loads are inside cached."""
    full, cached = totals.get("prefix_cache_queries", 0.0), totals.get("cached_tokens")
    if full <= 0 or cached is None or "prefix_cache_hits" in totals:
        return None
    loaded = totals.get("external_cache_hits")
    share = None if loaded is None else loaded / full
    return CacheRatios(
        max(cached / full - (share or 0.0), 0.0), share, cached / full, "cached_over_full"
    )


def spec_acceptance_length(totals: Mapping[str, float]) -> float | None:
    """Return tokens per speculative step: one, and the accepted ones; null without drafts."""
    drafts, accepted = totals.get("spec_drafts"), totals.get("spec_accepted_tokens")
    return 1 + accepted / drafts if drafts and accepted is not None else None
