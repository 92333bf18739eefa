"""Zoomed scales: as narrow as a reader wants, in few digits, never the wrong way round."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from explorer.domain.units import nice_ticks
from explorer.figures.curves_svg import tick_text
from explorer.figures.scales import Scale, scale, short, window, zoomed


@given(
    st.floats(1e-6, 1e9),
    st.floats(1e-9, 10.0),
    st.booleans(),
)
def test_a_range_keeps_its_order_and_a_thousandth_of_its_width(low, share, negative) -> None:
    high = low * (1 + share)
    if negative:
        low, high = -high, -low
    begin, end = short(low, high)
    assert begin < end
    assert abs(begin - low) <= max(1e-3 * (high - low), 1e-14 * abs(low))
    assert abs(end - high) <= max(1e-3 * (high - low), 1e-14 * abs(high))


def test_a_range_of_plain_numbers_has_four_digits() -> None:
    assert short(0.0512345, 4999.6) == (0.05123, 5000.0)
    assert short(0, 12.34567) == (0, 12.35)


def test_twelve_times_nearer_the_middle_is_still_there() -> None:
    for log in (False, True):
        now = scale([24.0, 25.0], log=log)
        middle = math.sqrt(now.low * now.high) if log else (now.low + now.high) / 2
        for _ in range(12):
            before, now = now, window(now, *zoomed(now, 0.5))
            assert before.low < now.low < middle < now.high < before.high


def test_ticks_of_a_narrow_range_differ_and_say_their_value() -> None:
    for low, high in ((0.2, 0.4), (1000, 1010), (24.2101, 24.2103), (1.2e6, 1.21e6), (3e8, 4e8)):
        ticks = nice_ticks(low, high)
        texts = [tick_text(tick) for tick in ticks]
        assert len(set(texts)) == len(ticks)
        said = [float(text.replace(",", "").removesuffix("M")) for text in texts]
        millions = [1e6 if text.endswith("M") else 1 for text in texts]
        for value, times, tick in zip(said, millions, ticks, strict=True):
            assert math.isclose(value * times, tick, rel_tol=1e-12)


def test_a_part_that_is_none_leaves_the_scale_whole() -> None:
    whole = Scale(0.0, 10.0, False, (0.0, 5.0, 10.0))
    assert window(whole, 11.0, None) is whole
