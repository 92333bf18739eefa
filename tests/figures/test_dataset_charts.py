"""A dataset's charts: log axes, a lognormal beside the bars, counts and notes in words."""

from __future__ import annotations

from functools import partial

import pytest

from explorer.domain.answers import Distribution, Fitted
from explorer.domain.lognormal import Lognormal
from explorer.figures.chart_svg import chart_svg
from explorer.figures.chart_table import chart_table
from explorer.figures.dataset_charts import UNITS, charts
from explorer.i18n import text

WORDS = partial(text, "en")
EDGES = [1.0, 10.0, 100.0, 1000.0]


def fitted(edges=EDGES, counts=(5, 20, 10), model=None, left_out=0) -> Fitted:
    data = Distribution(
        edges=list(edges),
        counts=list(counts),
        n=sum(counts),
        minimum=2.0,
        maximum=900.0,
        mean=90.0,
        percentiles={"p50": 40.0, "p90": 300.0, "p99": 800.0},
        in_flight_mean=None,
    )
    return Fitted(data, left_out, model, 0.125 if model else None)


def test_every_quantity_has_a_chart_in_order_and_its_unit():
    made = charts({name: fitted() for name in reversed(UNITS)}, WORDS)
    assert [chart.x.unit for chart in made] == list(UNITS.values())
    assert all(chart.x.log == (chart.x.unit != "ratio") for chart in made)
    assert len({chart.name for chart in made}) == len(UNITS)


def test_the_lognormal_stands_beside_the_bars_with_its_distance():
    model = Lognormal(4.0, 1.0)
    (chart,) = charts({"isl_tokens": fitted(model=model, left_out=3)}, WORDS)
    bars, line = chart.traces
    assert bars.y == [5.0, 20.0, 10.0]
    assert line.y == model.expected(EDGES, 35)
    assert line.x == pytest.approx([10**0.5, 10**1.5, 10**2.5])
    assert "off by at most 12.5 %" in chart.notes[0]
    assert chart.notes[1].startswith("3 samples of zero")


def test_without_a_fit_the_bars_stand_alone():
    (chart,) = charts({"turns": fitted()}, WORDS)
    assert [trace.kind for trace in chart.traces] == ["bar"]
    assert chart.notes == ()


def test_the_delay_of_a_stream_is_the_time_between_arrivals():
    (chart,) = charts({"delay_s": fitted()}, WORDS, structured=False)
    assert chart.title == "Time between arrivals"


def test_the_picture_and_its_twin_say_the_same_counts():
    (chart,) = charts({"delay_s": fitted(model=Lognormal(4.0, 1.0))}, WORDS)
    assert "<title" in chart_svg(chart)
    table = chart_table(chart)
    assert table.count("<tr>") == 1 + 3
    assert ">20<" in table
    assert table.count("<td") == 2 * 3


def test_the_twin_of_a_share_is_in_percent():
    edges = [0.0, 0.5, 1.0]
    (chart,) = charts({"cached_ratio": fitted(edges, (1, 2))}, WORDS)
    assert "50.0 % – 100.0 %" in chart_table(chart)
