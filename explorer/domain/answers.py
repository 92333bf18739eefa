"""Answers about a point that queries give and figures draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from explorer.domain.lognormal import Lognormal

TIER_OF: Mapping[str, str] = {
    "local_cache_hit": "gpu",
    "device": "gpu",
    "external_kv_transfer": "external",
    "host": "cpu",
    "storage": "cpu",
}
"""A prompt-token source's cache tier, in the server's own words; every other source is a miss."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A point's series over one window, and why one is missing: name → reason code.

    Rows: {name, engine, role, unit, source, t_s, value}, arrays with NaN for gaps; `engine` None
    is the deployment.
    """

    from_s: float
    to_s: float
    rows: list[dict[str, Any]]
    reasons: Mapping[str, str]
    engines: list[str]
    roles: list[str]

    def of(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of a series, the deployment first; sources by their common stem."""
        return [row for row in self.rows if name in (row["name"], row["name"].partition(".")[0])]


@dataclass(frozen=True, slots=True)
class Cells:
    """Samples over time folded into cells: each cell's mean time in s and value, and its count."""

    t_s: list[float]
    value: list[float]
    n: list[int]

    @property
    def folded(self) -> bool:
        """Tell whether any cell stands for more than one sample."""
        return any(count > 1 for count in self.n)


@dataclass(frozen=True, slots=True)
class Distribution:
    """Requests per bin; bin i is (edges[i], edges[i+1]]. Only ok requests count.

    `in_flight_mean` weighs each request by its latency: what a look at a random moment sees.
    """

    edges: list[float]
    counts: list[int]
    n: int
    minimum: float
    maximum: float
    mean: float
    percentiles: Mapping[str, float]
    in_flight_mean: float | None


@dataclass(frozen=True, slots=True)
class Fitted:
    """A quantity's distribution; `left_out` samples are zero or negative and cannot be on a log
    axis. `fit` and its distance to the data (0–1) where a lognormal could be fitted.
    """

    data: Distribution
    left_out: int
    fit: Lognormal | None
    distance: float | None
