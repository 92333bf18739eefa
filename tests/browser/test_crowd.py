"""Dots of a crowd: without an element each, they read out, lead, open and keep the focus."""

from __future__ import annotations

import random

from playwright.sync_api import expect

from tests.browser.conftest import followed, go, hold, open_ready, routed, taken
from tests.crowd_lake import HW, lake_of

CHART = "[data-testid=curve-chart] svg.curves"
CARD = "[data-testid=point-card]"


def spots(page, n):
    """Return where some dots of the chart are on the screen: [x, y] in px."""
    places = page.evaluate(
        """(chart) => {
          const svg = document.querySelector("#page-root " + chart);
          const frame = svg.getBoundingClientRect();
          return [...svg.querySelectorAll("g.crowd .dots")].flatMap((path) =>
            path.getAttribute("d").split("h0").slice(0, -1).map((dot) => {
              const [x, y] = dot.slice(1).split(" ");
              return [frame.x + (frame.width * x) / 1e4, frame.y + y / 10];
            }));
        }""",
        CHART,
    )
    return random.Random(4).sample(places, n)


SPOTTED = """([x, y]) => {
  const spot = document.querySelector(".plot .spot")?.getBoundingClientRect();
  return spot && Math.hypot(spot.x + spot.width / 2 - x, spot.y + spot.height / 2 - y) < 14;
}"""  # what is read out stands within the reach of the pointer


def test_dots_of_a_crowd_read_out_and_lead_to_their_points(page, crowd_site):
    open_ready(page, f"{crowd_site}/?{HW}&stat=mean")
    go(page, f"/?{HW}&stat=p50")
    assert page.locator(f"{CHART} g.crowd a").count() == 0
    for x, y in spots(page, 5):
        page.mouse.move(x, y)
        page.wait_for_function(SPOTTED, arg=[x, y])
        expect(page.locator(".readout")).to_contain_text("TTFT p50")
        words = page.locator(".readout").inner_text()
        links = page.locator(f"{CHART} a[data-point-id]").evaluate_all(
            "(all) => all.map((one) => [one.ariaLabel, one.getAttribute('href')])"
        )
        assert any(words.endswith(label) for label, _ in links)
        assert all(href.startswith("/points/") for _, href in links)
    assert 1 <= page.locator(f"{CHART} g.crowd a").count() <= 5


def test_the_words_of_dots_are_asked_for_when_a_reader_comes_near(page, crowd_site):
    open_ready(page, f"{crowd_site}/?{HW}&stat=p50")
    asked = []
    page.on("request", lambda one: asked.append(one.url) if "/_dots/" in one.url else None)
    go(page, f"/?{HW}&stat=p90")
    assert asked == []
    held = hold(page, "**/_dots/**")
    ((x, y),) = spots(page, 1)
    with page.expect_request("**/_dots/**"):
        page.mouse.move(x, y)
    assert page.locator(".readout").inner_text() == ""
    page.mouse.click(x, y)  # waits for the words
    held[0].continue_()
    followed(page, "**point=*")
    assert len(held) == len(asked) == 1
    expect(page.locator(CARD)).to_have_attribute("data-point", page.url.rpartition("=")[2])


def test_a_dot_opens_beside_with_a_modifier_or_the_middle_button(page, crowd_site):
    open_ready(page, f"{crowd_site}/?{HW}&stat=p50")
    for options in ({"modifiers": ["Control"]}, {"button": "middle"}):
        ((x, y),) = spots(page, 1)
        place = {"x": x, "y": y}
        origin = page.locator("body").bounding_box()
        with page.context.expect_page() as opened:
            page.locator("body").click(
                position={axis: place[axis] - origin[axis] for axis in "xy"}, force=True, **options
            )
        opened.value.wait_for_url("**/points/*")
        opened.value.close()
    assert "point=" not in page.url


def test_a_dot_in_focus_keeps_it_when_the_chart_is_drawn_anew(page, crowd_site):
    open_ready(page, f"{crowd_site}/?{HW}&stat=p50")
    ((x, y),) = spots(page, 1)
    page.mouse.click(x, y)
    followed(page, "**point=*")
    page.locator(f"{CHART} a.chosen").focus()
    focused = page.locator(f"{CHART} a[data-point-id]:focus")
    in_crowd = page.locator(f"{CHART} g.crowd a[data-point-id]:focus")
    for _ in range(30):
        before = focused.get_attribute("data-point-id")
        page.keyboard.press("ArrowRight")
        expect(focused).not_to_have_attribute("data-point-id", before)
        if in_crowd.count():
            break
    walked = in_crowd.get_attribute("data-point-id")
    page.keyboard.press("r")
    followed(page, "**at=*")
    page.wait_for_function(f"() => document.activeElement.dataset.pointId === '{walked}'")


def test_words_of_dots_that_did_not_come_are_asked_for_again(page, crowd_site):
    open_ready(page, f"{crowd_site}/?{HW}&stat=p50")
    routed(page, "**/_dots/**", lambda route: route.fulfill(body="cut"), times=1)
    (first, second) = spots(page, 2)
    with page.expect_event("requestfinished", lambda one: "/_dots/" in one.url):
        page.mouse.move(*first)
    taken(page)  # until then no other is asked for
    page.mouse.move(*second)
    expect(page.locator(".readout")).to_contain_text("TTFT p50")


def test_a_chart_that_is_no_longer_the_newest_is_drawn_anew(page, serve, tmp_path):
    lake = lake_of(tmp_path / "lake", 300)
    open_ready(page, f"{serve(lake)}/?{HW}&stat=p50")
    lake_of(lake, 320)
    ((x, y),) = spots(page, 1)
    with page.expect_response("**/_redraw/**"):
        page.mouse.move(x, y)
    expect(page.locator(".counts").first).to_contain_text("320")


def test_a_dot_of_a_crowd_is_chosen_by_a_click_and_walked_to_by_arrows(page, crowd_site):
    open_ready(page, f"{crowd_site}/?{HW}")
    ((x, y),) = spots(page, 1)
    page.mouse.click(x, y)
    followed(page, "**point=*")
    chosen = page.locator(f"{CHART} a.chosen")
    point_id = chosen.get_attribute("data-point-id")
    assert f"point={point_id}" in page.url
    expect(page.locator(CARD)).to_have_attribute("data-point", point_id)
    chosen.focus()
    page.keyboard.press("ArrowRight")
    focused = page.locator(f"{CHART} a:focus")
    expect(focused).not_to_have_attribute("data-point-id", point_id)
    expect(page.locator(".readout")).to_contain_text(focused.get_attribute("aria-label"))
