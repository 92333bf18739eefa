"""Reproducible chance: the same numbers on every machine.

Only IEEE additions, multiplications and divisions are used. The C library's ``exp`` and ``log``
may differ in the last bit between processors, and one bit is enough to change a file's hash.
"""

from __future__ import annotations

import math
from random import Random

_MASK = (1 << 64) - 1
_LN2 = 0.6931471805599453


def mix(*parts: int) -> int:
    """Return a 64-bit hash of integers (splitmix64 over each part)."""
    state = 0x9E3779B97F4A7C15
    for part in parts:
        state = (state + (part & _MASK) + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        state ^= state >> 31
    return state


def mix_text(text: str) -> int:
    """Return a 64-bit hash of a text, for seeds named in words."""
    raw = text.encode()
    return mix(*(int.from_bytes(raw[i : i + 7], "big") for i in range(0, len(raw), 7)), len(raw))


_TAYLOR = tuple(1.0 / math.factorial(n) for n in range(14, -1, -1))


def exp(x: float) -> float:
    """Return e**x by range reduction and a Taylor sum; relative error under 1e-14."""
    turns = math.floor(x / _LN2 + 0.5)
    rest = x - turns * _LN2
    total = 0.0
    for coefficient in _TAYLOR:
        total = total * rest + coefficient
    return math.ldexp(total, turns)


def normal(rng: Random) -> float:
    """Return a nearly normal draw: twelve uniform bytes and a fraction, less their mean."""
    return (sum(rng.randbytes(12)) + rng.random() + 5.5) / 256.0 - 6.0


def lognormal(rng: Random, median: float, sigma: float) -> float:
    """Return a lognormal draw with this median; sigma is that of the natural logarithm."""
    return median * exp(sigma * normal(rng))


def uuid_text(seed: int, number: int) -> str:
    """Return a UUID-shaped identifier made from two integers."""
    high, low = mix(seed, number), mix(number, seed, 7)
    text = f"{high:016x}{low:016x}"
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-8{text[17:20]}-{text[20:]}"
