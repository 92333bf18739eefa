"""A metric at a target speed over a model's life: the chart, its table, the changelog."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import names
from explorer.components.curve_sections import dot, table
from explorer.components.frame import link
from explorer.components.markup import anchor, raw
from explorer.components.menus import number_form
from explorer.components.view import Words
from explorer.domain import addresses, metrics
from explorer.domain.units import MISSING, number
from explorer.domain.view_state import ViewState
from explorer.figures.curves_svg import HEIGHT
from explorer.figures.history_svg import Life, history_svg
from explorer.queries.history import Change, Day, History
from explorer.queries.lines import Curve

_LABELLED = 12


def life(found: History, state: ViewState, words: Words) -> list[Component]:
    """Return the history of a view; without a dated point it says so."""
    named = _at(found, words)
    form = number_form(
        state,
        "at",
        words("curves.history_target", x=_x_name(found, words)),
        words("curves.set"),
        "/",
    )
    back = addresses.curves(state.having(view=None))
    top: list[Component] = [
        html.Div(
            [form, link(words("curves.history_back"), back, className="act")], className="target"
        )
    ]
    if not is_known(found):
        return [*top, html.P(words("curves.history_none"), className="nothing")]
    drawn = raw(chart(found, words), className="plot", **{"data-testid": "history-chart"})
    return [
        *top,
        drawn,
        html.P(_note(found, named, words), className="counts"),
        _table(found, named, state, words),
        *_changes(found.changes, state, words),
    ]


def is_known(found: History) -> bool:
    """Tell whether any curve reaches the target speed on any day."""
    return any(day.y is not None for _, days in found.days for day in days)


def _at(found: History, words: Words) -> str:
    unit = names.unit(metrics.by_key()[found.meta["x"]], words)
    return f"{found.at:g} {unit}"


def _x_name(found: History, words: Words) -> str:
    return names.metric(found.meta["x"], words)


def title(found: History, words: Words) -> str:
    """Return the headline of a history."""
    return words(
        "curves.history_title", y=names.metric(found.meta["y"], words), at=_at(found, words)
    )


def chart(found: History, words: Words, height: int = HEIGHT) -> str:
    """Return the chart alone as `<svg>`, `height` px high."""
    at = _at(found, words)
    y = metrics.by_key()[found.meta["y"]]
    named = found.days if len(found.days) <= _LABELLED else ()
    labels = {curve["curve_id"]: names.curve(curve, words) for curve, _ in named}
    lives = [
        Life(
            labels.get(curve["curve_id"], ""),
            curve["hw"],
            curve["engine"],
            curve.get("shade", 0),
            [(day.date, day.y) for day in days if day.y is not None],
        )
        for curve, days in found.days
    ]
    said = title(found, words)
    return history_svg(
        [one for one in lives if one.days],
        [(change.date, change.text) for change in found.changes if change.date],
        {
            "title": said,
            "desc": _note(found, at, words),
            "y": f"{names.metric(y.key, words)}, {names.unit(y, words)}",
        },
        lambda one, day, value: f"{one.label} · {day} · {number(value)} {names.unit(y, words)}",
        height,
    )


def _note(found: History, at: str, words: Words) -> str:
    text = words("curves.history_note", at=at)
    return text + " " + words("curves.history_undated", n=found.undated) if found.undated else text


def _table(found: History, at: str, state: ViewState, words: Words) -> Component:
    head = [
        (words("curves.col.date"), ""),
        (words("curves.col.curve"), ""),
        (f"{names.metric(found.meta['y'], words)} ({at})", "n"),
        (words("curves.col.change"), "n"),
        (words("curves.col.new_points"), "n"),
    ]
    rows = [
        (day.date, row)
        for curve, days in found.days
        for row, day in zip(_rows(curve, days, state, words), days, strict=True)
    ]
    rows.sort(key=lambda row: row[0], reverse=True)
    return table(words("curves.history_table"), head, [row for _, row in rows])


def _rows(
    curve: Curve, days: Sequence[Day], state: ViewState, words: Words
) -> list[tuple[Any, ...]]:
    rows = []
    before: float | None = None
    for day in days:
        change = "" if before is None or day.y is None or not before else f"{day.y / before:.2f}×"
        rows.append(_row(curve, day, change, state, words))
        before = day.y if day.y is not None else before
    return rows


def _row(curve: Curve, day: Day, change: str, state: ViewState, words: Words) -> tuple[Any, ...]:
    as_of = addresses.curves(state.having(view=None, date=day.date))
    y = MISSING if day.y is None else number(day.y)
    named = [dot(curve["hw"]), names.curve(curve, words)]
    return anchor(day.date, as_of), named, y, change, str(len(day.new))


def _changes(changes: Sequence[Change], state: ViewState, words: Words) -> list[Component]:
    """Return the changelog entries of the input with the points that carry them."""
    if not changes:
        return []
    items = [_change(change, state, words) for change in changes]
    return [html.H2(words("curves.changelog")), html.Ul(items, className="changes")]


def _change(change: Change, state: ViewState, words: Words) -> Component:
    first = addresses.point(change.points[0], addresses.carried(state))
    n = words("curves.change_points", n=len(change.points))
    when = html.B(change.date) if change.date else ""
    return html.Li([when, " ", *_lines(change.text), " ", link(n, first)])


def _lines(text: str) -> list[Any]:
    parts: list[Any] = []
    for index, line in enumerate(text.splitlines()):
        parts += [html.Br(), line] if index else [line]
    return parts


def is_asked(state: ViewState) -> bool:
    """Tell whether an address asks for the history instead of the curves."""
    return bool(state["view"] == "history")
