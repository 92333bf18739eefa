"""Ranges of request quantities, as an address spells them: `isl_tokens:1000..20000;ttft_s:5..`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

COLUMNS: tuple[str, ...] = (
    "isl_tokens",
    "osl_tokens",
    "cached_tokens",
    "queue_wait_s",
    "ttft_s",
    "e2el_s",
    "itl_s",
    "interactivity_tps",
    "e2e_interactivity_tps",
)
"""Quantities of a single request that a range may be of."""
_NUMBER = r"-?[0-9.]+(?:e-?[0-9]+)?"
_RANGE = re.compile(rf"([a-z0-9_]+):({_NUMBER})?\.\.({_NUMBER})?")


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """Values of a column from `low` to `high`, both inside; None is no end."""

    column: str
    low: float | None
    high: float | None


def parse(text: str | None) -> tuple[Range, ...] | None:
    """Return the ranges of a text, by column; None when it is not one. Nothing is no range.

    >>> parse("ttft_s:0.5..5")
    (Range(column='ttft_s', low=0.5, high=5.0),)
    >>> parse("ttft_s:5..1") is None, parse("isl_tokens:7..")[0].high, parse(None)
    (True, None, ())
    """
    if not text:
        return ()
    found = [_one(part) for part in text.split(";")]
    known = [one for one in found if one is not None]
    if len(known) < len(found) or len({one.column for one in known}) < len(known):
        return None
    return tuple(sorted(known, key=lambda one: COLUMNS.index(one.column)))


def _one(text: str) -> Range | None:
    match = _RANGE.fullmatch(text)
    if match is None or match[1] not in COLUMNS or not (match[2] or match[3]):
        return None
    try:
        low, high = (None if end is None else float(end) for end in (match[2], match[3]))
    except ValueError:
        return None
    if any(end is not None and not math.isfinite(end) for end in (low, high)):
        return None
    if low is not None and high is not None and low > high:
        return None
    return Range(match[1], low, high)


def format(ranges: Iterable[Range]) -> str:
    """Return the text of ranges; empty for none.

    >>> format([Range("isl_tokens", 1000.0, None), Range("ttft_s", 0.5, 5.0)])
    'isl_tokens:1000..;ttft_s:0.5..5'
    """
    return ";".join(f"{one.column}:{_end(one.low)}..{_end(one.high)}" for one in ranges)


def _end(number: float | None) -> str:
    if number is None:
        return ""
    whole = number == int(number) and abs(number) < 1e15
    return repr(int(number)) if whole else repr(number).replace("+", "")


def of_bins(column: str, low: float, high: float) -> Range:
    """Return the range of bins that hold what lies above `low` up to `high`, in few digits.

    >>> of_bins("isl_tokens", 1024.0, 1448.15), of_bins("ttft_s", 0.123456789, 0.25).low
    (Range(column='isl_tokens', low=1025, high=1448), 0.123457)
    """
    if column.endswith("_tokens"):
        return Range(column, math.floor(low) + 1, math.floor(high))
    return Range(column, float(f"{low:.6g}"), float(f"{high:.6g}"))


def having(ranges: Iterable[Range], one: Range) -> tuple[Range, ...]:
    """Return ranges with another, in place of one of the same column."""
    kept = [*(other for other in ranges if other.column != one.column), one]
    return tuple(sorted(kept, key=lambda each: COLUMNS.index(each.column)))


def without(ranges: Iterable[Range], column: str) -> tuple[Range, ...]:
    """Return ranges without the one of a column."""
    return tuple(one for one in ranges if one.column != column)
