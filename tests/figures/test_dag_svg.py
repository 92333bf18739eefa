"""The session graph as SVG."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from explorer.domain.turns import Turn
from explorer.figures.dag import BOX_H, BOX_W, dag_svg, duration
from explorer.i18n import text
from explorer.ingest.weka import read
from tests.turns import Rows, conversation

SVG = "{http://www.w3.org/2000/svg}"


def drawn(turns: list[Turn], **more: object) -> ElementTree.Element:
    say = partial(text, "en")
    return ElementTree.fromstring(dag_svg(turns, say=say, href=lambda t: f"?turn={t.turn}", **more))


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [node for node in root.iter() if name in node.get("class", "").split()]


def boxes(root: ElementTree.Element) -> list[tuple[float, float]]:
    rects = [node.find(f"{SVG}rect") for node in of_class(root, "box")]
    return [
        (float(rect.get("x", "")), float(rect.get("y", ""))) for rect in rects if rect is not None
    ]


ROWS: Rows = [(None, 0, 5000), ("a", 6000, 8000), ("aux:000", 6500, 7000), (None, 9000, 9500)]


def test_each_turn_is_a_link_and_each_edge_says_its_delay() -> None:
    root = drawn(conversation(ROWS))
    assert [node.get("href") for node in of_class(root, "box")] == [
        "?turn=0",
        "?turn=1",
        "?turn=0",
        "?turn=0",
    ]
    titles = {node.get("class"): node.findtext(f"{SVG}title") for node in of_class(root, "edge")}
    assert titles == {
        "edge next": "next turn after 4.00 s",
        "edge spawn": "started 1.00 s after the turn before it ended",
        "edge join": "joined 1.00 s after its last request ended",
        "edge side": "side request 1.50 s after the turn before it ended",
    }


def test_a_group_that_never_joins_ends_in_a_bar() -> None:
    assert len(of_class(drawn(conversation(ROWS)), "loose")) == 1


def test_the_description_counts_what_hangs_on_the_main_line() -> None:
    rows: Rows = [("o", 0, 1), *[(a, s + 10, e + 10) for a, s, e in ROWS], ("b", 20_000, 90_000)]
    words = drawn(conversation(rows)).findtext(f"{SVG}desc") or ""
    assert "A main line of 2 turns" in words
    assert "1 joined, 1 in the background, 1 orphans; 1 side requests" in words


@pytest.mark.real_data
@pytest.mark.parametrize(("fold", "most"), [(None, 20), (False, 162)])
def test_boxes_of_a_162_turn_session_do_not_touch(
    real_data: Path, fold: bool | None, most: int
) -> None:
    (found,) = read([(real_data / "weka" / "trace_0254.json").read_bytes()])
    root = drawn(found.turns, fold=fold)
    at = boxes(root)
    assert len(at) <= most
    for i, (x, y) in enumerate(at):
        for other_x, other_y in at[i + 1 :]:
            assert abs(x - other_x) > BOX_W or abs(y - other_y) > BOX_H
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    assert all(x + BOX_W <= width and y + BOX_H <= height for x, y in at)


def test_a_folded_run_holds_the_selected_turn() -> None:
    rows: Rows = [(None, n * 10, n * 10 + 5) for n in range(50)]
    root = drawn(conversation(rows), selected=20)
    (box,) = of_class(root, "box")
    assert box.get("aria-current") == "true"
    assert "#0–49 · 50 turns" in "".join(box.itertext())


def test_delays_read_like_people_say_them() -> None:
    assert [duration(ms) for ms in (420, 8_250, 600_000, 9e6, -500)] == [
        "420 ms",
        "8.25 s",
        "10.0 min",
        "2.50 h",
        "-500 ms",
    ]


def test_markup_is_escaped() -> None:
    markup = dag_svg(
        conversation([(None, 0, 1), ("<i>", 2, 3)]), say=partial(text, "en"), href=lambda t: "#"
    )
    assert not re.search("<i>", markup)
