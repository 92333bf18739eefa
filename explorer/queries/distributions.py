"""How a quantity of requests is distributed: log bins, percentiles, the average in flight."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.domain import rolling
from explorer.domain.answers import Distribution
from explorer.domain.lake import Lake
from explorer.domain.metrics import QUANTILES
from explorer.queries.request_columns import columns, started
from explorer.queries.window import Window

RANKS = ("p50", "p90", "p99")
COLUMNS = ("isl_tokens", "osl_tokens")
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
    """Return the distribution of a column over a window; None without requests in it."""
    if column not in COLUMNS:
        raise KeyError(column)
    found = columns(lake, point, window)
    if not found:
        return None
    kept = started(found, window) & (found[column] > 0)
    if not kept.any():
        return None
    value, weight = np.sort(found[column][kept]), np.nan_to_num(found["e2el_s"][kept])
    edges = log_edges(float(value[0]), float(value[-1]))
    places = np.searchsorted(value, np.asarray(edges) * (1 + 1e-12), side="right")
    ranks = rolling.quantiles(value, np.array([QUANTILES[rank] for rank in RANKS]))
    open_s = float(weight.sum())
    return Distribution(
        edges=edges,
        counts=np.diff(places).tolist(),
        n=len(value),
        minimum=float(value[0]),
        maximum=float(value[-1]),
        mean=float(value.mean()),
        percentiles=dict(zip(RANKS, ranks.tolist(), strict=True)),
        in_flight_mean=float(found[column][kept] @ weight) / open_s if open_s > 0 else None,
    )
