"""A point's page in a browser: phases, read-out, brush, keyboard, language, theme, phone, axe."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import followed, open_ready
from tests.lake_fixture import Sample

PAGE = "[data-testid=point-page]"
TTFT = "[data-testid=chart-ttft]"


@pytest.fixture(scope="module")
def site(serve, sample_lake: Sample) -> str:
    return f"{serve(sample_lake.folder)}/points/{sample_lake.ids['high']}"


def plot(page: Page, name: str = "ttft"):
    return page.locator(f"[data-testid=chart-{name}] svg.chart")


def test_phase_toggle_changes_the_whole_page_and_the_address(page: Page, site: str) -> None:
    open_ready(page, site)
    page.locator("[data-testid=phase-toggle] a", has_text="Warm-up").click()
    followed(page, "**phase=warmup**")
    expect(page.locator("[data-testid=statistics]")).to_contain_text("from 8 ok requests")
    page.go_back()
    expect(page.locator("[data-testid=statistics]")).to_contain_text("from 86 ok requests")


def test_pointer_reads_out_a_chart_and_marks_the_moment_on_the_others(
    page: Page, site: str
) -> None:
    open_ready(page, site)
    plot(page).scroll_into_view_if_needed()
    plot(page).hover(position={"x": 200, "y": 60})
    expect(page.locator(f"{TTFT} .chart-readout")).to_contain_text("p90")
    assert page.locator(".cursor-line").count() > 3


def test_a_brush_writes_the_window_into_the_address_and_everything_follows(
    page: Page, site: str
) -> None:
    open_ready(page, site)
    plot(page).scroll_into_view_if_needed()
    box = plot(page).bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 40, steps=4)
    assert page.locator(".brush").count() > 3
    page.mouse.up()
    followed(page, "**from=*&to=*")
    expect(page.locator("[data-testid=statistics]")).not_to_contain_text("from 86 ok requests")
    assert page.locator(".brush").count() == 0
    page.locator("[data-clear-window]").click()
    expect(page.locator("[data-testid=statistics]")).to_contain_text("from 86 ok requests")


def test_keys_read_mark_and_take_a_window(page: Page, site: str) -> None:
    open_ready(page, site)
    plot(page).focus()
    page.keyboard.press("Home")
    first = page.locator(f"{TTFT} .chart-readout").inner_text()
    page.keyboard.press("PageDown")
    assert page.locator(f"{TTFT} .chart-readout").inner_text() != first
    for _ in range(3):
        page.keyboard.press("Shift+PageDown")
    page.keyboard.press("Enter")
    followed(page, "**from=*&to=*")


def test_requests_sort_search_and_lead_to_the_timeline(page: Page, site: str) -> None:
    open_ready(page, site)
    table = page.locator("[data-testid=requests-table]")
    table.locator("th a", has_text="TTFT").click()
    expect(table.locator("th[aria-sort=descending]")).to_contain_text("TTFT")
    search = page.locator("input[type=search]")
    search.fill("conv-1")
    search.press("Enter")
    followed(page, "**q=conv-1**")
    expect(table.locator("tbody tr")).to_have_count(33)
    names = table.locator("tbody td:nth-child(2)").all_inner_texts()
    assert all("conv-1" in name for name in names)
    assert "/timeline?" in table.locator("tbody a").first.get_attribute("href")


def test_typed_text_survives_a_redraw_asked_for_before(page: Page, site: str) -> None:
    open_ready(page, site)
    held: list[Route] = []
    page.route("**/_dash-update-component", lambda route: held.append(route))
    table = page.locator("[data-testid=requests-table]")
    with page.expect_request("**/_dash-update-component"):
        table.locator("th a", has_text="TTFT").click()
    page.locator("input[type=search]").press_sequentially("conv-1")
    held[0].continue_()
    expect(table.locator("th[aria-sort=descending]")).to_contain_text("TTFT")
    expect(page.locator("input[type=search]")).to_have_value("conv-1")
    expect(page.locator("input[type=search]")).to_be_focused()


def test_without_scripts_the_page_is_whole(browser: Browser, site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site)
    assert page.locator("svg.chart path").count() > 12
    assert page.locator("[data-testid=requests-table] tbody tr").count() == 50
    page.locator("[data-testid=phase-toggle] a", has_text="Warm-up").click()
    assert "phase=warmup" in page.url
    context.close()


@pytest.mark.parametrize("query", ["?theme=light", "?theme=dark&lang=zh"])
@pytest.mark.parametrize("width", [1440, 768, 375])
def test_no_sideways_scroll_and_clean_for_axe(
    browser: Browser, site: str, query: str, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    open_ready(page, site + query)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    context.close()
