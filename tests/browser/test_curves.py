"""The main job in a browser: curves, a click on a point, its card, its page."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import open_ready

pytestmark = pytest.mark.real_data

CHART = "[data-testid=curve-chart]"
CARD = "[data-testid=point-card]"
TABLE = "[data-testid=curve-table]"
KIMI = "?model=kimik2.5&scenario=agentic"


def test_default_view_is_kimi_on_two_hardware(page, real_site):
    open_ready(page, real_site + "/")
    curves = page.locator(f"{CHART} [data-curve]")
    assert curves.count() == 2
    names = page.locator(f"{CHART} .lab").all_text_contents()
    assert sorted(names) == ["B200 · vLLM", "MI355X · vLLM"]
    assert page.locator(f"{CHART} a[data-point-id]").count() == 42
    assert "1 failed" in page.locator(".counts").first.inner_text()


def test_lmcache_points_are_ringed(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}&offload=dram")
    marks = page.locator(f"{CHART} a[data-point-id]")
    rings = page.locator(f"{CHART} a[data-point-id] .offload-ring")
    assert marks.count() == rings.count() > 0


def test_click_shows_the_card_and_then_the_page(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}&hw=b200")
    mark = page.locator(f"{CHART} a[data-point-id].on").first
    point_id = mark.get_attribute("data-point-id")
    mark.locator(".hit").click()
    page.wait_for_selector(f"{CARD}[data-point={point_id}]")
    assert f"point={point_id}" in page.url
    page.locator(f"{CARD} .btn.p").click()
    page.wait_for_selector("[data-testid=point-page]")
    assert f"/points/{point_id}" in page.url
    page.go_back()
    page.wait_for_selector(f"{CARD}[data-point={point_id}]")


def test_hover_reads_out_ttft(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    page.locator(f"{CHART} a[data-point-id].on .hit").first.hover()
    assert "TTFT p90" in page.locator(".readout").inner_text()


def test_choosing_from_a_menu_changes_the_address_and_the_chart(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    page.locator("details[data-menu=hw] summary").click()
    page.locator("details[data-menu=hw] a", has_text="B200").click()
    page.wait_for_url("**hw=b200**")
    expect(page.locator(f"{CHART} [data-curve]")).to_have_count(1)


def test_limit_leaves_only_what_meets_it(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}&hw=b200")
    page.locator("details[data-menu=ttft_max] summary").click()
    page.locator("details[data-menu=ttft_max] input[type=number]").fill("5")
    page.keyboard.press("Enter")
    page.wait_for_url("**ttft_max=5**")
    shapes = page.locator("[data-row] td:nth-child(2)")
    expect(shapes.filter(has_text="TP4")).to_have_count(0)
    assert set(shapes.all_inner_texts()) == {"TP8"}


def test_arrow_keys_walk_a_curve(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    page.locator(f"{CHART} a[data-point-id].on").first.focus()
    first = page.evaluate("document.activeElement.dataset.pointId")
    page.keyboard.press("ArrowRight")
    second = page.evaluate("document.activeElement.dataset.pointId")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.pointId") == first != second


def test_without_scripts_chart_table_and_links_are_there(browser, real_site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{real_site}/{KIMI}")
    assert page.locator(f"{CHART} svg.curves").is_visible()
    assert page.locator(f"{TABLE} tbody tr").count() == 42
    page.locator(f"{TABLE} tbody a").first.click()
    assert "/points/" in page.url
    assert page.locator("[data-testid=point-page]").is_visible()
    context.close()


def test_language_and_theme_switch_in_the_address(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    page.locator("[data-testid=lang-switch]").click()
    page.wait_for_selector("html[lang=zh]")
    assert "lang=zh" in page.url
    page.locator("[data-testid=theme-switch]").click()
    page.wait_for_selector("html[data-theme=light]")
    assert "theme=light" in page.url


def test_empty_choice_names_the_filter_to_blame(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}&hw=h100")
    page.locator(".nothing a").click()
    page.wait_for_selector(f"{CHART} a[data-point-id]")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 375])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_axe_finds_nothing_and_nothing_overflows(browser, real_site, theme, width, lang):
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    open_ready(page, f"{real_site}/{KIMI}&theme={theme}&lang={lang}")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_two_browsers_see_the_same_picture(browser, real_site):
    shots = []
    for _ in range(2):
        context = browser.new_context(viewport={"width": 1000, "height": 900})
        page = context.new_page()
        open_ready(page, f"{real_site}/{KIMI}&split=offload&ttft_max=30")
        shots.append(page.locator(CHART).screenshot())
        context.close()
    assert shots[0] == shots[1]
