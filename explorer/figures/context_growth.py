"""How the context grows over a conversation's turns: input per turn, its cached part, its cuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from itertools import groupby

from explorer.domain.turns import Turn, compactions
from explorer.domain.units import number
from explorer.figures.scales import Scale, scale

HEIGHT = 220
WIDTH = 1000

Say = Callable[..., str]


def context_growth(turns: Sequence[Turn], *, say: Say) -> str:
    """Return the chart as one `<svg>`: turns in list order across, input tokens up.

    The main line is an area (cached part under the whole input) with a line; each sub-agent is a
    thin line at its place. Cuts of the context are dashed and named.
    """
    sy = scale(float(turn.isl_tokens) for turn in turns)
    title = escape(say("growth.title"))
    desc = escape(_description(turns, say))
    return (
        f'<svg class="growth" role="img" aria-label="{title}" width="100%" height="{HEIGHT + 44}" '
        f'xmlns="http://www.w3.org/2000/svg"><title>{title}</title><desc>{desc}</desc>'
        f"{_axis(sy, turns, say)}"
        f'<svg y="8" width="100%" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'preserveAspectRatio="none">{_shapes(turns, sy)}</svg>{_cuts(turns, sy)}</svg>'
    )


def _description(turns: Sequence[Turn], say: Say) -> str:
    largest = max((turn.isl_tokens for turn in turns), default=0)
    first = turns[0].isl_tokens if turns else 0
    return say(
        "growth.desc", first=f"{first:,}", largest=f"{largest:,}", cuts=len(compactions(turns))
    )


def _x(turn: Turn, count: int) -> float:
    return WIDTH * (turn.ordinal + 0.5) / max(count, 1)


def _y(tokens: float, sy: Scale) -> float:
    return HEIGHT * (1 - sy.share(tokens))


def _shapes(turns: Sequence[Turn], sy: Scale) -> str:
    main = [turn for turn in turns if turn.kind == "main"]
    agents = [turn for turn in turns if turn.kind == "subagent"]
    lines = "".join(
        _line(list(members), len(turns), sy, "agent")
        for _, members in groupby(agents, key=lambda turn: turn.agent)
    )
    if not main:
        return lines
    return (
        _area(main, len(turns), sy, "whole", lambda turn: turn.isl_tokens)
        + _area(main, len(turns), sy, "cached", lambda turn: turn.cached_tokens)
        + _line(main, len(turns), sy, "main")
        + lines
    )


def _area(
    turns: Sequence[Turn], count: int, sy: Scale, name: str, tokens: Callable[[Turn], int]
) -> str:
    points = "L".join(f"{_x(turn, count):.1f} {_y(tokens(turn), sy):.1f}" for turn in turns)
    start, end = _x(turns[0], count), _x(turns[-1], count)
    return f'<path class="{name}" d="M{start:.1f} {HEIGHT}L{points}L{end:.1f} {HEIGHT}Z"/>'


def _line(turns: Sequence[Turn], count: int, sy: Scale, name: str) -> str:
    points = [f"{_x(turn, count):.1f} {_y(turn.isl_tokens, sy):.1f}" for turn in turns]
    path = "L".join(points) if len(points) > 1 else f"{points[0]}h.1"
    return f'<path class="line {name}" vector-effect="non-scaling-stroke" d="M{path}"/>'


def _axis(sy: Scale, turns: Sequence[Turn], say: Say) -> str:
    rows = "".join(
        f'<line class="grid" x1="0" x2="100%" y1="{_y(tick, sy) + 8:.1f}" '
        f'y2="{_y(tick, sy) + 8:.1f}"/>'
        f'<text class="tick" x="0" y="{_y(tick, sy) + 4:.1f}">{number(tick)}</text>'
        for tick in sy.ticks[1:]
    )
    names = (
        f'<text class="axis" x="100%" y="{HEIGHT + 38}" text-anchor="end">'
        f"{escape(say('growth.x', n=len(turns)))}</text>"
        f'<text class="axis" x="0" y="{HEIGHT + 38}">{escape(say("growth.y"))}</text>'
    )
    return f'<g aria-hidden="true">{rows}{names}</g>'


def _cuts(turns: Sequence[Turn], sy: Scale) -> str:
    cuts = set(compactions(turns))
    marks = []
    for turn in turns:
        if turn.ordinal in cuts and turn.kind == "main":
            x = f"{_x(turn, len(turns)) / WIDTH * 100:.2f}%"
            marks.append(
                f'<line class="cut" x1="{x}" x2="{x}" y1="8" y2="{HEIGHT + 8}"/>'
                f'<text class="tick" x="{x}" y="{HEIGHT + 20}" text-anchor="middle">'
                f"#{turn.turn}</text>"
            )
    return "".join(marks)
