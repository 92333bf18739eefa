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
from explorer.queries.request_columns import columns, quantity, selected, started
from explorer.queries.window import Window
from explorer.queries.window_stats import quantiles

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
    sample = found[f"sample.{column}"][chosen]
    numbers = _numbers(sample, np.nan_to_num(found["e2el_s"][chosen]))
    if metrics.samples()[column].reciprocal:
        numbers = _speeds(numbers)
    return Distribution(
        edges=edges,
        counts=_counts(every[kept], edges),
        chosen=_counts(every[chosen], edges) if own else None,
        **numbers,
    )


def _counts(value: Floats, edges: list[float]) -> list[int]:
    """Return how many values lie in each bin (edges[i], edges[i+1]]."""
    bins = np.searchsorted(np.asarray(edges) * (1 + 1e-12), value, side="left") - 1
    return np.bincount(bins, minlength=len(edges) - 1).tolist()


def _numbers(value: Floats, weight: Floats) -> dict[str, Any]:
    """Return what is said of some values; `weight` is how long each was in flight."""
    if not len(value):
        nothing: dict[str, Any] = dict.fromkeys(("minimum", "maximum", "mean"), math.nan)
        return nothing | {"n": 0, "percentiles": {}, "in_flight_mean": None}
    ranks = quantiles(value, [metrics.QUANTILES[rank] for rank in RANKS])
    open_s = float(weight.sum())
    return {
        "n": len(value),
        "minimum": float(value.min()),
        "maximum": float(value.max()),
        "mean": float(value.mean()),
        "percentiles": dict(zip(RANKS, ranks, strict=True)),
        "in_flight_mean": float(value @ weight) / open_s if open_s > 0 else None,
    }


def _speeds(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return what is said of speeds, from what is said of their latencies: the slow tail."""
    return numbers | {
        "minimum": 1 / numbers["maximum"],
        "maximum": 1 / numbers["minimum"],
        "mean": 1 / numbers["mean"],
        "percentiles": {rank: 1 / value for rank, value in numbers["percentiles"].items()},
        "in_flight_mean": None,
    }
