"""A turn at all points: one axis, a mark per request, failures as counts."""

from __future__ import annotations

import re
from functools import partial

from explorer.figures.ttft_strip import StripRow, ttft_strip
from explorer.i18n import text

SAY = partial(text, "en")
ROWS = [
    StripRow("B200 · vLLM", "/points/a", [0.1, 1.0], 1, 0.5, here=True),
    StripRow("MI355X <SGLang>", "/points/b", [10.0], 0, None),
    StripRow("H100", "/points/c", [], 2, None),
]


def test_marks_stand_on_one_log_axis():
    places = [float(x) for x in re.findall(r'cx="([\d.]+)%"', ttft_strip(ROWS, say=SAY))]
    assert len(places) == 3
    assert abs((places[1] - places[0]) - (places[2] - places[1])) < 0.02


def test_failures_are_counted_and_missing_is_a_dash():
    cells = re.findall(r'<td class="n">([^<]*)</td>', ttft_strip(ROWS, say=SAY))
    assert cells[:4] == ["3", "1", "50.0 %", "0.550"]
    assert cells[8:] == ["2", "2", "–", "–"]


def test_the_pages_own_point_is_marked_and_names_are_escaped():
    made = ttft_strip(ROWS, say=SAY)
    assert made.count('aria-current="true"') == 1
    assert "MI355X &lt;SGLang&gt;" in made
