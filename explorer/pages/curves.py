"""`/`: merged Pareto curves, a card, a table; the address says what is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import exports_of, names
from explorer.components.curve_choices import quick_filters
from explorer.components.curve_controls import controls
from explorer.components.curve_history import is_asked, life, title
from explorer.components.curve_picture import Drawing, Picture, counts
from explorer.components.curve_sections import banded
from explorer.components.curve_table import curve_table
from explorer.components.curves_shown import CurvesShown, curves_shown
from explorer.components.frame import link
from explorer.components.modes import FILE, FOLDED
from explorer.components.point_card import point_card
from explorer.components.still import inside, part, still
from explorer.components.view import Begun, View, Words
from explorer.domain import addresses, view_state
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.errors import NotFoundError
from explorer.queries import money, points
from explorer.queries.defaults import effective
from explorer.queries.history import history
from explorer.queries.ways_back import WayBack, ways_back
from explorer.store.cache import Memo


def _size(node: Any) -> int:
    """Return about how many characters a part of a page holds."""
    if isinstance(node, (list, tuple)):
        return sum(_size(child) for child in node)
    if not isinstance(node, Component):
        return len(str(node or ""))
    return len(inside(node)) + 200 + _size(getattr(node, "children", None))


Key = tuple[str, str, bool, bool]
_DRAWN: Memo[Key, tuple[View, Mapping[str, Component]]] = Memo(
    40_000_000, lambda drawn: _size([*drawn[1].values()])
)
"""(snapshot, address, file, folded) → parts: first paint and live page are one and the same."""
_LIVES: Memo[Key, View] = Memo(10_000_000, lambda view: _size(view.body))
"""(snapshot, address, …) → page over time."""
_LEAD = ("title", "choices", "chart", "under", "sections")
"""The parts of the leading column from top to bottom; they are drawn in another order."""


def view(lake: Lake, params: Mapping[str, str], state: ViewState) -> View:
    """Return the curves page of an address; a pinned snapshot keeps its own price table."""
    drawn = begun(lake, params, state)
    if drawn is None:
        return _LIVES.get(_key(lake, state), lambda: _history(lake, state, Words(state)))
    parts = {name: draw() for name, draw in drawn.parts.items()}
    lead = html.Div([parts[name] for name in _LEAD], className="lead")
    body = html.Div([lead, parts["card"], parts["twin"]], className="with-card")
    return replace(drawn.view, body=body)


def begun(lake: Lake, params: Mapping[str, str], state: ViewState) -> Begun | None:
    """Return the page of an address to be drawn part by part; None for one over time."""
    if is_asked(state):
        return None
    key = _key(lake, state)
    kept = _DRAWN.held([key])
    if not kept:
        return _begun(lake, state, key)
    head, done = kept[key]
    return _of(head, {name: partial(done.__getitem__, name) for name in done})


def _key(lake: Lake, state: ViewState) -> Key:
    return lake.snapshot(state["snap"]).snap, view_state.format(state), bool(FILE), bool(FOLDED)


def _of(head: View, parts: dict[str, Callable[[], Component]]) -> Begun:
    return Begun(head, parts, first="chart", below=("twin",))


def _begun(lake: Lake, state: ViewState, key: Key) -> Begun:
    shown = curves_shown(lake, state, Words(state))
    head, parts, done = _head(state, shown), _parts(lake, state, shown), {}

    def draw(name: str) -> Component:
        done[name] = part(name, parts[name]())
        if len(done) == len(parts):
            _DRAWN.put(key, (head, done))
        return done[name]

    return _of(head, {name: partial(draw, name) for name in parts})


def _head(state: ViewState, shown: CurvesShown) -> View:
    words = shown.picture.words
    return View(
        title=f"{shown.heading} · {words('frame.name')}",
        body=[],
        canonical=addresses.curves(state.having(lang=None, theme=None)),
        description=shown.subtitle,
        nav="curves",
        exports=exports_of.of_curves(state, shown.filters),
        in_parts=True,
    )


def _parts(lake: Lake, state: ViewState, shown: CurvesShown) -> dict[str, Callable[[], Component]]:
    """Return what draws each part of the page, in the order in which readers need them."""
    picture, words = shown.picture, shown.picture.words
    drawing = Drawing(picture, shown.heading) if picture.leading else None

    def title() -> Component:
        heading = shown.heading.replace(" · ", "\u00a0· ")  # a line never begins with the dot
        return html.Div([html.H1(heading), html.P(shown.subtitle, className="sub")])

    def choices() -> Component:
        filters = shown.filters
        bar = controls(lake, state, filters, words)
        return html.Div([bar, *quick_filters(lake, state, filters, words)])

    def card() -> Component:
        point = _chosen(lake, picture.chosen, state)
        return html.Div(point_card(point, state, words), className="bare")

    return {
        "title": title,
        "chart": lambda: html.Div(drawing.chart() if drawing else _nothing(shown)),
        "choices": choices,
        "under": lambda: html.Div(drawing.under() if drawing else []),
        "card": card,
        "sections": lambda: html.Div([*drawing.sections(), *_more(shown)] if drawing else []),
        "twin": lambda: html.Div(_twin(picture) if picture.data else [], className="twin"),
    }


def _chosen(lake: Lake, point_id: str | None, state: ViewState) -> Mapping[str, Any] | None:
    """Return the point of the card, at the prices of its snapshot."""
    if point_id is None:
        return None
    try:
        found = points.one(lake, point_id, state["snap"], money.dated(lake, state))
    except NotFoundError:
        return None
    return points.payload(found)


def _history(lake: Lake, state: ViewState, words: Words) -> View:
    """Return the page of a metric at a target speed over a model's life."""
    priced = money.dated(lake, state)
    shown = effective(lake, priced)
    found = history(lake, priced)
    heading = title(found, words)
    model = ", ".join(names.model(key, words) for key in shown["model"][:2])
    body = [
        html.H1(f"{model}: {heading}" if model else heading),
        still(controls(lake, state, shown, words)),
        *map(still, life(found, state, words)),
    ]
    return View(
        title=f"{heading} · {words('frame.name')}",
        body=html.Div(body, className="life"),
        canonical=addresses.curves(state.having(lang=None, theme=None)),
        description=heading,
        nav="curves",
        exports=exports_of.of_curves(state, shown),
    )


def _twin(picture: Picture) -> list[Component]:
    """Return the table of all points, with the table of speed bands under it."""
    data, meta, state, words = picture.data, picture.meta, picture.state, picture.words
    return [curve_table(data, meta, state, words), *banded(data, meta, state, words)]


def _more(shown: CurvesShown) -> list[Component]:
    """Return the way to the curves that a bare address leaves out."""
    state, words = shown.picture.state, shown.picture.words
    hidden = len(shown.every) - len(shown.picture.leading)
    if not hidden:
        return []
    everything = state.having(hw=tuple(curve["hw"] for curve in shown.every if curve["hw"]))
    text = words("curves.more", n=hidden)
    return [html.P(link(text, addresses.curves(everything)), className="counts")]


def _nothing(shown: CurvesShown) -> list[Component]:
    """Return the empty state: what took everything away, and the way back."""
    picture, words = shown.picture, shown.picture.words
    parts: list[Component] = [html.P(counts([], picture.meta, words), className="counts")]
    ways = ways_back(picture.lake, picture.state)
    if ways:
        first = ways[0]
        said = _why(first, picture.meta, words)
        most = ways if first.kind == "stat" else ways[:1]
        parts.append(html.P([said, *(part for way in most for part in _way(way, words))]))
    return [html.Div(parts, className="nothing", role="status")]


def _why(way: WayBack, meta: Mapping[str, Any], words: Words) -> str:
    """Return what leaves nothing."""
    if way.kind == "stat":
        stat = names.statistic(meta["stat"], words)
        return words("curves.blame_stat", stat=stat)
    name = f"curves.limit_short.{way.name}" if way.kind == "limit" else _FILTERS.get(way.name)
    return words("curves.blame", filter=words(name or f"curves.filter.{way.name}"))


_FILTERS = {
    "date": "curves.time",
    "valid": "curves.quick.valid",
    "accuracy_min": "curves.accuracy_min",
}
"""The words of filters that have none of their own under `curves.filter`."""


def _way(way: WayBack, words: Words) -> list[Any]:
    """Return a link out of the empty state, with how many points it shows."""
    n = f"{way.points:,}"
    text = words("curves.blame_undo", n=n)
    if way.kind == "stat":
        text = words("curves.blame_other", stat=names.statistic(way.name, words), n=n)
    return [" ", link(text, addresses.curves(way.state))]
