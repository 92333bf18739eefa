"""`color-mix()` worked out to plain colours, by `math` alone: the same bytes on every machine.

Source: CSS Color 5, color-mix; CSS Color 4, sample code of oklab.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Triple = tuple[float, float, float]
_MIX = re.compile(
    r"color-mix\(in (oklab|srgb),\s*(#[0-9a-fA-F]{3,6})\s+([\d.]+)%,\s*(#[0-9a-fA-F]{3,6})\s*\)"
)
_TO_LMS = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_TO_LAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
_FROM_LAB = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.2914855480),
)
_FROM_LMS = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.7076147010),
)


def mix(text: str) -> str:
    """Return a CSS value with every mixture of two hex colours as one hex colour."""
    return _MIX.sub(lambda found: _mixed(found[1], found[2], float(found[3]) / 100, found[4]), text)


def _mixed(space: str, one: str, share: float, other: str) -> str:
    there, back = (_oklab, _srgb) if space == "oklab" else (_same, _same)
    ends = zip(there(_rgb(one)), there(_rgb(other)), strict=True)
    first, second, third = (a * share + b * (1 - share) for a, b in ends)
    channels = (min(max(round(part * 255), 0), 255) for part in back((first, second, third)))
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def _rgb(text: str) -> Triple:
    digits = text[1:] if len(text) == 7 else "".join(digit * 2 for digit in text[1:])
    red, green, blue = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    return red, green, blue


def _same(colour: Triple) -> Triple:
    return colour


def _times(matrix: Sequence[Triple], vector: Triple) -> Triple:
    one, two, three = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return one, two, three


def _oklab(colour: Triple) -> Triple:
    red, green, blue = (_linear(part) for part in colour)
    long, middle, short = _times(_TO_LMS, (red, green, blue))
    return _times(_TO_LAB, (long ** (1 / 3), middle ** (1 / 3), short ** (1 / 3)))


def _srgb(colour: Triple) -> Triple:
    long, middle, short = _times(_FROM_LAB, colour)
    red, green, blue = (_gamma(part) for part in _times(_FROM_LMS, (long**3, middle**3, short**3)))
    return red, green, blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _gamma(part: float) -> float:
    return part * 12.92 if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055
