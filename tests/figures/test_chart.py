"""A chart as a value, and its three drawings: SVG, table, Plotly."""

from __future__ import annotations

import json
import math
import re
from xml.etree import ElementTree

import pytest

from explorer.figures.chart import Axis, Chart, Reference, Trace, clock, short, x_scale, y_scale
from explorer.figures.chart_svg import chart_svg
from explorer.figures.chart_table import ROWS, chart_table

NAN = math.nan
XML = "{http://www.w3.org/2000/svg}"


def chart(*traces: Trace, **fields: object) -> Chart:
    base = {
        "name": "ttft",
        "title": "Time <to> first & token",
        "note": "note",
        "summary": "from 1 to 9",
        "x": Axis("time", "time", low=0.0, high=100.0),
        "y": Axis("s", "s"),
        "traces": traces,
    }
    return Chart(**(base | fields))  # type: ignore[arg-type]


def line(x: list[float], y: list[float], **fields: object) -> Trace:
    return Trace("p90", "p90", "line", x, y, **fields)  # type: ignore[arg-type]


def svg(one: Chart) -> ElementTree.Element:
    return ElementTree.fromstring(chart_svg(one))


def data(one: Chart) -> dict:
    return json.loads(svg(one).attrib["data-chart"])


def test_svg_is_well_formed_and_named_for_screen_readers() -> None:
    root = svg(chart(line([0, 50, 100], [1, 2, 3])))
    assert root.find(f"{XML}title").text == "Time <to> first & token"
    assert root.find(f"{XML}desc").text == "from 1 to 9"
    ids = root.attrib["aria-labelledby"].split()
    assert ids == [root.find(f"{XML}{tag}").attrib["id"] for tag in ("title", "desc")]


def test_a_gap_splits_a_line_and_a_lone_point_stays_visible() -> None:
    root = svg(chart(line([0, 10, 20, 30, 40], [1, 2, NAN, 3, NAN])))
    (path,) = root.iter(f"{XML}path")
    assert path.attrib["d"].count("M") == 2
    assert path.attrib["d"].endswith("h0")


def test_read_out_data_hold_the_numbers_and_nulls_for_gaps() -> None:
    found = data(chart(line([0, 50, 100], [1.23456, NAN, 3])))
    assert found["traces"][0]["x"] == {"from": 0, "step": 50.0, "n": 3}
    assert found["traces"][0]["y"] == [1.235, None, 3]
    assert found["x"] == {"unit": "time", "log": False, "low": 0.0, "high": 100.0}


def test_stacked_areas_read_out_their_own_height() -> None:
    low = Trace("a", "a", "area", [0, 1], [1.0, 2.0], "hit", base=[0.0, 0.0])
    top = Trace("b", "b", "area", [0, 1], [4.0, 6.0], "miss", base=[1.0, 2.0])
    assert [trace["y"] for trace in data(chart(low, top))["traces"]] == [[1, 2], [3, 4]]


def test_percentile_labels_that_would_meet_stand_in_different_rows() -> None:
    guides = tuple(
        Reference("x", value, f"p{rank} {value:g}")
        for rank, value in ((50, 100.0), (90, 104.0), (99, 108.0))
    )
    bars = Trace("isl", "n", "bar", [10, 100, 1000], [3.0, 4.0])
    one = chart(bars, x=Axis("tokens", "tokens", log=True), references=guides)
    heights = [t.attrib["y"] for t in svg(one).iter(f"{XML}text") if t.attrib["class"] == "lab"]
    assert len(set(heights)) == 3


def test_samples_are_drawn_by_how_many_they_stand_for() -> None:
    dots = Trace("raw", "raw", "scatter", [0, 1, 2, 3], [1, 1, 1, 1], counts=[1, 2, 9, 5000])
    classes = [path.attrib["class"].split()[-1] for path in svg(chart(dots)).iter(f"{XML}path")]
    assert classes == ["d1", "d2", "d3", "d4"]


def test_text_in_data_cannot_leave_its_attribute() -> None:
    nasty = line([0, 1, 2], [1, 2, 3])
    one = chart(nasty, traces=(Trace("k", "a'b\"<c>&", "line", [0, 1, 2], [1, 2, 3]),))
    assert data(one)["traces"][0]["label"] == "a'b\"<c>&"


def test_a_clock_keeps_its_ends_and_counts_keep_whole_ticks() -> None:
    one = chart(line([0, 10], [0, 3]), y=Axis("n", "requests"))
    assert (x_scale(one).low, x_scale(one).high) == (0.0, 100.0)
    assert all(tick == int(tick) for tick in y_scale(one).ticks)


def test_a_ratio_axis_ends_where_it_is_told() -> None:
    one = chart(line([0, 10], [0.2, 0.4]), y=Axis("", "ratio", low=0.0, high=1.0))
    assert (y_scale(one).low, y_scale(one).high) == (0.0, 1.0)


@pytest.mark.parametrize("top", [0.0003, 0.9, 7, 104_999, 3.2e9])
def test_an_axis_from_zero_holds_its_data_without_much_air(top: float) -> None:
    used = y_scale(chart(line([0, 1], [0, top])))
    assert used.low == 0
    assert top <= used.high <= 1.5 * top
    assert len(used.ticks) >= 2


def test_table_has_the_same_numbers_and_says_gaps() -> None:
    table = chart_table(chart(line([0, 60, 120], [1.5, NAN, 2.5])))
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", table)
    assert cells == ["1.50", "–", "2.50"]
    assert re.findall(r'<th scope="row">([^<]*)</th>', table) == ["0", "1 min", "2 min"]


def test_table_is_folded_to_what_one_can_read() -> None:
    x = list(range(1000))
    table = chart_table(chart(line(x, x)))
    assert table.count("<tr>") <= ROWS + 1
    assert ">999<" in table


def test_short_never_needs_more_than_five_characters() -> None:
    for power in range(13):
        for value in (1, 1.5, 9.994, 9.996):
            assert len(short(value * 10**power).replace(",", "")) <= 5


def test_clock_knows_minutes_hours_and_the_true_minus() -> None:
    assert [clock(v) for v in (0, 90, -30, 3600, 5400)] == [
        "0", "1:30 min", "−30 s", "1 h", "1:30 h",
    ]  # fmt: skip
