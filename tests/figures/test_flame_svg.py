"""The flame graph as one picture, and its table twin."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from explorer.figures.flame_rows import Measured
from explorer.figures.flame_svg import GUTTER, flame_svg
from explorer.figures.turns_table import turns_table
from explorer.i18n import text
from explorer.ingest.weka import read
from tests.turns import conversation, turn

SAY = partial(text, "en")


def areas(markup: str) -> dict[str, float]:
    """Summed widths of each part's path."""
    found = re.findall(r'<path class="([cuo])" d="([^"]+)"', markup)
    return {name: sum(float(w) for w in re.findall(r"h(\d[\d.]*)", d)) for name, d in found}


@pytest.mark.real_data
def test_parts_add_up_to_the_conversations_tokens(real_data: Path) -> None:
    (found,) = read([(real_data / "weka" / "trace_0014.json").read_bytes()])
    scale = (960 - GUTTER) / max(t.tokens for t in found.turns)
    drawn = areas(flame_svg(found.turns, say=SAY))
    for name, tokens in (("c", 12_018_432), ("u", 12_621_267 - 12_018_432), ("o", 59_028)):
        assert drawn[name] == pytest.approx(tokens * scale, abs=0.05 * len(found.turns))


def test_1200_turns_stay_under_200_kilobytes() -> None:
    turns = [turn(n, n, (n, n + 1), cached_tokens=40, uncached_tokens=60) for n in range(1200)]
    assert len(flame_svg(turns, say=SAY)) < 200_000


def test_folded_agents_are_one_line_with_their_largest_turn() -> None:
    turns = conversation([(None, 0, 1), ("a", 2, 3), ("a", 4, 5)])
    turns[2] = turn(2, 1, (4, 5), "a", "subagent", (0, None), isl_tokens=190, uncached_tokens=190,
                    source_outer_idx=1)  # fmt: skip
    root = ElementTree.fromstring(flame_svg(turns, say=SAY, agents_open=False))
    folded = areas(ElementTree.tostring(root, encoding="unicode").replace("ns0:", ""))
    assert folded["u"] == pytest.approx((960 - GUTTER) * (100 + 190) / 200, abs=0.2)
    labels = [node.text for node in root.iter() if node.get("class") == "agent"]
    assert labels == ["a"]


def test_a_file_carries_its_style_and_is_well_formed() -> None:
    markup = flame_svg(conversation([(None, 0, 1)]), say=SAY, standalone=True)
    assert "<style>" in markup
    ElementTree.fromstring(markup)


def test_the_table_has_a_row_a_turn_and_measured_columns_when_there_are_any() -> None:
    turns = conversation([(None, 0, 1), ("a&b", 2, 3)])
    plain = turns_table(turns, say=SAY, href=lambda t: "#", selected=1)
    measured = turns_table(
        turns, say=SAY, href=lambda t: "#", measured={0: Measured(4, 1, 100, 50, 0.5, 1.5)}
    )
    table = ElementTree.fromstring(measured)
    cells = [[cell.text or "" for cell in row] for row in table.iter("tr")]
    assert plain.count("<tr") == 3
    assert 'aria-current="true"' in plain
    assert cells[1][-4:] == ["50.0 %", "0.500", "1.50", "1 / 4"]
    assert cells[2][-4:] == ["–"] * 4
    assert len({len(row) for row in cells}) == 1
