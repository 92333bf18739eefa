"""What a point's page shows: phase, engine or role, time window; every choice is an address."""

from __future__ import annotations

from html import escape
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components.forms import hidden
from explorer.components.frame import link
from explorer.components.markup import raw
from explorer.components.menus import chip, option
from explorer.components.view import Words
from explorer.domain import addresses, metrics, ranges
from explorer.domain.answers import Timed
from explorer.domain.ranges import Range
from explorer.domain.units import number
from explorer.domain.view_state import ViewState
from explorer.figures.chart import clock

PHASES = ("warmup", "profiling", "all")
ROLE = "role:"


def controls(point: dict[str, Any], timed: Timed, state: ViewState, words: Words) -> Component:
    """Return the bar above the charts."""
    return html.Div(
        [
            _phases(point, state, words),
            *_engines(point, timed, state, words),
            *_window(point, timed, state, words),
            *_selection(point, state, words),
        ],
        className="bar point-bar",
        role="group",
        **{"aria-label": words("point.controls")},
    )


def here(point: dict[str, Any], state: ViewState) -> str:
    """Return the address of this page in another state."""
    return addresses.point(point["point_id"], state)


def _phases(point: dict[str, Any], state: ViewState, words: Words) -> Component:
    counts = _counts(point)
    links = [
        _phase(point, phase, counts[phase], state, words)
        for phase in PHASES
        if phase == "profiling" or counts[phase] is not None or state["phase"] == phase
    ]
    return html.Nav(
        links,
        className="toggle",
        **{"aria-label": words("point.phase"), "data-testid": "phase-toggle"},
    )


def _counts(point: dict[str, Any]) -> dict[str, int | None]:
    """Return records per phase; None where an aggregate knows nothing of it."""
    total, warmup = point["requests_total"], point["requests_warmup"]
    timed = bool(point["requests_object"] or point["series_object"])
    return {
        "profiling": total,
        "warmup": (warmup or 0) if timed else None,
        "all": (total or 0) + (warmup or 0) if timed else None,
    }


def _phase(
    point: dict[str, Any], phase: str, count: int | None, state: ViewState, words: Words
) -> Component:
    chosen = state["phase"] == phase
    name = words(f"point.phases.{phase}")
    inside = [name] if count is None else [name, html.Span(f"{count:,}", className="n")]
    href = here(point, state.having(phase=phase, from_=None, to=None, open=None))
    return link(
        html.Span(inside),
        href,
        className="on" if chosen else None,
        **({"aria-current": "true"} if chosen else {}),
    )


def _engines(
    point: dict[str, Any], timed: Timed, state: ViewState, words: Words
) -> list[Component]:
    """Return the source picker; none with a single engine."""
    choices = [None, *(f"{ROLE}{role}" for role in timed.roles), *timed.engines]
    if len(timed.engines) < 2 and len(timed.roles) < 2:
        return []
    items = [
        option(
            engine_name(choice, words),
            here(point, state.having(engine_id=choice)),
            chosen=state["engine_id"] == choice,
        )
        for choice in choices
    ]
    label = engine_name(state["engine_id"], words)
    return [chip(words("point.source"), label, items, on=bool(state["engine_id"]), name="engine")]


def engine_name(choice: str | None, words: Words) -> str:
    """Return how a choice of the picker is written."""
    if choice is None:
        return words("point.all_engines")
    if choice.startswith(ROLE):
        return words("point.one_role", name=choice.removeprefix(ROLE))
    return words("point.one_engine", name=choice)


def _window(point: dict[str, Any], timed: Timed, state: ViewState, words: Words) -> list[Component]:
    """Return the window's chip with a form, and the ways out of a window."""
    if timed.empty:
        return []
    chosen = state["from"] is not None or state["to"] is not None
    low, high = clock(round(timed.from_s, 1)), clock(round(timed.to_s, 1))
    said = words("point.window_of", low=low, high=high) if chosen else words("point.whole_phase")
    menu = chip(words("point.window"), said, [_form(point, state, words)], on=chosen, name="window")
    if not chosen:
        return [menu]
    wide = (timed.to_s - timed.from_s) / 2
    wider = state.having(from_=round(timed.from_s - wide, 3), to=round(timed.to_s + wide, 3))
    whole = state.having(from_=None, to=None)
    return [
        menu,
        link(words("point.window_out"), here(point, wider), className="chip plain"),
        link(
            words("point.window_clear"),
            here(point, whole),
            className="chip plain",
            **{"data-clear-window": "1"},
        ),
    ]


def _selection(point: dict[str, Any], state: ViewState, words: Words) -> list[Component]:
    """Return the chip of chosen ranges with its form, and a way out of each range."""
    if not point["requests_object"]:
        return []
    chosen = ranges.parse(state["where"]) or ()
    said = words("point.selection_n", n=len(chosen)) if chosen else words("point.selection_none")
    items = [_where_form(point, state, words)]
    menu = chip(words("point.selection"), said, items, on=bool(chosen), name="selection")
    return [menu, *(_way_out(point, state, one, words) for one in chosen)]


def _way_out(point: dict[str, Any], state: ViewState, one: Range, words: Words) -> Component:
    rest = ranges.without(ranges.parse(state["where"]) or (), one.column)
    text = range_text(one, words)
    return link(
        [text, html.Span(" ×", **{"aria-hidden": "true"})],
        here(point, state.having(where=ranges.format(rest) or None, open=None)),
        className="chip on plain way-out",
        **{
            "aria-label": words("point.selection_clear", what=text),
            "data-clear-range": one.column,
        },
    )


def range_text(one: Range, words: Words) -> str:
    """Return a range in words: "Input tokens 1,000 to 20,000 tokens"."""
    found = metrics.by_key().get(f"p50_{one.column}")
    unit = words(f"point.axis.{found.unit if found else 'tokens'}")
    name = words.or_key(f"metric.{one.column}", words("point.request.cached"))
    low, high = (None if end is None else _plain(end) for end in (one.low, one.high))
    shape = "both" if low and high else "from" if low else "upto"
    return f"{name} {words(f'point.range.{shape}', low=low or '', high=high or '', unit=unit)}"


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else number(value, 4)


def _where_form(point: dict[str, Any], state: ViewState, words: Words) -> Component:
    """Return the form of the ranges as the address writes them; works without scripts."""
    hint = f'<p class="group">{escape(words("point.selection_hint"))}</p>'
    label = escape(words("point.selection_field"))
    columns, path = ", ".join(ranges.COLUMNS), escape(addresses.point(point["point_id"]))
    field = (
        f'<label>{label} <input type="text" name="where" value="{escape(state["where"] or "")}" '
        'placeholder="isl_tokens:1000..20000;ttft_s:5.." spellcheck="false"></label>'
    )
    return raw(
        f'{hint}<form data-nav="1" method="get" action="{path}">'
        f"{hidden(state.having(where=None, open=None))}{field}"
        f"<button>{escape(words('point.window_set'))}</button></form>"
        f'<p class="group">{escape(columns)}</p>',
        className="form where",
    )


def _form(point: dict[str, Any], state: ViewState, words: Words) -> Component:
    rest = state.having(from_=None, to=None)
    fields = "".join(
        f'<label>{escape(words(f"point.window_{name}"))} <input type="number" step="any" '
        f'name="{name}" value="{"" if state[name] is None else f"{state[name]:g}"}"></label>'
        for name in ("from", "to")
    )
    path = addresses.point(point["point_id"])
    hint = f'<p class="group">{escape(words("point.window_hint"))}</p>'
    return raw(
        f'{hint}<form data-nav="1" method="get" action="{escape(path)}">{hidden(rest)}{fields}'
        f"<button>{escape(words('point.window_set'))}</button></form>",
        className="form",
    )
