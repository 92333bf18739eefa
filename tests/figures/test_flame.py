"""The flame graph: exact widths, groups at their place, everything named."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from explorer.domain.turns import Turn
from explorer.figures.flame import PIECE_ROWS, clock, flame
from explorer.figures.flame_rows import Measured, blocks
from explorer.i18n import text
from explorer.ingest.weka import read
from tests.turns import conversation, turn

ENGLISH = partial(text, "en")


def graph(turns: list[Turn], **more: object) -> str:
    return flame(turns, say=ENGLISH, href=lambda t: f"?turn={t.turn}&agent={t.agent}", **more)


def sized(ordinal: int, cached: int, uncached: int, output: int, **more: object) -> Turn:
    return turn(
        ordinal,
        ordinal,
        (ordinal * 10, ordinal * 10 + 5),
        isl_tokens=cached + uncached,
        cached_tokens=cached,
        uncached_tokens=uncached,
        osl_tokens=output,
        **more,
    )


def widths(markup: str, name: str) -> list[float]:
    found = re.findall(rf'<rect class="{name}" x="[\d.]+%" y="\d+" width="([\d.]+)%"', markup)
    return [float(width) for width in found]


def test_the_largest_turn_fills_the_width_and_the_others_keep_their_share() -> None:
    markup = graph([sized(0, 0, 40, 10), sized(1, 40, 50, 10)])
    assert widths(markup, "u") == [40.0, 50.0]
    assert widths(markup, "c") == [40.0]
    assert widths(markup, "o") == [10.0, 10.0]


@pytest.mark.real_data
def test_bars_of_a_real_conversation_add_up_to_its_tokens(real_data: Path) -> None:
    (found,) = read([(real_data / "weka" / "trace_0254.json").read_bytes()])
    markup, full = graph(found.turns), max(t.tokens for t in found.turns)
    for name, total in (("c", 15_034_368), ("u", 16_049_708 - 15_034_368), ("o", 76_126)):
        tokens = sum(widths(markup, name)) / 100 * full
        assert tokens == pytest.approx(total, abs=len(found.turns) * full * 5e-6)


def test_sub_agents_stand_at_their_place_in_the_list() -> None:
    turns = conversation([(None, 0, 1), ("a", 2, 3), ("a", 4, 5), (None, 6, 7), ("b", 8, 9)])
    assert [(block.agent, len(block.rows)) for block in blocks(turns)] == [
        (None, 1),
        ("a", 2),
        (None, 1),
        ("b", 1),
    ]


def test_each_sub_agent_is_a_native_disclosure_that_says_where_it_joins() -> None:
    turns = conversation([(None, 0, 1), ("a", 2, 3), (None, 6, 7), ("b", 8, 99)])
    markup = graph(turns)
    summaries = re.findall(r"<summary[^>]*>(.*?)</summary>", markup)
    assert len(summaries) == markup.count("<details") == 2
    assert "joins at turn 1" in summaries[0]
    assert "in the background" in summaries[1]


def test_agents_beside_each_other_share_one_bracket() -> None:
    turns = conversation([(None, 0, 1), ("a", 2, 9), ("b", 3, 8), (None, 5, 6), (None, 20, 21)])
    parts = [row.bracket for block in blocks(turns) for row in block.rows]
    assert parts == ["", "start", "inside", "end", ""]
    assert [row.at_once for block in blocks(turns) for row in block.rows] == [1, 3, 3, 3, 1]


def test_a_cut_context_is_marked_with_the_input_before() -> None:
    markup = graph([sized(0, 0, 1000, 1), sized(1, 0, 950, 1), sized(2, 100, 200, 1)])
    assert re.findall(r'class="compaction"[^>]*>([^<]+)<', markup) == ["⇤ 950"]


def test_evicted_prefix_is_drawn_where_the_measurement_missed_the_cache() -> None:
    measured = {1: Measured(2, 0, 100.0, 25.0, 0.5, 0.1)}
    markup = graph([sized(0, 0, 80, 0), sized(1, 80, 20, 0)], measured=measured)
    assert widths(markup, "e") == [55.0]


def test_a_measurement_without_cache_figures_draws_no_eviction() -> None:
    measured = {0: Measured(1, 1, None, None, None, None)}
    assert widths(graph([sized(0, 80, 20, 0)], measured=measured), "e") == []


def test_the_measurement_is_in_each_turns_words() -> None:
    measured = {0: Measured(3, 1, 100.0, 60.0, 0.25, 2.0)}
    markup = graph([sized(0, 80, 20, 0)], measured=measured)
    assert "measured in 3 replays (1 failed): 60.0 % cached, TTFT 0.250 s, waited 2.00 s" in markup


def test_the_selected_turn_is_current_and_links_carry_turn_and_agent() -> None:
    turns = conversation([(None, 0, 1), ("a", 2, 3)])
    markup = graph(turns, selected=1)
    assert re.findall(r'<a href="([^"]+)" data-nav="" aria-current="true">', markup) == [
        "?turn=0&amp;agent=a"
    ]


def test_long_lines_are_cut_into_pieces_the_browser_can_skip() -> None:
    turns = [sized(n, 0, 10, 1) for n in range(2 * PIECE_ROWS + 1)]
    markup = graph(turns)
    assert markup.count('class="flame-piece"') == 3
    assert markup.count("data-nav") == len(turns)


def test_names_are_escaped() -> None:
    turns = conversation([(None, 0, 1), ("<b>&", 2, 3)])
    markup = graph(turns)
    assert "<b>&" not in markup.replace("<b>&lt;b&gt;&amp;</b>", "")
    ElementTree.fromstring(markup)


def test_an_empty_conversation_has_a_frame_and_no_bars() -> None:
    markup = graph([])
    assert "<title>" in markup
    assert "data-nav" not in markup


def test_both_languages_draw_the_same_bars() -> None:
    turns = conversation([(None, 0, 1), ("a", 2, 3), (None, 4, 5)])
    chinese = flame(turns, say=partial(text, "zh"), href=lambda t: "#")
    assert "命中缓存的前缀" in chinese
    assert widths(chinese, "u") == widths(graph(turns), "u")


def test_clock_has_hours_only_when_needed() -> None:
    assert [clock(ms) for ms in (0, 59_999, 60_000, 3_600_000)] == [
        "0:00",
        "0:59",
        "1:00",
        "1:00:00",
    ]
