"""The nearest known word to one that is not."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_LISTED = 12


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a hint for an unknown word: the nearest known one, or all of a few.

    >>> nearest("modle", ["model", "hw"])
    'Did you mean model?'
    """
    known = sorted(known)
    if close := get_close_matches(word, known, n=1, cutoff=0.5):
        return f"Did you mean {close[0]}?"
    if len(known) <= _LISTED:
        return f"Known: {', '.join(known)}."
    return f"Known are {len(known)} words, such as {', '.join(known[:5])}."
