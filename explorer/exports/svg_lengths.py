"""Lengths of a picture that fits every width, worked out for one width.

Pictures are drawn percent across and pixels down, stretched parts in a viewBox of their own.
Programs that draw files know less than browsers do, so a file holds plain pixels.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from xml.etree.ElementTree import Element

_ACROSS = ("x", "x1", "x2", "cx", "width")
_DOWN = ("y", "y1", "y2", "cy", "height")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_COMMAND = re.compile(r"([MmLlHhVvCcSsQqTtZz])([^A-Za-z]*)")
_ONLY = {"h": 0, "v": 1}


def settle(root: Element, width: float, height: float) -> None:
    """Turn percentages below `root`, a viewport of this size in px, into px; in place."""
    for child in root:
        _settle(child, width, height)


def _settle(element: Element, width: float, height: float) -> None:
    _percent(element, _ACROSS, width)
    _percent(element, _DOWN, height)
    _percent(element, ("r",), math.hypot(width, height) / math.sqrt(2))
    if element.tag == "svg":
        width, height = number(element, "width", width), number(element, "height", height)
        _unstretch(element, width, height)
    if element.tag not in ("pattern", "marker", "defs"):
        settle(element, width, height)


def number(element: Element, name: str, default: float) -> float:
    """Return an attribute in px; the default where it is missing or a percentage."""
    found = _NUMBER.fullmatch(element.get(name, "").removesuffix("px"))
    return float(found[0]) if found else default


def _percent(element: Element, names: tuple[str, ...], whole: float) -> None:
    for name in names:
        text = element.get(name, "")
        if text.endswith("%"):
            element.set(name, short(float(text[:-1]) / 100 * whole))


def short(value: float) -> str:
    """Return a length in at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"


def _unstretch(element: Element, width: float, height: float) -> None:
    """Draw a stretched viewport in px, so that its strokes are not stretched."""
    box = element.get("viewBox")
    if not box or element.get("preserveAspectRatio") != "none":
        return
    left, top, wide, high = (float(part) for part in box.replace(",", " ").split())
    across, down = width / wide, height / high
    for child in element.iter():
        if child is not element:
            _scale(child, (across, down), (left, top))
    element.set("viewBox", f"0 0 {short(width)} {short(height)}")


def _scale(element: Element, by: tuple[float, float], origin: tuple[float, float]) -> None:
    for names, axis in ((_ACROSS, 0), (_DOWN, 1)):
        for name in names:
            if name in element.attrib and not element.get(name, "").endswith("%"):
                moved = 0.0 if name in ("width", "height") else origin[axis]
                value = number(element, name, 0.0)
                element.set(name, short((value - moved) * by[axis]))
    if points := element.get("points"):
        element.set("points", _points(points, by, origin))
    if path := element.get("d"):
        element.set("d", scaled_path(path, by, origin))


def _points(text: str, by: tuple[float, float], origin: tuple[float, float]) -> str:
    return _pairs(_NUMBER.findall(text), lambda axis, value: (value - origin[axis]) * by[axis])


def _pairs(texts: list[str], place: Callable[[int, float], float]) -> str:
    return " ".join(short(place(at % 2, float(text))) for at, text in enumerate(texts))


def scaled_path(
    path: str, by: tuple[float, float], origin: tuple[float, float] = (0.0, 0.0)
) -> str:
    """Return path data moved to an origin and scaled on each axis; it has no arcs."""
    parts: list[str] = []
    for command, text in _COMMAND.findall(path):
        relative = command.islower() and bool(parts)
        only = _ONLY.get(command.lower())

        def place(axis: int, value: float, only: int | None = only, own: bool = relative) -> float:
            axis = axis if only is None else only
            return (value - (0.0 if own else origin[axis])) * by[axis]

        parts.append(command + _pairs(_NUMBER.findall(text), place))
    return "".join(parts)
