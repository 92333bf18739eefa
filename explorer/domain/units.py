"""Numbers as people read them: digits by size, thousands apart, units beside."""

from __future__ import annotations

import math
from functools import lru_cache

MISSING = "–"


@lru_cache(maxsize=50_000)
def number(value: float | None, digits: int = 3) -> str:
    """Return a number with at least `digits` significant digits and thousands apart.

    >>> number(3801.4), number(66.24), number(0.00770008)
    ('3,801', '66.2', '0.00770')
    """
    if value is None or not math.isfinite(value):
        return MISSING
    if value == 0:
        return "0"
    if digits == 3 and (size := abs(value)) >= 1:  # by far the commonest: no logarithm
        return f"{value:,.0f}" if size >= 100 else f"{value:.{1 if size >= 10 else 2}f}"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    return f"{value:,.{min(max(places, 0), 12)}f}"


def plain(value: float | None, unit: str) -> str:
    """Return a number as it stands before its unit; a ratio as its percentage.

    >>> plain(0.4794, "ratio"), plain(66.24, "tok/s")
    ('47.9', '66.2')
    """
    return percent(value).removesuffix(" %") if unit == "ratio" else number(value)


def shown(value: float | None, unit: str) -> str:
    """Return a number without a unit beside it; a ratio as a percentage with its sign."""
    return percent(value) if unit == "ratio" else number(value)


def exact(value: float | None) -> str:
    """Return a number with all its digits, for tables that are copied."""
    return "" if value is None else repr(value)


def percent(ratio: float | None) -> str:
    """Return a 0–1 ratio as a percentage with one place.

    >>> percent(0.4794)
    '47.9 %'
    """
    return MISSING if ratio is None else f"{ratio * 100:.1f} %"


def with_unit(value: float | None, unit: str) -> str:
    """Return a number beside its unit; ratios as percentages, counts whole."""
    if value is None:
        return MISSING
    if unit == "ratio":
        return percent(value)
    if unit == "$/Mtok":
        return f"${number(value)} /Mtok"
    if unit in ("sessions", "requests", "tokens") and value == int(value):
        return f"{int(value):,} {unit}" if unit != "sessions" else f"{int(value):,}"
    return f"{number(value)} {unit}"


def nice_ticks(low: float, high: float, count: int = 6) -> list[float]:
    """Return round tick values that cover [low, high]: steps of 1, 2, 2.5 or 5 · 10ⁿ."""
    if not high > low:
        high = low + (abs(low) or 1.0)
    rough = (high - low) / max(count - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step for step in (1, 2, 2.5, 5, 10) if step * power >= rough) * power
    first = math.floor(low / step)
    last = math.ceil(high / step)
    return [round(index * step, 12) for index in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Return 1-2-5 ticks between the powers of ten around [low, high], both positive."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    ticks = [factor * 10.0**power for power in range(first, last + 1) for factor in (1, 2, 5)]
    inside = [tick for tick in ticks if low / 2.01 <= tick <= high * 2.01]
    return inside if len(inside) <= 9 else [10.0**power for power in range(first, last + 1)]
