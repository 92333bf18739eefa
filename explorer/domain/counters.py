"""Server series onto one clock: restarts, gaps, mirrors, step-hold sums (metrics.md, series).

All functions take and return numpy arrays; times are seconds, ascending; NaN is "not known".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Name = TypeVar("Name")

GAP_FACTOR = 5.0
"""A hole of more than this many median gaps is drawn as one."""
MIRROR_MINIMUM = 8
"""Fewer distinct values than this prove no mirror."""


@dataclass(frozen=True, slots=True)
class Samples:
    """One engine's samples of one series; equal times keep the last value.

    `silent` says that the file leaves unchanged scrapes out, so that silence means no change;
    `gap_s` is the median time between samples.
    """

    t_s: Floats
    value: Floats
    silent: bool = False
    gap_s: float = 0.0

    def __len__(self) -> int:
        return len(self.t_s)


def samples(t_s: Iterable[float], value: Iterable[float], *, silent: bool = False) -> Samples:
    """Return samples in time order without NaN; of equal times the last one counts."""
    t = np.asarray(t_s, dtype=np.float64)
    v = np.asarray(value, dtype=np.float64)
    known = np.isfinite(t) & np.isfinite(v)
    if known.all() and (np.diff(t) > 0).all():
        return Samples(t, v, silent, median_gap_s(t))
    t, v = t[known], v[known]
    order = np.argsort(t, kind="stable")
    t, v = t[order], v[order]
    last = np.append(t[1:] != t[:-1], True) if len(t) else np.zeros(0, dtype=bool)
    return Samples(t[last], v[last], silent, median_gap_s(t[last]))


def median_gap_s(t_s: Floats) -> float:
    """Return the median time between samples in s; 0 for fewer than two."""
    return _median_gap_s(t_s.tobytes()) if len(t_s) > 1 else 0.0


@lru_cache(maxsize=64)
def _median_gap_s(clock: bytes) -> float:
    """Engines that are scraped together share a clock, and many series of one do."""
    return float(np.median(np.diff(np.frombuffer(clock))))


def hold_s(one: Samples) -> float:
    """Return how long a sample stays true in s: five median gaps, for ever in a silent file."""
    return np.inf if one.silent else GAP_FACTOR * one.gap_s


def edges(from_s: float, to_s: float, budget: int, finest_s: float = 0.0) -> Floats:
    """Return cell edges from `from_s` to `to_s`: at most `budget` equal cells, none finer."""
    span = max(to_s - from_s, 1e-9)
    cells = max(1, budget)
    if finest_s > 0:
        cells = max(1, min(cells, int(span / finest_s)))
    return np.linspace(from_s, to_s, cells + 1)


def cumulative(value: Floats) -> Floats:
    """Return a counter's increase since its first sample, along the last axis; a drop is a
    restart from 0.
    """
    if value.shape[-1] == 0:
        return np.zeros(value.shape)
    step = np.diff(value)
    total = np.zeros(value.shape)
    np.cumsum(np.where(step < 0, value[..., 1:], step), axis=-1, out=total[..., 1:])
    return total


def increase(one: Samples, from_s: float = -np.inf, to_s: float = np.inf) -> float:
    """Return what a counter gained in a window.

    The baseline is the last sample at or before the window's start, else the first inside.
    """
    if len(one) == 0:
        return 0.0
    total = cumulative(one.value)
    first = max(int(np.searchsorted(one.t_s, from_s, side="right")) - 1, 0)
    last = int(np.searchsorted(one.t_s, to_s, side="right")) - 1
    return float(total[last] - total[first]) if last > first else 0.0


def increments(one: Samples, at: Floats) -> Floats:
    """Return a counter's gain in each cell between the edges `at`; NaN where it is not known.

    Between two scrapes the rate is even. A cell is NaN when it touches a restart, or when one of
    its edges lies in a gap; cells outside the engine's life gain 0. Never negative.
    """
    return increments_of([one], at)[0]


def held_mean(one: Samples, at: Floats) -> Floats:
    """Return a gauge's time-weighted mean in each cell between the edges `at`; NaN when unknown."""
    return held_means([one], at)[0]


def increments_of(many: Sequence[Samples], at: Floats) -> list[Floats]:
    """Return the `increments` of several counters; those scraped together are cut together."""
    return _together(many, lambda group: _increments(group, at))


def held_means(many: Sequence[Samples], at: Floats) -> list[Floats]:
    """Return the `held_mean` of several gauges; those scraped together are cut together."""
    return _together(many, lambda group: _held_means(group, at))


def _together(many: Sequence[Samples], cut: Callable[[Sequence[Samples]], Floats]) -> list[Floats]:
    """Return each one's row of a cut that is made once for all that share their clock."""
    groups: dict[tuple[bytes, bool], list[int]] = {}
    for index, one in enumerate(many):
        groups.setdefault((one.t_s.tobytes(), one.silent), []).append(index)
    rows: dict[int, Floats] = {}
    for group in groups.values():
        rows.update(zip(group, cut([many[index] for index in group]), strict=True))
    return [rows[index] for index in range(len(many))]


def _increments(group: Sequence[Samples], at: Floats) -> Floats:
    """Return (counters, cells) of gains of counters on one clock."""
    if len(group[0]) < 2:
        return np.full((len(group), len(at) - 1), np.nan)
    t_s, value = _unsilenced(group)
    gain = np.diff(_interpolated(at, t_s, cumulative(value)))
    hold = hold_s(group[0])
    gap = (np.diff(t_s) > hold) if np.isfinite(hold) else np.zeros(len(t_s) - 1, dtype=bool)
    unknown = np.broadcast_to(_edge_inside(t_s, gap, at), gain.shape).copy()
    for counter, index in zip(*np.nonzero(np.diff(value) < 0), strict=True):
        unknown[counter] |= (at[:-1] < t_s[index + 1]) & (at[1:] > t_s[index])
    return np.where(unknown, np.nan, gain)


def _unsilenced(group: Sequence[Samples]) -> tuple[Floats, Floats]:
    """Return the clock and the values, with left-out scrapes just before each change put back."""
    t_s, value = group[0].t_s, np.vstack([one.value for one in group])
    gap = group[0].gap_s
    late = np.flatnonzero(np.diff(t_s) > 2 * gap) + 1
    if not group[0].silent or gap == 0 or len(late) == 0:
        return t_s, value
    t = np.concatenate([t_s, t_s[late] - gap])
    order = np.argsort(t, kind="stable")
    return t[order], np.concatenate([value, value[:, late - 1]], axis=1)[:, order]


def _interpolated(at: Floats, x: Floats, y: Floats) -> Floats:
    """Return rows of y at the places `at`, straight between the points x, level outside them."""
    below = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
    wide = x[below + 1] - x[below]
    share = np.divide(at - x[below], wide, out=np.zeros(len(at)), where=wide > 0)
    share = np.clip(share, 0.0, 1.0)
    return y[..., below] + (y[..., below + 1] - y[..., below]) * share


def _edge_inside(t_s: Floats, gap: NDArray[np.bool_], at: Floats) -> NDArray[np.bool_]:
    """Tell which cells have an edge inside a gap of the clock."""
    between = np.searchsorted(t_s, at, side="right") - 1
    known = (between >= 0) & (between < len(gap))
    inside = known & gap[np.clip(between, 0, len(gap) - 1)] & (at > t_s[np.clip(between, 0, None)])
    return inside[:-1] | inside[1:]


def _held_means(group: Sequence[Samples], at: Floats) -> Floats:
    """Return (gauges, cells) of time-weighted means of gauges on one clock."""
    one = group[0]
    if len(one) == 0:
        return np.full((len(group), len(at) - 1), np.nan)
    stale = GAP_FACTOR * one.gap_s
    end = np.append(one.t_s[1:], one.t_s[-1] + stale)
    end = np.minimum(end, one.t_s + max(hold_s(one), stale))
    level = np.vstack([*(each.value for each in group), np.ones(len(one))])
    *area, known = _integral(one.t_s, end, level, at)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(known > 1e-9 * np.diff(at), np.vstack(area) / known, np.nan)


def _integral(start: Floats, end: Floats, level: Floats, at: Floats) -> Floats:
    """Return ∫ of piecewise constant rows over each cell (0 between their spans)."""
    knots = np.column_stack([start, end]).ravel()
    reached = np.zeros((len(level), len(knots)))
    reached[:, 1::2] = np.cumsum(level * (end - start), axis=1)
    reached[:, 2::2] = reached[:, 1:-1:2]
    return np.diff(_interpolated(at, knots, reached))


def mean_of(rows: Sequence[Floats]) -> Floats:
    """Return the mean over engines of what is known; NaN where nothing is."""
    stacked = np.vstack(rows)
    known = np.isfinite(stacked).sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.where(known > 0, np.nansum(stacked, axis=0) / known, np.nan)


def sum_of(rows: Sequence[Floats], alive: Sequence[NDArray[np.bool_]]) -> Floats:
    """Return the sum over engines; NaN where an engine that was alive is not known."""
    lives = np.vstack(alive)
    total = np.where(lives, np.vstack(rows), 0.0).sum(axis=0)
    return np.where(lives.any(axis=0), total, np.nan)


def alive(one: Samples, at: Floats) -> NDArray[np.bool_]:
    """Tell in which cells between the edges `at` an engine was scraped, first to last sample."""
    if len(one) == 0:
        return np.zeros(len(at) - 1, dtype=bool)
    return (at[1:] > one.t_s[0]) & (at[:-1] < one.t_s[-1])


def ratios(parts: Mapping[str, Floats], total: Floats) -> dict[str, Floats]:
    """Return each part's share of the total per cell, 0–1; NaN where nothing was counted."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            name: np.where(total > 0, np.clip(part / total, 0.0, 1.0), np.nan)
            for name, part in parts.items()
        }


def mirrored(one: Samples, other: Samples) -> bool:
    """Tell whether two counters are one, read through two API servers.

    Each must lie between the other's neighbouring samples all along and have gained something in
    at least eight distinct steps: two engines that merely idle alike are no mirrors.
    """
    if np.array_equal(one.t_s, other.t_s) and not np.array_equal(one.value, other.value):
        return False  # scraped together, neither can lie between two of the other's
    if min(len(np.unique(one.value)), len(np.unique(other.value))) < MIRROR_MINIMUM:
        return False
    return _within(one, other) and _within(other, one)


def _within(one: Samples, other: Samples) -> bool:
    """Tell whether `one` lies between the samples of `other` that surround each of its times."""
    inside = (one.t_s >= other.t_s[0]) & (one.t_s <= other.t_s[-1])
    if inside.sum() < MIRROR_MINIMUM:
        return False
    t, v = one.t_s[inside], one.value[inside]
    before = other.value[np.searchsorted(other.t_s, t, side="right") - 1]
    after = other.value[np.minimum(np.searchsorted(other.t_s, t), len(other) - 1)]
    return bool(np.all((v >= np.minimum(before, after)) & (v <= np.maximum(before, after))))


def without_mirrors(engines: Mapping[Name, Samples]) -> list[Name]:
    """Return the engines to count, in order: of mirrored counters the first only."""
    kept: list[Name] = []
    for name, one in engines.items():
        if not any(mirrored(one, engines[other]) for other in kept):
            kept.append(name)
    return kept
