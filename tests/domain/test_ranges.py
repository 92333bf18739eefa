"""Ranges of request quantities: round trips over all of them, and what is none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explorer.domain.ranges import COLUMNS, Range, format, parse

END = st.none() | st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def some_ranges(draw):
    columns = draw(st.lists(st.sampled_from(COLUMNS), unique=True, min_size=1))
    found = []
    for column in sorted(columns, key=COLUMNS.index):
        low, high = draw(END), draw(END)
        if low is None and high is None:
            low = 0.0
        if low is not None and high is not None and low > high:
            low, high = high, low
        found.append(Range(column, low, high))
    return tuple(found)


@given(some_ranges())
def test_ranges_survive_their_text(ranges):
    assert parse(format(ranges)) == ranges


def test_order_in_the_text_is_no_difference():
    assert parse("ttft_s:1..2;isl_tokens:5..") == parse("isl_tokens:5..;ttft_s:1..2")


def test_what_is_no_range_is_none():
    for text in ("ttft_s:1", "ttft_s:..", "ttft_s:2..1", "x:1..2", "ttft_s:1..2;", "ttft_s:.....1"):
        assert parse(text) is None, text
