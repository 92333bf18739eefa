"""What the curves of an address show, before anyone draws: page, embed, card and file ask here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.components import names
from explorer.components.curve_picture import SIX, Picture, shaded
from explorer.components.view import Words
from explorer.domain import metrics, units
from explorer.domain.curve_points import CurvePoints
from explorer.domain.frontier import frontier_of
from explorer.domain.lake import Lake
from explorer.domain.units import number, plain
from explorer.domain.view_state import ViewState
from explorer.queries import money
from explorer.queries.curves import curves
from explorer.queries.defaults import effective
from explorer.queries.takeaway import takeaway

Curve = Mapping[str, Any]
Point = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CurvesShown:
    """The picture of an address, all its curves, the effective filters, its words."""

    picture: Picture
    every: Sequence[Curve]
    filters: ViewState
    heading: str
    subtitle: str


def curves_shown(lake: Lake, state: ViewState, words: Words) -> CurvesShown:
    """Return what an address shows; a pinned snapshot keeps its own price table."""
    priced = money.dated(lake, state)
    filters = effective(lake, priced)
    found = curves(lake, priced)
    every = shaded(found["data"])
    leading = _leading(every, found["meta"], state)
    data = [curve for curve in leading if curve["curve_id"] not in state["hide"]]
    meta = _with_hidden(found["meta"], every, data)
    chosen = _chosen(data, priced)
    return CurvesShown(
        picture=Picture(lake, leading, data, meta, state, chosen, words),
        every=every,
        filters=filters,
        heading=_headline(data, meta, filters, words),
        subtitle=_subtitle(data, meta, filters, words),
    )


def _leading(every: Sequence[Curve], meta: Mapping[str, Any], state: ViewState) -> Sequence[Curve]:
    """Return the at most six curves that win most when the address names none in particular."""
    if len(every) <= SIX or any(state[name] for name in ("hw", "engine", "split", "precision")):
        return every
    points = [CurvePoints.of(curve["points"]) for curve in every]
    x, y = (np.concatenate([getattr(one, axis) for one in points]) for axis in ("x", "y"))
    owners = np.repeat(np.arange(len(every)), [len(one) for one in points])
    best = frontier_of(x, y, meta["directions"]["x"], meta["directions"]["y"])
    won = Counter(every[owner]["curve_id"] for owner in owners[best].tolist())
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


def _reach(curve: Curve, meta: Mapping[str, Any]) -> float:
    """Return how good a curve's best point is on y; larger is better."""
    y = CurvePoints.of(curve["points"]).y
    return float(y.max() if meta["directions"]["y"] != "lower" else -y.min())


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
    x = metrics.by_key()[meta["x"]]
    if isinstance(value := facts.get("ratio"), float):
        facts["ratio"] = number(value, 2)
    if isinstance(value := facts.get("x"), float):
        facts["x"] = plain(value, x.unit) if x.unit == "ratio" else number(value, 2)
    if said.code in ("single", "one_point"):
        for end in ("first", "last"):
            at, value = said.facts[end]
            facts[f"{end}_x"], facts[end] = plain(at, x.unit), units.shown(value, y.unit)
    shared = {"x": names.amid(names.quantity(x.quantity, words))}
    return words(
        f"curves.take.{said.code}", model=model, unit=names.after(x, words),
        **shared | {name: value for name, value in facts.items() if name != "curves"},
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


def _chosen(data: Sequence[Curve], state: ViewState) -> str | None:
    """Return the id of the card's point: the address's, else the leading curve's best balance."""
    if state["point"]:
        return str(state["point"])
    points = CurvePoints.of(data[0]["points"] if data else [])
    won = np.flatnonzero(points.won)
    if not len(won):
        return None
    balance = points.x[won] * points.y[won]
    return max(points.ids[place] for place in won[balance == balance.max()].tolist())
