"""Curves as inline SVG: percent across, pixels down, so one picture fits every width.

Colours are CSS classes (assets/series.css), so the same markup serves light, dark and embeds.
Marks carry meaning: filled = on the frontier or able to be, hollow = partial or over a limit,
faint = beaten by another point, dashed ring = KV offload. Colour and shape are identity.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from explorer.domain.units import number
from explorer.figures.marks import colour_class, dash, shape_markup
from explorer.figures.scales import Scale, scale

HEIGHT = 420
_NOMINAL_WIDTH = 760
Curve = Mapping[str, Any]
Point = Mapping[str, Any]


def curves_svg(
    curves: Sequence[Curve],
    *,
    words: Mapping[str, str],
    label: Callable[[Curve], str],
    tip: Callable[[Curve, Point], str],
    href: Callable[[Point], str],
    point_label: Callable[[Point], str],
    log_x: bool = False,
    log_y: bool = False,
    selected: str | None = None,
) -> str:
    """Return the chart of curves as one `<svg>`; empty curves give an empty frame.

    `words`: title, desc, x, y (axis texts). `label` names a curve at its end, `tip` says a point
    in one line, `href` is where it leads, `point_label` the short text beside a vertex.
    """
    points = [point for curve in curves for point in curve["points"]]
    sx = scale((point["x"] for point in points), log_x)
    sy = scale((point["y"] for point in points), log_y)
    texts = _vertex_labels(curves, sx, sy, point_label)
    body = "".join(_curve(curve, sx, sy, tip, href, texts, selected) for curve in curves)
    ends = _end_labels(curves, sx, sy, label)
    return (
        f'<svg class="curves" role="group" aria-label="{escape(words["title"])}" width="100%" '
        f'height="{HEIGHT}" xmlns="http://www.w3.org/2000/svg">'
        f"<title>{escape(words['title'])}</title><desc>{escape(words['desc'])}</desc>"
        f"{_axes(sx, sy, words)}{body}{ends}</svg>"
    )


def _x(sx: Scale, value: float) -> str:
    return f"{sx.share(value) * 100:.2f}%"


def _y(sy: Scale, value: float) -> str:
    return f"{(1 - sy.share(value)) * HEIGHT:.1f}"


def _axes(sx: Scale, sy: Scale, words: Mapping[str, str]) -> str:
    rows = "".join(
        f'<line class="grid" x1="0" x2="100%" y1="{_y(sy, tick)}" y2="{_y(sy, tick)}"/>'
        f'<text class="tick" x="-10" y="{_y(sy, tick)}" dy=".35em" text-anchor="end">'
        f"{tick_text(tick)}</text>"
        for tick in sy.ticks
    )
    columns = "".join(
        f'<text class="tick" x="{_x(sx, tick)}" y="{HEIGHT + 20}" text-anchor="middle">'
        f"{tick_text(tick)}</text>"
        for tick in sx.ticks
    )
    names = (
        f'<text class="axis" x="100%" y="{HEIGHT + 42}" text-anchor="end">'
        f"{escape(words['x'])}</text>"
        f'<text class="axis" x="-54" y="-14">{escape(words["y"])}</text>'
    )
    return f'<g aria-hidden="true">{rows}{columns}{names}</g>'


def tick_text(tick: float) -> str:
    """Return a tick's text: short, no trailing zeros."""
    if tick and abs(tick) >= 1000:
        return f"{tick:,.0f}" if abs(tick) < 1e6 else f"{number(tick / 1e6)}M"
    return f"{tick:.6g}"


def _curve(
    curve: Curve,
    sx: Scale,
    sy: Scale,
    tip: Callable[[Curve, Point], str],
    href: Callable[[Point], str],
    labels: Mapping[str, str],
    selected: str | None,
) -> str:
    line = [point for point in curve["points"] if point["on_frontier"]]
    pattern = f' stroke-dasharray="{dash(curve["engine"])}"' if dash(curve["engine"]) else ""
    segments = "".join(
        f'<line x1="{_x(sx, a["x"])}" y1="{_y(sy, a["y"])}" '
        f'x2="{_x(sx, b["x"])}" y2="{_y(sy, b["y"])}"{pattern}/>'
        for a, b in itertools.pairwise(line)
    )
    ordered = sorted(curve["points"], key=lambda point: point["on_frontier"])
    marks = "".join(
        _mark(curve, point, sx, sy, tip(curve, point), href(point), selected) for point in ordered
    )
    texts = "".join(
        f'<text class="pt" x="{_x(sx, point["x"])}" y="{_y(sy, point["y"])}" dx="8" dy="-8">'
        f"{escape(labels[point['point_id']])}</text>"
        for point in line
        if point["point_id"] in labels
    )
    return (
        f'<g class="{colour_class(curve["hw"])}" data-curve="{escape(curve["curve_id"])}">'
        f'<g class="line">{segments}</g>{marks}<g class="pts" aria-hidden="true">{texts}</g></g>'
    )


def _vertex_labels(
    curves: Sequence[Curve], sx: Scale, sy: Scale, point_label: Callable[[Point], str]
) -> dict[str, str]:
    """Return point id → label for the vertices whose label touches no other, on a common width."""
    taken: list[tuple[float, float, float]] = []
    labels: dict[str, str] = {}
    for curve in curves:
        for point in curve["points"]:
            text = point_label(point) if point["on_frontier"] else ""
            x = sx.share(point["x"]) * _NOMINAL_WIDTH
            y = (1 - sy.share(point["y"])) * HEIGHT
            width = 7.0 * len(text) + 4
            free = all(
                x + width < left or right < x or abs(y - other) > 12 for left, right, other in taken
            )
            if text and free:
                taken.append((x, x + width, y))
                labels[point["point_id"]] = text
    return labels


def _mark(
    curve: Curve, point: Point, sx: Scale, sy: Scale, tip: str, href: str, selected: str | None
) -> str:
    kind = [
        "mark",
        "on" if point["on_frontier"] else "off",
        "" if point["eligible"] else "hollow",
        "chosen" if point["point_id"] == selected else "",
    ]
    ring = '<circle class="offload-ring" r="9"/>' if offloaded(point) else ""
    halo = '<circle class="halo" r="13"/>' if point["point_id"] == selected else ""
    return (
        f'<a data-point-id="{escape(point["point_id"])}" href="{escape(href)}" data-nav="1" '
        f'class="{" ".join(filter(None, kind))}" aria-label="{escape(tip)}">'
        f'<svg x="{_x(sx, point["x"])}" y="{_y(sy, point["y"])}" overflow="visible">'
        f'<circle class="hit" r="11"/>{halo}<g class="shape">{shape_markup(curve["engine"])}</g>'
        f"{ring}</svg></a>"
    )


def offloaded(point: Point) -> bool:
    """Tell whether a point ran with KV offload."""
    return (point["kv_offload"] or "none") != "none"


def _end_labels(
    curves: Sequence[Curve], sx: Scale, sy: Scale, label: Callable[[Curve], str]
) -> str:
    """Return each curve's name at its right end, moved apart where they would collide."""
    ends = []
    for curve in curves:
        line = [point for point in curve["points"] if point["on_frontier"]] or curve["points"]
        if line and label(curve):
            last = max(line, key=lambda point: point["x"])
            ends.append((sx.share(last["x"]), (1 - sy.share(last["y"])) * HEIGHT - 14, curve))
    placed: list[float] = []
    texts = []
    for x, y, curve in sorted(ends, key=lambda end: -end[1]):
        while any(abs(y - other) < 16 for other in placed):
            y -= 4  # upwards: the ends of falling curves lie low, the room is above
        placed.append(y)
        anchor = ' text-anchor="end"' if x > 0.72 else ""
        dx = -8 if x > 0.72 else 10
        texts.append(
            f'<text class="lab {colour_class(curve["hw"])}" x="{x * 100:.2f}%" y="{y:.1f}" '
            f'dx="{dx}"{anchor}>{escape(label(curve))}</text>'
        )
    return f'<g aria-hidden="true">{"".join(texts)}</g>'
