"""Texts of a chart stand apart at every width; checked width by width against plain boxes."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.figures.label_places import NARROWEST, STEPS, Box, Choice, Places, Spot
from explorer.figures.label_places import stands as stand_of

ASSETS = Path(__file__).resolve().parents[2] / "assets"
HEIGHT = 420
WIDTHS = (*range(NARROWEST, 1_000, 7), 1_400, 2_500)
SPOTS = [
    (spot, float(cost))
    for cost, spot in enumerate((Spot(8, -8), Spot(-8, -8, end=True), Spot(8, 17)))
]
texts = st.text("ab1 ·MW!中", min_size=1, max_size=16)
places = st.tuples(st.floats(0, 1), st.floats(0, HEIGHT))


def stands(said, at, size, spots, free):
    return stand_of([Choice(spot, spot.box(said, at, size), cost) for spot, cost in spots], free)


def shown(said, at, stand, width: float) -> tuple[float, float, float, float] | None:
    """Return left, right, top and bottom in px at a width; None where the text is left out."""
    if not stand.since <= width < stand.until:
        return None
    box = stand.spot.box(said, at, 11)
    return at[0] * width + box.left, at[0] * width + box.right, box.top, box.bottom


def apart(one, other) -> bool:
    across = one[1] <= other[0] + 1e-6 or other[1] <= one[0] + 1e-6
    return across or one[3] <= other[2] or other[3] <= one[2]


@given(st.lists(st.tuples(texts, places), max_size=14))
def test_no_two_texts_cover_each_other_at_any_width(wanted):
    free = Places(HEIGHT)
    found = [
        (said, at, stand) for said, at in wanted for stand in stands(said, at, 11, SPOTS, free)
    ]
    for width in WIDTHS:
        boxes = [box for one in found if (box := shown(*one, width))]
        for index, box in enumerate(boxes):
            assert box[0] >= -1e-6
            assert box[1] <= width + 6 + 1e-6
            assert box[2] >= -20
            assert box[3] <= HEIGHT
            assert all(apart(box, other) for other in boxes[:index])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 10)), unique=True, max_size=40))
def test_texts_with_room_at_every_width_all_stand_at_their_first_spot(cells):
    free = Places(HEIGHT)
    for column, row in cells:
        at = (column / 4, row * 40.0)
        assert [(one.spot, one.since) for one in stands("88", at, 11, SPOTS, free)] == [
            (SPOTS[0][0], 0)
        ]


def test_a_text_that_meets_another_on_a_narrow_plot_is_shown_from_the_next_step_on():
    free = Places(HEIGHT)
    free.take(Box(0.5, -50, 50, 100, 120))
    (stand,) = stands("8888", (0.3, 118), 11, [(Spot(8, 0), 0.0)], free)
    right = Spot(8, 0).box("8888", (0.3, 118), 11).right
    meets_until = (right + 50) / 0.2
    assert stand.since == min(step for step in STEPS if step >= meets_until)
    assert stand.until == math.inf


def test_a_text_stands_elsewhere_where_its_first_spot_is_not_free():
    free = Places(HEIGHT)
    free.take(Box(0.5, -50, 50, 80, 112))
    wide, narrow = stands("8888", (0.3, 118), 11, [(Spot(8, -8), 0.0), (Spot(8, 17), 3.0)], free)
    assert (wide.spot.dy, narrow.spot.dy) == (-8, 17)
    assert wide.since == narrow.until
    assert narrow.since == 0


def test_two_texts_of_one_place_never_share_a_spot():
    free = Places(HEIGHT)
    found = [stands("24", (0.4, 200), 11, SPOTS, free) for _ in range(4)]
    assert [len(one) for one in found] == [1, 1, 1, 0]
    assert len({one[0].spot for one in found if one}) == 3


@pytest.mark.parametrize("step", STEPS[1:])
def test_the_stylesheet_leaves_out_what_has_no_room_at_each_step(step):
    css = (ASSETS / "series.css").read_text(encoding="utf-8")
    for side, name in (("<", "from"), (">=", "to")):
        assert f'@container plot (width {side} {step:g}px) {{ svg [data-{name}="{step:g}"]' in css
    assert len(re.findall(r"@container plot", css)) == 2 * (len(STEPS) - 1)
