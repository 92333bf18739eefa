"""Texts over curves: cautions at every width, names off marks and lines, numbers where room is."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from explorer.figures.curve_labels import (
    NAME,
    Name,
    _strokes,
    cautions,
    keep_off,
    names,
    numbers,
    taken,
)
from explorer.figures.label_places import STEPS, Spot

AXIS = "Total throughput per GPU, tok/s per GPU ↑ better"
FLAT = np.array([(0.1, 300.0), (0.9, 300.0)])
EVERY = (220, *STEPS[1:], 1_200)


def named(text: str, line) -> Name:
    return Name(text, "hw-b200 s0", tuple(line[-1]), line)


def ranges(markup: str) -> list[tuple[float, float]]:
    """Return from and up to which width each text is shown."""
    return [
        (
            float((re.search(r'data-from="(\d+)"', one) or [0, 0])[1]),
            float((re.search(r'data-to="(\d+)"', one) or [0, "inf"])[1]),
        )
        for one in re.findall(r"<text [^>]*>", markup)
    ]


def y_of(markup: str) -> float:
    y, dy = re.search(r'y="([^"]+)" dx="[^"]+" dy="([^"]+)"', markup).groups()
    return float(y) + float(dy)


def test_cautions_of_neighbours_stand_on_both_sides():
    drawn = cautions([("a", (0.5, 200.0)), ("b", (0.5, 201.0))], taken(AXIS, 420))
    assert 'text-anchor="end"' in drawn["a"]
    assert 'text-anchor="end"' not in drawn["b"]


@given(st.lists(st.tuples(st.floats(0.1, 0.9), st.floats(20, 400)), min_size=1, max_size=40))
def test_a_caution_is_shown_at_most_once_and_the_first_at_every_width(spots):
    drawn = cautions([(str(n), at) for n, at in enumerate(spots)], taken(AXIS, 420))
    for width in EVERY:
        times = [sum(a <= width < b for a, b in ranges(drawn[str(n)])) for n in range(len(spots))]
        assert times[0] == 1
        assert max(times) == 1


def covers(markup: str, said: str, width: int) -> tuple[float, float, float, float]:
    """Return left, right, top and bottom in px of a drawn name in a plot of a width."""
    x, y, dx, dy = (
        float(one)
        for one in re.search(r'x="([^"]+)%" y="([^"]+)" dx="([^"]+)" dy="([^"]+)"', markup).groups()
    )
    box = Spot(dx, dy, 'text-anchor="end"' in markup).box(said, (x / 100, y), NAME)
    at = x / 100 * width
    return at + box.left, at + box.right, box.top, box.bottom


def test_cautions_keep_names_off():
    places, line = taken(AXIS, 420), np.array([(0.1, 300.0), (0.5, 300.0)])
    cautions([(str(n), (0.5 + n / 1_000, 286.0)) for n in range(80)], places)
    markup = names([named("B200 · vLLM", line)], [], places)
    left, right, top, bottom = covers(markup, "B200 · vLLM", 760)
    assert right < 0.5 * 760 - 8 or left > 0.58 * 760 or bottom <= 269 or top >= 283


def test_a_name_stands_off_marks_and_off_the_lines_of_others():
    name = named("B200 · vLLM", FLAT)
    assert y_of(names([name], [FLAT], taken(AXIS, 420))) == 286
    places = taken(AXIS, 420)
    keep_off([(0.85, 280.0)], places)
    left, right, top, bottom = covers(names([name], [FLAT], places), "B200 · vLLM", 760)
    assert right <= 640 or left >= 652 or bottom <= 274 or top >= 286
    assert bottom <= 300 or top >= 300
    over = np.array([(0.1, 282.0), (0.9, 282.0)])
    _, _, top, bottom = covers(names([name], [FLAT, over], taken(AXIS, 420)), "B200 · vLLM", 760)
    assert bottom <= 282 or top >= 300


def test_a_name_of_a_steep_line_stands_beside_its_end():
    line = np.array([(0.1, 20.0), (0.78, 60.0), (0.8, 390.0)])
    markup = names([named("B200 · vLLM", line)], [line], taken(AXIS, 420))
    assert abs(y_of(markup) - 390) < 30


def test_a_line_without_a_name_or_of_one_place_is_no_hindrance():
    name = named("B200", np.array([(0.5, 200.0)]))
    assert y_of(names([name], [np.empty((0, 2)), name.line], taken(AXIS, 420))) == 186
    assert names([], [FLAT], taken(AXIS, 420)) == '<g aria-hidden="true"></g>'


@given(
    st.lists(st.tuples(st.floats(-1e12, 1e12), st.floats(-1e12, 1e12)), min_size=2, max_size=6),
    st.booleans(),
)
def test_lines_are_followed_where_the_plot_shows_them_however_far_a_zoom_goes(line, close):
    line = [(x / 1e12, y / 1e9) for x, y in line] if close else line
    x, y = _strokes([np.array(line), FLAT], 420)
    assert len(x) <= len(line) * 200
    assert ((x >= -0.1) & (x <= 760.1) & (y >= -0.1) & (y <= 420.1)).mean() > 0.99
    assert ((x > 76) & (x < 684) & (abs(y - 300) < 1e-6)).sum() >= 100


def test_names_of_one_end_stand_above_one_another():
    both = [named(text, FLAT) for text in ("B200 · vLLM", "B200 · SGLang")]
    markup = names(both, [FLAT], taken(AXIS, 420))
    first, second = (y_of(one) for one in re.findall(r"<text.*?</text>", markup))
    assert abs(first - second) >= 13.5


def test_a_number_has_room_or_is_left_out_and_points_without_one_have_none():
    points = [({"point_id": str(n), "n": "24" * (n < 9)}, (0.5, 200.0)) for n in range(10)]
    drawn = numbers(points, lambda point: point["n"], taken(AXIS, 420))
    assert [bool(drawn.get(str(n))) for n in range(10)] == [True] * 4 + [False] * 6
    assert "9" not in drawn
