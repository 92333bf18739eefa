"""The comparison in a browser: choosing, leaving, a brush, no scripts, phone, themes, axe."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import fits_and_is_clean, followed, open_ready
from tests.lake_fixture import Sample

POINTS = "[data-testid=compare-points] > li"
METRICS = "[data-testid=compare-metrics]"


@pytest.fixture(scope="module")
def base(serve, sample_lake: Sample) -> str:
    return serve(sample_lake.folder)


@pytest.fixture(scope="module")
def site(base: str, sample_lake: Sample) -> str:
    return f"{base}/compare?a={sample_lake.ids['low']}&b={sample_lake.ids['high']}"


def test_from_a_point_to_a_comparison_and_back_to_one(
    page: Page, base: str, sample_lake: Sample
) -> None:
    open_ready(page, f"{base}/points/{sample_lake.ids['low']}")
    page.locator(".trail a", has_text="Compare").click()
    followed(page, "**/compare?a=*")
    expect(page.locator(POINTS)).to_have_count(1)
    expect(page.locator(".offers a")).not_to_have_count(0)
    page.get_by_role("searchbox").fill(sample_lake.ids["high"])
    page.get_by_role("button", name="Add").click()
    followed(page, "**&b=*")
    expect(page.locator(POINTS)).to_have_count(2)
    expect(page.locator(f"{METRICS} tr[data-metric=p90_ttft_s]")).to_contain_text("×")
    page.locator(POINTS).first.get_by_text("Remove").click()
    expect(page.locator(POINTS)).to_have_count(1)
    expect(page.locator(POINTS)).to_contain_text("8 sessions")


def test_the_base_can_be_turned_round_by_key(page: Page, site: str) -> None:
    open_ready(page, site)
    before = page.locator(f"{METRICS} tr[data-metric=p90_ttft_s] td").all_inner_texts()
    page.get_by_role("link", name="Make this the base: B").focus()
    page.keyboard.press("Enter")
    cell = page.locator(f"{METRICS} tr[data-metric=p90_ttft_s] td").first
    expect(cell).to_have_text(before[1].split("\n")[0].split("×")[0].strip())


def test_a_brush_on_one_chart_is_a_window_for_all(page: Page, site: str) -> None:
    open_ready(page, site)
    plot = page.locator("[data-testid=chart-compare-ttft] svg.chart")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 40, steps=4)
    page.mouse.up()
    followed(page, "**from=*&to=*")
    expect(page.locator("[data-clear-window]")).to_be_visible()
    page.locator("[data-clear-window]").click()
    expect(page.locator("[data-clear-window]")).to_have_count(0)


def test_timelines_are_one_link_away(page: Page, site: str) -> None:
    open_ready(page, site)
    page.get_by_text("Timelines, stacked on one clock").click()
    followed(page, "**/compare/timelines?a=*&b=*")
    expect(page.locator("[data-testid=compare-timelines] section")).to_have_count(2)


def test_without_scripts_points_can_be_chosen(browser: Browser, base: str, site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site)
    assert page.locator("svg.chart path").count() > 12
    page.locator("details.add summary").click()
    page.locator("input[name=c]").fill("nothing")
    page.locator("input[name=c]").press("Enter")
    expect(page).to_have_url(re.compile("c=nothing"))
    expect(page.locator(".problem")).to_have_text(re.compile("^c=nothing: no such point"))
    context.close()


@pytest.mark.parametrize("query", ["&theme=light", "&theme=dark&lang=zh"])
@pytest.mark.parametrize("width", [1440, 768, 375])
def test_no_sideways_scroll_and_clean_for_axe(
    sized: Callable[[int], Page], site: str, query: str, width: int
) -> None:
    page = sized(width)
    open_ready(page, site + query)
    fits_and_is_clean(page)
