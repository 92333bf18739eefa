"""How sure a curve is: a block bootstrap over the conversations that were replayed.

Blocks are replays (`root_id`): requests of one conversation are not independent, so whole replays
are drawn with replacement, as many as there were. Draws are integers of `random.Random` with a
fixed seed and sums are of integers, so that a band is the same on every machine.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from explorer.domain import metrics
from explorer.domain.frontier import frontier, frontier_of, heights
from explorer.domain.lake import Lake
from explorer.domain.metrics import Metric, Sample
from explorer.queries.lines import Curve, Point, Sides, sides
from explorer.queries.replay_samples import SAMPLES, read, read_ahead
from explorer.store.cache import Memo

SEED, DRAWS = 20260601, 1_000
LOW, HIGH = 25, 974
"""Places of the 95 % interval among 1,000 sorted draws."""
STOPS = 24

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_DRAWN: Memo[tuple[str, str], tuple[float, ...] | None] = Memo(4_096)
_COUNTS: Memo[str, Ints] = Memo(8_000_000, lambda counts: counts.size)
"""Requests object → draws: 64 MB at most."""
_FLOATS: Memo[str, npt.NDArray[np.float32]] = Memo(12_000_000, lambda counts: counts.size)
"""The same as floats, for products: 48 MB at most."""
_CELLS: Memo[tuple[str, Sample], _Cells | None] = Memo(
    4_000_000, lambda cells: cells.weight() if cells else 1
)
"""(requests object, quantity) → samples: 32 MB at most."""
_BANDS: Memo[tuple[Any, ...], Band] = Memo(256)
_OBJECTS = """
SELECT point_id, requests_object, coalesce(requests_total, 0) AS requests FROM {points}
WHERE requests_object IS NOT NULL AND point_id IN (SELECT unnest(?::VARCHAR[]))
"""


@dataclass(frozen=True, slots=True)
class Band:
    """A curve's 95 % band as (x, low, high) by x, and how its points took part.

    `drawn` points were re-drawn; `fixed` by reason (`no_requests`, `one_block`) kept their value.
    No stops: no point could be re-drawn, or (`axis`) the axes are not made of requests.
    """

    stops: Sequence[tuple[float, float, float]]
    drawn: int
    fixed: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Asked:
    """Axes and their better sides; each point's requests object, each object's requests."""

    x: Metric
    y: Metric
    better: Sides
    objects: Mapping[str, str]
    sizes: Mapping[str, int]


def bands(lake: Lake, curves: Sequence[Curve], meta: Mapping[str, Any]) -> dict[str, Band]:
    """Return the band of each curve of an answer of queries/curves.py, by curve id."""
    x, y = (metrics.by_key()[meta[axis]] for axis in ("x", "y"))
    if not (supported(x) and supported(y)):
        return {curve["curve_id"]: Band((), 0, {"axis": len(curve["points"])}) for curve in curves}
    able = [point["point_id"] for curve in curves for point in curve["points"] if point["eligible"]]
    rows = lake.rows(_OBJECTS, [able], snap=meta["snap"])
    objects = {row["point_id"]: row["requests_object"] for row in rows}
    sizes = {row["requests_object"]: row["requests"] for row in rows}
    found = {}
    for curve in curves:
        points = [point for point in curve["points"] if point["eligible"]]
        held = [(p["point_id"], p["x"], p["y"], objects.get(p["point_id"])) for p in points]
        key = (x.key, y.key, meta["directions"]["x"], meta["directions"]["y"], *held)
        make = partial(_band, lake, points, _Asked(x, y, sides(meta), objects, sizes))
        found[curve["curve_id"]] = _BANDS.get(key, make)
    return found


def supported(metric: Metric) -> bool:
    """Tell whether a metric is made of requests, so that it can be re-drawn."""
    return metric.quantity in metrics.samples() or _basis(metric) is not None


def _basis(metric: Metric) -> str | None:
    """Return whose tokens a throughput, cost or power metric counts: total, input or output."""
    for basis in metrics.BASES:
        names = (f"{basis}_tps", f"{basis}_tps_per_gpu")
        if metric.key in names or (not metric.stored and metric.key.endswith(f"_{basis}")):
            return basis
    return None


def _band(lake: Lake, points: Sequence[Point], asked: _Asked) -> Band:
    fixed: Counter[str] = Counter()
    clouds: list[tuple[Sequence[float], Sequence[float]]] = []
    read_ahead(lake, _needed(points, asked))
    for point in points:
        name = asked.objects.get(point["point_id"])
        both = _both(lake, name, point, asked.x, asked.y) if name else None
        if both is None:
            fixed["one_block" if name else "no_requests"] += 1
            both = ((point["x"],) * DRAWS, (point["y"],) * DRAWS)
        clouds.append(both)
    drawn = len(points) - sum(fixed.values())
    return Band(_stops(points, clouds, asked.better) if drawn else (), drawn, dict(fixed))


def _needed(points: Sequence[Point], asked: _Asked) -> dict[str, int]:
    """Return the requests of each object whose points are not re-drawn yet on these axes."""
    names = [name for point in points if (name := asked.objects.get(point["point_id"]))]
    keys = [(name, metric.key) for name in names for metric in (asked.x, asked.y)]
    done = _DRAWN.held(keys)
    return {name: asked.sizes[name] for name, key in keys if (name, key) not in done}


def _both(
    lake: Lake, name: str, point: Point, x: Metric, y: Metric
) -> tuple[Sequence[float], Sequence[float]] | None:
    """Return a point's re-drawn (x, y): its own value times what a draw changes of it."""
    factors = [factors_of(lake, name, metric) for metric in (x, y)]
    if factors[0] is None or factors[1] is None:
        return None
    return [point["x"] * one for one in factors[0]], [point["y"] * one for one in factors[1]]


def factors_of(lake: Lake, name: str, metric: Metric) -> tuple[float, ...] | None:
    """Return per draw the re-drawn value over the whole run's; None with fewer than two blocks.

    `name` is the hash of a requests object. The same draws serve every metric of a point.
    """
    return _DRAWN.get((name, metric.key), lambda: _factors(lake, name, metric))


def _factors(lake: Lake, name: str, metric: Metric) -> tuple[float, ...] | None:
    sample = metrics.samples().get(metric.quantity)
    if sample is None:
        return _token_factors(lake, name, metric)
    cells = _CELLS.get((name, sample), lambda: _cells(lake, name, sample))
    if cells is None:
        return None
    redrawn = _statistics(cells, metric.statistic)
    return _ratios(1.0 / redrawn if sample.reciprocal else redrawn)


def _cells(lake: Lake, name: str, sample: Sample) -> _Cells | None:
    """Return a quantity's samples ready to be re-drawn; None with fewer than two blocks."""
    rows = read(lake, name)
    block = rows["block"]
    counts = _counts(block, name)
    value = rows[f"sample_{SAMPLES.index(sample)}"]
    usable = ~np.isnan(value)
    if counts is None or not usable.any():
        return None
    value, block = value[usable], block[usable]
    order = np.argsort(value)  # of equal values any may come first: a place gives the value
    floats = _FLOATS.get(name, lambda: counts.astype(np.float32))
    return _Cells(value[order], block[order], counts, floats)


def _counts(block: Ints, name: str) -> Ints | None:
    """Return the run itself, every block once, and below it the draws; None of one block."""
    blocks = int(block.max()) + 1 if len(block) else 0
    if blocks < 2:
        return None
    return _COUNTS.get(name, lambda: _whole_first(blocks, name))


def _whole_first(blocks: int, name: str) -> Ints:
    """Return the run itself, every block once, and below it the draws."""
    return np.vstack((np.ones((1, blocks), dtype=np.int64), draws(blocks, f"{SEED}:{name}")))


def draws(blocks: int, seed: str) -> Ints:
    """Return how often each block is in each draw: DRAWS rows, each sums to `blocks`."""
    *key, place = random.Random(seed).getstate()[1]
    # The same twister in C: its doubles are those of `Random.random`, so these are the draws of
    # `Random.choices(range(blocks), k=blocks)`, DRAWS times.
    dice = np.random.RandomState()
    dice.set_state(("MT19937", np.array(key, dtype=np.uint32), place, 0, 0.0))
    chosen = np.floor(dice.random_sample((DRAWS, blocks)) * blocks).astype(np.int64)
    chosen += np.arange(DRAWS)[:, None] * blocks
    return np.bincount(chosen.ravel(), minlength=DRAWS * blocks).reshape(DRAWS, blocks)


def _token_factors(lake: Lake, name: str, metric: Metric) -> tuple[float, ...] | None:
    """Return a throughput-like metric per draw; the run's own window stays."""
    rows = read(lake, name)
    block = rows["block"]
    counts = _counts(block, name)
    if counts is None:
        return None
    basis = _basis(metric)
    used = [column for column in ("input", "output") if basis in (column, "total")]
    tokens = np.sum([rows[column] for column in used], axis=0).astype(np.int64)
    found = (counts @ _sums(block, counts.shape[1], tokens)).astype(float)
    return _ratios(1.0 / found if metric.direction == "lower" else found)


def _sums(block: Ints, blocks: int, value: Ints) -> Ints:
    found = np.zeros(blocks, dtype=np.int64)
    np.add.at(found, block, value)
    return found


def _ratios(values: Floats) -> tuple[float, ...]:
    return tuple((values[1:] / values[0]).tolist())


def _statistics(cells: _Cells, statistic: str) -> Floats:
    """Return a statistic of the run and of each draw."""
    with np.errstate(invalid="ignore", divide="ignore"):
        if statistic == "mean":
            return _means(cells.values, cells.blocks, cells.counts)
        rank = np.maximum(cells.total - 1, 0) * metrics.QUANTILES[statistic]
        below = np.floor(rank).astype(np.int64)
        low, high = cells.around(below)
        return low + (high - low) * (rank - below)


def _means(values: Floats, blocks: Ints, counts: Ints) -> Floats:
    """Return means as sums of integers: values in the finest power of two whose sums fit."""
    size = counts.shape[1]
    finest = min(40, 56 - int(math.fsum(values) + 1).bit_length())
    whole = np.rint(values * 2.0**finest).astype(np.int64)
    n = counts @ _sums(blocks, size, np.ones(len(values), dtype=np.int64))
    return (counts @ _sums(blocks, size, whole)) / 2.0**finest / n


class _Cells:
    """Sorted values in some √n cells of equal size, and how much of each cell each draw holds.

    A place is found in two steps, cell and then value, so that 150,000 values × 1,000 draws are
    never laid out. Exact: all counts are integers.
    """

    def __init__(
        self, values: Floats, blocks: Ints, counts: Ints, floats: npt.NDArray[np.float32]
    ) -> None:
        self.values, self.blocks, self.counts = values, blocks, counts
        self.size = max(1, math.isqrt(len(values)))
        cells = -(-len(values) // self.size)
        place = blocks * cells + np.arange(len(values)) // self.size
        held = np.bincount(place, minlength=counts.shape[1] * cells)
        # As floats the product is BLAS's; whole numbers that stay below the mantissa are exact.
        small = self.size * int(counts.max()) < 1 << 24
        factor: npt.NDArray[Any] = floats if small else counts.astype(np.float64)
        product = factor @ held.reshape(-1, cells).astype(factor.dtype)
        self.upto = np.cumsum(product.astype(np.int64), axis=1)
        self.total = self.upto[:, -1]

    def weight(self) -> int:
        return 2 * len(self.values) + self.upto.size

    def around(self, place: Ints) -> tuple[Floats, Floats]:
        """Return the values at a place of each draw's expanded sample and at the next one, the
        last at the end; NaN of an empty one.
        """
        last = self.upto.shape[1] - 1
        cell = np.minimum((self.upto <= place[:, None]).sum(axis=1), last)
        rows = np.arange(len(cell))
        before = np.where(cell > 0, self.upto[rows, cell - 1], 0)
        index = cell[:, None] * self.size + np.arange(self.size)
        there = np.minimum(index, len(self.values) - 1)
        weight = np.where(
            index < len(self.values), self.counts[rows[:, None], self.blocks[there]], 0
        )
        reached = np.cumsum(weight, axis=1)
        found = self._value(cell, reached, place - before)
        following = np.minimum(place + 1, np.maximum(self.total - 1, 0))
        inside = following < self.upto[rows, cell]
        after = self._value(cell, reached, following - before)
        for row in np.flatnonzero(~inside):
            after[row] = self._first(int(row), int(following[row]))
        empty = self.total <= 0
        return np.where(empty, np.nan, found), np.where(empty, np.nan, after)

    def _value(self, cell: Ints, reached: Ints, step: Ints) -> Floats:
        within = (reached <= step[:, None]).sum(axis=1)
        return self.values[np.minimum(cell * self.size + within, len(self.values) - 1)]

    def _first(self, row: int, place: int) -> float:
        """Return the value at a place of one draw, wherever it is."""
        cell = int(np.searchsorted(self.upto[row], place, side="right"))
        start = min(cell, self.upto.shape[1] - 1) * self.size
        blocks = self.blocks[start : start + self.size]
        before = int(self.upto[row, cell - 1]) if cell else 0
        step = int(np.searchsorted(np.cumsum(self.counts[row, blocks]), place - before, "right"))
        return float(self.values[min(start + step, len(self.values) - 1)])


def _stops(
    points: Sequence[Point],
    clouds: Sequence[tuple[Sequence[float], Sequence[float]]],
    better: Sides,
) -> list[tuple[float, float, float]]:
    """Return the band at even stops over the measured line; a stop few draws reach is left out."""
    pairs = [(point["x"], point["y"]) for point in points]
    line = [points[i] for i in frontier(pairs, better.x, better.y)]  # type: ignore[arg-type]
    if not line:
        return []
    low, high = line[0]["x"], line[-1]["x"]
    stops = [low + (high - low) * step / STOPS for step in range(STOPS + 1)]
    xs, ys = (np.array([cloud[axis] for cloud in clouds]).T for axis in (0, 1))
    drawn = [_heights(x, y, np.array(stops), better) for x, y in zip(xs, ys, strict=True)]
    seen = [column[~np.isnan(column)].tolist() for column in np.array(drawn).T]
    return [
        (stop, *interval(values))
        for stop, values in zip(stops, seen, strict=True)
        if len(values) >= DRAWS * 9 // 10
    ]


def _heights(x: Floats, y: Floats, stops: Floats, better: Sides) -> Floats:
    """Return the frontier's y of one draw at each stop; NaN outside it."""
    on = frontier_of(x, y, better.x, better.y)  # type: ignore[arg-type]
    return heights(x[on], y[on], stops)


def interval(values: list[float]) -> tuple[float, float]:
    """Return the ends of the 95 % interval of draws."""
    ordered = sorted(values)
    last = len(ordered) - 1
    return ordered[last * LOW // (DRAWS - 1)], ordered[last * HIGH // (DRAWS - 1)]
