"""The share dialog and the snapshots in a browser: copy, choose, keys, no scripts, phone, axe."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import fits_and_is_clean, followed, open_ready
from tests.lake_fixture import Sample, build

SHARE = "[data-testid=share]"
SUMMARY = f"{SHARE} > summary"


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> Sample:
    return build(tmp_path_factory.mktemp("share") / "lake")


@pytest.fixture(scope="module")
def site(serve, sample) -> str:
    return serve(sample.folder)


def opened(page: Page, address: str) -> None:
    open_ready(page, address)
    page.locator(SUMMARY).click()
    expect(page.locator("#share-pinned-short")).to_be_visible()


def test_a_field_is_copied_and_the_dialog_says_so(browser, site) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    opened(page, f"{site}/?x=p90_ttft_s")
    page.locator("[data-copy=share-pinned-short]").click()
    expect(page.locator(".share-said")).to_have_text("Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("#share-pinned-short").input_value()
    page.goto(copied)
    expect(page).to_have_url(re.compile("snap="))
    expect(page).to_have_url(re.compile("x=p90_ttft_s"))
    context.close()


def test_the_choice_shows_the_other_side_by_keys_alone(page: Page, site: str) -> None:
    open_ready(page, site + "/")
    page.locator(SUMMARY).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#share-pinned-short")).to_be_visible()
    page.locator("#share-pinned").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#share-newest-short")).to_be_visible()
    expect(page.locator("#share-pinned-short")).to_be_hidden()
    assert "snap=" not in page.locator("#share-newest-address").input_value()
    page.keyboard.press("Escape")
    expect(page.locator("#share-newest-short")).to_be_hidden()
    expect(page.locator(SUMMARY)).to_be_focused()


def test_the_dialog_follows_the_page_without_a_reload(page: Page, site: str) -> None:
    open_ready(page, site + "/")
    page.locator("header.top a", has_text="Datasets").click()
    followed(page, "**/datasets")
    page.locator(SUMMARY).click()
    expect(page.locator("#share-newest-address")).to_have_value(f"{site}/datasets")


def test_a_field_one_enters_is_selected_whole(page: Page, site: str) -> None:
    opened(page, site + "/")
    page.locator("#share-pinned-citation").focus()
    chosen = page.evaluate(
        "() => { const e = document.activeElement; "
        "return e.value.slice(e.selectionStart, e.selectionEnd) === e.value; }"
    )
    assert chosen


def test_without_scripts_the_dialog_opens_and_both_sides_show(browser, site) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site + "/")
    page.locator(SUMMARY).click()
    expect(page.locator("#share-pinned-embed")).to_be_visible()
    expect(page.locator("[data-copy=share-pinned-short]")).to_be_hidden()
    page.locator("#share-newest").check()
    expect(page.locator("#share-newest-embed")).to_be_visible()
    expect(page.locator("#share-pinned-embed")).to_be_hidden()
    context.close()


def test_two_snapshots_are_chosen_and_compared(page: Page, site: str, sample: Sample) -> None:
    open_ready(page, site + "/")
    page.locator("header.top a.snapshot").click()
    followed(page, "**/snapshots")
    page.locator("form.pair button").click()
    followed(page, f"**/snapshots?a={sample.first}&b={sample.newest}")
    expect(page.locator("[data-testid=changes-removed]")).to_contain_text(sample.ids["gone"])
    page.locator("[data-testid=changes-removed] a", has_text="before").click()
    followed(page, f"**/points/{sample.ids['gone']}?snap={sample.first}")
    expect(page.locator("[data-testid=superseded]")).to_contain_text("this point is gone")


@pytest.mark.parametrize(
    ("path", "theme", "width", "lang"),
    [
        ("/", "light", 1440, "en"),
        ("/", "dark", 375, "zh"),
        ("/snapshots", "dark", 768, "en"),
        ("/snapshots?a=first", "light", 375, "zh"),
        ("/datasets", "light", 375, "en"),
    ],
)
def test_axe_finds_nothing_and_nothing_overflows(sized, site, path, theme, width, lang) -> None:
    page = sized(width)
    join = "&" if "?" in path else "?"
    opened(page, f"{site}{path}{join}theme={theme}&lang={lang}")
    fits_and_is_clean(page)
    box = page.locator(".share-menu").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
