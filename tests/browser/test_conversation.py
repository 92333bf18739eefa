"""A conversation's page in a browser: turns, keys, measurement, files, views, axe."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from explorer.ingest.pipeline import ingest
from tests.browser.conftest import fits_and_is_clean, followed, open_ready
from tests.lake_fixture import DATASET, FIRST_TURN, TURNS, Sample, build, point_id

CONV = f"/datasets/{DATASET}/conversations/conv-1"
FLAME = "[data-testid=flame-graph]"
CARD = "[data-testid=turn-card]"
HIGH = point_id("high")


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> Sample:
    return build(tmp_path_factory.mktemp("conversation") / "lake")


@pytest.fixture(scope="module")
def site(serve, sample) -> str:
    return serve(sample.folder)


def test_a_bar_leads_to_its_turn_and_keeps_the_focus(page, site):
    open_ready(page, site + CONV)
    page.locator(f"{FLAME} .bars a").first.focus()
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    followed(page, "**turn=4**")
    expect(page.locator(f"{CARD} h2").first).to_have_text("Turn 4")
    current = page.locator(f"{FLAME} .bars a[aria-current]")
    expect(current).to_have_count(1)
    expect(current).to_be_focused()
    page.keyboard.press("ArrowUp")
    focused = page.locator(f"{FLAME} .bars a:focus")
    expect(focused).to_have_attribute("href", re.compile("turn=3"))


def test_a_deep_link_opens_its_turn(page, site):
    open_ready(page, f"{site}{CONV}?turn={TURNS - 1}")
    expect(page.locator(f"{CARD} h2").first).to_have_text(f"Turn {TURNS - 1}")
    expect(page.locator(f"{FLAME} .bars a[aria-current]")).to_be_visible()
    expect(page.locator("[data-testid=dag] a[aria-current]")).to_have_count(1)
    expect(page.locator("[data-testid=turns-table] tr[aria-current]")).to_have_count(1)


def test_a_turn_that_is_not_there_is_said(page, site):
    open_ready(page, f"{site}{CONV}?turn=99&agent=agent_007")
    assert "no turn 99 of agent_007" in page.locator(".mark").first.inner_text()


def test_an_empty_agent_is_the_main_line(page, site):
    open_ready(page, f"{site}{CONV}?turn=3&agent=")
    expect(page.locator(f"{CARD} h2").first).to_have_text("Turn 3")
    assert page.locator("p.problem").count() == 0


def test_a_point_puts_measurement_beside_theory(page, site):
    open_ready(page, f"{site}{CONV}?turn={FIRST_TURN + 2}")
    assert page.locator("[data-testid=strip] tbody tr").count() == 1
    page.locator("details[data-menu=point] summary").click()
    page.locator("details[data-menu=point] a.option").nth(1).click()
    followed(page, f"**point={HIGH}**")
    page.wait_for_selector("[data-testid=phase-toggle]")
    expect(page.locator(".take").nth(1)).to_contain_text("replayed 11 of 15 turns")
    last = page.locator("[data-testid=turns-table] th").last
    expect(last).to_have_text("failed / replays", use_inner_text=True)
    page.locator("[data-testid=phase-toggle] a", has_text="Warm-up").click()
    followed(page, "**phase=warmup**")
    expect(page.locator(".take").nth(1)).to_contain_text("replayed 1 of 15 turns")


def test_from_a_request_to_its_turn_and_back(page, site):
    open_ready(page, f"{site}/points/{HIGH}?q=r01-004")
    page.locator("tr[data-request=r01-004] td:nth-child(2) a").click()
    followed(page, "**/conversations/**")
    turn = 4 + FIRST_TURN
    expect(page.locator(f"{CARD} h2").first).to_have_text(f"Turn {turn}")
    expect(page.locator(f"{CARD} .replays li")).to_have_count(3)
    page.locator(f"{CARD} .replays a").nth(2).click()
    followed(page, f"**/points/{HIGH}?**")
    rows = page.locator("tr[data-request]")
    expect(rows).to_have_count(1)
    expect(rows).to_have_attribute("data-request", re.compile("-004$"))


def test_the_png_is_drawn_from_the_svg(page, site):
    open_ready(page, site + CONV)
    page.locator("details[data-menu=download] summary").click()
    with page.expect_download() as waiting:
        page.locator("a[data-png]").click()
    assert waiting.value.suggested_filename == f"{DATASET}-conv-1.png"
    assert waiting.value.path().read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize("name", ["svg", "csv", "parquet", "json", "speedscope"])
def test_every_file_of_the_menu_comes(page, site, name):
    open_ready(page, site + CONV)
    names = ["svg", "png", "csv", "parquet", "json", "speedscope"]
    page.locator("details[data-menu=download] summary").click()
    with page.expect_download() as waiting:
        page.locator("details[data-menu=download] a").nth(names.index(name)).click()
    assert waiting.value.path().stat().st_size > 400


def test_block_ids_never_travel(page, site):
    bodies = []
    page.on("response", lambda answer: bodies.append(answer) if site in answer.url else None)
    open_ready(page, site + CONV)
    texts = [one.text() for one in bodies if "text/html" in one.headers.get("content-type", "")
             or "json" in one.headers.get("content-type", "")]  # fmt: skip
    assert any("flame-rows" in text for text in texts)
    assert not any("hash_id" in text for text in texts)


def test_an_id_with_signs_of_addresses_in_it_is_found(page, serve, tmp_path):
    folder = tmp_path / "set"
    folder.mkdir()
    row = {"t": 0, "type": "n", "model": "m", "in": 70, "out": 3, "hash_ids": [1]}
    trace = {"id": "run 1?x=2#é", "models": ["m"], "block_size": 64, "requests": [row, row]}
    (folder / "a.json").write_text(json.dumps(trace))
    ingest([folder], tmp_path / "lake")
    open_ready(page, f"{serve(tmp_path / 'lake')}/datasets/set")
    page.locator("[data-testid=conversations-table] tbody th a").click()
    followed(page, "**/conversations/**")
    expect(page.locator("h1")).to_have_text("run 1?x=2#é")
    page.locator("[data-testid=lang-switch]").click()
    followed(page, "**lang=zh**")
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    expect(page.locator("h1")).to_have_text("run 1?x=2#é")
    page.reload()
    page.wait_for_selector("html[data-ready=true]")
    expect(page.locator("h1")).to_have_text("run 1?x=2#é")


def test_comparing_two_conversations(page, site):
    open_ready(page, f"{site}{CONV}?point={HIGH}")
    page.locator(".trail a", has_text="Compare").click()
    followed(page, "**/compare/conversations?**")
    expect(page.locator("[data-testid=compare]")).to_be_visible()
    page.locator("input[name=b]").fill(f"{DATASET}/conv-2@{HIGH}")
    page.keyboard.press("Enter")
    followed(page, "**b=*")
    expect(page.locator("[data-testid=chart-compare-ttft]")).to_be_visible()
    expect(page.locator(".statistics thead th")).to_have_count(2)
    expect(page.locator("svg.flame-svg")).to_have_count(2)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "lang"), [(1440, "en"), (375, "zh")])
@pytest.mark.parametrize(
    "path",
    [
        f"{CONV}?point={HIGH}&phase=all&turn=5&",
        f"/compare/conversations?a={DATASET}/conv-0@{HIGH}&b={DATASET}/nothere&c={DATASET}/conv-1&",
    ],
)
def test_axe_finds_nothing_and_nothing_overflows(sized, site, path, theme, width, lang):
    page = sized(width)
    open_ready(page, f"{site}{path}theme={theme}&lang={lang}")
    fits_and_is_clean(page)
