"""A published folder before a real browser: a plain file server, all other network refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from explorer.publish.report import report
from explorer.settings import Settings
from tests.lake_fixture import Sample
from tests.publish.conftest import files, published

__all__ = ["files", "published"]


@pytest.fixture
def offline(browser: Browser, files: str) -> Iterator[Page]:
    """Return a page that reaches the file server only; console errors and strays fail the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    strays: list[str] = []

    def route(one):
        if one.request.url.startswith((files, "data:", "blob:")):
            return one.continue_()
        strays.append(one.request.url)
        return one.abort()

    context.route("**/*", route)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("response", lambda one: errors.append(one.url) if one.status >= 400 else None)
    yield page
    context.close()
    assert errors == []
    assert strays == []


def held(published: Path, what: str) -> list[dict]:
    return json.loads((published / "manifest.json").read_text())[what]


def test_every_page_draws_without_a_server(offline: Page, files: str, published: Path):
    for one in held(published, "pages"):
        offline.goto(f"{files}/{one['file']}")
        expect(offline.locator("h1").first, one["address"]).to_be_visible()
        marks = offline.locator("main svg, main canvas, main table")
        expect(marks.first, one["address"]).to_be_visible()


def test_the_timeline_is_drawn_by_its_own_scripts(offline: Page, files: str, sample_lake: Sample):
    offline.goto(f"{files}/points/{sample_lake.ids['high']}/timeline/")
    offline.wait_for_selector("html[data-ready=true]")
    expect(offline.locator("canvas").first).to_be_visible()
    offline.locator("p.said a").first.click()
    offline.wait_for_url(f"**/points/{sample_lake.ids['high']}/index.html")


def test_every_embed_is_drawn_at_its_own_address(offline: Page, files: str, published: Path):
    for one in held(published, "embeds"):
        offline.goto(files + one["address"])
        if "?" in one["address"]:
            offline.wait_for_url(lambda url, file=one["file"]: f"/{file}?" in url)
        expect(offline).to_have_title(re.compile("^" + re.escape(one["title"][:20])))
        expect(offline.locator("main h1").first).to_be_visible()


def test_an_embed_works_in_a_sandboxed_frame_of_an_article(
    offline: Page, files: str, sample_lake: Sample
):
    address = f"{files}/e/v1/point?point={sample_lake.ids['low']}&snap=whatever&theme=dark#first"
    offline.goto(f"{files}/manifest.json")
    offline.evaluate(
        """(address) => {
          window.heights = [];
          addEventListener("message", (event) => window.heights.push(event.data));
          const frame = document.createElement("iframe");
          frame.sandbox = "allow-scripts";
          frame.src = address;
          document.body.replaceChildren(frame);
        }""",
        address,
    )
    frame = offline.frame_locator("iframe")
    frame.locator("svg").first.wait_for()
    expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
    offline.wait_for_function("() => window.heights.some((one) => one.id === 'first')")


def test_the_same_view_spelled_otherwise_is_found(offline: Page, files: str, published: Path):
    offline.goto(f"{files}/e/v1/curve?hw=mi355x,b200&stat=p90&title=Other&x=p90_ttft_s")
    address = "/e/v1/curve?hw=b200,mi355x&x=p90_ttft_s"
    file = next(one["file"] for one in held(published, "embeds") if one["address"] == address)
    offline.wait_for_url(f"**/{file}*")


def test_a_title_of_its_own_is_an_embed_of_its_own(offline: Page, files: str):
    offline.goto(f"{files}/e/v1/curve?title=Mine")
    offline.get_by_role("heading", name="Mine").wait_for()


def test_a_view_that_is_not_here_says_so(offline: Page, files: str):
    offline.goto(f"{files}/e/v1/curve?model=nobody")
    offline.wait_for_url("**/e/v1/curve/missing/index.html")
    expect(offline.locator("main a").nth(1)).to_be_attached()


def test_a_page_of_several_views_follows_its_query(offline: Page, files: str, sample_lake: Sample):
    offline.goto(f"{files}/points/{sample_lake.ids['high']}?phase=warmup")
    offline.wait_for_url("**/v-*/index.html?phase=warmup")
    offline.goto(f"{files}/?hw=b200,mi355x&x=p90_ttft_s")
    offline.wait_for_url("**/v-*/index.html?*")


def test_links_lead_from_the_list_to_a_point_and_its_data(
    offline: Page, files: str, sample_lake: Sample
):
    offline.goto(f"{files}/")
    offline.locator("main li a").first.click()
    offline.locator(f'a[data-point-id="{sample_lake.ids["high"]}"]').first.focus()
    offline.keyboard.press("Enter")
    offline.wait_for_url(f"**/points/{sample_lake.ids['high']}/index.html")
    offline.get_by_test_id("exports").locator("summary").click()
    with offline.expect_download() as download:
        offline.get_by_test_id("exports").get_by_role("link", name="CSV").first.click()
    text = download.value.path().read_text()
    assert text.startswith("# export:")


def test_a_chart_takes_every_hand_before_its_page_is_live(
    offline: Page, files: str, published: Path
):
    """A reader can be faster than the last script."""
    late: list[str] = []

    def nothing(route):
        late.append(route.request.url)
        return route.fulfill(body="", content_type="text/javascript")

    offline.route("**/page.*js*", nothing)
    charts = 0
    for one in held(published, "pages"):
        offline.goto(f"{files}/{one['file']}")
        offline.evaluate("() => addEventListener('click', (event) => event.preventDefault())")
        marks = offline.locator("main svg a[data-point-id]")
        for mark in (marks.first, marks.last) if marks.count() else ():
            mark.dispatch_event("click")
            for key in ("ArrowRight", "r", "Enter", "Escape"):
                mark.press(key)
            charts += 1
        assert offline.url.split("?")[0].endswith(one["file"])
    assert charts >= 2
    assert late


def test_pages_fit_a_narrow_screen(offline: Page, files: str, published: Path):
    offline.set_viewport_size({"width": 375, "height": 800})
    for one in [{"file": "index.html"}, *held(published, "pages")]:
        offline.goto(f"{files}/{one['file']}")
        over = offline.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        assert over <= 0, one


def test_a_report_opens_from_a_disk(browser: Browser, sample_lake: Sample, tmp_path: Path):
    place = tmp_path / "report.html"
    address = f"/points/{sample_lake.ids['high']}"
    place.write_bytes(report(Settings(lake=sample_lake.folder), address))
    context = browser.new_context(offline=True)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.goto(place.as_uri())
    chart = page.get_by_test_id("chart-ttft").locator("svg").first
    expect(chart).to_be_visible()
    chart.focus()
    page.locator(".chart-readout").first.wait_for()
    page.get_by_test_id("exports").locator("summary").click()
    with page.expect_download() as download:
        page.get_by_test_id("exports").get_by_role("link", name="CSV").first.click()
    assert download.value.suggested_filename == "point.csv"
    context.close()
    assert errors == []
