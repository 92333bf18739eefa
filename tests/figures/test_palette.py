"""Twelve colours of hardware stay apart for every eye, and stand out from paper, in both themes.

CIEDE2000 (Sharma et al. 2005) and the dichromat matrices of Machado et al. 2009, severity 1, in
plain Python.
"""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import pytest

from explorer.figures.marks import colour_class

ASSETS = Path(__file__).resolve().parents[2] / "assets"
SIX = ("b200", "mi355x", "h200", "gb200", "b300", "gb300")
TWELVE = (*SIX, "h100", "mi300x", "mi325x", "rtx6000pro", "other0", "other1")
VIEWS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
XYZ = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
WHITE = (0.95047, 1.0, 1.08883)
Triple = tuple[float, float, float]


def linear(colour: str) -> Triple:
    """Return the linear light of #rrggbb."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return red, green, blue


def times(matrix, vector) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def lab(light) -> Triple:
    inside = [min(max(value, 0.0), 1.0) for value in light]
    shares = (value / white for value, white in zip(times(XYZ, inside), WHITE, strict=True))
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in shares)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(one: Triple, two: Triple) -> float:
    l1, a1, b1 = one
    l2, a2, b2 = two
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean**7 / (mean**7 + 25**7)))
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    dl, dc = l2 - l1, c2 - c1
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    lm, cm = (l1 + l2) / 2, (c1 + c2) / 2
    hm = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    t = (
        1
        - 0.17 * math.cos(math.radians(hm - 30))
        + 0.24 * math.cos(math.radians(2 * hm))
        + 0.32 * math.cos(math.radians(3 * hm + 6))
        - 0.20 * math.cos(math.radians(4 * hm - 63))
    )
    sl = 1 + 0.015 * (lm - 50) ** 2 / math.sqrt(20 + (lm - 50) ** 2)
    sc, sh = 1 + 0.045 * cm, 1 + 0.015 * cm * t
    rc = 2 * math.sqrt(cm**7 / (cm**7 + 25**7))
    rt = -math.sin(math.radians(60 * math.exp(-(((hm - 275) / 25) ** 2)))) * rc
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * (dc / sc) * (dh / sh))


def luminance(colour: str) -> float:
    return sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def contrast(one: str, two: str) -> float:
    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def palettes() -> list[dict[str, str]]:
    """Return the palettes of the stylesheet: light, dark by system, dark by choice."""
    text = (ASSETS / "series.css").read_text()
    found = re.findall(r"\.hw-([a-z0-9]+) \{ --c: (#[0-9a-f]{6}); \}", text)
    size = len(TWELVE) + 1
    assert len(found) == 3 * size
    return [dict(found[at : at + size]) for at in range(0, 3 * size, size)]


def paper(index: int) -> str:
    tokens = (ASSETS / "tokens.css").read_text()
    colours = re.findall(r"--paper: (#[0-9a-f]{3,6});", tokens)[index]
    return "#" + "".join(2 * digit for digit in colours[1:]) if len(colours) == 4 else colours


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_difference_is_the_published_one(one, two, expected):
    assert ciede2000(one, two) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(("names", "least"), [(TWELVE, 10.0), (SIX, 18.0)])
def test_series_are_separable(theme, view, names, least):
    palette = palettes()[theme]
    seen = {name: lab(times(VIEWS[view], linear(palette[name]))) for name in names}
    close = {
        pair: ciede2000(seen[pair[0]], seen[pair[1]]) for pair in itertools.combinations(names, 2)
    }
    pair = min(close, key=lambda one: close[one])
    assert close[pair] >= least, (pair, close[pair])


@pytest.mark.parametrize("theme", [0, 1])
def test_series_stand_out_from_paper(theme):
    palette = palettes()[theme]
    low = {n: contrast(c, paper(theme)) for n, c in palette.items()}
    assert min(low.values()) >= 3.0, low


def test_dark_is_the_same_by_system_and_by_choice():
    _, system, choice = palettes()
    assert system == choice


def test_a_colour_is_of_its_hardware_alone():
    assert [colour_class(name) for name in TWELVE[:10]] == [f"hw-{name}" for name in TWELVE[:10]]
    assert colour_class("mi999x") == colour_class("mi999x") in ("hw-other0", "hw-other1")
