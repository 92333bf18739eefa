"""Where a difference comes from: parts add up, and nothing is told that is not recorded."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.domain.difference import Spent, difference

PART = st.floats(0.001, 1000, allow_nan=False)


def spent(ttft: float, decode: float, **more: float | None) -> Spent:
    return Spent(ttft_s=ttft, decode_s=decode, **more)


@given(PART, PART, PART, PART, PART, PART)
def test_parts_add_up(a_ttft, a_decode, b_ttft, b_decode, a_steps, b_steps):
    one = spent(a_ttft, a_decode, steps=a_steps, queue_s=a_ttft / 3)
    two = spent(b_ttft, b_decode, steps=b_steps, queue_s=b_ttft / 2)
    found = difference(one, two)
    assert math.isclose(found.total_s, two.e2el_s - one.e2el_s, abs_tol=1e-9)
    assert math.isclose(found.queue_s + found.prefill_s, found.first_s, abs_tol=1e-9)
    assert math.isclose(found.length_s + found.speed_s, found.decode_s, abs_tol=1e-6)


@given(PART, PART, PART, PART)
def test_turning_the_sides_round_turns_the_sign_and_keeps_the_place(a, b, c, d):
    there, back = difference(spent(a, b), spent(c, d)), difference(spent(c, d), spent(a, b))
    assert there.total_s == -back.total_s
    assert there.place == back.place


def test_two_alike_have_no_place():
    assert difference(spent(1, 9), spent(1.2, 9.1)).place == "same"


@pytest.mark.parametrize(
    ("queues", "place"),
    [((None, 4.0), "first"), ((1.0, 4.8), "queue"), ((1.0, 1.2), "prefill"), ((1.0, 3.0), "first")],
)
def test_queue_is_told_only_where_both_recorded_it(queues, place):
    one, two = spent(2, 3, queue_s=queues[0]), spent(6, 3, queue_s=queues[1])
    assert difference(one, two).place == place


def test_decode_is_told_from_length():
    slow = difference(spent(1, 4, steps=100), spent(1, 8, steps=100))
    long = difference(spent(1, 4, steps=100), spent(1, 8, steps=200))
    assert (slow.place, slow.reason) == ("decode", "speed")
    assert (long.place, long.reason) == ("decode", "length")


@pytest.mark.parametrize(
    ("isl", "hits", "reason"),
    [((1000, 1000), (0.9, 0.1), "cache"), ((1000, 9000), (0.5, 0.5), "input"),
     ((1000, 1000), (0.5, 0.5), None), ((1000, 1000), (0.1, 0.9), None),
     ((1000, 1000), (1.0, 0.5), None)],
)  # fmt: skip
def test_computed_tokens_are_a_reason_only_in_the_direction_of_the_difference(isl, hits, reason):
    one = spent(2, 3, isl_tokens=isl[0], hit_ratio=hits[0])
    two = spent(9, 3, isl_tokens=isl[1], hit_ratio=hits[1])
    assert difference(one, two).reason == reason


def test_a_faster_start_and_a_slower_decode_are_opposed():
    assert difference(spent(5, 2), spent(2, 12)).place == "opposed"
    assert difference(spent(1, 5), spent(1, 9)).place == "decode"
    assert difference(spent(1, 5), spent(4, 8)).place == "mixed"
