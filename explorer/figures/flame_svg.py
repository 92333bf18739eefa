"""The flame graph as one picture, for embeds and files: a few paths, whatever the length.

Each part of all bars is one path, so 1,200 turns stay in tens of kilobytes. Colours are CSS
classes with plain fallbacks; a file on its own carries `STYLE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

from explorer.domain.turns import Turn, max_turn_tokens
from explorer.domain.units import nice_ticks, number
from explorer.figures.flame import clock
from explorer.figures.flame_rows import Block, Row, blocks

WIDTH = 960
GUTTER = 104
TOP = 34
Say = Callable[..., str]

STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#57616b}.c{fill:#9cc3a0}.u{fill:url(#flame-lines)}"
    ".o{fill:#1f4f9c}.agent{font-weight:600}.grid{stroke:#e4e7eb}.group{fill:#f6f7f9}"
    ".uw{fill:#f6dcc6}.ul{stroke:#b4530f;stroke-width:2}"
)


def flame_svg(
    turns: Sequence[Turn],
    *,
    say: Say,
    width: int = WIDTH,
    row: int = 14,
    agents_open: bool = True,
    standalone: bool = False,
    full: int | None = None,
) -> str:
    """Return the whole graph as one `<svg>` of `width` pixels, `row` pixels a turn.

    Without `agents_open` a sub-agent is one line with its largest turn's bar and its name.
    `standalone` carries its own style, for files. `full` tokens are the full width, at least the
    largest turn's: several conversations on one scale.
    """
    lines = list(_lines(blocks(turns), agents_open))
    own, bar = max_turn_tokens(turns), max(row - 4, 1)
    full = max(full or 0, own)
    height = TOP + len(lines) * row + 8
    scale = width - GUTTER
    drawn = scale * own / (full or 1)
    paths = "".join(_path(name, lines, row, bar, drawn) for name in ("c", "u", "o"))
    labels = "".join(_label(line, TOP + at * row + row - 4, drawn) for at, line in enumerate(lines))
    title = escape(say("flame.title"))
    agents = len({turn.source_outer_idx for turn in turns if turn.source_inner_idx is not None})
    desc = escape(say("flame.desc", turns=len(turns), agents=agents, tokens=f"{own:,}"))
    style = f"<style>{STYLE}</style>" if standalone else ""
    return (
        f'<svg class="flame-svg" role="img" aria-label="{title}" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" xmlns="http://www.w3.org/2000/svg">'
        f"<title>{title}</title><desc>{desc}</desc>{style}{_PATTERN}{_ruler(full, scale, height)}"
        f'{paths}<g text-anchor="end">{labels}</g></svg>'
    )


_PATTERN = (
    '<defs><pattern id="flame-lines" width="5" height="5" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect class="uw" width="5" height="5"/>'
    '<path class="ul" d="M0 0V5"/></pattern></defs>'
)

Line = Row | Block
"""A drawn line: a turn, or a sub-agent folded into its largest turn's bar."""


def _lines(found: Sequence[Block], agents_open: bool) -> Iterator[Line]:
    for block in found:
        if block.agent is None:
            yield from block.rows
        elif agents_open:
            yield Block(block.agent, ())
            yield from block.rows
        else:
            yield block


def _path(name: str, lines: Sequence[Line], row: int, bar: int, scale: float) -> str:
    pieces = []
    for at, line in enumerate(lines):
        start, end = _span(name, line)
        if end > start:
            x, width = GUTTER + start * scale, (end - start) * scale
            pieces.append(f"M{x:.1f} {TOP + at * row}h{width:.1f}v{bar}h-{width:.1f}z")
    return f'<path class="{name}" d="{"".join(pieces)}"/>' if pieces else ""


def _span(name: str, line: Line) -> tuple[float, float]:
    rows = line.rows if isinstance(line, Block) else (line,)
    if not rows:
        return 0.0, 0.0
    largest = max(rows, key=lambda row: row.output)
    return {
        "c": (0.0, largest.cached),
        "u": (largest.cached, largest.uncached),
        "o": (largest.uncached, largest.output),
    }[name]


def _label(line: Line, y: int, scale: float) -> str:
    if isinstance(line, Block):
        end = max((row.output for row in line.rows), default=0.0)
        x = GUTTER + end * scale + (6 if line.rows else 0)
        name = escape(line.agent or "")
        return f'<text class="agent" text-anchor="start" x="{x:.1f}" y="{y}">{name}</text>'
    return (
        f'<text x="60" y="{y}">{clock(line.turn.t_ms)}</text>'
        f'<text x="96" y="{y}">{line.turn.turn}</text>'
    )


def _ruler(full: int, scale: int, height: int) -> str:
    marks = []
    for tick in nice_ticks(0, full or 1, 5):
        if tick <= full:
            x = GUTTER + tick / (full or 1) * scale
            anchor = "end" if x > GUTTER + scale - 40 else "start"
            marks.append(
                f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="20" y2="{height - 8}"/>'
                f'<text x="{x:.1f}" y="14" text-anchor="{anchor}">{number(tick)}</text>'
            )
    return "".join(marks)
