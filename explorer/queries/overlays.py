"""One quantity of several points in the same log bins, as shares of each point's requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.domain.lake import Lake
from explorer.queries.distributions import log_edges
from explorer.queries.request_columns import columns, started
from explorer.queries.samples import COLUMNS
from explorer.queries.window import Window

QUANTITIES = ("ttft_s", "interactivity_tps", "e2el_s", "isl_tokens", "osl_tokens")


@dataclass(frozen=True, slots=True)
class Overlay:
    """Bins (edges[i], edges[i+1]] that all share; per point its shares, or None, and its count."""

    edges: list[float]
    shares: list[list[float] | None]
    counts: list[int]


def overlay(
    lake: Lake, chosen: Sequence[Mapping[str, Any]], quantity: str, window: Window
) -> Overlay | None:
    """Return a quantity's distribution over the ok requests of each point; None without any."""
    values = [_values(lake, point, quantity, window) for point in chosen]
    known = [value for value in values if len(value)]
    if not known:
        return None
    low, high = min(float(v[0]) for v in known), max(float(v[-1]) for v in known)
    edges = log_edges(low, high)
    return Overlay(edges, [_shares(v, edges) for v in values], [len(v) for v in values])


def _values(lake: Lake, point: Mapping[str, Any], quantity: str, window: Window) -> np.ndarray:
    """Return a point's positive values in order; speeds are 1 / the latency of each request."""
    found = columns(lake, point, window)
    if not found:
        return np.zeros(0)
    value = found[COLUMNS.get(quantity, quantity)]
    value = value[started(found, window) & np.isfinite(value) & (value > 0)]
    return np.sort(1 / value if quantity.endswith("_tps") else value)


def _shares(value: np.ndarray, edges: list[float]) -> list[float] | None:
    if not len(value):
        return None
    places = np.searchsorted(value, np.asarray(edges) * (1 + 1e-12), side="right")
    return (np.diff(places) / len(value)).tolist()
