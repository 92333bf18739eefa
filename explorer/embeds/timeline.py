"""The timeline embed: every request of a point on one clock, without a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from explorer.components.conversation_shown import point_name
from explorer.components.markup import to_html
from explorer.components.point_numbers import duration
from explorer.components.timeline_table import timeline_table
from explorer.components.timeline_words import summary
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.lake import Lake
from explorer.domain.units import number, percent
from explorer.domain.view_state import ViewState
from explorer.embeds import lanes as lanes_of
from explorer.embeds.document import Embed, Html, inside
from explorer.embeds.lanes import SHADES, VALUES, Columns, Floats, Lane
from explorer.embeds.lanes_svg import ROW, Drawing, lanes_svg
from explorer.embeds.notices import of_point
from explorer.figures.chart import clock
from explorer.queries import points, requests, timeline
from explorer.queries.requests import Wanted
from explorer.queries.timeline import NULL, Counts
from explorer.queries.window import of_state

Point = Mapping[str, Any]
LANES = {"small": 16, "medium": 36, "large": 72}
BARS = 2_500
"""Requests above which lanes are drawn as density."""
FEW = 150
"""Requests up to which each is a link of its own; else each lane is."""
_ROWS = {"medium": 20, "large": 40}


def draw(lake: Lake, state: ViewState) -> Embed:
    """Return a point's requests on lanes, grouped and coloured as the timeline's page does."""
    words = Words(state)
    point = points.one(lake, state["point"], state["snap"])
    page = inside(state).having(point=None)
    notices = of_point(lake, point, state, words)
    if not point["requests_object"]:
        return _none(point, page, notices, words)
    counts = timeline.counts(lake, point, state["phase"])
    few = counts.sum(state["phase"]) <= FEW
    named = ("request_id",) if few or state["req"] else ()
    columns = timeline.columns(lake, point, of_state(state), named)
    drawing = _drawing(columns, point, page, LANES[state["size"]], words)
    if state["req"] and drawing.selected is None:
        notices.append(words("embeds.no_request", id=state["req"][:80]))
    return Embed(
        title=words("timeline_page.title", point=point_name(point, words)),
        caption=summary(point, counts, state, words),
        body=_picture(drawing, words),
        legend=_legend(drawing, state, words),
        more=_table(lake, point, page, state, words),
        page=addresses.timeline(point["point_id"], page),
        notices=notices,
        counted=_counted(drawing, counts, state, words),
    )


def stacked(lake: Lake, chosen: Sequence[Point], state: ViewState, high: int) -> list[Html]:
    """Return the lanes of points with requests, one `<svg>` each, on one clock, by phase start.

    Each is about `high` px: where not all lanes fit, rows hold several, as density.
    """
    words, page = Words(state), inside(state)
    read = [timeline.columns(lake, point, of_state(state), ()) for point in chosen]
    spans = [_span(columns, page) for columns in read]
    if not spans:
        return []
    ends = {"from_": min(low for low, _ in spans) / 1e9, "to": max(end for _, end in spans) / 1e9}
    most = max(high // ROW, 1)
    return [
        lanes_svg(_drawing(columns, point, page.having(**ends), most, words))
        for columns, point in zip(read, chosen, strict=True)
    ]


def _none(point: Point, page: ViewState, notices: list[str], words: Words) -> Embed:
    """Return the embed of a point that kept no requests."""
    return Embed(
        title=words("timeline_page.title", point=point_name(point, words)),
        caption="",
        body=f'<div class="box"><p>{escape(words("timeline_page.none"))}</p></div>',
        page=addresses.timeline(point["point_id"], page),
        notices=notices,
    )


def _drawing(
    columns: Columns, point: Point, page: ViewState, most_lanes: int, words: Words
) -> Drawing:
    by = page["by"] or lanes_of.default_grouping(columns)
    found = lanes_of.lanes(columns, by)
    colour = page["color"] if page["color"] in VALUES else None
    ttft = VALUES["ttft"][1](columns)
    low, high = _span(columns, page)
    point_id = point["point_id"]

    def short(lane: Lane) -> str:
        return _lane_name(lane, by, words)

    return Drawing(
        columns=columns,
        lanes=found,
        low=low,
        high=high,
        most_lanes=most_lanes,
        most_bars=BARS,
        shade=lanes_of.shades(columns, colour).of if colour else None,
        title=words("embeds.lanes_title", by=words(f"timeline.by_{by}")),
        desc=words("embeds.lanes_desc", n=f"{len(columns['start_ns']):,}", lanes=f"{len(found):,}"),
        zero=words("timeline.phase_profiling"),
        label=lambda lane: _lane_label(lane, short(lane), columns["status"], ttft, words),
        short=short,
        href=lambda lane: addresses.timeline(point_id, _search(lane, by, page)),
        tip=lambda at: _request(columns, at, words),
        follow=lambda at: addresses.timeline(
            point_id, page.having(req=columns["request_id"][at] or None)
        ),
        selected=_selected(columns, page["req"]),
        few=FEW if "request_id" in columns else 0,
    )


def _span(columns: Columns, page: ViewState) -> tuple[int, int]:
    """Return from when to when in ns: the window where the address names one, else all."""
    left, end = lanes_of.left_ns(columns), lanes_of.end_ns(columns)
    low = int(left.min()) if len(left) else 0
    high = int(end.max()) if len(end) else 1_000_000_000
    if page["from"] is not None:
        low = round(page["from"] * 1e9)
    if page["to"] is not None:
        high = round(page["to"] * 1e9)
    return (low, high) if low < high else (low, low + 1_000_000_000)


def _selected(columns: Columns, request_id: str | None) -> int | None:
    if request_id is None:
        return None
    found = np.flatnonzero(np.asarray(columns["request_id"], dtype=object) == request_id)
    return int(found[0]) if len(found) else None


def _lane_name(lane: Lane, by: str, words: Words) -> str:
    if by == "conversation":
        return lane.name or ""
    if lane.name is None:
        return words(f"timeline.lane_unknown_{by}")
    return words("embeds.slot", name=lane.name) if by == "slot" else lane.name


def _search(lane: Lane, by: str, page: ViewState) -> ViewState:
    """Return the timeline's state that finds a lane's requests."""
    if lane.name is None or by == "slot":
        return page
    return page.having(q=lane.name if by == "conversation" else f"{by}:{lane.name}")


def _lane_label(lane: Lane, name: str, statuses: Any, ttft: Floats, words: Words) -> str:
    status, known = statuses[lane.members], ttft[lane.members]
    known = np.sort(known[np.isfinite(known)])
    median = float(known[(len(known) - 1) // 2]) if len(known) else None
    parts = [name, words("embeds.lane_requests", n=f"{len(status):,}")]
    bad = {name: int((status == name).sum()) for name in ("failed", "cancelled")}
    parts += [f"{n:,} {words(f'timeline.status_{name}')}" for name, n in bad.items() if n]
    if median is not None:
        parts.append(words("embeds.lane_ttft", value=" ".join(duration(median))))
    return " · ".join(parts)


def _request(columns: Columns, at: int, words: Words) -> str:
    """Return a request in a line."""
    ttft = VALUES["ttft"][1](columns)[at]
    isl, osl, turn = (columns[name][at] for name in ("isl_tokens", "osl_tokens", "turn"))
    parts = [columns["conversation"][at] or columns["request_id"][at] or ""]
    if turn != NULL:
        parts.append(words("timeline.turn_short", turn=int(turn)))
    parts.append(clock(round(float(columns["start_ns"][at]) / 1e9, 1)))
    if np.isfinite(ttft):
        parts.append(f"TTFT {' '.join(duration(float(ttft)))}")
    if isl != NULL and osl != NULL:
        parts.append(words("embeds.tokens", isl=f"{int(isl):,}", osl=f"{int(osl):,}"))
    if columns["status"][at] != "ok":
        parts.append(words(f"timeline.status_{columns['status'][at]}"))
    return " · ".join(parts)


def _picture(drawing: Drawing, words: Words) -> Html:
    if not len(drawing.columns["start_ns"]):
        return f'<div class="box"><p>{escape(words("embeds.no_requests"))}</p></div>'
    return f'<div class="plot lanes-plot" data-testid="timeline">{lanes_svg(drawing)}</div>'


def _counted(drawing: Drawing, counts: Counts, state: ViewState, words: Words) -> str:
    """Return how many of how many requests are drawn, and how."""
    shown = {"shown": f"{len(drawing.columns['start_ns']):,}", "total": f"{counts.sum():,}"}
    said = [words("timeline.showing", **shown)]
    hidden = counts.sum() - counts.sum(state["phase"])
    if hidden:
        said.append(words("timeline.hidden_phase", n=f"{hidden:,}"))
    if drawing.dense:
        lanes = {"lanes": f"{len(drawing.lanes):,}", "each": drawing.folded}
        said.append(words("embeds.density", **lanes))
    return words("curves.comma").join(said)


def _legend(drawing: Drawing, state: ViewState, words: Words) -> Html:
    """Return what the colours mean."""
    bad = [
        (status, words(f"timeline.part_{status}"))
        for status in ("failed", "cancelled")
        if (drawing.columns["status"] == status).any()
    ]
    if drawing.shade is not None:
        return f'<ul class="key">{_ramp(drawing, state, words)}{_items(bad)}</ul>'
    if drawing.dense:
        items = [("e2", words("embeds.strength")), *bad]
    else:
        parts = ("wait", "prefill", "decode")
        items = [*((part, words(f"timeline.part_{part}")) for part in parts), *bad]
    return f'<ul class="key">{_items(items)}</ul>'


def _items(items: list[tuple[str, str]]) -> Html:
    return "".join(
        f'<li><svg class="lanes" width="14" height="10" aria-hidden="true"><path class="{css}" '
        f'd="M0 0h14v10h-14z"/></svg>{escape(text)}</li>'
        for css, text in items
    )


def _ramp(drawing: Drawing, state: ViewState, words: Words) -> Html:
    unit = VALUES[state["color"]][0]
    found = lanes_of.shades(drawing.columns, state["color"])
    low, high = (_value(end, unit) for end in (found.low, found.high))
    steps = "".join(
        f'<path class="q{step}" d="M{(step - 1) * 14} 0h14v10h-14z"/>'
        for step in range(1, SHADES + 1)
    )
    name = escape(words(f"timeline.color_{state['color']}"))
    return (
        f'<li>{name} {low} <svg class="lanes" width="{SHADES * 14}" height="10" '
        f'aria-hidden="true">{steps}</svg> {high}</li>'
    )


def _value(value: float, unit: str) -> str:
    if unit == "s":
        return " ".join(duration(value))
    return percent(value) if unit == "ratio" else number(value)


def _table(lake: Lake, point: Point, page: ViewState, state: ViewState, words: Words) -> Html:
    """Return the first requests as numbers."""
    if state["size"] not in _ROWS:
        return ""
    wanted = Wanted(of_state(state))
    found = requests.many(lake, point, wanted, snap=state["snap"], limit=_ROWS[state["size"]])
    phase = words(f"timeline.phase_{state['phase']}")
    caption = words("timeline_page.caption", n=f"{len(found.rows):,}", phase=phase)
    return to_html(timeline_table(found.rows, point, page, words, caption))
