"""A lognormal fitted to positive samples, to stand beside the data and be judged against it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

FEWEST = 20
"""Fewer samples than this are shown without a fit."""


@dataclass(frozen=True, slots=True)
class Lognormal:
    """ln x is normal with mean `mu` and standard deviation `sigma` > 0 (maximum likelihood)."""

    mu: float
    sigma: float

    @property
    def median(self) -> float:
        """Return the value that half of the distribution lies below."""
        return math.exp(self.mu)

    def cdf(self, x: float) -> float:
        """Return the share of the distribution at or below x."""
        if x <= 0:
            return 0.0
        return 0.5 * (1 + math.erf((math.log(x) - self.mu) / (self.sigma * math.sqrt(2))))

    def expected(self, edges: Sequence[float], n: int) -> list[float]:
        """Return how many of n samples each bin between edges would hold."""
        below = [self.cdf(edge) for edge in edges]
        return [n * (high - low) for low, high in pairwise(below)]


def fit(values: Sequence[float]) -> Lognormal | None:
    """Return the lognormal of positive samples; None when they are few or all the same.

    >>> fit([1.0, math.e, math.e**2] * 10).median == math.e
    True
    """
    if len(values) < FEWEST:
        return None
    logs = [math.log(value) for value in values]
    mu = math.fsum(logs) / len(logs)
    sigma = math.sqrt(math.fsum((one - mu) ** 2 for one in logs) / len(logs))
    return Lognormal(mu, sigma) if sigma > 1e-9 else None


def distance(model: Lognormal, edges: Sequence[float], counts: Sequence[int]) -> float:
    """Return the largest gap between the model's and the data's distribution functions, 0–1.

    The data are counts of bins between `edges`; gaps are looked for at the edges.
    """
    total, below, gap = sum(counts), 0, model.cdf(edges[0])
    for edge, count in zip(edges[1:], counts, strict=True):
        below += count
        gap = max(gap, abs(model.cdf(edge) - below / total))
    return gap
