"""Marks of series: shape and dash are the engine, colour is the hardware's CSS class."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

_SHAPES = {
    "circle": '<circle r="4.4"/>',
    "square": '<rect x="-4" y="-4" width="8" height="8" rx="1.2"/>',
    "triangle": '<path d="M0-5.2 4.8 3.6H-4.8Z"/>',
    "diamond": '<path d="M0-5.4 5.4 0 0 5.4-5.4 0Z"/>',
    "down": '<path d="M0 5.2 4.8-3.6H-4.8Z"/>',
    "hexagon": '<path d="M-4.8 0-2.4-4.3H2.4L4.8 0 2.4 4.3H-2.4Z"/>',
    "plus": '<path d="M-1.7-5H1.7V-1.7H5V1.7H1.7V5H-1.7V1.7H-5V-1.7H-1.7Z"/>',
    "star": '<path d="M0-5.8 1.7-1.8 6-1.8 2.6.9 3.8 5 0 2.5-3.8 5-2.6.9-6-1.8-1.7-1.8Z"/>',
}
_ENGINES = {
    "vllm": ("circle", ""),
    "sglang": ("square", "7 3"),
    "trt": ("triangle", "2 3"),
    "atom": ("diamond", "9 3 2 3"),
    "dynamo-vllm": ("hexagon", "12 3"),
    "dynamo-sglang": ("plus", "5 2"),
    "dynamo-trt": ("down", "1 3"),
    "mori-sglang": ("star", "7 2 2 2"),
    "mooncake-atom": ("plus", "3 2"),
}
_RINGS = {
    "lmcache": "3 2.4",
    "hicache": "7 2.4",
    "mooncake": "1 2.6",
    "simple": "5 2 1 2",
}
_HARDWARE = frozenset(
    ("h100", "h200", "b200", "b300", "gb200", "gb300", "mi300x", "mi325x", "mi355x", "rtx6000pro")
)


def _hash(text: str, size: int) -> int:
    return hashlib.sha256(text.encode()).digest()[0] % size


def colour_class(hw: str | None) -> str:
    """Return the CSS class that holds a hardware's colour; stable, whatever is filtered."""
    if hw in _HARDWARE:
        return f"hw-{hw}"
    return f"hw-other{_hash(hw, 2)}" if hw else "hw-none"


def shape_name(engine: str | None) -> str:
    """Return the name of an engine's mark."""
    return _engine(engine)[0]


def shapes(names: Iterable[str]) -> str:
    """Return the `<defs>` that marks of these names refer to as `#m-<name>`."""
    inner = "".join(f'<g id="m-{name}">{_SHAPES[name]}</g>' for name in sorted(set(names)))
    return f"<defs>{inner}</defs>"


_AT = {
    "circle": '<circle{css} cx="{x}" cy="{y}" r="4.4"/>',
    "square": '<rect{css} x="{x}" y="{y}" width="8" height="8" rx="1.2" '
    'transform="translate(-4 -4)"/>',
}
_ELSE = '<use{css} href="#m-{name}" x="{x}" y="{y}"/>'


def mark_at(name: str, x: str, y: str, css: str = "") -> str:
    """Return a mark of this name at percent across and pixels down; see `shapes`.

    The two commonest are drawn as they are: an element that refers to a shape costs twice one.
    Without a class it takes its colours from what is around it.
    """
    named = f' class="{css}"' if css else ""
    return _AT.get(name, _ELSE).format(css=named, name=name, x=x, y=y)


def ring_dash(backend: str | None) -> str:
    """Return the stroke-dasharray of an offload backend's ring; an unknown one has its own."""
    return _RINGS.get(backend or "", "2 1.6 4 1.6")


def shape_markup(engine: str | None) -> str:
    """Return the SVG of an engine's mark around (0, 0)."""
    return _SHAPES[_engine(engine)[0]]


def dash(engine: str | None) -> str:
    """Return the stroke-dasharray of an engine's lines; empty is solid."""
    return _engine(engine)[1]


def _engine(engine: str | None) -> tuple[str, str]:
    if not engine:
        return "circle", ""
    names = sorted(_ENGINES)
    return _ENGINES.get(engine) or _ENGINES[names[_hash(engine, len(names))]]
