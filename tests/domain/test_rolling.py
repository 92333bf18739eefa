"""Rolling percentiles, levels and spreads against slow definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.domain import rolling

TIMES = st.lists(st.integers(0, 500), min_size=1, max_size=80)


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(1, 10_000)), min_size=1, max_size=120))
def test_percentiles_equal_numpy_over_each_window(pairs: list[tuple[int, int]]) -> None:
    pairs.sort()
    t_s = np.array([t for t, _ in pairs], float)
    value = np.array([v for _, v in pairs], float)
    found = rolling.percentiles(t_s, value, np.arange(len(t_s)), 30.0, (0.5, 0.9))
    for index, now in enumerate(t_s):
        inside = value[(t_s > now - 30) & (t_s <= now)]
        if len(inside) < rolling.MINIMUM:
            assert np.isnan(found[:, index]).all()
        else:
            assert found[:, index] == pytest.approx(np.quantile(inside, (0.5, 0.9)), rel=1e-12)


@given(TIMES, st.integers(1, 20))
def test_positions_fit_the_budget_and_keep_the_last(times: list[int], budget: int) -> None:
    t_s = np.sort(np.array(times, float))
    at = rolling.positions(t_s, budget)
    assert len(at) <= max(budget, 1)
    assert at[-1] == len(t_s) - 1
    assert (np.diff(at) > 0).all()


def test_an_end_counts_before_a_start_at_the_same_time() -> None:
    t_s, height = rolling.level(np.array([0.0, 5.0]), np.array([5.0, 9.0]), np.array([10.0, 7.0]))
    assert t_s.tolist() == [0.0, 5.0, 9.0]
    assert height.tolist() == [10.0, 7.0, 0.0]


def test_peaks_carry_the_level_that_a_cell_begins_with() -> None:
    t_s, height = np.array([0.0, 2.5, 3.0]), np.array([4.0, 9.0, 1.0])
    assert rolling.peaks(t_s, height, np.array([0.0, 2.0, 4.0, 6.0])).tolist() == [4.0, 9.0, 1.0]


@given(
    st.lists(
        st.tuples(st.integers(0, 90), st.integers(0, 30), st.integers(0, 5000)),
        min_size=1,
        max_size=40,
    )
)
def test_spread_keeps_the_whole_amount(spans: list[tuple[int, int, int]]) -> None:
    start = np.array([a for a, _, _ in spans], float)
    end = start + np.array([b for _, b, _ in spans], float)
    amount = np.array([c for _, _, c in spans], float)
    found = rolling.spread(start, end, amount, np.linspace(-1, 130, 50))
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(amount.sum(), rel=1e-6, abs=1e-3)


def test_window_is_thirty_seconds_or_a_120th() -> None:
    assert rolling.window_s(600) == 30
    assert rolling.window_s(7200) == 60
