"""Server counters and gauges on one grid, against generators that know the truth."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import pytest

from explorer.domain import counters
from explorer.domain.counters import Samples, samples

PERIOD_S = 1.0
END_S = 600.0


@dataclass
class Truth:
    """A generated engine: what it did by the second, and what its scrapes show of it."""

    gains: dict[str, np.ndarray]
    seen: dict[str, Samples]


def engine(dice: random.Random, *, restart: bool, gap: bool, offset: float) -> Truth:
    """Return an engine with two counters that restart together, scraped every second or so."""
    n = int(END_S)
    gains = {
        "hit": np.array([dice.randrange(0, 3000) for _ in range(n)], float),
        "miss": np.array([dice.randrange(1, 900) for _ in range(n)], float),
    }
    reset = dice.choice((80, 300, 520)) if restart else None
    hole = range(120, 160) if gap else range(0)
    return Truth(gains, scraped(dice, gains, offset, reset, hole))


def scraped(
    dice: random.Random,
    gains: dict[str, np.ndarray],
    offset: float,
    reset: int | None = None,
    hole: range = range(0),
) -> dict[str, Samples]:
    """Return what scrapes on a clock of their own show of an engine's counters."""
    n = int(END_S)
    times = [offset + second * PERIOD_S + dice.uniform(-0.05, 0.05) for second in range(n + 1)]
    seen = {}
    for name, gain in gains.items():
        total = np.concatenate([[0.0], np.cumsum(gain)])
        if reset is not None:
            total[reset:] -= total[reset]
        kept = [index for index in range(n + 1) if index not in hole]
        seen[name] = samples([times[i] for i in kept], [float(total[i]) for i in kept])
    return seen


def repeated(dice: random.Random, one: Truth, restarted: bool) -> list[Truth]:
    """Return what else shows the same engine: its other ranks, or a second API server of it.

    A second server's clock is its own, so across a restart nothing tells it from another engine.
    """
    how = dice.choice(("alone", "ranks", "mirror"))
    if how == "ranks":
        return [Truth(one.gains, dict(one.seen)) for _ in range(dice.randrange(1, 4))]
    if how == "mirror" and not restarted:
        return [Truth(one.gains, scraped(dice, one.gains, dice.uniform(0, 0.4)))]
    return []


def counted(engines: list[Truth]) -> list[Truth]:
    """Return the engines that count: those that no other repeats in both of its counters."""
    kept = [
        set(counters.without_mirrors({index: one.seen[name] for index, one in enumerate(engines)}))
        for name in ("hit", "miss")
    ]
    return [engines[index] for index in sorted(kept[0] | kept[1])]


@pytest.mark.parametrize("block", range(10))
def test_a_thousand_counter_sets_keep_sums_ratios_and_signs(block: int) -> None:
    for seed in range(block * 100, block * 100 + 100):
        dice = random.Random(seed)
        own, seen = [], []
        for _ in range(dice.randrange(1, 5)):
            restart, gap = dice.random() < 0.3, dice.random() < 0.3
            one = engine(dice, restart=restart, gap=gap, offset=dice.uniform(0, 0.4))
            own.append(one)
            seen += [one, *repeated(dice, one, restart)]
        engines = counted(seen)
        assert [id(one) for one in engines] == [id(one) for one in own], seed
        at = counters.edges(0.0, END_S + 1, dice.choice((7, 60, 240)))
        shares, total = _shares(engines, at)
        for share in shares.values():
            known = share[np.isfinite(share)]
            assert np.all((known >= 0) & (known <= 1)), seed
        sums = np.sum(list(shares.values()), axis=0)
        assert np.allclose(sums[np.isfinite(sums)], 1.0), seed
        assert not np.any(total < 0), seed
        _check_sums(engines, seed)


def _shares(engines: list[Truth], at: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
    parts = {}
    for name in ("hit", "miss"):
        rows = [counters.increments(one.seen[name], at) for one in engines]
        alive = [counters.alive(one.seen[name], at) for one in engines]
        parts[name] = counters.sum_of(rows, alive)
    total = parts["hit"] + parts["miss"]
    return counters.ratios(parts, total), total


def _check_sums(engines: list[Truth], seed: int) -> None:
    truth = sum(gain.sum() for one in engines for gain in one.gains.values())
    found = sum(counters.increase(seen) for one in engines for seen in one.seen.values())
    restarts = sum(bool((np.diff(one.seen["hit"].value) < 0).any()) for one in engines)
    lost = restarts * 3900  # at most one second of both counters is unseen at each restart
    assert truth - lost - 1e-6 <= found <= truth + 1e-6, seed
    assert found == pytest.approx(truth, rel=0.005), seed


def test_cells_add_up_to_the_whole_increase() -> None:
    one = samples([0, 1, 2, 3, 4], [0, 10, 30, 30, 90])
    assert counters.increments(one, np.linspace(0, 4, 9)).sum() == pytest.approx(90)


def test_a_drop_is_a_restart_and_its_interval_is_not_known() -> None:
    one = samples([0, 1, 2, 3], [100, 160, 20, 50])
    gained = counters.increments(one, np.array([0.0, 1.0, 2.0, 3.0]))
    assert gained[0] == 60
    assert np.isnan(gained[1])
    assert gained[2] == 30
    assert counters.increase(one) == 60 + 20 + 30


def test_baseline_is_the_last_scrape_at_or_before_the_start() -> None:
    one = samples([-1.5, -0.5, 1.0, 2.0], [5, 7, 20, 22])
    assert counters.increase(one, 0.0, 2.0) == 22 - 7


def test_a_gap_is_a_gap_only_where_an_edge_lies_inside_it() -> None:
    t = [0, 1, 2, 3, 20, 21, 22]
    one = samples(t, [0, 1, 2, 3, 20, 21, 22])
    fine = counters.increments(one, np.arange(0.0, 23.0))
    assert np.isnan(fine[3:20]).all()
    coarse = counters.increments(one, np.array([0.0, 22.0]))
    assert coarse.tolist() == [22.0]


def test_silence_in_a_file_that_leaves_unchanged_scrapes_out_is_no_change() -> None:
    one = samples([0, 1, 2, 3, 20, 21], [0, 1, 2, 3, 4, 5], silent=True)
    gained = counters.increments(one, np.arange(0.0, 22.0))
    assert np.isfinite(gained).all()
    assert gained[3:19].sum() == 0
    assert gained[19] == pytest.approx(1.0)


def test_a_gauge_is_held_five_gaps_and_then_unknown() -> None:
    one = samples([0, 1, 2, 3, 20], [0.5, 0.5, 0.5, 0.5, 0.9])
    mean = counters.held_mean(one, np.array([0.0, 3.0, 8.0, 9.0, 19.0, 20.5]))
    assert mean[:2].tolist() == [0.5, 0.5]
    assert np.isnan(mean[2:4]).all()
    assert mean[4] == pytest.approx(0.9)


def test_a_gauge_cell_weighs_levels_by_time() -> None:
    one = samples([0, 1, 4], [1.0, 2.0, 3.0])
    assert counters.held_mean(one, np.array([0.0, 4.0])).tolist() == [(1 + 2 * 3) / 4]


def test_the_sum_is_unknown_while_an_engine_that_lives_is_unknown() -> None:
    rows = [np.array([1.0, np.nan, 3.0]), np.array([10.0, 10.0, np.nan])]
    lives = [np.array([True, True, True]), np.array([True, True, False])]
    assert counters.sum_of(rows, lives)[[0, 2]].tolist() == [11.0, 3.0]
    assert np.isnan(counters.sum_of(rows, lives)[1])


def test_the_mean_is_over_the_engines_that_are_known() -> None:
    rows = [np.array([0.2, np.nan, np.nan]), np.array([0.4, 0.6, np.nan])]
    assert counters.mean_of(rows)[:2] == pytest.approx([0.3, 0.6])
    assert np.isnan(counters.mean_of(rows)[2])


def test_two_api_servers_that_mirror_one_engine_count_once() -> None:
    dice = random.Random(3)
    total = np.cumsum([dice.randrange(1, 500) for _ in range(120)]).astype(float)
    even = samples(np.arange(0, 120, 2), total[0::2])
    odd = samples(np.arange(1, 120, 2), total[1::2])
    other = samples(np.arange(0, 120, 2), np.cumsum([dice.randrange(1, 500) for _ in range(60)]))
    assert counters.without_mirrors({"a": even, "b": odd, "c": other}) == ["a", "c"]


def test_engines_that_idle_alike_are_no_mirrors() -> None:
    idle = samples(range(50), [0.0] * 50)
    assert counters.without_mirrors({"a": idle, "b": idle}) == ["a", "b"]


def test_equal_times_keep_the_last_value_and_nan_is_left_out() -> None:
    one = samples([1, 0, 1, 2], [5, 1, 6, float("nan")])
    assert one.t_s.tolist() == [0, 1]
    assert one.value.tolist() == [1, 6]


@pytest.mark.parametrize(("budget", "finest", "cells"), [(10, 0, 10), (100, 1, 60), (5, 30, 2)])
def test_edges_respect_budget_and_finest_cell(budget: int, finest: float, cells: int) -> None:
    at = counters.edges(0.0, 60.0, budget, finest)
    assert len(at) - 1 == cells
    assert (at[0], at[-1]) == (0.0, 60.0)


def test_nothing_recorded_is_nan_not_zero() -> None:
    none = samples([], [])
    at = np.array([0.0, 1.0, 2.0])
    assert np.isnan(counters.increments(none, at)).all()
    assert np.isnan(counters.held_mean(none, at)).all()
    assert not counters.alive(none, at).any()
