"""Context growth and the prefix tree."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from explorer.figures.context_growth import HEIGHT, WIDTH, context_growth
from explorer.figures.prefix_tree import prefix_tree, runs
from explorer.i18n import text
from explorer.ingest.weka import read
from tests.turns import conversation, turn

SAY = partial(text, "en")


def test_the_main_line_runs_through_each_turns_input() -> None:
    turns = [turn(n, n, (n, n), isl_tokens=isl) for n, isl in enumerate((50, 100, 200))]
    (path,) = re.findall(r'class="line main"[^>]* d="M([^"]+)"', context_growth(turns, say=SAY))
    points = [tuple(map(float, point.split())) for point in path.split("L")]
    assert points == [
        (round(WIDTH * (n + 0.5) / 3, 1), HEIGHT * (1 - isl / 200))
        for n, isl in enumerate((50, 100, 200))
    ]


def test_each_sub_agent_has_a_line_and_each_cut_a_mark() -> None:
    turns = conversation([(None, 0, 1), ("a", 2, 3), ("b", 2, 3), (None, 4, 5)])
    turns[3] = turn(3, 1, (4, 5), isl_tokens=10)
    markup = context_growth(turns, say=SAY)
    assert markup.count('class="line agent"') == 2
    assert re.findall(r'class="cut"', markup) == ['class="cut"']
    assert "cut 1 times" in markup


def test_an_empty_conversation_still_has_a_title() -> None:
    assert "<title>" in context_growth([], say=SAY)
    assert "<title>" in prefix_tree([], say=SAY, href=lambda t: "#", block_tokens=64)


def test_turns_that_extend_each_other_are_one_run() -> None:
    turns = [
        turn(0, 0, (0, 1), blocks=4),
        turn(1, 1, (1, 2), blocks=6, shared_blocks=4, prefix_source=0),
        turn(2, 2, (2, 3), blocks=9, shared_blocks=6, prefix_source=1),
        turn(3, 3, (3, 4), blocks=5, shared_blocks=2, prefix_source=0),
        turn(4, 4, (4, 5), blocks=7, shared_blocks=5, prefix_source=3),
    ]
    found = runs(turns)
    assert [(len(r.turns), r.start, r.end, r.parent, r.readers) for r in found] == [
        (3, 0, 9, None, 2),
        (2, 2, 7, 0, 0),
    ]


def test_a_sub_agent_is_a_run_of_its_own_even_when_it_extends_its_parent() -> None:
    turns = conversation([(None, 0, 1), ("a", 2, 3)])
    turns[1] = turn(1, 0, (2, 3), "a", "subagent", (0, None), blocks=3, shared_blocks=1,
                    prefix_source=0)  # fmt: skip
    assert [(r.start, r.parent) for r in runs(turns)] == [(0, None), (1, 0)]


@pytest.mark.real_data
def test_every_turn_of_a_real_trace_is_in_one_run(real_data: Path) -> None:
    (found,) = read([(real_data / "weka" / "trace_0254.json").read_bytes()])
    tree = runs(found.turns)
    assert sorted(t.ordinal for run in tree for t in run.turns) == list(range(162))
    assert len(tree) < 20
    assert all(run.parent is None or run.parent < at for at, run in enumerate(tree))
    markup = prefix_tree(found.turns, say=SAY, href=lambda t: "#", block_tokens=64)
    assert markup.count("data-nav") == len(tree)
