"""The headline is computed and true."""

from __future__ import annotations

import pytest

from explorer.queries.takeaway import MOST, takeaway


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


def test_the_ratio_is_taken_where_curves_do_meet():
    """Two shared ranges with a gap between them: the middle of all is reached by one alone."""
    leader = curve("a", [(0, 10), (100, 1)])
    left, right = curve("b", [(0, 1), (10, 0.5)]), curve("c", [(95, 0.4), (100, 0.2)])
    said = takeaway([leader, left, right], True)
    assert said.code == "lead_all"
    assert said.facts["other"] == "b"
    assert said.facts["x"] == pytest.approx(5.0)
    assert said.facts["ratio"] == pytest.approx(9.55 / 0.75)


def test_a_curve_that_reaches_further_alone_leads_there():
    slow, fast = curve("slow", [(0, 10), (20, 9)]), curve("fast", [(10, 8), (40, 5)])
    crossing = curve("mid", [(0, 11), (12, 0)])
    said = takeaway([slow, fast, crossing], True)
    assert said.code == "lead_many"
    assert said.facts["high"] == "fast"
    assert said.facts["x"] == pytest.approx(20.0)


def test_points_without_a_vertex_are_not_nothing():
    beaten = {**curve("a", []), "points": [{"on_frontier": False}]}
    assert takeaway([beaten], True).code == "unranked"
    assert takeaway([curve("a", [])], True).code == "none"


def test_no_sentence_is_made_of_more_curves_than_one_can_read():
    many = [curve(f"c{n}", [(1.0, n + 1.0), (2.0, 200.0 - n)]) for n in range(MOST + 1)]
    assert takeaway(many[:MOST], True).code.startswith("lead")
    assert (takeaway(many, True).code, takeaway(many, True).facts["n"]) == ("crowded", MOST + 1)
