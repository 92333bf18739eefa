"""Parts of one measurement to one set of fields and metrics: who is believed in what.

Configuration: what the user says, else what a row states, else hints of the run's folder.
Measures: requests, else summary and row together, each in what it defines as we do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from explorer.domain.metrics import BASES, by_key, request_metrics
from explorer.ingest.manifest import Part
from explorer.ingest.pair import RUN, rank, tolerance

_RUN_FIRST = frozenset(
    [
        "run_id",
        "valid",
        "invalid_reasons",
        "date",
        "harness",
        "harness_version",
        "planned_duration_s",
        "wall_duration_s",
        "clock_zero_ns",
        "itl_source",
        "interactivity_source",
        "cache_source",
        "series_source",
        "throughput_source",
        "interrupted",
        "requests_total",
        "requests_ok",
        "requests_failed",
        "requests_cancelled",
        "requests_overflow",
        "requests_warmup",
        "errors",
    ]
)
_ROW_FIRST_METRICS = frozenset(
    [
        "duration_s",
        *(f"{basis}_tps{per}" for basis in BASES for per in ("", "_per_gpu")),
        *(key for key, metric in by_key().items() if metric.quantity == "qps"),
    ]
)
_TIERS = tuple(f"{tier}_cache_hit_ratio" for tier in ("gpu", "cpu", "external", "overall"))
_REQUEST_KEYS = tuple(metric.key for metric in request_metrics())


def measured_part(parts: Iterable[Part]) -> Part | None:
    """Return the part that has requests."""
    return next((part for part in parts if part["measured"] is not None), None)


def fields_of(parts: list[Part]) -> dict[str, Any]:
    """Return the fields of parts in order of rank; raw spellings, a user's word last and first."""
    rows_first = sorted(parts, key=lambda part: rank(part) == RUN)
    merged: dict[str, Any] = {}
    for order, wanted in ((rows_first, False), (parts, True)):
        for part in order:
            for key, value in part["fields"].items():
                if value is not None and (key in _RUN_FIRST) == wanted:
                    merged.setdefault(key, value)
    for part in parts:
        merged["config"] = {**(part["fields"].get("config") or {}), **(merged.get("config") or {})}
    merged |= _sources(parts)
    for part in reversed(parts):
        merged |= part.get("meta") or {}
    return merged


def _sources(parts: list[Part]) -> dict[str, Any]:
    """Return counts and what the numbers come from, where requests or rows decide it."""
    run = measured_part(parts)
    if run is not None:
        itl = run["fields"].get("itl_source")
        said = {"itl_source": itl, "interactivity_source": "itl", "throughput_source": "requests"}
        return {**run["counts"], **said}
    rates = any(rank(part) < RUN and part["metrics"].get("total_tps") for part in parts)
    return {"throughput_source": "row"} if rates else {}


def metrics_of(parts: list[Part]) -> dict[str, float | None]:
    """Return the metrics of parts in order of rank; recomputed ones replace every stated one."""
    merged: dict[str, float | None] = {}
    for part in reversed(parts):
        merged |= part["metrics"]
    merged |= _tiers(parts) | _pool(parts)
    source = measured_part(parts)
    if source is not None:
        return merged | {key: source["measured"].get(key) for key in _REQUEST_KEYS}
    rows = [part for part in parts if rank(part) < RUN]
    for part in reversed(rows):
        for key, value in part["metrics"].items():
            if key in _TIERS:
                continue
            if key in _ROW_FIRST_METRICS or not _agrees(part, key, value, merged.get(key)):
                merged[key] = value
    return merged


def _tiers(parts: list[Part]) -> dict[str, float | None]:
    """Return the hit ratios of one part: tiers of two definitions do not add up."""
    for part in parts:
        if part["metrics"].get(_TIERS[0]) is not None:
            return {key: part["metrics"].get(key) for key in _TIERS}
    return {}


def _pool(parts: list[Part]) -> dict[str, float]:
    """Return the KV pool a row states: it goes before logs, gauges and block counts."""
    for part in parts:
        value = part["metrics"].get("kv_pool_tokens")
        if rank(part) < RUN and value is not None:
            return {"kv_pool_tokens": value}
    return {}


def warnings_of(parts: list[Part]) -> list[dict[str, Any]]:
    """Return the parts' warnings, without those about a number that another part replaced."""
    replaced = {"kv_pool_from_block_count"} if _pool(parts) else set()
    return [note for part in parts for note in part["warnings"] if note["code"] not in replaced]


def _agrees(part: Part, key: str, mine: float, other: float | None) -> bool:
    """Return whether a fuller number says the same as a row's rounded one."""
    return other is not None and abs(mine - other) <= tolerance(part, key, mine)


def differences(parts: list[Part], found: Mapping[str, float | None]) -> list[dict[str, Any]]:
    """Return warnings for what a part states and the point's numbers do not bear out."""
    warnings = []
    for part in parts:
        for key, (stated, _) in sorted(part["stated"].items()):
            value = found.get(key)
            if value is None or abs(stated - value) > tolerance(part, key, stated):
                params = {"key": key, "stated": stated, "recomputed": value, "by": part["format"]}
                warnings.append({"code": "stated_differs", "params": params})
    return warnings
