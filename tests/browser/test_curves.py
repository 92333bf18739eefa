"""The main job in a browser: curves, a click on a point, its card, its page."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import SHOWN, fits_and_is_clean, followed, open_ready

pytestmark = pytest.mark.real_data

CHART = "[data-testid=curve-chart]"
CARD = "[data-testid=point-card]"
TABLE = "[data-testid=curve-table]"
FOCUSED = f"{CHART} a[data-point-id]:focus"
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
    followed(page, f"**point={point_id}**")
    page.wait_for_selector(f"{CARD}[data-point={point_id}]")
    page.locator(f"{CARD} .btn.p").click()
    followed(page, f"**/points/{point_id}**")
    page.wait_for_selector("[data-testid=point-page]")
    page.go_back()
    followed(page, f"**point={point_id}**")
    page.wait_for_selector(f"{CARD}[data-point={point_id}]")


def test_hover_reads_out_ttft(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    page.locator(f"{CHART} a[data-point-id].on .hit").first.hover()
    expect(page.locator(".readout")).to_contain_text("TTFT p90")


def test_choosing_from_a_menu_changes_the_address_and_the_chart(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    page.locator("details[data-menu=hw] summary").click()
    page.locator("details[data-menu=hw] a", has_text="B200").click()
    followed(page, "**hw=b200**")
    expect(page.locator(f"{CHART} [data-curve]")).to_have_count(1)


def test_limit_leaves_only_what_meets_it(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}&hw=b200")
    page.locator("details[data-menu=ttft_max] summary").click()
    page.locator("details[data-menu=ttft_max] input[type=number]").fill("5")
    page.keyboard.press("Enter")
    followed(page, "**ttft_max=5**")
    shapes = page.locator("[data-row] td:nth-child(2)")
    expect(shapes.filter(has_text="TP4")).to_have_count(0)
    assert set(shapes.all_text_contents()) == {"TP8"}


def test_arrow_keys_walk_a_curve(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    page.locator(f"{CHART} a[data-point-id].on").first.focus()
    focused = page.locator(FOCUSED)
    first = focused.get_attribute("data-point-id")
    page.keyboard.press("ArrowRight")
    expect(focused).not_to_have_attribute("data-point-id", first)
    page.keyboard.press("ArrowLeft")
    expect(focused).to_have_attribute("data-point-id", first)


def test_without_scripts_chart_table_and_links_are_there(browser, real_site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{real_site}/{KIMI}")
    assert page.locator(f"{CHART} svg.curves").is_visible()
    assert page.locator(f"{TABLE} tbody tr").count() == 42
    page.locator(f"{TABLE} tbody a").first.click()
    expect(page).to_have_url(re.compile("/points/"))
    expect(page.locator("[data-testid=point-page]")).to_be_visible()
    context.close()


def test_language_and_theme_switch_in_the_address(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    page.locator("[data-testid=lang-switch]").click()
    followed(page, "**lang=zh**")
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    page.locator("[data-testid=theme-switch]").click()
    followed(page, "**theme=light**")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    assert "lang=zh" in page.url


def test_empty_choice_names_the_filter_to_blame(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}&hw=h100")
    page.locator(".nothing a").click()
    page.wait_for_selector(f"{CHART} a[data-point-id]")


def test_the_offload_story_is_one_click_from_the_start(page, real_site):
    open_ready(page, real_site + "/")
    page.get_by_role("link", name="un-merge: B200 · vLLM").click()
    followed(page, "**unmerge=**")
    page.wait_for_selector("[data-testid=unmerged]")
    story = page.locator("[data-testid=unmerged] .story li").first
    expect(story).to_contain_text("TP4: LMCache against no offload at 12–20 sessions")
    expect(page.locator(f"{CHART} .line.merged")).to_have_count(1)
    assert "TP4 · LMCache" in page.locator(f"{CHART} .lab").all_text_contents()


def test_a_limit_shows_what_is_cheapest_and_fastest(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}&ttft_max=5")
    captions = page.locator("[data-testid=ranked] caption").all_text_contents()
    assert [text.split(" ")[0] for text in captions] == ["Cheapest", "Fastest"]
    first = page.locator("[data-testid=ranked] tbody tr").first
    assert "TP4 · 8 sessions" in first.inner_text()
    first.locator("a").click()
    page.wait_for_selector("[data-testid=point-page]")


def test_legend_hides_and_brings_back_a_curve(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    page.get_by_role("link", name="hide: B200 · vLLM").click()
    followed(page, "**hide=**")
    expect(page.locator(f"{CHART} [data-curve]")).to_have_count(1)
    page.get_by_role("link", name="show all curves").click()
    followed(page, lambda address: "hide=" not in address)
    expect(page.locator(f"{CHART} [data-curve]")).to_have_count(2)
    page.get_by_role("link", name="only: B200 · vLLM").click()
    followed(page, "**hide=**")
    expect(page.locator(f"{CHART} [data-curve]")).to_have_count(1)


def drag(page, across: tuple[float, float], down: tuple[float, float]) -> None:
    """Draw a rectangle over the chart, from shares to shares of its sides."""
    frame = page.locator(f"{CHART} svg.curves").bounding_box()
    corners = [
        (frame["x"] + frame["width"] * x, frame["y"] + frame["height"] * y)
        for x, y in zip(across, down, strict=True)
    ]
    page.mouse.move(*corners[0])
    page.mouse.down()
    page.mouse.move(*corners[1], steps=4)
    page.mouse.up()


def test_drag_zooms_and_a_link_shows_the_whole_again(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    drag(page, (0.7, 0.95), (0.06, 0.8))
    followed(page, "**x_from=**")
    expect(page.locator(".counts").first).to_contain_text("outside this zoom")
    page.get_by_role("link", name="whole chart").click()
    followed(page, lambda address: "x_from" not in address)
    expect(page.locator(f"{CHART} a[data-point-id]")).to_have_count(42)


def test_each_drag_goes_nearer_and_ticks_say_where(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    width = None
    for _ in range(5):
        before = page.url
        drag(page, (0.42, 0.5), (0.5, 0.4))
        page.wait_for_function("(before) => location.href !== before", arg=before)
        page.wait_for_function(SHOWN)
        low, high = (
            float(parse_qs(urlsplit(page.url).query)[name][0]) for name in ("x_from", "x_to")
        )
        assert width is None or high - low < 0.1 * width
        width = high - low
    ticks = page.locator(f"{CHART} text.tick").all_text_contents()
    assert len(ticks) == len(set(ticks)) > 4
    expect(page.locator(".problem")).to_have_count(0)


def test_r_on_a_mark_sets_the_ruler_there(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}&hw=b200,mi355x")
    page.locator(f"{CHART} [data-curve='kimik2.5~mi355x~vllm'] a.on").nth(3).focus()
    page.keyboard.press("r")
    followed(page, "**at=**")
    expect(page.locator("[data-testid=ruler] h2")).to_contain_text("×")


def test_one_tab_stop_in_the_chart(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    stops = page.locator(f"{CHART} a[data-point-id]:not([tabindex='-1'])")
    expect(stops).to_have_count(1)


def test_a_saved_picture_stands_alone_with_its_provenance(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    with page.expect_download() as saved:
        page.locator("[data-save=svg]").click()
    text = Path(saved.value.path()).read_text()
    assert "snapshot" in text
    assert "own@2026-07" in text
    assert "dashed ring" in text
    assert "var(--" not in text
    assert text.count("data-point-id") == 42
    with page.expect_download() as saved:
        page.locator("[data-save=png]").click()
    assert Path(saved.value.path()).read_bytes()[:4] == b"\x89PNG"


def test_a_heading_sorts_the_table(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    page.locator(f"{TABLE} th a", has_text="Sessions").first.click()
    followed(page, "**sort=-sessions**")
    expect(page.locator(f"{TABLE} th[aria-sort=descending]").first).to_contain_text("Sessions")
    cells = page.locator(f"{TABLE} tbody").first.locator("td:nth-child(3)").all_inner_texts()
    numbers = [float(cell) for cell in cells]
    assert numbers == sorted(numbers, reverse=True)


def test_a_long_menu_is_searched(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    page.locator("details[data-menu=y] summary").click()
    page.locator("details[data-menu=y] .find input").fill("energy per output")
    visible = page.locator("details[data-menu=y] .option:visible")
    expect(visible).to_have_text(
        ["Provisioned energy per output token", "Measured energy per output token"],
        use_inner_text=True,
    )
    page.keyboard.press("Enter")
    followed(page, "**y=j_per_tok_output**")


@pytest.mark.parametrize(
    "query",
    [
        "unmerge=kimik2.5~b200~vllm&ttft_max=60&at=50&bands=1&theme=dark",
        "view=history&model=dsr1&scenario=fixed&workload=8k1k",
    ],
)
def test_axe_finds_nothing_in_the_sections(page, real_site, query):
    open_ready(page, f"{real_site}/?{query}")
    fits_and_is_clean(page)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 375])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_axe_finds_nothing_and_nothing_overflows(sized, real_site, theme, width, lang):
    page = sized(width)
    open_ready(page, f"{real_site}/{KIMI}&theme={theme}&lang={lang}")
    fits_and_is_clean(page)


def test_two_browsers_see_the_same_picture(browser, real_site):
    shots = []
    for _ in range(2):
        context = browser.new_context(viewport={"width": 1000, "height": 900})
        page = context.new_page()
        open_ready(page, f"{real_site}/{KIMI}&split=offload&ttft_max=30")
        shots.append(page.locator(CHART).screenshot())
        context.close()
    assert shots[0] == shots[1]


ALONE = """() => {
  const marks = [...document.querySelectorAll(".plot a[data-point-id]")];
  const at = (mark) => mark.getBoundingClientRect();
  const apart = (mark) => Math.min(...marks.filter((one) => one !== mark).map((one) =>
    Math.hypot(at(one).x - at(mark).x, at(one).y - at(mark).y)));
  return marks.filter((mark) => mark.closest(".off"))
    .reduce((best, one) => (apart(one) > apart(best) ? one : best)).dataset.pointId;
}"""


def alone(page) -> str:
    """Return the id of the beaten mark with most room around it."""
    return page.evaluate(ALONE)


def test_a_beaten_mark_is_read_out_from_beside_it_and_chosen_by_a_click_there(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}&hw=mi355x")
    mark = page.locator(f"{CHART} .off a[data-point-id='{alone(page)}']")
    words, point_id = mark.get_attribute("aria-label"), mark.get_attribute("data-point-id")
    box = mark.locator("circle, rect").last.bounding_box()
    beside = (box["x"] + box["width"] / 2, box["y"] + box["height"] + 1)
    page.mouse.move(*beside)
    expect(page.locator(".readout")).to_have_text(words)
    expect(page.locator(f"{CHART} .spot")).to_have_count(1)
    page.mouse.click(*beside)
    followed(page, f"**point={point_id}**")
    expect(page.locator(CARD)).to_have_attribute("data-point", point_id)


def test_the_focus_stays_on_the_menu_whose_choice_was_made(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    menu = page.locator("details[data-menu=stat]")
    menu.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(menu).to_have_attribute("open", "")
    choice = menu.locator("a", has_text="p50")
    choice.focus()
    expect(choice).to_be_focused()
    page.keyboard.press("Enter")
    followed(page, "**stat=p50**")
    expect(menu.locator("summary")).to_be_focused()
    expect(menu).not_to_have_attribute("open", "")


def test_what_a_reader_opened_stays_open_over_a_redraw(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    page.locator("[data-testid=explain-axes] summary").click()
    page.get_by_role("link", name="hide: B200 · vLLM").click()
    followed(page, "**hide=**")
    expect(page.locator(f"{CHART} [data-curve]")).to_have_count(1)
    expect(page.locator("[data-testid=explain-axes]")).to_have_attribute("open", "")


def test_a_limit_is_reached_and_set_by_keyboard_alone(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}&hw=b200")
    menu = page.locator("details[data-menu=ttft_max]")
    menu.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(menu).to_have_attribute("open", "")
    page.keyboard.press("Tab")
    expect(menu.locator("input[type=number]")).to_be_focused()
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    followed(page, "**ttft_max=5**")
    expect(page.locator("[data-testid=ranked] caption")).to_have_count(2)
    shapes = page.locator("[data-row] td:nth-child(2)")
    assert set(shapes.all_text_contents()) == {"TP8"}


def test_marks_are_walked_chosen_and_left_by_keyboard(page, real_site):
    open_ready(page, f"{real_site}/{KIMI}")
    page.locator(f"{CHART} a[data-point-id]:not([tabindex='-1'])").focus()
    curve = page.locator(f"{CHART} [data-curve]", has=page.locator("a[data-point-id]:focus"))
    focused = page.locator(FOCUSED)
    start = curve.get_attribute("data-curve")
    page.keyboard.press("ArrowDown")
    expect(curve).not_to_have_attribute("data-curve", start)
    other, first = curve.get_attribute("data-curve"), focused.get_attribute("data-point-id")
    page.keyboard.press("ArrowRight")
    expect(focused).not_to_have_attribute("data-point-id", first)
    expect(curve).to_have_attribute("data-curve", other)
    point_id = focused.get_attribute("data-point-id")
    page.keyboard.press("Enter")
    followed(page, f"**point={point_id}**")
    expect(page.locator(CARD)).to_have_attribute("data-point", point_id)
    expect(page.locator(f"{CHART} a[data-point-id='{point_id}']")).to_be_focused()
