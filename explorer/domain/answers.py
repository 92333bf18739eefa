"""Answers about a point that queries give and figures draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


Row = dict[str, Any]


class Timed:
    """A point's series over one window, each made when first asked for.

    Rows: {name, engine, role, unit, source, t_s, value}, arrays with NaN for gaps; `engine` None
    is the deployment and comes first. `empty` says that the window holds nothing at all.
    """

    def __init__(
        self,
        span: tuple[float, float] | None,
        engines: list[str],
        roles: list[str],
        make: Callable[[str], list[Row]],
        why: Callable[[str], str],
    ) -> None:
        self.empty = span is None
        self.from_s, self.to_s = span or (0.0, 0.0)
        self.engines, self.roles = engines, roles
        self._make, self._why = make, why
        self._made: dict[str, list[Row]] = {}

    def of(self, name: str) -> list[Row]:
        """Return the rows of a series; of a stem all that share it (each prompt-token source)."""
        if name not in self._made:
            self._made[name] = [] if self.empty else self._make(name)
        return self._made[name]

    def reason(self, name: str) -> str | None:
        """Return why a series is missing, as a code; None when it is not."""
        return None if self.of(name) else self._why(name)


@dataclass(frozen=True, slots=True)
class Cells:
    """Samples over time folded into cells: one sample's time in s and value, and how many."""

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
    `chosen` are the counts of those in a range of the quantity itself; then `n`, the mean and the
    percentiles are theirs. None: no range is chosen.
    """

    edges: list[float]
    counts: list[int]
    n: int
    minimum: float
    maximum: float
    mean: float
    percentiles: Mapping[str, float]
    in_flight_mean: float | None
    chosen: list[int] | None = None


@dataclass(frozen=True, slots=True)
class Fitted:
    """A quantity's distribution; `left_out` samples are zero or negative and cannot be on a log
    axis. `fit` and its distance to the data (0–1) where a lognormal could be fitted.
    """

    data: Distribution
    left_out: int
    fit: Lognormal | None
    distance: float | None
