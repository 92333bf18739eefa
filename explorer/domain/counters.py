"""Server series onto one clock: restarts, gaps, mirrors, step-hold sums (metrics.md, series).

All functions take and return numpy arrays; times are seconds, ascending; NaN is "not known".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
    t, v = t[known], v[known]
    order = np.argsort(t, kind="stable")
    t, v = t[order], v[order]
    last = np.append(t[1:] != t[:-1], True) if len(t) else np.zeros(0, dtype=bool)
    return Samples(t[last], v[last], silent, median_gap_s(t[last]))


def median_gap_s(t_s: Floats) -> float:
    """Return the median time between samples in s; 0 for fewer than two."""
    return float(np.median(np.diff(t_s))) if len(t_s) > 1 else 0.0


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
    """Return a counter's increase since its first sample; a drop is a restart from 0."""
    if len(value) == 0:
        return np.zeros(0)
    step = np.diff(value)
    return np.concatenate([[0.0], np.cumsum(np.where(step < 0, value[1:], step))])


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


def _unsilenced(one: Samples) -> Samples:
    """Return samples with the left-out scrapes just before each change put back."""
    gap = one.gap_s
    late = np.flatnonzero(np.diff(one.t_s) > 2 * gap) + 1
    if not one.silent or gap == 0 or len(late) == 0:
        return one
    t = np.concatenate([one.t_s, one.t_s[late] - gap])
    v = np.concatenate([one.value, one.value[late - 1]])
    order = np.argsort(t, kind="stable")
    return Samples(t[order], v[order], True, gap)


def increments(one: Samples, at: Floats) -> Floats:
    """Return a counter's gain in each cell between the edges `at`; NaN where it is not known.

    Between two scrapes the rate is even. A cell is NaN when it touches a restart, or when one of
    its edges lies in a gap; cells outside the engine's life gain 0. Never negative.
    """
    if len(one) < 2:
        return np.full(len(at) - 1, np.nan)
    full = _unsilenced(one)
    gain = np.diff(np.interp(at, full.t_s, cumulative(full.value)))
    return np.where(_unknown(full, hold_s(one), at), np.nan, gain)


def _unknown(one: Samples, hold: float, at: Floats) -> NDArray[np.bool_]:
    """Tell which cells touch a restart or have an edge inside a gap."""
    start, end = one.t_s[:-1], one.t_s[1:]
    restart = np.diff(one.value) < 0
    gap = (end - start) > hold if np.isfinite(hold) else np.zeros(len(start), dtype=bool)
    bad = np.zeros(len(at) - 1, dtype=bool)
    for index in np.flatnonzero(restart):
        bad |= (at[:-1] < end[index]) & (at[1:] > start[index])
    for index in np.flatnonzero(gap):
        inside = (at > start[index]) & (at < end[index])
        bad |= inside[:-1] | inside[1:]
    return bad


def held_mean(one: Samples, at: Floats) -> Floats:
    """Return a gauge's time-weighted mean in each cell between the edges `at`; NaN when unknown."""
    if len(one) == 0:
        return np.full(len(at) - 1, np.nan)
    start, end, value = _held_spans(one)
    area, known = (_integral(start, end, level, at) for level in (value, np.ones(len(value))))
    width = np.diff(at)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(known > 1e-9 * width, area / known, np.nan)


def _held_spans(one: Samples) -> tuple[Floats, Floats, Floats]:
    """Return from when to when each sample is true, and its value."""
    stale = GAP_FACTOR * one.gap_s
    end = np.append(one.t_s[1:], one.t_s[-1] + stale)
    return one.t_s, np.minimum(end, one.t_s + max(hold_s(one), stale)), one.value


def _integral(start: Floats, end: Floats, level: Floats, at: Floats) -> Floats:
    """Return ∫ of a piecewise constant function over each cell (0 between its spans)."""
    knots = np.column_stack([start, end]).ravel()
    pieces = np.column_stack([np.zeros(len(start)), level * (end - start)]).ravel()
    return np.diff(np.interp(at, knots, np.cumsum(pieces)))


def mean_of(rows: Sequence[Floats]) -> Floats:
    """Return the mean over engines of what is known; NaN where nothing is."""
    stacked = np.vstack(rows)
    known = np.isfinite(stacked).sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.where(known > 0, np.nansum(stacked, axis=0) / known, np.nan)


def sum_of(rows: Sequence[Floats], alive: Sequence[NDArray[np.bool_]]) -> Floats:
    """Return the sum over engines; NaN where an engine that was alive is not known."""
    known = [np.where(lives, row, 0.0) for row, lives in zip(rows, alive, strict=True)]
    nobody = ~np.vstack(alive).any(axis=0)
    return np.where(nobody, np.nan, np.sum(known, axis=0))


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
