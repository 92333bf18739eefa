"""Values as foreign rows hold them: polymorphic in, one type or null out."""

from __future__ import annotations

import math
from typing import Any

_TRUE, _FALSE = {"true", "1", "yes", "on"}, {"false", "0", "no", "off"}


def text(value: Any) -> str | None:
    """Return a non-empty text, else null."""
    if value is None or isinstance(value, dict | list):
        return None
    found = str(value).strip()
    return found or None


def boolean(value: Any) -> bool | None:
    """Return a truth value of a bool, a 0 or 1, or its text; else null."""
    word = str(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def number(value: Any) -> float | None:
    """Return a finite number of a number or its text; else null."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def integer(value: Any) -> int | None:
    """Return a whole number; else null."""
    found = number(value)
    return int(found) if found is not None and found == int(found) else None


def positive(value: Any) -> float | None:
    """Return a finite number above zero; a latency or throughput of zero was never measured."""
    found = number(value)
    return found if found is not None and found > 0 else None


def mapping(value: Any) -> dict[str, Any]:
    """Return the value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}
