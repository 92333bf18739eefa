"""Numbers as people read them."""

from __future__ import annotations

import pytest

from explorer.domain.units import log_ticks, nice_ticks, number, with_unit


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3801.4, "3,801"),
        (66.24, "66.2"),
        (0.00770008, "0.00770"),
        (0.0, "0"),
        (None, "–"),
        (float("nan"), "–"),
    ],
)
def test_number(value, text):
    assert number(value) == text


def test_units_stand_beside():
    assert with_unit(0.4794, "ratio") == "47.9 %"
    assert with_unit(0.126, "$/Mtok") == "$0.126 /Mtok"
    assert with_unit(None, "s") == "–"


def test_ticks_are_round_and_cover():
    assert nice_ticks(0, 134) == [0, 50, 100, 150]
    assert nice_ticks(0, 9776)[0] == 0
    assert nice_ticks(0, 9776)[-1] >= 9776
    assert log_ticks(0.5, 40)[0] <= 0.5
