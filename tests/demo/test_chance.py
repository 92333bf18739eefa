"""Chance that every machine repeats."""

import math
from random import Random

import pytest

from explorer.demo.chance import exp, lognormal, mix, mix_text, normal, uuid_text


@pytest.mark.parametrize("x", [-30.0, -1.5, -1e-9, 0.0, 0.34657, 1.0, 12.25, 40.0])
def test_exp_agrees_with_the_library_to_1e_13(x: float) -> None:
    assert exp(x) == pytest.approx(math.exp(x), rel=1e-13)


def test_draws_are_these_on_every_machine() -> None:
    rng = Random(5)
    assert [normal(rng) for _ in range(3)] == DRAWS
    assert mix(1, 2, 3) == MIXED
    assert mix_text("b200") == MIXED_TEXT
    assert uuid_text(7, 9) == UUID


def test_normal_has_mean_zero_and_unit_spread() -> None:
    rng = Random(1)
    draws = [normal(rng) for _ in range(20_000)]
    mean = math.fsum(draws) / len(draws)
    assert abs(mean) < 0.03
    assert math.sqrt(math.fsum(d * d for d in draws) / len(draws)) == pytest.approx(1.0, abs=0.03)


def test_lognormal_has_the_stated_median() -> None:
    rng = Random(2)
    draws = sorted(lognormal(rng, 444.0, 1.2) for _ in range(9_999))
    assert draws[4_999] == pytest.approx(444.0, rel=0.05)


DRAWS = [0.5502286543427966, 0.707968353807578, 0.4896107348457921]
MIXED = 15205877802699428709
MIXED_TEXT = 15454234141446273379
UUID = "ebc26cc8-9115-4c2b-81dd-c2b9d379900e"
