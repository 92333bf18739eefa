"""One curve un-merged: which setting won where, and by how much the others lose."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.queries.lines import Curve, Point, Sides, own_frontier, reached

SETTINGS = ("parallelism", "precision", "mode", "spec", "offload")
SWITCHES = ("offload", "spec")
"""Settings that are on or off, and so make pairs."""
Settings = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """One configuration of a curve: its settings (as SETTINGS) and points by x."""

    settings: Settings
    points: Sequence[Point]
    line: Sequence[Point]


@dataclass(frozen=True, slots=True)
class Loss:
    """What an alternative gives at a vertex; `ratio` = winner over it, ≥ 1 when it loses."""

    settings: Settings | None
    y: float
    ratio: float | None
    interpolated: bool


@dataclass(frozen=True, slots=True)
class Won:
    """A vertex of the merged curve, the configuration it is of, and the best alternatives.

    `best` over all other configurations; `switched` by switch with that one turned the other way.
    None: no alternative reaches this x.
    """

    point: Point
    settings: Settings
    best: Loss | None
    switched: Mapping[str, Loss | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two points that differ in one switch only; ratios are on over off."""

    switch: str
    on: Point
    off: Point

    @property
    def y_ratio(self) -> float | None:
        return self.on["y"] / self.off["y"] if self.off["y"] else None

    @property
    def x_ratio(self) -> float | None:
        return self.on["x"] / self.off["x"] if self.off["x"] else None


@dataclass(frozen=True, slots=True)
class Unmerged:
    """A curve's parts (most points first), its vertices by x, its pairs by settings and load."""

    parts: Sequence[Part]
    won: Sequence[Won]
    pairs: Sequence[Pair]


def settings(point: Point) -> Settings:
    """Return the settings that a merged curve hides, in the order of SETTINGS."""
    return (*(point[name] for name in SETTINGS[:3]), _on(point, "spec"), _on(point, "offload"))


def _on(point: Point, switch: str) -> str:
    """Return a switch's value, `none` when off; offload by its backend where that is known."""
    if switch == "spec":
        return point["spec"] or "none"
    tier = point["kv_offload"] or "none"
    return tier if tier == "none" else point["kv_offload_backend"] or tier


def unmerge(curve: Curve, better: Sides) -> Unmerged:
    """Return a curve by configuration; values between points are interpolated on own frontiers."""
    groups: dict[Settings, list[Point]] = {}
    for point in curve["points"]:
        groups.setdefault(settings(point), []).append(point)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), str(item[0])))
    parts = [Part(key, points, own_frontier(points, better)) for key, points in ordered]
    vertices = [point for point in curve["points"] if point["on_frontier"]]
    return Unmerged(
        parts, [_won(point, parts, curve, better) for point in vertices], _pairs(curve["points"])
    )


def _won(point: Point, parts: Sequence[Part], curve: Curve, better: Sides) -> Won:
    mine = settings(point)
    losses = [
        loss
        for part in parts
        if part.settings != mine and (loss := _loss(point, part.line, part.settings, better))
    ]
    best = min(losses, key=lambda loss: -loss.y if better.y_higher else loss.y, default=None)
    switched = {
        switch: _loss(point, own_frontier(others, better), None, better)
        for switch in SWITCHES
        if (others := _switched(point, curve["points"], switch))
    }
    return Won(point, mine, best, switched)


def _switched(point: Point, points: Sequence[Point], switch: str) -> list[Point]:
    """Return the points on the other side of a switch."""
    off = _on(point, switch) == "none"
    return [other for other in points if (_on(other, switch) == "none") != off]


def _loss(point: Point, line: Sequence[Point], key: Settings | None, better: Sides) -> Loss | None:
    found = reached([(one["x"], one["y"]) for one in line], point["x"], better)
    if found is None:
        return None
    y, interpolated = found
    return Loss(key, y, better.gain(point["y"], y), interpolated)


def _pairs(points: Sequence[Point]) -> list[Pair]:
    """Return the pairs that differ in one switch only, partial runs with the others."""
    pairs = []
    for switch in SWITCHES:
        groups: dict[tuple[Any, ...], list[Point]] = {}
        for point in points:
            key = tuple(
                value
                for name, value in zip(SETTINGS, settings(point), strict=True)
                if name != switch
            )
            groups.setdefault((*key, point["gpus"], point["concurrency"]), []).append(point)
        for key in sorted(groups, key=_order):
            off = [point for point in groups[key] if _on(point, switch) == "none"]
            on = [point for point in groups[key] if _on(point, switch) != "none"]
            pairs += [Pair(switch, *both) for both in itertools.product(on, off)]
    return pairs


def _order(key: tuple[Any, ...]) -> tuple[Any, ...]:
    *names, gpus, concurrency = key
    return (*(str(name) for name in names), gpus or 0, concurrency or 0.0)
