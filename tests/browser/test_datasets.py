"""Datasets in a browser: the list, one of them, search and sort, nothing axe objects to."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import fits_and_is_clean, followed, open_ready
from tests.lake_fixture import DATASET, build

TABLE = "[data-testid=conversations-table]"
NAMES = f"{TABLE} tbody th a"


@pytest.fixture(scope="module")
def site(serve, tmp_path_factory) -> str:
    return serve(build(tmp_path_factory.mktemp("datasets") / "lake").folder)


def test_from_the_list_to_a_dataset_to_a_conversation(page, site):
    open_ready(page, f"{site}/datasets")
    page.locator("[data-testid=datasets-table] tbody th a").first.click()
    followed(page, f"**/datasets/{DATASET}")
    expect(page.locator("[data-testid=dataset-page]")).to_be_visible()
    page.locator(NAMES).nth(1).click()
    followed(page, f"**/datasets/{DATASET}/conversations/conv-1")
    expect(page.locator("[data-testid=conversation-page]")).to_be_visible()
    page.go_back()
    page.wait_for_selector("[data-testid=dataset-page]")


def test_search_and_sort_change_the_address_and_the_rows(page, site):
    open_ready(page, f"{site}/datasets/{DATASET}")
    page.locator(f"{TABLE} thead a", has_text="conversation").click()
    followed(page, "**sort=conversation**")
    expect(page.locator(NAMES)).to_have_text(["conv-0", "conv-1", "conv-2"])
    page.locator(f"{TABLE} thead a", has_text="conversation").click()
    followed(page, "**sort=-conversation**")
    expect(page.locator(NAMES)).to_have_text(["conv-2", "conv-1", "conv-0"])
    page.locator("input[name=q]").fill("-1")
    page.keyboard.press("Enter")
    followed(page, "**q=-1**")
    expect(page.locator(NAMES)).to_have_text(["conv-1"])
    page.locator("input[name=q]").fill("nothing has this")
    page.keyboard.press("Enter")
    page.wait_for_selector(".conversations .why")


def test_distributions_are_read_out_by_pointer(page, site):
    open_ready(page, f"{site}/datasets/{DATASET}")
    chart = page.locator("[data-testid=chart-isl] svg.chart")
    chart.hover()
    expect(page.locator("[data-testid=chart-isl] .chart-readout")).to_contain_text("requests")


def test_without_scripts_everything_is_there(browser, site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/datasets/{DATASET}")
    assert page.locator("figure.chart svg.chart").count() > 4
    page.locator("input[name=q]").fill("conv-2")
    page.locator(".conversations form button").click()
    expect(page.locator(NAMES)).to_have_text(["conv-2"])
    context.close()


@pytest.mark.parametrize("path", ["", f"/{DATASET}"])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "lang"), [(1440, "en"), (375, "zh")])
def test_axe_finds_nothing_and_nothing_overflows(sized, site, path, theme, width, lang):
    page = sized(width)
    open_ready(page, f"{site}/datasets{path}?theme={theme}&lang={lang}")
    fits_and_is_clean(page)
