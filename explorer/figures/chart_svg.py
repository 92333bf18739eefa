"""A Chart as inline SVG: the plot area alone, percent across, marks stretched, text not.

Ticks hang outside the area (overflow is visible), so one picture fits every width and prints.
Colours are classes (assets/point.css), the same in light, dark and embeds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from html import escape
from itertools import compress, groupby

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import Axis, Chart, Trace, tick_text, x_scale, y_scale
from explorer.figures.scales import Scale

HEIGHT = 176
Ints = NDArray[np.int64]
_W, _H = 2000, 1000
_LETTER = 0.026
"""A letter's width as a share of the narrowest plot (270 px)."""
_CLASSES = ((1, "d1"), (3, "d2"), (9, "d3"), (math.inf, "d4"))
"""How many samples a folded mark stands for, at most, and its class."""


def chart_svg(chart: Chart, height: int = HEIGHT, *, data: bool = True) -> str:
    """Return a chart as one `<svg>`; `data` adds what read-outs need, as JSON in an attribute."""
    sx, sy = x_scale(chart), y_scale(chart)
    inner = "".join(_trace(trace, sx, sy) for trace in chart.traces)
    extra = f" data-chart='{_escaped(_data(chart, sx, sy))}'" if data else ""
    return (
        f'<svg class="chart" role="img" tabindex="0" width="100%" height="{height}" '
        f'aria-labelledby="t-{chart.name} d-{chart.name}" xmlns="http://www.w3.org/2000/svg"{extra}>'
        f'<title id="t-{chart.name}">{escape(chart.title)}</title>'
        f'<desc id="d-{chart.name}">{escape(chart.summary)}</desc>'
        f"{_grid(chart, sy, height)}{_ticks(chart, sx)}"
        f'<svg viewBox="0 0 {_W} {_H}" width="100%" height="{height}" preserveAspectRatio="none" '
        f'class="marks">{inner}</svg>{_references(chart, sx, sy, height)}</svg>'
    )


def _escaped(data: object) -> str:
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return escape(text, quote=False).replace("'", "&#39;")


def _grid(chart: Chart, sy: Scale, height: int) -> str:
    lines = []
    for tick in sy.ticks:
        y = (1 - sy.share(tick)) * height
        if not -0.5 <= y <= height + 0.5:
            continue
        text = escape(tick_text(tick, chart.y, sy.ticks))
        lines.append(
            f'<line class="grid" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="tick" x="-8" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
        )
    return "".join(lines)


def _ticks(chart: Chart, sx: Scale) -> str:
    texts = []
    for tick in sx.ticks:
        share = sx.share(tick)
        if -0.001 <= share <= 1.001:
            anchor = "start" if share < 0.02 else "end" if share > 0.98 else "middle"
            text = escape(tick_text(tick, chart.x, sx.ticks))
            texts.append(
                f'<text class="tick" x="{share * 100:.2f}%" y="100%" dy="17" '
                f'text-anchor="{anchor}">{text}</text>'
            )
    return "".join(texts)


def _references(chart: Chart, sx: Scale, sy: Scale, height: int) -> str:
    return _levels(chart, sy, height) + _guides(chart, sx)


def _levels(chart: Chart, sy: Scale, height: int) -> str:
    drawn = []
    for reference in chart.references:
        if reference.axis == "y" and (reference.value > 0 or not sy.log):
            y = (1 - sy.share(reference.value)) * height
            drawn.append(
                f'<line class="ref" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
                f'<text class="lab" x="100%" y="{y - 5:.1f}" '
                f'text-anchor="end">{escape(reference.label)}</text>'
            )
    return "".join(drawn)


def _guides(chart: Chart, sx: Scale) -> str:
    """Return vertical guides; a label that would meet another climbs a row, up to the third."""
    drawn, taken = [], [-1.0, -1.0, -1.0]
    for reference in sorted(chart.references, key=lambda one: one.value):
        if reference.axis != "x":
            continue
        share = min(max(sx.share(reference.value), 0.0), 1.0)
        wide = _LETTER * len(reference.label)
        anchor = "start" if share < wide / 2 else "end" if share > 1 - wide / 2 else "middle"
        left = share - {"start": 0.0, "end": wide, "middle": wide / 2}[anchor]
        row = next((row for row, end in enumerate(taken) if left > end), 2)
        taken[row] = left + wide
        top = -6 - 14 * row
        drawn.append(
            f'<line class="ref" x1="{share * 100:.2f}%" x2="{share * 100:.2f}%" '
            f'y1="{top + 3}" y2="100%"/><text class="lab" x="{share * 100:.2f}%" y="{top}" '
            f'text-anchor="{anchor}">{escape(reference.label)}</text>'
        )
    return "".join(drawn)


def _trace(trace: Trace, sx: Scale, sy: Scale) -> str:
    draw = {"bar": _bars, "area": _area, "scatter": _scatter, "step": _step}.get(trace.kind, _line)
    return draw(trace, sx, sy)


def _pixels(used: Scale, values: Sequence[float], size: int) -> Ints:
    """Return where values stand on a side of `size` units; NaN and what is below go to −5 %.

    Logarithms are `math`'s, so that a drawing has the same bytes on every machine.
    """
    array = np.asarray(values, dtype=np.float64)
    low, high = used.low, used.high
    if used.log:
        array, low, high = _logs(array), math.log(low), math.log(high)
    with np.errstate(invalid="ignore"):
        shares = (array - low) / (high - low)
    return np.rint(np.where(np.isfinite(shares), shares, -0.05) * size).astype(np.int64)


def _logs(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return logarithms, −∞ where there is none."""
    found = np.full(len(array), -math.inf)
    positive = array > 0
    found[positive] = list(map(math.log, array[positive].tolist()))
    return found


def _across(sx: Scale, values: Sequence[float]) -> list[int]:
    return _pixels(sx, values, _W).tolist()


def _down(sy: Scale, values: Sequence[float]) -> list[int]:
    """Return heights from the top, at most the plot's foot."""
    heights = np.clip(_H - _pixels(sy, values, _H), -_H // 20, _H)
    return heights.tolist()


def _runs(trace: Trace, sx: Scale, sy: Scale) -> Iterator[list[tuple[int, int, int]]]:
    """Yield stretches of (x, y, base) without gaps, in drawing units."""
    base = trace.base if trace.base is not None else [0.0] * len(trace.y)
    known = (np.isfinite(trace.y) & np.isfinite(base)).tolist()
    points = zip(_across(sx, trace.x), _down(sy, trace.y), _down(sy, base), known, strict=False)
    for there, run in groupby(points, key=lambda point: point[3]):
        if there:
            yield [(x, y, low) for x, y, low, _ in run]


def _classes(trace: Trace) -> str:
    return f"c-{trace.colour} {trace.weight}"


def _path(kind: str, trace: Trace, d: str, more: str = "") -> str:
    classes = f"{kind} {_classes(trace)} {more}".strip()
    return f'<path class="{classes}" data-key="{escape(trace.key)}" d="{d}"/>' if d else ""


def _polyline(points: Sequence[tuple[int, int]]) -> str:
    """Return path data in relative steps, which are short; a lone point is a dot."""
    (x, y), *rest = points
    parts = [f"M{x} {y}"]
    for nx, ny in rest:
        parts.append(f"l{nx - x} {ny - y}")
        x, y = nx, ny
    return "".join(parts) if rest else f"M{x} {y}h0"


def _line(trace: Trace, sx: Scale, sy: Scale) -> str:
    return _path(
        "line",
        trace,
        "".join(_polyline([(x, y) for x, y, _ in run]) for run in _runs(trace, sx, sy)),
    )


def _step(trace: Trace, sx: Scale, sy: Scale) -> str:
    parts = []
    for run in _runs(trace, sx, sy):
        parts.append(f"M{run[0][0]} {run[0][1]}")
        parts += [f"H{x}V{y}" for x, y, _ in run[1:]]
    return _path("line", trace, "".join(parts))


def _area(trace: Trace, sx: Scale, sy: Scale) -> str:
    parts = []
    for run in _runs(trace, sx, sy):
        if len(run) == 1:
            x, y, low = run[0]
            run = [(x - 2, y, low), (x + 2, y, low)]
        edge = [(x, y) for x, y, _ in run] + [(x, low) for x, _, low in reversed(run)]
        parts.append(_polyline(edge) + "z")
    return _path("area", trace, "".join(parts))


def _bars(trace: Trace, sx: Scale, sy: Scale) -> str:
    xs, ys = _across(sx, trace.x), _down(sy, trace.y)
    bars = zip(xs, xs[1:], ys, trace.y, strict=False)
    d = "".join(f"M{x} {_H}V{y}h{end - x}V{_H}z" for x, end, y, height in bars if height > 0)
    return _path("bar", trace, d)


def _scatter(trace: Trace, sx: Scale, sy: Scale) -> str:
    """Return dots in up to four strengths, by how many samples each stands for."""
    counts = trace.counts or [1] * len(trace.y)
    strength = np.searchsorted([most for most, _ in _CLASSES], counts)
    dots = [f"M{x} {y}h0" for x, y in zip(_across(sx, trace.x), _down(sy, trace.y), strict=True)]
    return "".join(
        _path("dots", trace, "".join(compress(dots, strength == index)), name)
        for index, (_, name) in enumerate(_CLASSES)
    )


def _data(chart: Chart, sx: Scale, sy: Scale) -> dict[str, object]:
    """Return what the read-out says: axes, and each trace's numbers to four digits.

    Samples and the faint lines of many engines are in the picture and the table only.
    """
    column = {"column": chart.column} if chart.column else {}
    return {
        "name": chart.name,
        **column,
        "x": _axis(chart.x, sx),
        "y": _axis(chart.y, sy),
        "traces": [
            {
                "label": trace.label,
                "kind": trace.kind,
                "x": _packed(trace.x, 9 if chart.column else 6),
                "y": [_rounded(value) for value in _own(trace)],
            }
            for trace in chart.traces
            if trace.kind != "scatter" and trace.weight != "faint"
        ],
    }


def _own(trace: Trace) -> list[float]:
    """Return a trace's own height: stacked areas without what lies below."""
    if trace.base is None:
        return list(trace.y)
    return [y - low for y, low in zip(trace.y, trace.base, strict=True)]


def _axis(axis: Axis, used: Scale) -> dict[str, object]:
    return {"unit": axis.unit, "log": used.log, "low": used.low, "high": used.high}


def _packed(x: Sequence[float], digits: int) -> list[float | None] | dict[str, float | int]:
    """Return evenly spaced values as start, step and count; others as they are."""
    if len(x) > 2:
        even = np.linspace(x[0], x[-1], len(x))
        if np.abs(even - np.asarray(x)).max() < 1e-3:
            return {"from": round(float(x[0]), 4), "step": float(even[1] - even[0]), "n": len(x)}
    return [_rounded(value, digits) for value in x]


def _rounded(value: float, digits: int = 4) -> float | None:
    if not math.isfinite(value):
        return None
    number = float(f"{value:.{digits}g}")
    return int(number) if number == int(number) else number
