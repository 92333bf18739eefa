"""Conversations compared turn by turn: the main line, gaps where nothing was measured."""

from __future__ import annotations

import math
from functools import partial

from explorer.figures.conversation_charts import Side, charts
from explorer.figures.flame_rows import Measured
from explorer.i18n import text
from tests.turns import conversation

WORDS = partial(text, "en")
TURNS = conversation([(None, 0, 1), ("agent_001", 2, 3), (None, 4, 5), (None, 6, 7)])


def measured(ttft_s: float | None, cached: float | None) -> Measured:
    return Measured(1, 0, 100.0, cached, ttft_s, 0.0)


def test_without_measurement_only_the_input_is_drawn():
    made = charts([Side("A", TURNS, {}), Side("B", TURNS[:1], {})], WORDS)
    assert [chart.name for chart in made] == ["compare-growth"]
    assert [len(trace.x) for trace in made[0].traces] == [3, 1]


def test_turns_that_were_not_measured_are_gaps():
    side = Side("A", TURNS, {2: measured(0.5, 80.0), 3: measured(None, None)})
    growth, ttft, cached = charts([side], WORDS)
    assert growth.traces[0].y == [100.0, 100.0, 100.0]
    assert ttft.traces[0].y[1] == 0.5
    assert [math.isnan(y) for y in ttft.traces[0].y] == [True, False, True]
    assert cached.traces[0].y[1] == 0.8
    assert (cached.y.low, cached.y.high) == (0.0, 1.0)
