"""The session graph as inline SVG: turns as boxes, time downwards, agents in lanes.

Spawns and joins run in the gaps between rows and in an agent's own lane, never through a box.
Line styles tell kinds apart without colour: spawn solid, join solid with an arrow into the main
line, side request dotted; a group without a join ends in a bar (background).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from explorer.domain.dag import Dag, EdgeKind, build
from explorer.domain.dag_layout import Arrow, Box, Layout, layout
from explorer.domain.turns import Turn
from explorer.domain.units import number

LANE_PX = 160
ROW_PX = 80
BOX_W = 126
BOX_H = 30
MARGIN_PX = 14
SPAWN_GAP_PX = 12
JOIN_GAP_PX = 24
NAME_CHARS = 14

Say = Callable[..., str]
Href = Callable[[Turn], str]


def dag_svg(
    turns: Sequence[Turn],
    *,
    say: Say,
    href: Href,
    fold: bool | None = None,
    selected: int | None = None,
) -> str:
    """Return the graph as one `<svg>` of its natural size; the page scrolls it sideways.

    `fold` as in `layout`: long runs become one box above 40 turns. `selected` is an ordinal.
    """
    graph = build(turns)
    grid = layout(graph, fold)
    by_ordinal = {turn.ordinal: turn for turn in turns}
    arrows = "".join(_arrow(arrow, grid, say) for arrow in grid.arrows)
    boxes = "".join(_box(box, graph, by_ordinal, say, href, selected) for box in grid.boxes)
    ends = "".join(_loose_end(index, graph, grid, say) for index in range(len(graph.groups)))
    width = grid.lanes * LANE_PX + 2 * MARGIN_PX
    height = max(grid.layers, 1) * ROW_PX - (ROW_PX - BOX_H) + 2 * MARGIN_PX
    title, desc = escape(say("dag.title")), escape(_description(graph, say))
    return (
        f'<svg class="dag" role="group" aria-label="{title}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg"><title>{title}</title>'
        f"<desc>{desc}</desc>{_DEFS}{arrows}{boxes}{ends}</svg>"
    )


def duration(ms: float) -> str:
    """Return a delay as people say it: ms under a second, s under two minutes, then min or h.

    >>> duration(420), duration(8_250), duration(600_000)
    ('420 ms', '8.25 s', '10.0 min')
    """
    size = abs(ms)
    if size < 1_000:
        return f"{ms:.0f} ms"
    if size < 120_000:
        return f"{number(ms / 1_000)} s"
    if size < 7_200_000:
        return f"{number(ms / 60_000)} min"
    return f"{number(ms / 3_600_000)} h"


_DEFS = (
    '<defs><marker id="dag-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
    'markerHeight="7" orient="auto"><path class="tip" d="M0 0L8 4L0 8Z"/></marker></defs>'
)


def _description(graph: Dag, say: Say) -> str:
    kinds = [group.kind for group in graph.groups]
    return say(
        "dag.desc",
        turns=len(graph.main),
        joined=kinds.count("joined"),
        background=kinds.count("background"),
        aux=kinds.count("aux"),
        orphans=kinds.count("orphan"),
    )


def _left(lane: int) -> float:
    return MARGIN_PX + lane * LANE_PX


def _top(layer: int) -> float:
    return MARGIN_PX + layer * ROW_PX


def _middle(lane: int) -> float:
    return _left(lane) + BOX_W / 2


def _arrow(arrow: Arrow, grid: Layout, say: Say) -> str:
    source, target = grid.boxes[arrow.source], grid.boxes[arrow.target]
    kind, delay = arrow.edge.kind, arrow.edge.delay_ms
    path = _path(source, target, kind)
    words = (
        say(f"dag.{kind}", delay=duration(delay))
        if delay >= 0
        else say("dag.overlap", delay=duration(-delay))
    )
    x, y = _label_at(source, target, kind)
    return (
        f'<g class="edge {kind}"><title>{escape(words)}</title><path d="{path}" '
        f'marker-end="url(#dag-tip)"/><text x="{x:g}" y="{y:g}" text-anchor="end">'
        f"{duration(delay)}</text></g>"
    )


def _path(source: Box, target: Box, kind: EdgeKind) -> str:
    """Return an arrow's way: across only in the gap below a spawn or above a join."""
    x1, y1 = _middle(source.lane), _top(source.layer) + BOX_H
    x2, y2 = _middle(target.lane), _top(target.layer)
    if source.lane == target.lane:
        return f"M{x1:g} {y1:g}V{y2:g}"
    if kind == "join":
        gap = y2 - JOIN_GAP_PX
        return f"M{x1:g} {y1:g}V{gap:g}H{x2 + 22:g}V{y2:g}"
    gap = y1 + SPAWN_GAP_PX
    return f"M{x1 + 8:g} {y1:g}V{gap:g}H{x2:g}V{y2:g}"


def _label_at(source: Box, target: Box, kind: EdgeKind) -> tuple[float, float]:
    """Return where a delay ends: left of its line, above what it leads to."""
    if source.lane != target.lane and kind == "join":
        return _middle(source.lane) - 5, _top(target.layer) - JOIN_GAP_PX - 5
    return _middle(target.lane) - 5, _top(target.layer) - 6


def _box(
    box: Box,
    graph: Dag,
    turns: Mapping[int, Turn],
    say: Say,
    href: Href,
    selected: int | None,
) -> str:
    members = [turns[ordinal] for ordinal in box.ordinals]
    first, last = members[0], members[-1]
    here = ' aria-current="true"' if selected in box.ordinals else ""
    kind = "main" if box.group is None else graph.groups[box.group].kind
    run = " run" if len(members) > 1 else ""
    name = (
        say("dag.run", first=first.turn, last=last.turn, n=len(members))
        if run
        else say("dag.box", turn=first.turn, tokens=number(first.isl_tokens))
    )
    owner = f"{first.agent} · " if first.agent else ""
    return (
        f'<a href="{escape(href(first))}" data-nav="" class="box {kind}{run}"{here}>'
        f"<title>{escape(owner + name)}</title>"
        f'<rect x="{_left(box.lane):g}" y="{_top(box.layer):g}" width="{BOX_W}" '
        f'height="{BOX_H}" rx="4"/>{_agent_name(box, graph, first)}'
        f'<text x="{_middle(box.lane):g}" y="{_top(box.layer) + 19:g}" text-anchor="middle">'
        f"{escape(name)}</text></a>"
    )


def _agent_name(box: Box, graph: Dag, first: Turn) -> str:
    """Return the agent's name over its first box."""
    if box.group is None or first.ordinal != graph.groups[box.group].ordinals[0]:
        return ""
    x, y = _middle(box.lane) + 6, _top(box.layer) - 6
    name = first.agent or ""
    short = name if len(name) <= NAME_CHARS else f"{name[: NAME_CHARS - 1]}…"
    return f'<text class="agent" x="{x:g}" y="{y:g}">{escape(short)}</text>'


def _loose_end(index: int, graph: Dag, grid: Layout, say: Say) -> str:
    """Return the bar under a group that nothing waits for."""
    group = graph.groups[index]
    if group.join is not None:
        return ""
    box = next(box for box in grid.boxes if group.ordinals[-1] in box.ordinals)
    x, y = _middle(box.lane), _top(box.layer) + BOX_H
    words = escape(say("dag.never_joins"))
    return f'<path class="loose" d="M{x:g} {y:g}v7m-9 0h18"><title>{words}</title></path>'
