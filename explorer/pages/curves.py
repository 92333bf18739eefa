"""`/`: merged Pareto curves, a card, a table; the address says what is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import names
from explorer.components.curve_controls import controls
from explorer.components.curve_table import curve_table
from explorer.components.frame import link
from explorer.components.markup import raw
from explorer.components.point_card import point_card
from explorer.components.view import View, Words
from explorer.domain import addresses, metrics
from explorer.domain.frontier import frontier
from explorer.domain.lake import Lake
from explorer.domain.units import number
from explorer.domain.view_state import ViewState
from explorer.errors import NotFoundError
from explorer.figures.curves_svg import curves_svg
from explorer.figures.marks import colour_class
from explorer.queries import points
from explorer.queries.curves import curves
from explorer.queries.defaults import effective
from explorer.queries.facets import blame
from explorer.queries.takeaway import takeaway

Curve = Mapping[str, Any]
Point = Mapping[str, Any]
SIX = 6


def view(lake: Lake, params: Mapping[str, str], state: ViewState) -> View:
    """Return the curves page of an address."""
    words = Words(state)
    shown = effective(lake, state)
    found = curves(lake, state)
    every, meta = found["data"], found["meta"]
    data = _leading(every, meta, state)
    meta = _with_hidden(meta, every, data)
    chosen = _chosen(lake, data, state)
    heading = _headline(data, meta, shown, words)
    body = [
        html.Div(
            [
                html.H1(heading),
                html.P(_subtitle(data, meta, shown, words), className="sub"),
                controls(lake, state, shown, words),
                *(
                    [*_drawing(data, meta, state, chosen, words), *_more(every, data, state, words)]
                    if data
                    else _nothing(lake, meta, state, shown, words)
                ),
            ],
            className="lead",
        ),
        point_card(chosen, state, words),
        *([curve_table(data, meta, state, words)] if data else []),
    ]
    return View(
        title=f"{heading} · {words('frame.name')}",
        body=html.Div(body, className="with-card"),
        canonical=addresses.curves(state.having(lang=None, theme=None)),
        description=_subtitle(data, meta, shown, words),
        nav="curves",
    )


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


def _drawing(
    data: Sequence[Curve],
    meta: Mapping[str, Any],
    state: ViewState,
    chosen: Point | None,
    words: Words,
) -> list[Component]:
    return [
        raw(
            _chart(data, meta, state, chosen, words),
            className="plot",
            **{"data-testid": "curve-chart"},
        ),
        _key(data, state, words),
        html.P(_counts(data, meta, words), className="counts"),
    ]


def _chart(
    data: Sequence[Curve],
    meta: Mapping[str, Any],
    state: ViewState,
    chosen: Point | None,
    words: Words,
) -> str:
    texts = {
        "title": words(
            "curves.chart_title",
            y=names.metric(meta["y"], words),
            x=names.metric(meta["x"], words),
        ),
        "desc": _counts(data, meta, words),
        "x": _axis_text(meta, "x", words),
        "y": _axis_text(meta, "y", words),
    }
    many = sum(point["on_frontier"] for curve in data for point in curve["points"]) > 60
    return curves_svg(
        data,
        words=texts,
        label=lambda curve: names.curve(curve, words) if len(data) <= SIX else "",
        tip=lambda curve, point: _tip(curve, point, meta, words),
        href=lambda point: addresses.point(point["point_id"], addresses.carried(state)),
        point_label=lambda point: "" if many else _label(point, state),
        log_x=state["scale"] in ("logx", "log"),
        log_y=state["scale"] in ("logy", "log"),
        selected=chosen["point_id"] if chosen else None,
    )


def _axis_text(meta: Mapping[str, Any], axis: str, words: Words) -> str:
    found = metrics.by_key()[meta[axis]]
    unit = "" if found.unit == "ratio" else f", {names.unit(found, words)}"
    arrow = {
        ("x", "higher"): "→",
        ("x", "lower"): "←",
        ("y", "higher"): "↑",
        ("y", "lower"): "↓",
    }.get((axis, found.direction), "")
    better = f"  {arrow} {words('curves.better')}" if arrow else ""
    return f"{names.metric(meta[axis], words)}{unit}{better}"


def _tip(curve: Curve, point: Point, meta: Mapping[str, Any], words: Words) -> str:
    """Return a point in one line; its TTFT is always in it."""
    parts = [names.curve(curve, words), names.configuration(point, words)]
    for axis in ("x", "y"):
        found = metrics.by_key()[meta[axis]]
        parts.append(f"{number(point[axis])} {names.unit(found, words)}")
    stat = names.statistic(meta["stat"], words)
    parts.append(f"TTFT {stat} {number(point['ttft'])} s")
    if point["status"] == "partial":
        parts.append(words("curves.partial"))
    return " · ".join(parts)


def _label(point: Point, state: ViewState) -> str:
    if state["label"] == "none":
        return ""
    if state["label"] == "shape":
        return point["parallelism"] or ""
    return "" if point["concurrency"] is None else f"{point['concurrency']:g}"


def _key(data: Sequence[Curve], state: ViewState, words: Words) -> Component:
    points = [point for curve in data for point in curve["points"]]
    items = []
    if len(data) > SIX:
        items += [
            html.Li(
                [html.I(className=f"k-hw {colour_class(curve['hw'])}"), names.curve(curve, words)]
            )
            for curve in data
        ]
    if any((point["kv_offload"] or "none") != "none" for point in points):
        items.append(html.Li([html.I(className="k-ring"), words("curves.key_ring")]))
    if any(not point["eligible"] for point in points):
        items.append(html.Li([html.I(className="k-hollow"), words("curves.key_hollow")]))
    if any(not point["on_frontier"] for point in points):
        items.append(html.Li([html.I(className="k-faint"), words("curves.key_faint")]))
    if state["label"] == "conc":
        items.append(html.Li(words("curves.key_label")))
    return html.Ul(items, className="key")


def _counts(data: Sequence[Curve], meta: Mapping[str, Any], words: Words) -> str:
    """Return how many points are shown and why the others are not; nothing is hidden."""
    shown = [point for curve in data for point in curve["points"]]
    total = len(shown) + sum(meta["dropped"].values())
    parts = [words("curves.counts", total=f"{total:,}", shown=f"{len(shown):,}")]
    partial = sum(point["status"] == "partial" for point in shown)
    if partial:
        parts.append(words("curves.count.partial", n=f"{partial:,}"))
    parts += [words(f"curves.count.{reason}", n=f"{n:,}") for reason, n in meta["dropped"].items()]
    return words("curves.comma").join(parts) + words("curves.stop")


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
    if said.code == "single":
        facts["first"] = number(said.facts["first"][1])
        facts["last"] = number(said.facts["last"][1])
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
    parts: list[Component] = [html.P(_counts([], meta, words), className="counts")]
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
            return points.payload(points.one(lake, state["point"], state["snap"]))
        except NotFoundError:
            return None
    line = [point for curve in data[:1] for point in curve["points"] if point["on_frontier"]]
    if not line:
        return None
    best = max(line, key=lambda point: (point["x"] * point["y"], point["point_id"]))
    return points.payload(points.one(lake, best["point_id"], state["snap"]))
