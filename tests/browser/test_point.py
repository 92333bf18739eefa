"""A point's page in a browser: phases, read-out, brush, keyboard, language, theme, phone, axe."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import fits_and_is_clean, followed, hold, let_through, open_ready
from tests.lake_fixture import Sample

PAGE = "[data-testid=point-page]"
TTFT = "[data-testid=chart-ttft]"
REQUESTS = "[data-testid=requests-table] table"


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
    expect(page.locator(".cursor-line").nth(3)).to_be_attached()


def test_a_brush_writes_the_window_into_the_address_and_everything_follows(
    page: Page, site: str
) -> None:
    open_ready(page, site)
    plot(page).scroll_into_view_if_needed()
    box = plot(page).bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 40, steps=4)
    expect(page.locator(".brush").nth(3)).to_be_attached()
    page.mouse.up()
    followed(page, "**from=*&to=*")
    expect(page.locator("[data-testid=statistics]")).not_to_contain_text("from 86 ok requests")
    expect(page.locator(".brush")).to_have_count(0)
    page.locator("[data-clear-window]").click()
    expect(page.locator("[data-testid=statistics]")).to_contain_text("from 86 ok requests")


def test_keys_read_mark_and_take_a_window(page: Page, site: str) -> None:
    open_ready(page, site)
    plot(page).focus()
    page.keyboard.press("Home")
    first = page.locator(f"{TTFT} .chart-readout").inner_text()
    page.keyboard.press("PageDown")
    expect(page.locator(f"{TTFT} .chart-readout")).not_to_have_text(first)
    for _ in range(3):
        page.keyboard.press("Shift+PageDown")
    expect(page.locator(f"{TTFT} .brush")).to_have_count(1)
    page.keyboard.press("Enter")
    followed(page, "**from=*&to=*")


def drag(page: Page, name: str, low: float, high: float) -> None:
    """Drag across a chart, between two shares of its width."""
    plot(page, name).scroll_into_view_if_needed()
    box = plot(page, name).bounding_box()
    page.mouse.move(box["x"] + box["width"] * low, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * high, box["y"] + 40, steps=4)
    page.mouse.up()


def has_rows(page: Page, n: int) -> None:
    """Wait until the table scrolls over so many requests."""
    expect(page.locator(REQUESTS)).to_have_attribute("aria-rowcount", str(n + 1))


def rows_of(page: Page) -> int:
    """Return how many requests the table scrolls over."""
    return int(page.locator(REQUESTS).get_attribute("aria-rowcount")) - 1


def test_a_brush_on_a_distribution_chooses_requests_for_the_whole_page(
    page: Page, site: str
) -> None:
    open_ready(page, site)
    has_rows(page, 88)
    drag(page, "isl", 0.2, 0.5)
    followed(page, "**where=isl_tokens:*..*")
    chip = page.locator("[data-clear-range=isl_tokens]")
    expect(chip).to_contain_text("tokens")
    chosen = page.locator("[data-testid=statistics] .def").inner_text()
    n = int(chosen.split("from ")[1].split(" ok")[0])
    assert 0 < n < 86
    has_rows(page, n)
    drag(page, "ttft-spread", 0.0, 0.6)
    followed(page, "**where=isl_tokens:*ttft_s:*..*")
    expect(page.locator("[data-clear-range]")).to_have_count(2)
    assert rows_of(page) <= n
    page.locator("[data-clear-range=ttft_s]").click()
    expect(page.locator("[data-clear-range]")).to_have_count(1)
    has_rows(page, n)
    page.locator("[data-clear-range=isl_tokens]").click()
    expect(page.locator("[data-clear-range]")).to_have_count(0)
    has_rows(page, 88)


def test_a_range_whose_numbers_come_late_leaves_a_reader_who_went_on_alone(
    page: Page, site: str
) -> None:
    held = hold(page, "**view=numbers*")
    open_ready(page, site)
    drag(page, "isl", 0.2, 0.5)
    page.locator("[data-testid=phase-toggle] a", has_text="Warm-up").click()
    followed(page, "**phase=warmup**")
    let_through(page, held[0])
    assert "where=" not in page.url
    expect(page.locator("[data-testid=statistics]")).to_contain_text("from 8 ok requests")


def test_keys_mark_and_take_a_range_and_stay_on_the_chart(page: Page, site: str) -> None:
    open_ready(page, site)
    plot(page, "osl").focus()
    page.keyboard.press("Home")
    for _ in range(4):
        page.keyboard.press("Shift+PageDown")
    expect(page.locator("[data-testid=chart-osl] .brush")).to_have_count(1)
    page.keyboard.press("Enter")
    followed(page, "**where=osl_tokens:*..*")
    expect(page.locator("[data-clear-range=osl_tokens]")).to_be_visible()
    expect(plot(page, "osl")).to_be_focused()


def test_the_table_scrolls_over_all_requests_with_few_rows_in_the_document(
    page: Page, site: str
) -> None:
    open_ready(page, site)
    region = page.locator("[data-testid=requests-table]")
    rows = region.locator("tbody tr[data-request]")
    expect(region.locator("table")).to_have_attribute("aria-rowcount", "89")
    first = rows.first
    expect(first).to_have_attribute("aria-rowindex", "2")
    region.scroll_into_view_if_needed()
    region.evaluate("node => node.scrollTop = node.scrollHeight")
    expect(region.locator("tr[aria-rowindex='89'][data-request]")).to_be_visible()
    expect(page.locator(".rows-seen")).to_contain_text("–88")
    expect(region.locator(".wait")).to_have_count(0)
    assert rows.count() < 60
    page.wait_for_url("**open=rows-*")
    region.locator("tr[aria-rowindex='89'] a").first.focus()
    page.keyboard.press("Home")
    expect(region.locator("tr[aria-rowindex='2'] a").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(region.locator("tr[aria-rowindex='3'] a").first).to_be_focused()
    page.keyboard.press("PageDown")
    focused = region.locator("tr:focus-within")
    expect(focused).to_have_attribute("aria-rowindex", re.compile(r"^(1[1-9]|[2-8]\d)$"))
    page.keyboard.press("End")
    expect(region.locator("tr[aria-rowindex='89'] a").first).to_be_focused()


def test_a_link_to_a_row_opens_the_table_there(page: Page, site: str) -> None:
    open_ready(page, site + "?open=rows-40")
    expect(page.locator(".rows-seen")).to_contain_text("41–")
    expect(page.locator("tr[aria-rowindex='42'][data-request]")).to_have_count(1)
    expect(page.locator("tr[aria-rowindex='30'][data-request]")).to_have_count(1)


def test_without_scripts_a_bin_can_be_chosen_and_let_go(browser: Browser, site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site)
    page.locator("[data-testid=chart-isl] .twin-table summary").click()
    page.locator("[data-testid=chart-isl] tbody a").first.click()
    expect(page).to_have_url(re.compile("where=isl_tokens:"))
    chip = page.locator("[data-clear-range=isl_tokens]")
    expect(chip).to_be_visible()
    assert rows_of(page) < 88
    chip.click()
    has_rows(page, 88)
    expect(chip).to_have_count(0)
    context.close()


def test_requests_sort_search_and_lead_to_the_timeline(page: Page, site: str) -> None:
    open_ready(page, site)
    table = page.locator("[data-testid=requests-table]")
    table.locator("th a", has_text="TTFT").click()
    followed(page, "**sort=**")
    expect(table.locator("th[aria-sort=descending]")).to_contain_text("TTFT")
    search = page.locator("input[type=search]")
    search.fill("conv-1")
    search.press("Enter")
    followed(page, "**q=conv-1**")
    expect(table.locator("table")).to_have_attribute("aria-rowcount", "34")
    names = table.locator("tbody td:nth-child(2)").all_inner_texts()
    assert all("conv-1" in name for name in names)
    assert "/timeline?" in table.locator("tbody a").first.get_attribute("href")


def test_typed_text_survives_a_redraw_asked_for_before(page: Page, site: str) -> None:
    open_ready(page, site)
    held = hold(page, "**/_dash-update-component")
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
    expect(page).to_have_url(re.compile("phase=warmup"))
    expect(page.locator("[data-testid=statistics]")).to_contain_text("from 8 ok requests")
    context.close()


@pytest.mark.parametrize("query", ["?theme=light", "?theme=dark&lang=zh"])
@pytest.mark.parametrize("width", [1440, 768, 375])
def test_no_sideways_scroll_and_clean_for_axe(
    sized: Callable[[int], Page], site: str, query: str, width: int
) -> None:
    page = sized(width)
    open_ready(page, site + query)
    fits_and_is_clean(page)
