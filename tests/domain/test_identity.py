"""Ids come from content alone."""

from __future__ import annotations

from explorer.domain.identity import point_id, revision


def test_point_id_is_a_published_constant():
    assert point_id({"benchmark_id": "9a60c5ccea10"}) == point_id({"benchmark_id": "9a60c5ccea10"})
    assert point_id({"b": 1, "a": "x"}) == point_id({"a": "x", "b": 1})
    assert len(point_id({})) == 12
    assert point_id({"benchmark_id": "9a60c5ccea10"}) == "msfytjuodp73"


def test_revision_ignores_noise_below_the_twelfth_digit():
    assert revision({"a": 1.0000000000001}) == revision({"a": 1.0})
    assert revision({"a": 1.0001}) != revision({"a": 1.0})
    assert revision({"a": 1.0, "b": None}) == revision({"a": 1.0})
