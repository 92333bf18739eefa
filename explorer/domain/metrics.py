"""The metric registry: each number's key, unit, direction, formula and SQL, once.

Three kinds: `requests` metrics are aggregates over the kept requests of a point, a phase, a
window or a brush; `stored` ones come from the files and are kept as they are; `derived` ones are
computed in queries from other columns (and prices) and never stored. Words live in i18n under
`metric.<quantity>.*`. Definitions: docs/metrics.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

METRIC_VERSION = 1

Direction = Literal["higher", "lower", "none"]
Over = Literal["kept", "seconds", "stored", "derived"]

QUANTILES: dict[str, float] = {
    "p50": 0.5,
    "p75": 0.75,
    "p90": 0.9,
    "p95": 0.95,
    "p99": 0.99,
    "p999": 0.999,
}
STATISTICS = ("mean", *QUANTILES, "min", "max", "std")
CHOICE_STATISTICS = ("mean", "p50", "p75", "p90", "p95", "p99")
BASES = ("total", "input", "output")


@dataclass(frozen=True, slots=True)
class Metric:
    """One number: `sql` is an aggregate over `over` (`kept`, `seconds`) or a row expression."""

    key: str
    quantity: str
    statistic: str
    unit: str
    direction: Direction
    group: str
    over: Over
    sql: str
    formula: str
    positive: bool = True

    @property
    def stored(self) -> bool:
        return self.over != "derived"


@dataclass(frozen=True, slots=True)
class _Quantity:
    """A per-request quantity with statistics; `usable` guards samples (metrics.md)."""

    name: str
    unit: str
    direction: Direction
    group: str
    value: str
    usable: str
    formula: str


_POSITIVE = "isfinite({0}) AND {0} > 0"
_DISTRIBUTIONS = (
    _Quantity("ttft_s", "s", "lower", "latency", "ttft_s", _POSITIVE.format("ttft_s"), "TTFT"),
    _Quantity("e2el_s", "s", "lower", "latency", "e2el_s", _POSITIVE.format("e2el_s"), "E2EL"),
    _Quantity(
        "itl_s",
        "s",
        "lower",
        "latency",
        "itl_s",
        _POSITIVE.format("itl_s"),
        "(E2EL − TTFT) / (OSL − 1)",
    ),
    _Quantity(
        "tpot_s",
        "s",
        "lower",
        "latency",
        "itl_s",
        _POSITIVE.format("itl_s"),
        "(E2EL − TTFT) / (OSL − 1)",
    ),
    _Quantity(
        "queue_wait_s",
        "s",
        "lower",
        "latency",
        "(start_ns - credit_ns) / 1e9",
        "start_ns >= credit_ns",
        "start − credit",
    ),
    _Quantity("isl_tokens", "tokens", "none", "tokens", "isl_tokens", "isl_tokens > 0", "ISL"),
    _Quantity("osl_tokens", "tokens", "none", "tokens", "osl_tokens", "osl_tokens > 0", "OSL"),
    _Quantity(
        "uncached_tokens",
        "tokens",
        "lower",
        "tokens",
        "isl_tokens - cached_tokens",
        "cached_tokens IS NOT NULL",
        "ISL − cached",
    ),
)
_E2E_USABLE = "e2el_s > 0 AND osl_tokens > 0 AND ttft_s > 0 AND isl_tokens > 0"


def _aggregate(statistic: str, value: str, usable: str) -> str:
    calls = {"mean": "avg", "min": "min", "max": "max", "std": "stddev_pop"}
    if statistic in QUANTILES:
        call = f"quantile_cont(({value})::DOUBLE, {QUANTILES[statistic]})"
    else:
        call = f"{calls[statistic]}(({value})::DOUBLE)"
    return f"{call} FILTER (WHERE {usable})"


def _distribution(quantity: _Quantity) -> Iterator[Metric]:
    for statistic in STATISTICS:
        yield Metric(
            key=f"{statistic}_{quantity.name}",
            quantity=quantity.name,
            statistic=statistic,
            unit=quantity.unit,
            direction=quantity.direction,
            group=quantity.group,
            over="kept",
            sql=_aggregate(statistic, quantity.value, quantity.usable),
            formula=f"{statistic}({quantity.formula})",
            positive=quantity.group == "latency",
        )


def _reciprocals(name: str, value: str, usable: str, formula: str) -> Iterator[Metric]:
    """Yield the slow-tail speeds: pXX = 1 / pXX(latency), never pXX(1 / latency). No std."""
    for statistic in ("mean", *QUANTILES, "min", "max"):
        inner = {"min": "max", "max": "min"}.get(statistic, statistic)
        yield Metric(
            key=f"{statistic}_{name}",
            quantity=name,
            statistic=statistic,
            unit="tok/s/user",
            direction="higher",
            group="speed",
            over="kept",
            sql=f"1.0 / nullif({_aggregate(inner, value, usable)}, 0)",
            formula=f"1 / {inner}({formula})",
        )


def _rates() -> Iterator[Metric]:
    """Yield completions in whole 1 s windows from first to last completion."""
    for statistic in STATISTICS:
        yield Metric(
            f"{statistic}_qps",
            "qps",
            statistic,
            "req/s",
            "higher",
            "throughput",
            "seconds",
            _aggregate(statistic, "n", "true"),
            f"{statistic}(completions per whole second)",
            positive=False,
        )


_DURATION = "((max(end_ns) - min(start_ns)) / 1e9)"
_TOKENS = {
    "total": "(sum(isl_tokens) + sum(osl_tokens))",
    "input": "sum(isl_tokens)",
    "output": "sum(osl_tokens)",
}
_SYMBOLS = {"total": "(ΣISL + ΣOSL)", "input": "ΣISL", "output": "ΣOSL"}


def _throughput() -> Iterator[Metric]:
    for basis in BASES:
        yield Metric(
            f"{basis}_tps",
            f"{basis}_tps",
            "",
            "tok/s",
            "higher",
            "throughput",
            "kept",
            f"{_TOKENS[basis]} / nullif({_DURATION}, 0)",
            f"{_SYMBOLS[basis]} / duration",
        )
    for basis in BASES:
        yield Metric(
            f"{basis}_tps_per_gpu",
            f"{basis}_tps_per_gpu",
            "",
            "tok/s/GPU",
            "higher",
            "throughput",
            "stored",
            f"{basis}_tps_per_gpu",
            f"{basis}_tps / GPUs",
        )


def _money() -> Iterator[Metric]:
    """Yield cost, power and energy per basis; `rate` in $/GPU-hour, `kw` all-in per GPU."""
    shapes = (
        (
            "usd_per_mtok",
            "$/Mtok",
            "lower",
            "rate / nullif({p} * 3600 / 1e6, 0)",
            "rate / (P·3600/1e6)",
        ),
        ("tok_per_usd", "tok/$", "higher", "{p} * 3600 / nullif(rate, 0)", "P·3600 / rate"),
        ("tps_per_mw", "tok/s/MW", "higher", "{p} * 1000 / nullif(kw, 0)", "P·1000 / kW"),
        ("j_per_tok", "J/tok", "lower", "kw * 1000 / nullif({p}, 0)", "kW·1000 / P"),
    )  # fmt: skip
    for stem, unit, direction, sql, formula in shapes:
        for basis in BASES:
            column = f"{basis}_tps_per_gpu"
            yield Metric(
                f"{stem}_{basis}",
                f"{stem}_{basis}",
                "",
                unit,
                direction,  # type: ignore[arg-type]
                "cost" if "usd" in stem else "power",
                "derived",
                sql.format(p=column),
                f"{formula}, P = {column}",
            )


def _single(
    key: str,
    unit: str,
    direction: Direction,
    group: str,
    formula: str,
    positive: bool = False,
    over: Over = "stored",
    sql: str = "",
) -> Metric:
    return Metric(key, key, "", unit, direction, group, over, sql or key, formula, positive)


_SINGLES = (
    _single("concurrency", "sessions", "none", "load", "sessions (or requests) in flight"),
    _single(
        "duration_s",
        "s",
        "none",
        "load",
        "max(end) − min(start)",
        over="kept",
        sql=f"nullif({_DURATION}, 0)",
    ),
    _single("success_ratio", "ratio", "higher", "load", "ok / (ok + failed + cancelled)"),
    _single("gpu_cache_hit_ratio", "ratio", "higher", "cache", "HBM hits / prompt tokens"),
    _single("cpu_cache_hit_ratio", "ratio", "higher", "cache", "DRAM hits / prompt tokens"),
    _single("external_cache_hit_ratio", "ratio", "higher", "cache", "external / prompt tokens"),
    _single("overall_cache_hit_ratio", "ratio", "higher", "cache", "all hits / prompt tokens"),
    _single(
        "theoretical_cache_hit_ratio",
        "ratio",
        "higher",
        "cache",
        "Σ hit blocks / Σ blocks, infinite cache, absolute time order",
    ),
    _single(
        "listorder_cache_hit_ratio",
        "ratio",
        "higher",
        "cache",
        "Σ hit blocks / Σ blocks, infinite cache, list order",
    ),
    _single("peak_kv_usage_ratio", "ratio", "none", "cache", "max KV pool usage"),
    _single("kv_pool_tokens", "tokens", "none", "cache", "KV pool of the deployment"),
    _single("spec_acceptance_length", "tokens", "higher", "speed", "accepted tokens per step"),
    _single("measured_power_w", "W", "lower", "power", "mean board power per GPU"),
    _single("measured_j_per_tok_total", "J/tok", "lower", "power", "energy / (ΣISL + ΣOSL)"),
    _single("measured_j_per_tok_output", "J/tok", "lower", "power", "energy / ΣOSL"),
)

METRICS: tuple[Metric, ...] = (
    *(metric for quantity in _DISTRIBUTIONS for metric in _distribution(quantity)),
    *_reciprocals("interactivity_tps", "itl_s", _POSITIVE.format("itl_s"), "ITL"),
    *_reciprocals("e2e_interactivity_tps", "e2el_s / osl_tokens", _E2E_USABLE, "E2EL / OSL"),
    *_rates(),
    *_throughput(),
    *_money(),
    *_SINGLES,
)


ACCURACY = "accuracy_"
"""How the keys of accuracies begin: `accuracy_<task>`, for whatever tasks the input names."""
ACCURACIES = f"^{ACCURACY}[A-Za-z0-9][A-Za-z0-9._-]{{0,59}}$"
"""What such keys look like, as a regular expression."""


def is_accuracy(key: str) -> bool:
    """Tell whether a key is that of the accuracy on a task."""
    return key.startswith(ACCURACY) and re.fullmatch(ACCURACIES, key) is not None


class _Registry(dict[str, Metric]):
    """Metrics by key; those of accuracies are made when they are asked for, and never listed."""

    def __missing__(self, key: str) -> Metric:
        if not is_accuracy(key):
            raise KeyError(key)
        return _single(key, "ratio", "higher", "quality", "score of the evaluation")


@cache
def by_key() -> dict[str, Metric]:
    """Return every metric under its whole key."""
    return _Registry({metric.key: metric for metric in METRICS})


@cache
def stored_keys() -> tuple[str, ...]:
    """Return the keys that are columns of the points table, in registry order."""
    return tuple(metric.key for metric in METRICS if metric.stored)


@cache
def request_metrics() -> tuple[Metric, ...]:
    """Return the metrics that are aggregates over requests."""
    return tuple(metric for metric in METRICS if metric.over in ("kept", "seconds"))


@dataclass(frozen=True, slots=True)
class Sample:
    """One request's value of a quantity: SQL of the value and of whether it counts.

    `reciprocal`: the quantity is a speed, 1 over the statistic of this value.
    """

    value: str
    usable: str
    reciprocal: bool


@cache
def samples() -> dict[str, Sample]:
    """Return what each quantity with statistics is a statistic of, by quantity."""
    found = {one.name: Sample(one.value, one.usable, False) for one in _DISTRIBUTIONS}
    found["interactivity_tps"] = Sample("itl_s", _POSITIVE.format("itl_s"), True)
    found["e2e_interactivity_tps"] = Sample("e2el_s / osl_tokens", _E2E_USABLE, True)
    return found


@cache
def quantities() -> tuple[str, ...]:
    """Return what an axis can show, without statistic, in registry order."""
    return tuple(dict.fromkeys(metric.quantity for metric in METRICS))


def axis_key(axis: str, statistic: str) -> str | None:
    """Return the whole metric key of an axis: a quantity is based on `statistic`.

    >>> axis_key("interactivity_tps", "p90")
    'p90_interactivity_tps'
    """
    if axis in by_key() or is_accuracy(axis):
        return axis
    key = f"{statistic}_{axis}"
    return key if key in by_key() else None


def interactivity(latency_s: float | None) -> float | None:
    """Return tok/s/user of an inter-token latency in s; null for null or not positive."""
    return 1.0 / latency_s if latency_s is not None and latency_s > 0 else None
