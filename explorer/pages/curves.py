"""`/`: merged Pareto curves, a card, a table; the address says what is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import names
from explorer.components.curve_choices import quick_filters
from explorer.components.curve_controls import controls
from explorer.components.curve_history import is_asked, life, title
from explorer.components.curve_picture import SIX, Picture, counts, drawing, shaded
from explorer.components.curve_sections import banded
from explorer.components.curve_table import curve_table
from explorer.components.frame import link
from explorer.components.point_card import point_card
from explorer.components.view import View, Words
from explorer.domain import addresses, metrics, view_state
from explorer.domain.frontier import frontier
from explorer.domain.lake import Lake
from explorer.domain.units import number
from explorer.domain.view_state import ViewState
from explorer.errors import NotFoundError
from explorer.queries import money, points
from explorer.queries.curves import curves
from explorer.queries.defaults import effective
from explorer.queries.facets import blame
from explorer.queries.history import history
from explorer.queries.takeaway import takeaway
from explorer.store.cache import Memo

Curve = Mapping[str, Any]
Point = Mapping[str, Any]
_VIEWS: Memo[tuple[str, str], View] = Memo(64)
"""(snapshot, address) → page: the first paint and the live page are one and the same."""


def view(lake: Lake, params: Mapping[str, str], state: ViewState) -> View:
    """Return the curves page of an address; a pinned snapshot keeps its own price table."""
    key = (lake.snapshot(state["snap"]).snap, view_state.format(state))
    return _VIEWS.get(key, lambda: _view(lake, state))


def _view(lake: Lake, state: ViewState) -> View:
    words = Words(state)
    priced = money.dated(lake, state)
    shown = effective(lake, priced)
    if is_asked(state):
        return _history(lake, state, shown, words)
    found = curves(lake, priced)
    every = shaded(found["data"])
    leading = _leading(every, found["meta"], state)
    data = _visible(leading, state)
    meta = _with_hidden(found["meta"], every, data)
    chosen = _chosen(lake, data, priced)
    heading = _headline(data, meta, shown, words)
    picture = Picture(lake, leading, data, meta, state, chosen, words)
    body = [
        html.Div(
            [
                html.H1(heading),
                html.P(_subtitle(data, meta, shown, words), className="sub"),
                controls(lake, state, shown, words),
                quick_filters(lake, state, shown, words),
                *(
                    [*drawing(picture, heading), *_more(every, leading, state, words)]
                    if leading
                    else _nothing(lake, meta, state, shown, words)
                ),
            ],
            className="lead",
        ),
        point_card(chosen, state, words),
        *([_twin(picture)] if data else []),
    ]
    return View(
        title=f"{heading} · {words('frame.name')}",
        body=html.Div(body, className="with-card"),
        canonical=addresses.curves(state.having(lang=None, theme=None)),
        description=_subtitle(data, meta, shown, words),
        nav="curves",
    )


def _history(lake: Lake, state: ViewState, shown: ViewState, words: Words) -> View:
    """Return the page of a metric at a target speed over a model's life."""
    found = history(lake, money.dated(lake, state))
    heading = title(found, words)
    model = ", ".join(names.model(key, words) for key in shown["model"][:2])
    body = [
        html.H1(f"{model}: {heading}" if model else heading),
        controls(lake, state, shown, words),
        *life(found, state, words),
    ]
    return View(
        title=f"{heading} · {words('frame.name')}",
        body=html.Div(body, className="life"),
        canonical=addresses.curves(state.having(lang=None, theme=None)),
        description=heading,
        nav="curves",
    )


def _twin(picture: Picture) -> Component:
    """Return the table of all points, with the table of speed bands under it."""
    data, meta, state, words = picture.data, picture.meta, picture.state, picture.words
    parts = [curve_table(data, meta, state, words), *banded(data, meta, state, words)]
    return html.Div(parts, className="twin")


def _visible(curves: Sequence[Curve], state: ViewState) -> Sequence[Curve]:
    """Return the curves that the address does not hide."""
    return [curve for curve in curves if curve["curve_id"] not in state["hide"]]


def _leading(every: Sequence[Curve], meta: Mapping[str, Any], state: ViewState) -> Sequence[Curve]:
    """Return the at most six curves that win most when the address names none in particular."""
    if len(every) <= SIX or any(state[name] for name in ("hw", "engine", "split", "precision")):
        return every
    line = [(point, curve["curve_id"]) for curve in every for point in curve["points"]]
    pairs = [(point["x"], point["y"]) for point, _ in line]
    won = Counter(line[i][1] for i in frontier(pairs, **_directions(meta)))
    ranked = sorted(every, key=lambda curve: (-won[curve["curve_id"]], -_reach(curve, meta)))
    kept = {curve["curve_id"] for curve in ranked[:SIX]}
    return [curve for curve in every if curve["curve_id"] in kept]


def _with_hidden(
    meta: Mapping[str, Any], every: Sequence[Curve], data: Sequence[Curve]
) -> Mapping[str, Any]:
    """Return meta with the points of left-out curves among the dropped: nothing is hidden."""
    hidden = sum(len(curve["points"]) for curve in every) - sum(len(one["points"]) for one in data)
    if not hidden:
        return meta
    return {**meta, "dropped": {**meta["dropped"], "other_curves": hidden}}


def _directions(meta: Mapping[str, Any]) -> dict[str, Any]:
    return {"x_better": meta["directions"]["x"], "y_better": meta["directions"]["y"]}


def _reach(curve: Curve, meta: Mapping[str, Any]) -> float:
    """Return how good a curve's best point is on y; larger is better."""
    values = [point["y"] for point in curve["points"]]
    return max(values) if meta["directions"]["y"] != "lower" else -min(values)


def _more(
    every: Sequence[Curve], data: Sequence[Curve], state: ViewState, words: Words
) -> list[Component]:
    """Return the way to the curves that a bare address leaves out."""
    hidden = len(every) - len(data)
    if not hidden:
        return []
    everything = state.having(hw=tuple(curve["hw"] for curve in every if curve["hw"]))
    text = words("curves.more", n=hidden)
    return [html.P(link(text, addresses.curves(everything)), className="counts")]


def _headline(
    data: Sequence[Curve], meta: Mapping[str, Any], shown: ViewState, words: Words
) -> str:
    model = ", ".join(names.model(key, words) for key in shown["model"][:2])
    model = model or words("curves.all_models")
    by_id = {curve["curve_id"]: names.curve(curve, words) for curve in data}
    y = metrics.by_key()[meta["y"]]
    said = takeaway(data, y.direction == "higher")
    facts = {
        name: by_id.get(value, value) if isinstance(value, str) else value
        for name, value in said.facts.items()
    }
    x_unit = names.unit(metrics.by_key()[meta["x"]], words)
    for name in ("x", "ratio"):
        if isinstance(value := facts.get(name), float):
            facts[name] = number(value, 2)
    if said.code in ("single", "one_point"):
        for end in ("first", "last"):
            facts[f"{end}_x"], facts[end] = (number(value) for value in said.facts[end])
    return words(
        f"curves.take.{said.code}", model=model, unit=x_unit, y=names.quantity(y.quantity, words),
        **{name: value for name, value in facts.items() if name != "curves"},
    )  # fmt: skip


def _subtitle(
    data: Sequence[Curve], meta: Mapping[str, Any], shown: ViewState, words: Words
) -> str:
    scenario = words("curves.comma").join(
        names.filter_value("scenario", key, words) for key in shown["scenario"]
    )
    precisions = sorted({one.upper() for curve in data for one in curve["precisions"]})
    parts = [words("curves.sub", scenario=scenario or words("curves.all_scenarios"))]
    if precisions:
        parts.append(words("curves.sub_precision", precisions=", ".join(precisions)))
    if meta["whole_deployment"]:
        parts.append(words("curves.whole_deployment"))
    parts += [words(f"frame.{source}") for source in _artificial(data)]
    return " ".join(parts)


def _artificial(data: Sequence[Curve]) -> list[str]:
    return sorted({curve["source"] for curve in data} & {"simulated", "mock"})


def _nothing(
    lake: Lake, meta: Mapping[str, Any], state: ViewState, shown: ViewState, words: Words
) -> list[Component]:
    """Return the empty state: which filter took everything away, and the way back."""
    parts: list[Component] = [html.P(counts([], meta, words), className="counts")]
    guilty = blame(lake, state)
    if guilty:
        name, n = guilty
        parts.append(
            html.P(
                [
                    words("curves.blame", filter=words(f"curves.filter.{name}")),
                    " ",
                    link(
                        words("curves.blame_undo", n=f"{n:,}"),
                        addresses.curves(state.having(**{name: None})),
                    ),
                ]
            )
        )
    return [html.Div(parts, className="nothing", role="status")]


def _chosen(lake: Lake, data: Sequence[Curve], state: ViewState) -> Point | None:
    """Return the point of the card: the address's, else the leading curve's best balance."""
    if state["point"]:
        try:
            return points.payload(points.one(lake, state["point"], state["snap"], state))
        except NotFoundError:
            return None
    line = [point for curve in data[:1] for point in curve["points"] if point["on_frontier"]]
    if not line:
        return None
    best = max(line, key=lambda point: (point["x"] * point["y"], point["point_id"]))
    return points.payload(points.one(lake, best["point_id"], state["snap"], state))
