"""Summary statistics of the written files, in plain arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

_RANKS = (1, 5, 10, 25, 50, 75, 90, 95, 99)


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Return the percentile of sorted values, linear at rank (n-1)·p/100."""
    place = (len(ordered) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def mean_and_std(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and population standard deviation."""
    mean = math.fsum(values) / len(values)
    square = math.fsum((value - mean) * (value - mean) for value in values)
    return mean, math.sqrt(square / len(values))


def summary(unit: str, values: Sequence[float]) -> dict[str, Any]:
    """Return the statistics block that AIPerf writes for one metric."""
    if not values:
        return {"unit": unit, "avg": 0.0, "count": 0, "sum": 0.0}
    ordered = sorted(values)
    mean, std = mean_and_std(ordered)
    block: dict[str, Any] = {"unit": unit, "avg": mean}
    block.update({f"p{rank}": percentile(ordered, rank) for rank in _RANKS})
    block.update(
        min=ordered[0], max=ordered[-1], std=std, count=len(ordered), sum=math.fsum(ordered)
    )
    return block


def row_stats(values: Sequence[float]) -> dict[str, float]:
    """Return mean, p50, p75, p90, p95 and std, to five decimals as aggregate rows hold them."""
    if not values:
        return {}
    ordered = sorted(values)
    mean, std = mean_and_std(ordered)
    found = {"mean": mean, **{f"p{p}": percentile(ordered, p) for p in (50, 75, 90, 95)}}
    return {key: round(value, 5) for key, value in {**found, "std": std}.items()}


def per_second(ends_s: Sequence[float]) -> list[float]:
    """Return completions in whole one-second windows from first to last completion."""
    if not ends_s:
        return []
    first = min(ends_s)
    windows = [0.0] * int(max(ends_s) - first)
    for end in ends_s:
        place = int(end - first)
        if place < len(windows):
            windows[place] += 1.0
    return windows
