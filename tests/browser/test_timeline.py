"""The timeline's real page over real runs: counts, keys, links, state, exports, offline, axe."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from explorer.exports.timeline_files import Asked, file_of
from explorer.queries import points
from explorer.queries.window import Window
from explorer.store.lake import LocalLake, open_lake
from tests.browser.conftest import fits_and_is_clean, followed, hold, let_through, open_ready
from tests.lake_fixture import Sample

DRAWN = '#react-entry-point [data-testid="timeline"][data-ready="true"]'
EXACT = '[data-testid="timeline-details"][data-request-id]'


def at(page: Page, expression: str, which: int = 0) -> Any:
    return page.evaluate(
        f"() => {{ const v = document.querySelectorAll('[data-testid=timeline]')[{which}].timeline;"
        f" return {expression}; }}"
    )


def until(page: Page, condition: str, every: str = "some") -> None:
    """Wait until a condition on the view `v` of a timeline holds; a function, for the policy."""
    page.wait_for_function(
        "() => [...document.querySelectorAll('[data-testid=timeline]')]"
        f".{every}((e) => {{ const v = e.timeline; return v && {condition}; }})"
    )


def opened(page: Page, address: str) -> Page:
    open_ready(page, address)
    page.wait_for_selector(DRAWN)
    return page


@pytest.fixture(scope="module")
def site(serve, sample_lake: Sample) -> str:
    return serve(sample_lake.folder)


@pytest.fixture(scope="module")
def sample(site: str, sample_lake: Sample) -> str:
    return f"{site}/points/{sample_lake.ids['high']}/timeline"


@pytest.fixture(scope="module")
def lake(real_lake: Path) -> LocalLake:
    return open_lake(real_lake)


def found(lake: LocalLake, condition: str) -> str:
    (row,) = lake.rows(f"SELECT point_id FROM {{points}} WHERE {condition}")
    return row["point_id"]


@pytest.fixture(scope="module")
def c6(lake: LocalLake) -> str:
    return found(lake, "requests_warmup = 203 AND requests_total = 412")


def test_the_first_paints_timeline_moves_into_the_live_page(page: Page, sample: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    opened(page, sample)
    expect(page.locator("[data-testid=timeline]")).to_have_count(1)
    assert sum("/timeline?" in url for url in asked) == 1
    assert sum(url.endswith("mount.mjs") for url in asked) == 1
    assert at(page, "v.data.n") == 96


def test_data_that_comes_after_the_reader_left_draws_nothing(page: Page, sample: str) -> None:
    held = hold(page, "**/api/v1/**/timeline?*")
    open_ready(page, sample)
    left = page.query_selector('#react-entry-point [data-testid="timeline"]')
    assert left
    page.locator("header.top a[data-nav]").first.click()
    followed(page, "**/")
    held[0].continue_()
    page.wait_for_function("(left) => left.dataset.ready === 'left'", arg=left)


def test_a_request_known_after_the_reader_left_keeps_out_of_the_address(
    page: Page, sample: str
) -> None:
    opened(page, sample)
    held = hold(page, "**/requests?*")
    page.keyboard.press("x")
    until(page, "v.selected >= 0")
    page.locator("header.top a[data-nav]").first.click()
    followed(page, "**/")
    let_through(page, held[0])
    assert "req=" not in page.url


def test_a_view_leaves_the_address_of_a_link_alone_until_its_page_is_there(
    page: Page, sample: str
) -> None:
    opened(page, sample)
    held = hold(page, "**/_dash-update-component")
    page.get_by_test_id("theme-switch").click()
    page.wait_for_url("**theme=light**")
    page.keyboard.press("w")
    page.keyboard.press("x")
    until(page, "v.selected >= 0 && !v.moving")
    assert page.url.endswith("?theme=light")
    held[0].continue_()
    page.unroute_all()
    followed(page, "**theme=light**")
    page.wait_for_selector(DRAWN)
    page.keyboard.press("w")
    page.wait_for_url("**from=*")


def test_a_row_of_the_table_is_chosen_in_the_timeline_that_stands_there(
    page: Page, sample: str
) -> None:
    opened(page, f"{sample}?phase=warmup")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    rows = page.get_by_test_id("timeline-rows").locator("tbody tr")
    names = [rows.nth(row).get_attribute("data-request") for row in (3, 1, 5)]
    for row in (3, 1, 5):
        rows.nth(row).locator("td:first-child a").click()
    page.wait_for_url(f"**req={names[-1]}**")
    page.wait_for_selector(f'[data-testid="timeline-details"][data-request-id="{names[-1]}"]')
    page.keyboard.press("Escape")
    assert not [url for url in asked if "_dash-update" in url or "/timeline?" in url]
    expect(page.locator(".tl-plot")).to_be_in_viewport()
    assert "phase=warmup" in page.url


def test_the_canvas_writes_the_address_without_running_the_router(page: Page, sample: str) -> None:
    opened(page, sample)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.keyboard.press("w")
    page.wait_for_url("**from=*")
    page.keyboard.press("v")
    page.wait_for_url("**color=ttft*")
    page.get_by_test_id("phase-toggle").get_by_text("Warm-up").click()
    page.wait_for_url("**phase=warmup*")
    expect(page.get_by_test_id("timeline-status")).to_contain_text("showing 8 of 96 requests")
    expect(page.locator("[data-phase=warmup]")).to_have_attribute("aria-current", "true")
    assert not [url for url in asked if "_dash-update" in url or "/timeline" in url]


def test_another_language_and_theme_keep_what_the_canvas_wrote(page: Page, sample: str) -> None:
    opened(page, f"{sample}?phase=all")
    page.keyboard.press("x")
    page.wait_for_url("**req=r*")
    page.keyboard.press("r")
    page.wait_for_url("**range=*")
    selected, span = at(page, "[v.selected, v.range]")
    page.get_by_test_id("lang-switch").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    until(page, "v.selected >= 0")
    page.get_by_test_id("theme-switch").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    until(page, "v.selected >= 0")
    assert at(page, "v.selected") == selected
    assert at(page, "v.range") == pytest.approx(span, abs=1e-5)
    assert "lang=zh" in page.url
    assert "phase=all" in page.url
    page.keyboard.press(".")
    until(page, f"v.selected !== {selected}")


def test_a_range_is_read_out_and_exported(page: Page, sample: str, sample_lake: Sample) -> None:
    opened(page, f"{sample}?range=3..20")
    expect(page.locator(".tl-range p")).to_contain_text("requests start here")
    page.locator(".tl-menu summary").click()
    link = page.locator("[data-export=parquet]")
    link.focus()
    asks = re.compile("format=parquet&from=3&to=20&phase=profiling$")
    expect(link).to_have_attribute("href", asks)
    answer = page.request.get(link.get_attribute("href"))
    assert answer.status == 200
    assert answer.body()[:4] == b"PAR1"


def test_without_scripts_the_page_reads_and_links(browser: Browser, sample: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(sample)
    expect(page.locator("h1")).to_contain_text("Timeline")
    expect(page.get_by_test_id("timeline-rows").locator("tbody tr")).to_have_count(50)
    page.get_by_test_id("phase-toggle").get_by_text("Warm-up").click()
    expect(page.get_by_test_id("timeline-rows").locator("tbody tr")).to_have_count(8)
    page.get_by_test_id("timeline-rows").locator("tbody tr td:nth-child(2) a").first.click()
    expect(page).to_have_url(re.compile("/datasets/sample-set/conversations/"))
    expect(page.get_by_test_id("conversation-page")).to_be_visible()
    context.close()


def test_two_points_share_a_clock_and_keep_their_own_selections(
    page: Page, site: str, sample_lake: Sample
) -> None:
    a, b = sample_lake.ids["low"], sample_lake.ids["high"]
    open_ready(page, f"{site}/compare/timelines?a={a}&b={b}")
    page.locator(DRAWN).nth(1).wait_for()
    at(page, "v.port.show(v.units(2), v.units(6))")
    assert at(page, "[v.seconds(v.port.t0), v.seconds(v.port.t1)]", 1) == pytest.approx([2, 6])
    at(page, "v.select(3)")
    page.wait_for_url("**req=a*")
    at(page, "v.select(5)", 1)
    page.wait_for_function("() => /req=a%3Ar.*b%3Ar/.test(location.search)")
    opened(page, page.url)
    until(page, "v.selected >= 0", "every")
    assert (at(page, "v.selected"), at(page, "v.selected", 1)) == (3, 5)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "lang"), [(1440, "en"), (375, "en"), (375, "zh")])
def test_axe_finds_nothing_and_nothing_overflows(
    sized: Callable[[int], Page], sample: str, theme: str, width: int, lang: str
) -> None:
    page = sized(width)
    opened(page, f"{sample}?theme={theme}&lang={lang}&phase=all")
    page.keyboard.press("x")
    page.wait_for_selector(EXACT)
    page.keyboard.press("t")
    fits_and_is_clean(page)


@pytest.mark.real_data
def test_counts_on_screen_equal_the_api(page: Page, real_site: str, lake: LocalLake) -> None:
    sql = "SELECT point_id FROM {points} WHERE requests_object IS NOT NULL ORDER BY point_id"
    ids = [row["point_id"] for row in lake.rows(sql)]
    crowded = [found(lake, "requests_failed = 65 AND requests_cancelled = 13"), *ids[::12]]
    for point_id in crowded:
        api = f"{real_site}/api/v1/points/{point_id}"
        flat = page.request.get(api).json()["data"]
        opened(page, f"{real_site}/points/{point_id}/timeline?phase=all")
        total = flat["requests_total"] + flat["requests_warmup"]
        assert at(page, "v.data.n") == total
        status = page.get_by_test_id("timeline-status")
        expect(status).to_contain_text(f"showing {total:,} of {total:,} requests")
        page.get_by_test_id("phase-toggle").get_by_text("Profiling").click()
        expect(status).to_contain_text(
            f"{flat['requests_ok']:,} ok, {flat['requests_failed']:,} failed, "
            f"{flat['requests_cancelled']:,} cancelled"
        )
        if flat["requests_overflow"]:
            expect(status).to_contain_text(f"{flat['requests_overflow']:,} skipped for context")


@pytest.mark.real_data
def test_the_slowest_request_of_a_subagent_by_keyboard_alone(
    browser: Browser, real_site: str, c6: str
) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    rows = page.request.get(
        f"{real_site}/api/v1/points/{c6}/requests?kind=subagent&sort=-e2el_s&limit=1"
    ).json()["data"]
    slowest = rows[0]
    opened(page, f"{real_site}/points/{c6}/timeline")
    keys = ["k", "x", "c", "o"]
    for key in keys[:3]:
        page.keyboard.press(key)
    page.get_by_text("Link copied.").first.wait_for()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    page.keyboard.press(keys[3])
    page.wait_for_url("**/datasets/**")
    reference = slowest["dataset_ref"]
    place = f"/datasets/{reference['dataset']}/conversations/{reference['conversation']}"
    page.wait_for_selector('[data-testid="conversation-page"]')
    assert place in page.url
    assert f"turn={reference['turn']}" in page.url
    assert f"agent={reference['agent']}" in page.url
    assert len(keys) <= 12
    page.goto(copied)
    page.wait_for_selector(
        f'[data-testid="timeline-details"][data-request-id="{slowest["request_id"]}"]'
    )
    context.close()


@pytest.mark.real_data
def test_back_from_a_turn_the_keys_still_work(page: Page, real_site: str, c6: str) -> None:
    opened(page, f"{real_site}/points/{c6}/timeline")
    page.keyboard.press("x")
    page.wait_for_selector(EXACT)
    selected = at(page, "v.selected")
    page.get_by_role("link", name="Open its turn").click()
    page.wait_for_selector('[data-testid="conversation-page"]')
    page.go_back()
    page.wait_for_selector(EXACT)
    assert at(page, "v.selected") == selected
    page.keyboard.press(",")
    until(page, f"v.selected !== {selected}")


@pytest.mark.real_data
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_offline_page_draws_from_a_file_without_network(
    browser: Browser, lake: LocalLake, c6: str, tmp_path: Path, lang: str
) -> None:
    data, name = file_of(Asked(lake, points.one(lake, c6), Window("all"), lang=lang), "html")
    path = tmp_path / name
    path.write_bytes(data)
    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 900})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda one: errors.append(one.text) if one.type == "error" else None)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=true]")
    until(page, "v.stripLines().length >= 3")
    assert at(page, "v.data.n") == 615
    expect(page.get_by_test_id("timeline-status")).to_contain_text("412")
    for key in ("k", "x", "w"):
        page.keyboard.press(key)
    until(page, "v.selected >= 0")
    expect(page.get_by_test_id("timeline-details")).to_be_visible()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert errors == []
    fits_and_is_clean(page)
    context.close()


@pytest.mark.real_data
def test_the_exports_of_the_page_are_there(page: Page, real_site: str, c6: str) -> None:
    opened(page, f"{real_site}/points/{c6}/timeline")
    exports = json.loads(page.locator("[data-testid=timeline]").get_attribute("data-exports"))
    assert set(exports) == {"perfetto", "parquet", "offline"}
    for address in exports.values():
        assert page.request.get(f"{real_site}{address}").status == 200
