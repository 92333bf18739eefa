"""The frontier against brute force, and its laws."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.domain.frontier import frontier, heights, interpolate, merge

DIRECTIONS = [(x, y) for x in ("higher", "lower") for y in ("higher", "lower")]
VALUE = st.one_of(
    st.none(),
    st.sampled_from([0.0, 1.0, 2.0, 3.0, math.nan, math.inf]),
    st.floats(-1e6, 1e6, allow_nan=False),
)
PAIRS = st.lists(st.tuples(VALUE, VALUE), max_size=24)


def usable(pair):
    return all(value is not None and math.isfinite(value) for value in pair)


def at_least(a, b, direction):
    return a >= b if direction == "higher" else a <= b


def beats(a, b, directions):
    good = all(at_least(a[i], b[i], directions[i]) for i in (0, 1))
    return good and (a[0] != b[0] or a[1] != b[1])


def brute_force(pairs, directions):
    rows = [i for i, pair in enumerate(pairs) if usable(pair)]
    return {i for i in rows if not any(beats(pairs[j], pairs[i], directions) for j in rows)}


@settings(max_examples=2500, deadline=None)
@given(PAIRS, st.sampled_from(DIRECTIONS))
def test_frontier_equals_brute_force(pairs, directions):
    assert set(frontier(pairs, *directions)) == brute_force(pairs, directions)


@settings(max_examples=300, deadline=None)
@given(PAIRS, st.sampled_from(DIRECTIONS), st.randoms())
def test_frontier_does_not_depend_on_order(pairs, directions, random):
    shuffled = list(pairs)
    random.shuffle(shuffled)
    first = sorted(pairs[i] for i in frontier(pairs, *directions))
    second = sorted(shuffled[i] for i in frontier(shuffled, *directions))
    assert first == second


@settings(max_examples=300, deadline=None)
@given(PAIRS, PAIRS, st.sampled_from(DIRECTIONS))
def test_merging_frontiers_is_the_frontier_of_the_union(a, b, directions):
    a, b = ([pair for pair in part if usable(pair)] for part in (a, b))
    parts = [[part[i] for i in frontier(part, *directions)] for part in (a, b)]
    union = [*a, *b]
    assert merge(parts, *directions) == [union[i] for i in frontier(union, *directions)]


def test_frontier_keeps_ties_at_equal_interactivity():
    pairs = [(50.0, 100.0), (50.0, 100.0), (50.0, 90.0)]
    assert frontier(pairs, "higher", "higher") == [0, 1]


def test_concurrency_as_an_axis_keeps_every_load_point():
    pairs = [(1.0, 10.0), (2.0, 5.0), (4.0, 20.0), (None, 3.0)]
    assert frontier(pairs, "none", "higher") == [0, 1, 2]


def test_missing_and_infinite_values_never_win():
    pairs = [(None, 1e9), (math.inf, 5.0), (math.nan, 5.0), (1.0, 1.0)]
    assert frontier(pairs, "higher", "higher") == [3]


@pytest.mark.parametrize(
    ("x", "expected"), [(1.0, 10.0), (2.0, 15.0), (3.0, 20.0), (0.5, None), (3.1, None)]
)
def test_interpolation_stays_on_segments_and_inside_the_range(x, expected):
    assert interpolate([(1.0, 10.0), (3.0, 20.0)], x) == expected


def test_ten_thousand_random_sets_equal_brute_force():
    """Few values make many ties; nulls, zeros and not-a-numbers stand among them."""
    random = Random(11)
    values = [None, math.nan, math.inf, 0.0, *(float(n) for n in range(6))]
    for number in range(10_000):
        directions = DIRECTIONS[number % 4]
        size = random.randint(0, 12)
        pairs = [(random.choice(values), random.choice(values)) for _ in range(size)]
        assert set(frontier(pairs, *directions)) == brute_force(pairs, directions), pairs


@given(
    st.lists(st.tuples(st.integers(0, 9).map(float), st.floats(-1e6, 1e6)), max_size=9).map(sorted),
    st.lists(st.floats(-2, 12), min_size=1, max_size=9),
)
def test_many_heights_are_those_of_one_after_the_other(vertices, at):
    x, y = (np.array([vertex[axis] for vertex in vertices]) for axis in (0, 1))
    found = heights(x, y, np.array([*at, 3.0]))
    expected = [interpolate(vertices, one) for one in (*at, 3.0)]
    assert [None if math.isnan(one) else one for one in found.tolist()] == expected
