"""The numbers of a phase, a window or a brush: the registry's samples and SQL, cut to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from explorer.domain import metrics
from explorer.domain.counters import Floats
from explorer.domain.lake import Lake
from explorer.domain.metrics import QUANTILES, by_key
from explorer.queries.request_columns import Columns, records, within
from explorer.queries.window import Window
from explorer.store.cache import Memo
from explorer.store.metric_sql import statement

QUANTITIES = (
    "ttft_s",
    "interactivity_tps",
    "e2e_interactivity_tps",
    "e2el_s",
    "itl_s",
    "queue_wait_s",
    "isl_tokens",
    "osl_tokens",
)
STATISTICS = ("mean", "p50", "p90", "p99")
SUMS = ("total_tps", "input_tps", "output_tps", "duration_s")
KEYS = (*(f"{rank}_{quantity}" for quantity in QUANTITIES for rank in STATISTICS), *SUMS)
"""What the page states of a window."""

_RANKS = tuple(one for one in STATISTICS if one in QUANTILES)
_KEPT: Memo[tuple[str, Window, Any], dict[str, Any]] = Memo(512)
"""(requests object, window, GPUs) → numbers."""


def stats(lake: Lake, point: Mapping[str, Any], window: Window) -> dict[str, Any] | None:
    """Return counts and metrics of the requests that start in a window; None without requests.

    Statistics are of the samples that the metric registry defines, read once per point; sums are
    its SQL. Throughput per GPU follows where the GPUs are known.
    """
    name = point.get("requests_object")
    if not name:
        return None
    key = (name, window, point.get("gpus"))
    return dict(_KEPT.get(key, lambda: _stats(lake, point, window)))


def _stats(lake: Lake, point: Mapping[str, Any], window: Window) -> dict[str, Any]:
    found = records(lake, point, window)
    condition, params = window.condition()
    sql = statement([by_key()[key] for key in SUMS], "{requests}", condition)
    sums = lake.rows(sql, params, objects={"requests": point["requests_object"]})[0]
    gpus = point.get("gpus")
    per_gpu = {
        f"{key}_per_gpu": sums[key] / gpus if gpus and sums[key] is not None else None
        for key in SUMS
        if key.endswith("_tps")
    }
    return _counts(found, window) | _measured(found, window) | sums | per_gpu


def _counts(found: Columns, window: Window) -> dict[str, Any]:
    """Return how many requests began in a window, by how they ended, and the tokens of ok ones."""
    if not found:
        return dict.fromkeys(("requests", "ok", "failed", "cancelled"), 0)
    inside = within(found, window)
    ok, cancelled = (inside & (found[name] > 0) for name in ("ok", "cancelled"))
    n = {"requests": inside, "ok": ok, "cancelled": cancelled}
    counts: dict[str, Any] = {name: int(mask.sum()) for name, mask in n.items()}
    counts["failed"] = counts["requests"] - counts["ok"] - counts["cancelled"]
    return counts


def _measured(found: Columns, window: Window) -> dict[str, float | None]:
    """Return every statistic of every quantity over a window's ok requests; None without any."""
    if not found:
        return dict.fromkeys(key for key in KEYS if key not in SUMS)
    kept = within(found, window) & (found["ok"] > 0)
    numbers: dict[str, float | None] = {}
    of_sample: dict[int, list[float] | None] = {}
    for quantity in QUANTITIES:
        column = found[f"sample.{quantity}"]
        if id(column) not in of_sample:
            of_sample[id(column)] = _of(column[kept])
        values = of_sample[id(column)]
        over = metrics.samples()[quantity].reciprocal
        for index, statistic in enumerate(STATISTICS):
            value = values[index] if values else None
            numbers[f"{statistic}_{quantity}"] = _over(value) if over else value
    return numbers


def _over(value: float | None) -> float | None:
    return 1.0 / value if value else None


def _of(value: Floats) -> list[float] | None:
    """Return the mean and the percentiles of what is known; None of nothing."""
    value = value[~np.isnan(value)]
    if not len(value):
        return None
    return [float(value.mean()), *quantiles(value, [QUANTILES[rank] for rank in _RANKS])]


def quantiles(value: Floats, shares: Sequence[float]) -> list[float]:
    """Return linear-interpolated quantiles at rank (n−1)·p of values in any order."""
    at = np.asarray(shares) * (len(value) - 1)
    below = at.astype(np.int64)
    above = np.minimum(below + 1, len(value) - 1)
    places = np.partition(value, np.unique([below, above]))
    low = places[below]
    return (low + (places[above] - low) * (at - below)).tolist()
