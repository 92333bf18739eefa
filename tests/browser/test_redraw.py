"""The curves drawn anew in place: the page of an address, however one came to it."""

from __future__ import annotations

import re
from contextlib import nullcontext

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import followed, go, hold, open_ready, routed, taken
from tests.crowd_lake import HW, lake_of

PARTS = """() => {
  const parts = {};
  for (const one of document.querySelectorAll("#page-root [data-part]")) {
    parts[one.dataset.part] = one.innerHTML;
  }
  const { lang, dataset } = document.documentElement;
  return { parts, lang, theme: dataset.theme, title: document.title };
}"""
TABBED = ' tabindex="-1"'  # set by the page's script, on marks only
CHART = "[data-testid=curve-chart] svg.curves"
CHOICES = "[data-part=choices]"
STATES = (
    "stat=p50",
    "lang=zh&theme=dark&stat=mean",
    "ttft_max=5&scale=log",
    "hw=no-such-hardware",
    "x=ttft_s",
    "rows=all",
)


FOLDED = "details[data-folded]"
COME = """([one]) => one?.querySelector("summary").dispatchEvent(
  new PointerEvent("pointerover", { bubbles: true }))"""


def near(page):
    """Bring the pointer near menus and tables that are still folded; return when none is."""
    for part in ("choices", "header", "twin"):
        folded = page.locator(f"[data-part={part}] {FOLDED}")
        folded.evaluate_all(COME)  # one may unfold meanwhile: found and touched at once
        expect(folded).to_have_count(0)


def shown(page):
    """Return all that a page shows, without what scripts add to it."""
    near(page)
    found = page.evaluate(PARTS)
    found["parts"] = {
        name: re.sub(r'<details([^>]*) open=""', r"<details\1", inside.replace(TABBED, ""))
        for name, inside in found["parts"].items()
    }
    return found


@pytest.fixture(scope="module")
def sample_site(serve, sample_lake):
    return serve(sample_lake.folder)


@pytest.fixture(scope="module")
def fresh(browser, sample_site):
    """Return what a page shows that was opened at its address."""
    page = browser.new_context().new_page()
    kept = {}

    def at(query):
        if query not in kept:
            open_ready(page, f"{sample_site}/?{query}")
            kept[query] = shown(page)
        return kept[query]

    yield at
    page.context.close()


def test_a_page_drawn_in_place_is_the_page_of_its_address(page, sample_site, fresh):
    open_ready(page, f"{sample_site}/?stat=p90")
    asked = []
    page.on("request", lambda one: asked.append(one.url) if "_dash-update" in one.url else None)
    for query in STATES:
        go(page, f"/?{query}")
        assert shown(page) == fresh(query), query
    assert asked == []


def test_the_way_back_is_drawn_in_place_too(page, sample_site, fresh):
    open_ready(page, f"{sample_site}/?{STATES[0]}")
    for query in STATES[1:]:
        go(page, f"/?{query}")
    for query in reversed(STATES[:-1]):
        page.go_back()
        followed(page, f"**?{query}")
        assert shown(page) == fresh(query), query


def test_other_pages_are_whole_after_a_redraw_in_another_language(page, sample_site):
    open_ready(page, f"{sample_site}/")
    go(page, "/?lang=zh&theme=dark")
    go(page, "/datasets")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("html")).to_have_attribute("data-theme", "auto")
    expect(page.locator("#page-root > footer")).to_contain_text("Every number is computed")
    page.go_back()
    followed(page, "**/?lang=zh&theme=dark")
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    expect(page.locator("#page-root > footer")).not_to_contain_text("Every number is computed")


def test_a_redraw_that_breaks_off_still_ends_at_its_address(page, sample_site, fresh):
    open_ready(page, f"{sample_site}/?{STATES[0]}")
    whole = "**/_redraw/**"
    routed(page, whole, lambda route: route.fulfill(status=200, body='{"title": "cut"'))
    go(page, f"/?{STATES[1]}")
    assert shown(page) == fresh(STATES[1])
    page.unroute(whole)
    go(page, f"/?{STATES[2]}")
    routed(page, whole, lambda route: route.fulfill(status=200, body=""))
    with page.expect_navigation(wait_until="load"):  # React drew it last and would not again
        page.evaluate("(address) => window.explorer.go(address)", f"/?{STATES[1]}")
    followed(page, f"**/?{STATES[1]}")
    page.wait_for_selector("html[data-ready=true]")
    assert shown(page) == fresh(STATES[1])


def test_the_last_of_several_quick_choices_is_shown(page, sample_site, fresh):
    open_ready(page, f"{sample_site}/?{STATES[0]}")
    page.evaluate(
        "(all) => all.forEach((one) => window.explorer.go('/?' + one))",
        [STATES[1], STATES[3], STATES[2]],
    )
    followed(page, f"**/?{STATES[2]}")
    assert shown(page) == fresh(STATES[2])


def test_a_page_asked_for_in_passing_does_not_come_back(page, sample_site, fresh):
    open_ready(page, f"{sample_site}/?{STATES[0]}")
    held = []
    whole = "**/_dash-update-component"
    routed(page, whole, lambda route: route.continue_() if held else held.append(route))
    with page.expect_request(whole):
        page.evaluate("() => window.explorer.go('/datasets')")
    page.go_back()
    followed(page, f"**/?{STATES[0]}")
    with page.expect_request(whole):  # what came too late is seen, and the page asked for again
        held[0].continue_()
    followed(page, f"**/?{STATES[0]}")
    assert shown(page) == fresh(STATES[0])
    go(page, f"/?{STATES[1]}")
    expect(page.locator(CHART)).to_be_visible()
    assert shown(page) == fresh(STATES[1])


def test_a_redraw_under_way_ends_when_the_reader_goes_back_to_another_page(page, sample_site):
    open_ready(page, f"{sample_site}/datasets")
    go(page, "/")
    held = hold(page, "**/_redraw/**")
    with page.expect_request("**/_redraw/**"):
        page.evaluate("() => window.explorer.go('/?stat=p50')")
    with page.expect_event("requestfailed", lambda one: "/_redraw/" in one.url):
        page.evaluate("() => history.go(-2)")
    followed(page, "**/datasets")
    assert len(held) == 1
    expect(page.locator("header.top nav a.on")).to_have_attribute("href", "/datasets")


@pytest.fixture
def redrawn(page, sample_site):
    """Return a page drawn anew in place, and what it asks about menus."""
    asked = []
    page.on("request", lambda one: asked.append(one.url) if "/_part/" in one.url else None)
    open_ready(page, f"{sample_site}/?stat=mean")
    go(page, "/?stat=p50")
    return page, asked


def test_what_is_in_menus_is_asked_for_once_when_the_pointer_comes_near(redrawn):
    page, asked = redrawn
    menus = page.locator(f"{CHOICES} {FOLDED}")
    assert menus.count() > 10
    assert asked == []
    page.hover("[data-menu=stat] summary")
    expect(menus).to_have_count(0)
    page.hover("[data-menu=split] summary")
    page.click("[data-menu=stat] summary")
    page.click("[data-menu=stat] .option >> text=p99")
    followed(page, "**stat=p99")
    page.click("[data-testid=share] summary")
    expect(page.locator("#share-pinned-address")).to_have_value(re.compile("stat=p99"))
    assert [re.search(r"/_part/\w+/(\w+)/", one)[1] for one in asked] == ["choices", "header"]


def test_a_folded_menu_opens_with_the_keyboard_and_is_searched_at_once(redrawn):
    page, _ = redrawn
    page.focus("[data-menu=y] summary")
    page.keyboard.press("Enter")
    expect(page.locator("[data-menu=y] .find input")).to_be_focused()
    page.keyboard.type("power")
    options = page.locator("[data-menu=y] .option")
    hidden = page.locator("[data-menu=y] .option[hidden]")
    expect(hidden).not_to_have_count(0)
    assert hidden.count() < options.count()


def test_menus_that_did_not_come_are_asked_for_again(redrawn):
    page, asked = redrawn
    routed(page, "**/_part/**", lambda route: route.fulfill(status=202), times=1)
    summary = page.locator("[data-menu=stat] summary")
    with page.expect_response("**/_part/**"):
        summary.dispatch_event("click")  # no pointer that comes near and asks before it
    taken(page)  # until then no other is asked for
    expect(page.locator("[data-menu=stat]")).not_to_have_attribute("open", "")
    page.hover("[data-menu=split] summary")
    expect(page.locator(f"{CHOICES} {FOLDED}")).to_have_count(0)
    summary.click()
    expect(page.locator("[data-menu=stat] .option").first).to_be_visible()
    assert len(asked) == 2


def test_a_folded_menu_opens_when_what_it_holds_is_there_unless_the_reader_went_on(redrawn):
    page, asked = redrawn
    held = hold(page, "**/_part/**")
    for leave in ("Escape", "Tab"):
        with page.expect_request("**/_part/**") if not held else nullcontext():
            page.focus("[data-menu=x] summary")  # enough to ask
            page.keyboard.press("Enter")
        expect(page.locator("[data-menu=x]")).not_to_have_attribute("open", "")
        page.keyboard.press(leave)
    page.click("[data-menu=y] summary")
    held[0].continue_()
    expect(page.locator("[data-menu=y] .find input")).to_be_focused()
    expect(page.locator("[data-menu][open]")).to_have_count(1)
    assert len(asked) == 1


def test_enter_in_the_search_of_a_menu_leaves_it_closed(redrawn):
    page, _ = redrawn
    page.click("[data-menu=y] summary")
    expect(page.locator("[data-menu=y] .find input")).to_be_focused()
    page.keyboard.type("energy per output")
    page.keyboard.press("Enter")
    followed(page, "**y=**")
    expect(page.locator("[data-menu][open]")).to_have_count(0)
    expect(page.locator("[data-menu=y] > summary")).to_be_focused()


def test_what_a_reader_types_in_a_menu_stays_when_its_page_is_drawn_anew(redrawn):
    page, _ = redrawn
    page.click("[data-menu=ttft_max] summary")
    field = page.locator("[data-menu=ttft_max] input[name=ttft_max]")
    field.fill("2.5")
    before = field.element_handle()
    page.evaluate("() => window.explorer.again()")
    page.wait_for_function("(before) => !before.isConnected", arg=before)
    expect(page.locator(f"{CHOICES} {FOLDED}")).to_have_count(0)
    expect(field).to_be_visible()
    expect(field).to_have_value("2.5")
    expect(field).to_be_focused()
    field.press("Enter")
    followed(page, "**ttft_max=2.5**")


def test_menus_of_a_page_that_is_no_longer_the_newest_draw_it_anew(page, serve, tmp_path):
    lake = lake_of(tmp_path / "lake", 20)
    open_ready(page, f"{serve(lake)}/?{HW}")
    go(page, f"/?{HW}&stat=p50")
    lake_of(lake, 30)
    with page.expect_response("**/_redraw/**"):
        page.hover("[data-menu=stat] summary")
    expect(page.locator(".counts").first).to_contain_text("30")


def test_a_choice_is_asked_for_when_the_pointer_goes_down(page, sample_site, fresh):
    open_ready(page, f"{sample_site}/?stat=mean")
    asked = []
    page.on("request", lambda one: asked.append(one.url) if "/_redraw/" in one.url else None)
    page.click("[data-menu=stat] summary")
    page.hover("[data-menu=stat] .option >> text=p50")
    with page.expect_response("**/_redraw/**"):
        page.mouse.down()
    assert page.url.endswith("stat=mean")
    page.mouse.up()
    followed(page, "**stat=p50")
    assert len(asked) == 1
    assert shown(page) == fresh("stat=p50")


def test_a_pointer_that_leaves_a_choice_changes_nothing(page, sample_site):
    open_ready(page, f"{sample_site}/?stat=mean")
    page.click("[data-menu=stat] summary")
    option = page.locator("[data-menu=stat] .option >> text=p50")
    option.hover()
    hold(page, "**/_redraw/**")
    with page.expect_request("**/_redraw/**"):
        page.mouse.down()
    with page.expect_event("requestfailed", lambda one: "/_redraw/" in one.url):
        page.mouse.move(1, 1)
        page.mouse.up()
    assert page.url.endswith("stat=mean")
    page.unroute("**/_redraw/**")
    go(page, "/?stat=p50")
    expect(page.locator("[data-menu=stat] summary")).to_contain_text("p50")


def test_a_pointer_that_moves_does_not_keep_off_newer_results(page, serve, tmp_path):
    lake = lake_of(tmp_path / "lake", 20)
    open_ready(page, f"{serve(lake)}/?{HW}")
    go(page, f"/?{HW}&stat=p50")
    lake_of(lake, 30)
    held = hold(page, "**/_redraw/**")
    with page.expect_request("**/_redraw/**"):
        page.hover("[data-menu=stat] summary")
    for name in ("split", "x", "y"):
        with page.expect_response("**/_part/**"):
            page.hover(f"[data-menu={name}] summary")
        taken(page)  # until then no other is asked for
    held[0].continue_()
    expect(page.locator(".counts").first).to_contain_text("30")
    assert len(held) == 1


TABLE = "[data-testid=off-frontier]"


def test_a_table_that_a_reader_opened_stays_open_and_in_its_place(page, crowd_site):
    open_ready(page, f"{crowd_site}/?{HW}&stat=p50")
    go(page, f"/?{HW}&stat=mean")
    page.click(f"{TABLE} > summary")
    rows = page.locator(f"{TABLE} tbody tr")
    expect(rows).to_have_count(60)
    head = page.locator(f"{TABLE} thead a").nth(6)
    head.scroll_into_view_if_needed()
    before = page.evaluate("() => scrollY")
    assert before > 500
    href = head.get_attribute("href")
    head.click()
    followed(page, f"**{href}")
    expect(rows).to_have_count(60)
    assert page.evaluate("() => scrollY") == before


def test_the_old_table_can_be_touched_while_the_new_one_is_to_come(page, crowd_site):
    open_ready(page, f"{crowd_site}/?{HW}&stat=p50")
    go(page, f"/?{HW}&stat=mean")
    page.evaluate(
        """() => new Promise((done) => {
          const root = document.querySelector("#react-entry-point #page-root");
          const touch = () => {
            for (const one of document.querySelectorAll("[data-part=twin] summary")) {
              one.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
            }
            done();
          };
          const seen = new MutationObserver(touch);
          seen.observe(root, { attributes: true, attributeFilter: ["data-seen"] });
          window.explorer.go("/?hw=b200&stat=p50");
        })"""
    )
    followed(page, "**/?hw=b200&stat=p50")
    near(page)
    expect(page.locator("[data-testid=curve-table] tbody tr").first).to_be_visible()
