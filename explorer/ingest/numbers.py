"""Numbers from foreign files: finite or null, in the unit that stands beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

_INT64 = 1 << 63

_PER_SECOND: dict[str, float] = {
    "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1,
    "ms": 1e3, "msec": 1e3, "millisecond": 1e3, "milliseconds": 1e3,
    "us": 1e6, "µs": 1e6, "μs": 1e6, "microsecond": 1e6, "microseconds": 1e6,
    "ns": 1e9, "nanosecond": 1e9, "nanoseconds": 1e9,
    "min": 1 / 60, "minute": 1 / 60, "minutes": 1 / 60, "h": 1 / 3600, "hours": 1 / 3600,
}  # fmt: skip


def finite(value: Any) -> float | None:
    """Return a finite number as float; null for anything else, text and bool included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def integer(value: Any) -> int | None:
    """Return a whole number that fits 64 bits, every digit kept; null for anything else.

    Text of digits counts: some dialects quote codes.
    """
    if type(value) is int:
        return value if -_INT64 <= value < _INT64 else None
    if isinstance(value, str) and value.strip().lstrip("-").isdigit():
        value = int(value) if len(value) < 20 else None
    if isinstance(value, float):
        value = int(value) if math.isfinite(value) and value == int(value) else None
    return integer(value) if type(value) is int else None


def text(value: Any) -> str | None:
    """Return text that is not empty; null for anything else."""
    return value if isinstance(value, str) and value else None


def seconds(value: Any, unit: Any) -> float | None:
    """Return a time in s by the unit beside it; null when the unit is unknown."""
    number, per_second = finite(value), _PER_SECOND.get(str(unit).strip().lower())
    return number / per_second if number is not None and per_second else None


def nanoseconds(metric: Any) -> int | None:
    """Return an absolute time of a `{value|avg, unit}` object as ns."""
    if not isinstance(metric, Mapping):
        return None
    value = metric.get("value", metric.get("avg"))
    if str(metric.get("unit")) == "ns":
        return integer(value)
    number = seconds(value, metric.get("unit"))
    return None if number is None else round(number * 1e9)


def ratio(value: Any, unit: Any) -> float | None:
    """Return a share 0–1; a unit of % or percent divides by 100."""
    number = finite(value)
    if number is None:
        return None
    return number / 100 if str(unit).strip().lower() in ("%", "percent", "pct") else number
