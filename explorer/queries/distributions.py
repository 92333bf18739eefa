"""How a quantity of requests is distributed: log bins, percentiles, the average in flight."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.domain import metrics
from explorer.domain.answers import Distribution
from explorer.domain.counters import Floats
from explorer.domain.lake import Lake
from explorer.queries import window_stats
from explorer.queries.request_columns import columns, quantity, selected, started
from explorer.queries.window import Window

RANKS = ("p50", "p90", "p99")
COLUMNS = ("isl_tokens", "osl_tokens", "ttft_s", "interactivity_tps")
_FEWEST_BINS = 28
_PER_OCTAVE = (1, 2, 4, 8, 16, 32)


def log_edges(low: float, high: float) -> list[float]:
    """Return edges 2^(i/k) around low..high; k per octave so that some 30 to 60 bins cover them.

    >>> log_edges(1, 1)
    [0.9785720620877001, 1.0]
    """
    octaves = math.log2(high / low) if high > low else 0.0
    per = next((k for k in _PER_OCTAVE if octaves * k >= _FEWEST_BINS), _PER_OCTAVE[-1])
    first = math.ceil(math.log2(low) * per - 1e-9) - 1
    last = math.ceil(math.log2(high) * per - 1e-9)
    return [2.0 ** (index / per) for index in range(first, last + 1)]


def distribution(
    lake: Lake, point: Mapping[str, Any], column: str, window: Window
) -> Distribution | None:
    """Return the distribution of a quantity over a window; None without requests in it.

    A range of the quantity itself does not cut its bins, only its numbers: what lies in the range
    is counted apart, in the same bins.
    """
    if column not in COLUMNS:
        raise KeyError(column)
    found = columns(lake, point, window)
    if not found:
        return None
    every = quantity(found, column)
    kept = started(found, window.beside(column)) & (every > 0)
    if not kept.any():
        return None
    own = window.beside(column) != window
    chosen = kept & selected(found, window) if own else kept
    edges = log_edges(float(every[kept].min()), float(every[kept].max()))
    weight = None if _speed(column) else np.nan_to_num(found["e2el_s"][chosen])
    return Distribution(
        edges=edges,
        counts=_counts(every[kept], edges),
        chosen=_counts(every[chosen], edges) if own else None,
        **_numbers(every[chosen], weight),
        **_stated(lake, point, column, window),
    )


def _speed(column: str) -> bool:
    return metrics.samples()[column].reciprocal


def _counts(value: Floats, edges: list[float]) -> list[int]:
    """Return how many values lie in each bin (edges[i], edges[i+1]].

    Edges grow by one factor, so a logarithm finds a bin or its neighbour, and the edges decide.
    """
    ends, bins = np.asarray(edges) * (1 + 1e-12), len(edges) - 1
    octaves = math.log2(edges[-1] / edges[0])
    place = (np.log2(value / edges[0]) * (bins / octaves)).astype(np.int64)
    place = np.clip(place, 0, bins - 1)
    place += (value > ends[place + 1]) & (place < bins - 1)
    place -= (value <= ends[place]) & (place > 0)
    return np.bincount(place, minlength=bins).tolist()


def _stated(lake: Lake, point: Mapping[str, Any], column: str, window: Window) -> dict[str, Any]:
    """Return the mean and the percentiles as the page's statistics have them: the same numbers."""
    stats = window_stats.stats(lake, point, window) or {}
    ranks = {rank: stats[f"{rank}_{column}"] for rank in RANKS}
    mean = stats[f"mean_{column}"]
    return {
        "mean": math.nan if mean is None else mean,
        "percentiles": {rank: value for rank, value in ranks.items() if value is not None},
    }


def _numbers(value: Floats, weight: Floats | None) -> dict[str, Any]:
    """Return how many values there are and their ends; `weight` is how long each was in flight."""
    if not len(value):
        return {"n": 0, "minimum": math.nan, "maximum": math.nan, "in_flight_mean": None}
    open_s = 0.0 if weight is None else float(weight.sum())
    flight = float((value * weight).sum()) / open_s if weight is not None and open_s else None
    return {
        "n": len(value),
        "minimum": float(value.min()),
        "maximum": float(value.max()),
        "in_flight_mean": flight,
    }
