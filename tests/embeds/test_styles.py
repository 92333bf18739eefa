"""Styles inside the answer: smaller, themed, and of nothing but our own files."""

from __future__ import annotations

import re

import pytest

from explorer.embeds import styles
from explorer.embeds.kinds import KINDS

SHEETS = sorted({(*kind.sheets,) for kind in KINDS})


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
@pytest.mark.parametrize("sheets", SHEETS)
def test_braces_match_and_comments_leave(sheets, theme):
    css = styles.css(("tokens", *sheets, "embed"), theme)
    assert css.count("{") == css.count("}")
    assert "/*" not in css
    assert "</" not in css


@pytest.mark.parametrize("sheets", SHEETS)
def test_a_theme_carries_no_more_than_its_colours(sheets):
    auto, light, dark = (
        styles.css(("tokens", *sheets, "embed"), theme) for theme in ("auto", "light", "dark")
    )
    assert len(light) < len(dark) < len(auto) + 400
    assert "--paper:#14171a" not in light
    assert "--paper:#14171a" in dark
    assert "--paper:#14171a" in auto


def test_nothing_depends_on_the_height_of_the_frame():
    text = (styles.ASSETS / "embed.css").read_text()
    assert re.findall(r"\d(?:vh|dvh|svh|lvh|vmin|vmax)\b", text) == []
    assert re.findall(r"[^-]height:\s*\d+%", text) == []


def test_the_script_is_plain_and_small():
    script = styles.script()
    assert not re.search(r"^\s*//", script, re.MULTILINE)
    assert "</script" not in script
    assert len(script) < 14_000
