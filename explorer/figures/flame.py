"""The flame graph of a page: rows in short SVG pieces, sub-agents in native `<details>`.

Pieces outside the window are not rendered by the browser (`content-visibility`), so 1,200 turns
scroll like 60, and everything is in the document for search, keyboard and screen readers. Widths
are percentages: one picture fits every screen. Colours and patterns are in conversations.css;
assets/flame.js adds arrow keys and the line that says the turn under the pointer.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from html import escape
from itertools import islice

from explorer.domain.turns import Turn, max_turn_tokens
from explorer.domain.units import nice_ticks, number, percent
from explorer.figures.flame_rows import Block, Measured, Row, blocks

ROW_PX = 24
BAR_PX = 14
PIECE_ROWS = 24
GUTTER_PX = 104

Say = Callable[..., str]
Href = Callable[[Turn], str]


def flame(
    turns: Sequence[Turn],
    *,
    say: Say,
    href: Href,
    selected: int | None = None,
    measured: Mapping[int, Measured] | None = None,
    only: Container[int] | None = None,
) -> str:
    """Return the graph as HTML; `selected` is an ordinal, `measured` is by ordinal.

    `say(key, **params)` translates keys `flame.…`; `href` is where a turn's bar leads. `only`
    leaves rows of other ordinals out; bars keep the scale of the whole conversation.
    """
    found = blocks(turns, measured)
    if only is not None:
        found = _cut(found, only)
    body = "".join(_block(block, say, href, selected) for block in found)
    return (
        f'<div class="flame" data-flame="">{_head(turns, say)}'
        f'{_key(say, any_measured=bool(measured))}<div class="flame-rows">{body}</div>'
        f'<p class="flame-readout" role="status">{escape(say("flame.hint"))}</p></div>'
    )


def _cut(found: Sequence[Block], only: Container[int]) -> tuple[Block, ...]:
    kept = (
        Block(block.agent, tuple(row for row in block.rows if row.turn.ordinal in only))
        for block in found
    )
    return tuple(block for block in kept if block.rows)


def clock(ms: float) -> str:
    """Return a time as m:ss, or h:mm:ss from an hour on.

    >>> clock(83_999), clock(3_716_792)
    ('1:23', '1:01:56')
    """
    seconds = int(ms // 1000)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours}:{minutes:02d}:{seconds % 60:02d}" if hours else f"{minutes}:{seconds % 60:02d}"


def tip(row: Row, say: Say) -> str:
    """Return one turn in words: who, when, how much; what a tooltip and a screen reader say."""
    turn = row.turn
    parts = [
        say("flame.turn", turn=turn.turn) if turn.agent is None
        else say("flame.agent_turn", agent=turn.agent, turn=turn.turn),
        say("flame.at", time=clock(turn.t_ms)),
        say("flame.tokens", cached=f"{turn.cached_tokens:,}", uncached=f"{turn.uncached_tokens:,}",
            output=f"{turn.osl_tokens:,}"),
    ]  # fmt: skip
    if row.at_once > 1:
        parts.append(say("flame.at_once", n=row.at_once))
    if row.compacted_from is not None:
        parts.append(say("flame.compacted", before=f"{row.compacted_from:,}"))
    if turn.kind == "aux":
        parts.append(say("flame.aux"))
    if row.measured is not None:
        parts.append(measured_words(row.measured, say))
    return " · ".join(parts)


def measured_words(measured: Measured, say: Say) -> str:
    """Return what a point measured of a turn, in words."""
    return say(
        "flame.measured",
        n=measured.replays,
        failed=measured.failed,
        cached=percent(measured.cached_share()),
        ttft=number(measured.ttft_s),
        wait=number(measured.wait_s),
    )


def _head(turns: Sequence[Turn], say: Say) -> str:
    """Return the ruler over the bars; it carries the chart's title and description."""
    full = max_turn_tokens(turns)
    ticks = [tick for tick in nice_ticks(0, full or 1, 5) if tick <= full]
    marks = "".join(_tick(tick, full) for tick in ticks)
    agents = len({turn.source_outer_idx for turn in turns if turn.source_inner_idx is not None})
    title = escape(say("flame.title"))
    desc = escape(say("flame.desc", turns=len(turns), agents=agents, tokens=f"{full:,}"))
    return (
        '<div class="flame-ruler"><span class="flame-corner" aria-hidden="true">'
        f"{escape(say('flame.corner'))}</span>"
        f'<svg role="img" aria-label="{title}" width="100%" height="22"><title>{title}</title>'
        f"<desc>{desc}</desc><defs>{_PATTERNS}</defs>{marks}</svg></div>"
    )


_PATTERNS = (
    '<pattern id="flame-hatch" class="hatch" width="5" height="5" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect width="5" height="5"/><path d="M0 0V5"/></pattern>'
    '<pattern id="flame-evicted" class="evicted" width="4" height="4" '
    'patternUnits="userSpaceOnUse"><rect width="4" height="4"/><path d="M0 2H4"/></pattern>'
)


def _tick(tokens: float, full: int) -> str:
    at = tokens / full if full else 0.0
    anchor = "start" if at < 0.04 else "end" if at > 0.96 else "middle"
    x = _percent(at)
    return (
        f'<text class="tick" x="{x}" y="13" text-anchor="{anchor}">{number(tokens)}</text>'
        f'<line class="grid" x1="{x}" x2="{x}" y1="17" y2="22"/>'
    )


def _key(say: Say, *, any_measured: bool) -> str:
    names = ["cached", "uncached", "output", "compaction", "overlap"]
    names += ["evicted"] if any_measured else []
    items = "".join(f'<li><i class="k-{n}"></i>{escape(say(f"flame.key_{n}"))}</li>' for n in names)
    return (
        f'<div class="flame-bar"><ul class="key">{items}</ul><span class="flame-all">'
        f'<button type="button" data-flame-open="">{escape(say("flame.open_all"))}</button>'
        f'<button type="button" data-flame-close="">{escape(say("flame.close_all"))}</button>'
        "</span></div>"
    )


def _block(block: Block, say: Say, href: Href, selected: int | None) -> str:
    pieces = "".join(_piece(rows, say, href, selected) for rows in _pieces(block.rows))
    if block.agent is None:
        return pieces
    joined = ' class="at-once"' if block.rows[0].bracket in ("inside", "end") else ""
    return (
        f'<details class="flame-agent" open=""><summary{joined}>{_summary(block, say)}</summary>'
        f"{pieces}</details>"
    )


def _summary(block: Block, say: Say) -> str:
    turns = [row.turn for row in block.rows]
    first = turns[0]
    isl = sum(turn.isl_tokens for turn in turns)
    cached = sum(turn.cached_tokens for turn in turns)
    joins = (
        say("flame.joins", turn=first.join_turn) if first.join_turn is not None
        else say("flame.background")
    )  # fmt: skip
    words = say(
        "flame.agent",
        type=first.agent_type or "–",
        n=len(turns),
        tokens=number(isl),
        cached=percent(cached / isl if isl else None),
    )
    return f"<b>{escape(block.agent or '')}</b> {escape(words)} · {escape(joins)}"


def _pieces(rows: Sequence[Row]) -> Iterator[tuple[Row, ...]]:
    remaining = iter(rows)
    while piece := tuple(islice(remaining, PIECE_ROWS)):
        yield piece


def _piece(rows: Sequence[Row], say: Say, href: Href, selected: int | None) -> str:
    height = len(rows) * ROW_PX
    gutter = "".join(_gutter(row, at * ROW_PX) for at, row in enumerate(rows))
    bars = "".join(
        _bar(row, at * ROW_PX, say, href, row.turn.ordinal == selected)
        for at, row in enumerate(rows)
    )
    label = escape(say("flame.piece", first=rows[0].turn.turn, last=rows[-1].turn.turn))
    return (
        f'<div class="flame-piece" style="--h:{height}px">'
        f'<svg class="gutter" width="{GUTTER_PX}" height="{height}" aria-hidden="true">{gutter}'
        f'</svg><svg class="bars" role="group" aria-label="{label}" width="100%" '
        f'height="{height}">{bars}</svg></div>'
    )


def _gutter(row: Row, y: int) -> str:
    base = y + 16
    return (
        f"{_bracket(row, y)}"
        f'<text x="60" y="{base}">{clock(row.turn.t_ms)}</text>'
        f'<text class="no" x="98" y="{base}">{row.turn.turn}</text>'
    )


def _bracket(row: Row, y: int) -> str:
    if not row.bracket:
        return ""
    top = f"M10 {y + 8}H5V{y + ROW_PX}"
    whole = f"M5 {y}V{y + ROW_PX}"
    bottom = f"M5 {y}V{y + 16}H10"
    path = {"start": top, "inside": whole, "end": bottom}[row.bracket]
    return f'<path class="bracket" d="{path}"/>'


def _bar(row: Row, y: int, say: Say, href: Href, selected: bool) -> str:
    """Return a turn's link: hit area, parts, marks. Its `<title>` is its name."""
    kind = f' class="{row.turn.kind}"' if row.turn.kind == "aux" else ""
    here = ' aria-current="true"' if selected else ""
    return (
        f'<a href="{escape(href(row.turn))}" data-nav=""{kind}{here}>'
        f"<title>{escape(tip(row, say))}</title>"
        f'<rect class="hit" y="{y}" width="100%" height="{ROW_PX}"/>{_parts(row, y + 5)}</a>'
    )


def _parts(row: Row, y: int) -> str:
    parts = _part("c", 0.0, row.cached, y) + _part("u", row.cached, row.uncached, y)
    parts += _part("o", row.uncached, row.output, y)
    if row.measured_cached is not None and row.measured_cached < row.cached:
        parts += _part("e", row.measured_cached, row.cached, y)
    if row.compacted_from is not None:
        x = _percent(row.output)
        parts += (
            f'<text class="compaction" x="{x}" y="{y + 12}" dx="8">⇤ {row.compacted_from:,}</text>'
        )
    return parts


def _part(name: str, start: float, end: float, y: int) -> str:
    if end <= start:
        return ""
    return (
        f'<rect class="{name}" x="{_percent(start)}" y="{y}" width="{_percent(end - start)}" '
        f'height="{BAR_PX}"/>'
    )


def _percent(share: float) -> str:
    return f"{share * 100:.3f}%"
