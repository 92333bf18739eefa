"""Lanes as inline SVG: percent across, pixels down; bars, or density where bars would not fit.

Every request is drawn. A bar is waiting, sent without a token, and receiving; in density a row
is one or several lanes, and a cell is as strong as it holds requests at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from explorer.embeds.lanes import SHADES, Columns, Ints, Lane, end_ns, first_fit, left_ns
from explorer.figures.chart import clock, time_scale
from explorer.figures.scales import Scale
from explorer.queries.timeline import NULL

_W = 2000
CELLS = 500
BAR, SIDE, GAP = 10, 5, 4
"""Pixels of a main line's track, a sub-agent's, and between lanes."""
ROW = BAR + GAP
"""Pixels that a row of density takes."""
STRENGTHS = 4
NO_VALUE = 9
_LEAST = 1e-6
_LETTERS = 16


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is drawn: requests by start, their lanes, from when to when in ns, how many fit.

    `shade` is a request's shade or None for its status; `label` says a lane in a line, `href`
    is where it leads; of few requests each is a mark with `tip` and `follow`.
    """

    columns: Columns
    lanes: Sequence[Lane]
    low: int
    high: int
    most_lanes: int
    most_bars: int
    shade: Ints | None
    title: str
    desc: str
    zero: str
    label: Callable[[Lane], str]
    short: Callable[[Lane], str]
    href: Callable[[Lane], str]
    tip: Callable[[int], str]
    follow: Callable[[int], str]
    selected: int | None = None
    few: int = 0
    ends: tuple[Ints, Ints, Ints] = field(init=False)

    def __post_init__(self) -> None:
        columns = self.columns
        first = columns["first_token_ns"]
        object.__setattr__(
            self, "ends", (left_ns(columns), np.where(first == NULL, 0, first), end_ns(columns))
        )

    @property
    def dense(self) -> bool:
        """Tell whether bars would not fit, so that density is drawn."""
        return self.folded > 1 or len(self.columns["start_ns"]) > self.most_bars

    @property
    def folded(self) -> int:
        """How many lanes share a row."""
        return -(-len(self.lanes) // self.most_lanes) if self.lanes else 1


@dataclass(frozen=True, slots=True)
class _Row:
    """Lanes that share a row: its name, its top and height in px, and its inside as SVG."""

    name: str
    lanes: Sequence[Lane]
    top: int
    height: int
    inner: str


def lanes_svg(drawing: Drawing) -> str:
    """Return the lanes as one `<svg>`; each lane, or each request of few, is a link."""
    rows = _dense(drawing) if drawing.dense else _bars(drawing)
    height = rows[-1].top + rows[-1].height + GAP if rows else BAR
    sx = time_scale(drawing.low / 1e9, drawing.high / 1e9)
    names = "".join(_name(row) for row in rows)
    marks = "".join(_mark(drawing, row) for row in rows)
    title = escape(drawing.title)
    return (
        f'<svg class="lanes" width="100%" height="{height}" role="group" aria-label="{title}" '
        f'xmlns="http://www.w3.org/2000/svg"><title>{title}</title>'
        f"<desc>{escape(drawing.desc)}</desc>{_ticks(drawing, sx, height)}"
        f'<g class="names" aria-hidden="true">{names}</g>'
        f'<svg class="marks-of" viewBox="0 0 {_W} {height}" width="100%" height="{height}" '
        f'preserveAspectRatio="none">{marks}{_selected(drawing, rows)}</svg></svg>'
    )


def _ticks(drawing: Drawing, sx: Scale, height: int) -> str:
    step = sx.ticks[1] - sx.ticks[0] if len(sx.ticks) > 1 else 0.0
    drawn = []
    for tick in sx.ticks:
        share = sx.share(tick)
        anchor = "start" if share < 0.02 else "end" if share > 0.98 else "middle"
        drawn.append(
            f'<line class="grid" x1="{share:.2%}" x2="{share:.2%}" y1="0" y2="{height}"/>'
            f'<text class="tick" x="{share:.2%}" y="{height + 16}" text-anchor="{anchor}">'
            f"{clock(tick, step)}</text>"
        )
    if sx.low < 0 < sx.high:
        at = f"{sx.share(0.0):.2%}"
        drawn.append(
            f'<line class="zero" x1="{at}" x2="{at}" y1="-4" y2="{height}"/>'
            f'<text class="tick" x="{at}" dx="4" y="-6">{escape(drawing.zero)}</text>'
        )
    return f'<g aria-hidden="true">{"".join(drawn)}</g>'


def _name(row: _Row) -> str:
    text = row.name
    if len(text) > _LETTERS:
        text = f"{text[: _LETTERS - 1]}…"
    return f'<text class="tick" x="-8" y="{row.top + row.height / 2 + 4:.0f}">{escape(text)}</text>'


def _mark(drawing: Drawing, row: _Row) -> str:
    """Return a row as one link, or as it is where its requests are links of their own."""
    n = len(drawing.columns["start_ns"])
    if not drawing.dense and n <= drawing.few:
        return row.inner
    said = [drawing.label(lane) for lane in row.lanes[:3]]
    more = len(row.lanes) - len(said)
    label = escape("; ".join(said) + (f" +{more}" if more else ""))
    hit = f'<rect class="hit" y="{row.top - 1}" width="{_W}" height="{row.height + 2}"/>'
    href = escape(drawing.href(row.lanes[0]))
    return f'<a href="{href}" aria-label="{label}">{hit}{row.inner}</a>'


# ---- bars ----------------------------------------------------------------------------------------


def _bars(drawing: Drawing) -> list[_Row]:
    rows: list[_Row] = []
    top = 0
    for lane in drawing.lanes:
        inner, height = _lane(drawing, lane, top)
        rows.append(_Row(drawing.short(lane), [lane], top, height, inner))
        top += height + GAP
    return rows


def _lane(drawing: Drawing, lane: Lane, top: int) -> tuple[str, int]:
    """Return a lane's bars and height: tracks of the main line, thinner ones of all else below."""
    kinds = drawing.columns["kind"][lane.members]
    inner, y = [], top
    for size, members in ((BAR, kinds == "main"), (SIDE, kinds != "main")):
        chosen = lane.members[members]
        left, _, end = drawing.ends
        spans = [(int(left[at]), int(end[at])) for at in chosen]
        tracks, used = first_fit(spans)
        tall = size if used < 3 else max(3, size // 2)
        pairs = zip(chosen.tolist(), tracks, strict=True)
        inner.append(_pieces(drawing, [(at, y + track * (tall + 1), tall) for at, track in pairs]))
        y += used * (tall + 1)
    return "".join(inner), max(y - top, BAR)


def _pieces(drawing: Drawing, placed: Sequence[tuple[int, int, int]]) -> str:
    """Return bars: a path a class, or a link a request where there are few."""
    if len(drawing.columns["start_ns"]) <= drawing.few:
        return "".join(
            f'<a href="{escape(drawing.follow(at))}" aria-label="{escape(drawing.tip(at))}">'
            f"{_paths(_parts(drawing, at, y, tall))}</a>"
            for at, y, tall in placed
        )
    return _paths(part for at, y, tall in placed for part in _parts(drawing, at, y, tall))


def _paths(parts: Any) -> str:
    found: dict[str, list[str]] = {}
    for css, d in parts:
        found.setdefault(css, []).append(d)
    return "".join(f'<path class="{css}" d="{"".join(ds)}"/>' for css, ds in sorted(found.items()))


def _parts(drawing: Drawing, at: int, y: int, tall: int) -> list[tuple[str, str]]:
    """Return a request's pieces: waiting, before its first token, after it; failures are whole."""
    left, first, end = (int(side[at]) for side in drawing.ends)
    start = int(drawing.columns["start_ns"][at])
    status = drawing.columns["status"][at]
    if status != "ok":
        waited = ("wait", _box(drawing, left, start, y, tall))
        return [waited, (status, _box(drawing, start, end, y, tall, 3))]
    if drawing.shade is not None:
        return [(f"q{drawing.shade[at] or NO_VALUE}", _box(drawing, start, end, y, tall, 2))]
    split = min(max(first, start), end) if first else end
    parts = [
        ("wait", _box(drawing, left, start, y, tall)),
        ("prefill", _box(drawing, start, split, y, tall, 2)),
        ("decode", _box(drawing, split, end, y, tall)),
    ]
    return [part for part in parts if part[1]]


def _x(drawing: Drawing, ns: int) -> int:
    share = (ns - drawing.low) / ((drawing.high - drawing.low) or 1)
    return round(min(max(share, 0.0), 1.0) * _W)


def _box(drawing: Drawing, start: int, end: int, y: int, tall: int, least: int = 0) -> str:
    x, width = _x(drawing, start), _x(drawing, end) - _x(drawing, start)
    width = max(width, least)
    return f"M{x} {y}h{width}v{tall}h-{width}z" if width else ""


# ---- density -------------------------------------------------------------------------------------


def _dense(drawing: Drawing) -> list[_Row]:
    size = drawing.folded
    groups = [drawing.lanes[at : at + size] for at in range(0, len(drawing.lanes), size)]
    members = [np.concatenate([lane.members for lane in group]) for group in groups]
    counts = [_cells(drawing, chosen) for chosen in members]
    most = max((float(one.max()) for one in counts), default=1.0) or 1.0
    rows = []
    for at, (group, chosen, count) in enumerate(zip(groups, members, counts, strict=True)):
        top = at * (BAR + GAP)
        if drawing.shade is None:
            inner = _runs("e", _strengths(count, most), top)
        else:
            inner = _runs("q", _mean_shades(drawing, chosen, count), top)
        ends = f"{at * size + 1:,}–{at * size + len(group):,}"
        name = ends if size > 1 else drawing.short(group[0])
        rows.append(_Row(name, group, top, BAR, inner + _bad(drawing, chosen, top)))
    return rows


def _cells(drawing: Drawing, chosen: Ints, weight: Ints | float = 1.0) -> np.ndarray:
    """Return how many requests are in flight in each cell, on average; each counts its weight."""
    span = (drawing.high - drawing.low) or 1
    start = (drawing.columns["start_ns"][chosen] - drawing.low) / span * CELLS
    end = (drawing.ends[2][chosen] - drawing.low) / span * CELLS
    start, end = np.clip(start, 0, CELLS), np.clip(end, 0, CELLS)
    grown = np.zeros(CELLS + 2)
    for edge, sign in ((start, 1.0), (end, -1.0)):
        cell = np.floor(edge).astype(np.int64)
        rest = edge - cell
        np.add.at(grown, cell, sign * weight * (1 - rest))
        np.add.at(grown, cell + 1, sign * weight * rest)
    return np.maximum(np.cumsum(grown)[:CELLS], 0.0)


def _strengths(count: np.ndarray, most: float) -> Ints:
    """Return a step per cell; any request at all is at least faint."""
    steps = np.ceil(count / most * STRENGTHS)
    return np.where(count > _LEAST, np.clip(steps, 1, STRENGTHS), 0).astype(np.int64)


def _mean_shades(drawing: Drawing, chosen: Ints, count: np.ndarray) -> Ints:
    """Return the mean shade of the requests in flight in each cell, 0 where there are none.

    Cells with nothing but requests that have no value get NO_VALUE.
    """
    shade = drawing.shade if drawing.shade is not None else np.zeros(0, np.int64)
    shade = shade[chosen]
    valued = _cells(drawing, chosen[shade > 0])
    summed = _cells(drawing, chosen[shade > 0], shade[shade > 0])
    mean = np.rint(summed / np.maximum(valued, _LEAST))
    steps = np.where(valued > _LEAST, np.clip(mean, 1, SHADES), NO_VALUE)
    return np.where(count > _LEAST, steps, 0).astype(np.int64)


def _runs(kind: str, steps: Ints, top: int) -> str:
    """Return neighbouring cells of one step as one piece, a path a step."""
    edges = np.flatnonzero(np.diff(np.concatenate([[-1], steps, [-1]])))
    scale = _W // CELLS
    parts = [
        (f"{kind}{steps[a]}", f"M{a * scale} {top}h{(b - a) * scale}v{BAR}h-{(b - a) * scale}z")
        for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        if steps[a]
    ]
    return _paths(parts)


def _bad(drawing: Drawing, chosen: Ints, top: int) -> str:
    """Return where requests failed or were cancelled, as ticks on the row: never folded away."""
    status = drawing.columns["status"]
    seen: dict[str, set[int]] = {}
    for at in chosen[status[chosen] != "ok"].tolist():
        x = _x(drawing, int(drawing.ends[2][at])) // 4 * 4
        seen.setdefault(status[at], set()).add(x)
    return _paths(
        (css, f"M{x} {top}h4v{BAR}h-4z") for css, places in seen.items() for x in sorted(places)
    )


def _selected(drawing: Drawing, rows: Sequence[_Row]) -> str:
    """Return a frame round the chosen request's lane and time."""
    at = drawing.selected
    row = next((r for r in rows if at is not None and any(at in x.members for x in r.lanes)), None)
    if at is None or row is None:
        return ""
    x = _x(drawing, int(drawing.ends[0][at]))
    width = max(_x(drawing, int(drawing.ends[2][at])) - x, 4)
    return (
        f'<rect class="chosen" x="{x - 2}" y="{row.top - 2}" width="{width + 4}" '
        f'height="{row.height + 4}"/>'
    )
