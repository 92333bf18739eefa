"""One turn at every point that replayed it: a row a configuration, its TTFTs on one log axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from explorer.domain.units import number, percent
from explorer.figures.scales import Scale, scale

Say = Callable[..., str]
_INSET = 2.0
"""Percent left free at both ends of the axis, so that a mark at an end is whole."""


@dataclass(frozen=True, slots=True)
class StripRow:
    """A configuration's replays of the turn: TTFTs in s, failures, the share read from cache.

    `here`: the page's own point.
    """

    label: str
    href: str
    ttft_s: Sequence[float]
    failed: int
    cached_share: float | None
    here: bool = False


def ttft_strip(rows: Sequence[StripRow], *, say: Say) -> str:
    """Return the rows as one `<table>` whose last column is the picture; keys `strip.…`."""
    axis = scale([value for row in rows for value in row.ttft_s], log=True)
    ticks = "".join(_tick(tick, axis) for tick in axis.ticks if axis.low <= tick <= axis.high)
    names = ("point", "replays", "failed", "cached", "mean")
    head = "".join(
        f'<th scope="col" class="{"" if name == "point" else "n"}">{escape(say("strip." + name))}'
        "</th>"
        for name in names
    )
    picture = (
        f'<th scope="col" class="axis"><span class="sr">{escape(say("strip.ttft"))}</span>'
        f'<svg width="100%" height="16" aria-hidden="true">{ticks}</svg></th>'
    )
    body = "".join(_row(row, axis, say) for row in rows)
    caption = escape(say("strip.caption", n=len(rows)))
    return (
        f'<table class="strip"><caption>{caption}</caption>'
        f"<thead><tr>{head}{picture}</tr></thead><tbody>{body}</tbody></table>"
    )


def _x(value: float, axis: Scale) -> str:
    return f"{_INSET + axis.share(value) * (100 - 2 * _INSET):.2f}%"


def _tick(value: float, axis: Scale) -> str:
    return f'<text class="tick" x="{_x(value, axis)}" y="12" text-anchor="middle">{value:g}</text>'


def _row(row: StripRow, axis: Scale, say: Say) -> str:
    mean = sum(row.ttft_s) / len(row.ttft_s) if row.ttft_s else None
    cells = (
        f"{len(row.ttft_s) + row.failed:,}",
        f"{row.failed:,}" if row.failed else "–",
        percent(row.cached_share),
        number(mean),
    )
    marks = "".join(f'<circle cx="{_x(value, axis)}" cy="11" r="4.5"/>' for value in row.ttft_s)
    here = ' class="lit" aria-current="true"' if row.here else ""
    numbers = "".join(f'<td class="n">{cell}</td>' for cell in cells)
    return (
        f'<tr{here}><th scope="row"><a href="{escape(row.href)}" data-nav="">{escape(row.label)}'
        f'</a></th>{numbers}<td class="axis"><svg width="100%" height="22" aria-hidden="true">'
        f'<line class="grid" x1="0" x2="100%" y1="11" y2="11"/>{marks}</svg></td></tr>'
    )
