"""A lognormal beside the data: what it is fitted to, what it expects, how far it is off."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.domain.lognormal import FEWEST, Lognormal, distance, fit

QUANTILES = [NormalDist(3.0, 0.5).inv_cdf((i + 0.5) / 2000) for i in range(2000)]
SAMPLES = [math.exp(value) for value in QUANTILES]


def test_the_fit_finds_the_parameters_of_lognormal_samples():
    found = fit(SAMPLES)
    assert found is not None
    assert found.mu == pytest.approx(3.0, abs=1e-9)
    assert found.sigma == pytest.approx(0.5, rel=0.01)
    assert found.median == pytest.approx(math.exp(3))


def test_few_or_equal_samples_have_no_fit():
    assert fit([1.0, 2.0] * (FEWEST // 2 - 1)) is None
    assert fit([7.0] * FEWEST) is None


@given(st.lists(st.floats(0.01, 1e6), min_size=FEWEST, max_size=60))
def test_the_distribution_function_rises_from_0_to_1(values):
    model = fit(values)
    if model is None:
        return
    shares = [model.cdf(x) for x in (-1.0, 0.0, 1e-9, *sorted(values), 1e12)]
    assert shares == sorted(shares)
    assert shares[0] == shares[1] == 0.0
    assert shares[-1] <= 1.0


def test_expected_counts_of_all_bins_are_all_samples():
    edges = [0.0, 5.0, 20.0, 60.0, 1e9]
    expected = Lognormal(3.0, 0.5).expected(edges, 1000)
    assert sum(expected) == pytest.approx(1000)
    assert expected[2] == pytest.approx(
        1000 * (NormalDist(3, 0.5).cdf(math.log(60)) - NormalDist(3, 0.5).cdf(math.log(20)))
    )


def test_distance_is_small_for_the_model_itself_and_large_for_another():
    edges = [math.exp(1 + 0.25 * i) for i in range(17)]
    counts = [sum(low < x <= high for x in SAMPLES) for low, high in pairwise(edges)]
    assert distance(Lognormal(3.0, 0.5), edges, counts) < 0.01
    assert distance(Lognormal(4.0, 0.5), edges, counts) == pytest.approx(0.683, abs=0.02)
