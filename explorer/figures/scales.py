"""Scales: values to shares of a chart's side, with round ticks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from explorer.domain.curve_points import Floats
from explorer.domain.units import log_ticks, nice_ticks


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps [low, high] to 0–1, straight or by logarithm; `px` is its length where one is fixed."""

    low: float
    high: float
    log: bool
    ticks: tuple[float, ...]
    px: float = 0.0

    def share(self, value: float) -> float:
        """Return where a value stands between low (0) and high (1)."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def shares(self, values: Floats) -> Floats:
        """Return where many values stand, as `share` gives them."""
        if self.log:
            return np.array([self.share(value) for value in values.tolist()], dtype=np.float64)
        return (values - self.low) / (self.high - self.low)

    def place(self, size: float, upside_down: bool = False) -> Callable[[float], float]:
        """Return what maps values to a length, low at 0, or at its far end; for many values."""
        low = math.log(self.low) if self.log else self.low
        span = (math.log(self.high) if self.log else self.high) - low
        start, factor = (size, -size / span) if upside_down else (0.0, size / span)
        if self.log:
            return lambda value: start + (math.log(value) - low) * factor
        return lambda value: start + (value - low) * factor

    def places(self, values: Floats, size: float, upside_down: bool = False) -> list[int]:
        """Return many values' places in whole units of a length, as `place` gives them."""
        if self.log:
            place = self.place(size, upside_down)
            return [round(place(value)) for value in values.tolist()]
        start, factor = (size, -size) if upside_down else (0.0, size)
        factor /= self.high - self.low
        found: list[int] = np.rint(start + (values - self.low) * factor).astype(np.int64).tolist()
        return found


def scale(values: Iterable[float], log: bool = False, from_zero: bool = True) -> Scale:
    """Return a scale that covers values with round ends; a log scale needs positive values."""
    known = [value for value in values if math.isfinite(value) and (value > 0 or not log)]
    if not known:
        known = [1.0] if log else [0.0, 1.0]
    low, high = min(known), max(known)
    if log:
        ticks = log_ticks(low, high)
        low = min(ticks[0], low)
        high = max(ticks[-1], high) if ticks[-1] > low else low * 10
        return Scale(low, high, True, tuple(ticks))
    near = low == high or low < 0.6 * high  # one value alone says nothing of its surroundings
    start = min(0.0, low) if from_zero and near else low
    ticks = nice_ticks(start, high)
    return Scale(ticks[0], ticks[-1], False, tuple(ticks))


def window(whole: Scale, low: float | None, high: float | None) -> Scale:
    """Return a scale that shows a part of another; a part that is none leaves it whole."""
    low = whole.low if low is None else low
    high = whole.high if high is None else high
    if low >= high or (whole.log and low <= 0):
        return whole
    ticks = log_ticks(low, high) if whole.log else nice_ticks(low, high)
    inside = tuple(tick for tick in ticks if low <= tick <= high)
    if len(inside) < 2:
        inside = tuple(tick for tick in nice_ticks(low, high, 5) if low <= tick <= high)
    return Scale(low, high, whole.log, inside)


def zoomed(now: Scale, factor: float) -> tuple[float, float]:
    """Return the range around the middle of a scale, `factor` times as wide; see `short`."""
    if now.log:
        middle = math.sqrt(now.low * now.high)
        half = (now.high / now.low) ** (factor / 2)
        return short(middle / half, middle * half)
    middle, half = (now.low + now.high) / 2, (now.high - now.low) * factor / 2
    return short(middle - half, middle + half)


def short(low: float, high: float) -> tuple[float, float]:
    """Return a range with four digits of each end, or of what lies between where that is less.

    assets/curves.js shortens the ranges that a reader draws in the same way.
    """
    between = _magnitude(high - low)
    return _rounded(low, between), _rounded(high, between)


def _rounded(value: float, between: int) -> float:
    digits = max(4, 4 + _magnitude(value) - between)
    return float(f"{value:.{min(digits, 15)}g}")


def _magnitude(value: float) -> int:
    return math.floor(math.log10(abs(value))) if value else 0
