"""The flame graph in a browser: keys, one tab stop, nothing axe objects to, 375 px."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from explorer.domain.turns import Turn
from explorer.figures.dag import dag_svg
from explorer.figures.flame import flame
from explorer.figures.prefix_tree import prefix_tree
from explorer.figures.turns_table import turns_table
from explorer.i18n import text
from tests.browser.conftest import fits_and_is_clean
from tests.turns import Rows, conversation

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
ROWS: Rows = [
    (None, 0, 1_000),
    ("agent_001", 2_000, 4_000),
    ("agent_001", 5_000, 9_000),
    ("aux:000", 2_500, 2_600),
    (None, 9_500, 11_000),
    ("agent_002", 12_000, 99_000),
    (None, 13_000, 14_000),
]


def document(body: str, theme: str = "light", lang: str = "en") -> str:
    names = ("tokens.css", "layout.css", "series.css", "conversations.css")
    style = "".join((ROOT / "assets" / name).read_text() for name in names)
    script = (ROOT / "assets" / "flame.js").read_text()
    return (
        f'<!doctype html><html lang="{lang}" data-theme="{theme}" data-ready="true"><head>'
        f'<meta charset="utf-8"><title>t</title><style>{style}</style></head><body>'
        f'<div class="page"><main><h1>t</h1>{body}</main></div><script>{script}</script>'
        "</body></html>"
    )


def link(turn: Turn) -> str:
    return f"?turn={turn.turn}&agent={turn.agent or ''}"


def pictures(lang: str, selected: int | None = None) -> str:
    say, turns = partial(text, lang), conversation(ROWS)
    return (
        flame(turns, say=say, href=link, selected=selected)
        + f'<div class="dag-scroll" tabindex="0">{dag_svg(turns, say=say, href=link)}</div>'
        + prefix_tree(turns, say=say, href=link, block_tokens=64)
        + f'<div class="scroll" tabindex="0">{turns_table(turns, say=say, href=link)}</div>'
    )


def open_page(browser: Any, body: str, width: int = 1000, **more: str) -> Any:
    page = browser.new_page(viewport={"width": width, "height": 700})
    page.set_content(document(body, **more))
    page.wait_for_selector("[data-flame][data-mounted]")
    return page


def focused(page: Any) -> str:
    return str(page.evaluate("document.activeElement.getAttribute('href')"))


def test_arrow_keys_walk_the_turns_and_say_them(browser: Any) -> None:
    page = open_page(browser, pictures("en"))
    page.focus(".bars a")
    visited = []
    for key in ("ArrowDown", "ArrowDown", "End", "Home"):
        page.keyboard.press(key)
        visited.append(focused(page))
    assert visited == [
        "?turn=0&agent=agent_001",
        "?turn=1&agent=agent_001",
        "?turn=2&agent=",
        "?turn=0&agent=",
    ]
    page.keyboard.press("End")
    expect(page.locator(".flame-readout")).to_have_text(re.compile("^Turn 2 · at 0:13"))
    page.close()


def test_left_closes_a_sub_agent_and_closed_turns_are_stepped_over(browser: Any) -> None:
    page = open_page(browser, pictures("en"))
    page.focus(".bars a")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("details.flame-agent summary:focus")).to_have_count(1)
    expect(page.locator("details.flame-agent").first).not_to_have_attribute("open", "")
    page.focus(".bars a")
    page.keyboard.press("ArrowDown")
    assert focused(page) == "?turn=0&agent=aux:000"
    page.focus("details.flame-agent summary")
    page.keyboard.press("ArrowRight")
    assert focused(page) == "?turn=0&agent=agent_001"
    page.close()


def test_all_bars_are_one_tab_stop(browser: Any) -> None:
    page = open_page(browser, pictures("en", selected=4))
    stops = page.eval_on_selector_all(
        '.bars a[tabindex="0"]', "bars => bars.map(bar => bar.getAttribute('href'))"
    )
    assert stops == ["?turn=1&agent="]
    page.close()


def test_open_and_close_all(browser: Any) -> None:
    page = open_page(browser, pictures("en"))
    page.click("[data-flame-close]")
    expect(page.locator("details[open]")).to_have_count(0)
    page.click("[data-flame-open]")
    expect(page.locator("details[open]")).to_have_count(2)
    page.close()


def test_without_scripts_the_links_and_disclosures_remain(browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_content(document(pictures("en")))
    assert page.locator(".bars a[href]").count() == len(ROWS)
    page.locator("details.flame-agent summary").first.click()
    expect(page.locator("details[open]")).to_have_count(1)
    context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("lang", "width"), [("en", 375), ("zh", 1000)])
def test_axe_finds_nothing_and_the_page_does_not_scroll_sideways(
    browser: Any, theme: str, lang: str, width: int
) -> None:
    page = open_page(browser, pictures(lang, selected=0), width, theme=theme, lang=lang)
    fits_and_is_clean(page)
    page.close()
