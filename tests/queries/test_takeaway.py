"""The headline is computed and true."""

from __future__ import annotations

import pytest

from explorer.queries.takeaway import takeaway


def curve(name, vertices):
    points = [{"x": x, "y": y, "on_frontier": True} for x, y in vertices]
    return {"curve_id": name, "points": points}


def test_one_leads_above_a_crossing():
    a = curve("a", [(0, 10), (10, 0)])
    b = curve("b", [(0, 6), (10, 4)])
    said = takeaway([a, b], True)
    assert said.code == "lead_cross"
    assert said.facts["high"] == "b"
    assert said.facts["low"] == "a"
    assert said.facts["x"] == pytest.approx(5.0)


def test_one_leads_wherever_they_meet():
    said = takeaway([curve("a", [(0, 10), (10, 8)]), curve("b", [(0, 5), (10, 4)])], True)
    assert said.code == "lead_all"
    assert said.facts["leader"] == "a"
    assert said.facts["ratio"] == pytest.approx(2.0)


def test_lower_is_better_turns_the_lead():
    said = takeaway([curve("a", [(0, 10), (10, 8)]), curve("b", [(0, 5), (10, 4)])], False)
    assert said.facts["leader"] == "b"


def test_curves_that_share_no_range_say_so():
    said = takeaway([curve("a", [(0, 1), (1, 0.5)]), curve("b", [(5, 1), (6, 0.5)])], True)
    assert said.code == "apart"


def test_one_curve_and_none():
    assert takeaway([curve("a", [(0, 1), (2, 0.5)])], True).code == "single"
    assert takeaway([], True).code == "none"
