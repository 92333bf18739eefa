"""How wide a text is, about: pictures are drawn without a browser that could measure it."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_NARROW = frozenset("iljt.,:;'|!()[]-· frI")
_WIDE = frozenset("mwMW@%—")


@lru_cache(maxsize=4096)
def width_of(text: str, size: float) -> float:
    """Return about how wide a text is in px; a little more rather than less."""
    return size * sum(_em(letter) for letter in text)


def _em(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if letter in _NARROW:
        return 0.36
    return 0.9 if letter in _WIDE else 0.68 if letter.isupper() else 0.57
