"""Embeds in a browser: in a sandbox, resized a thousand times, by key and touch, in print, axe."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode

import pytest
from playwright.sync_api import Browser, Page, expect
from werkzeug.serving import make_server

from explorer.domain.addresses import EMBEDS
from tests.browser.conftest import fits_and_is_clean
from tests.lake_fixture import Sample

ROOT = Path(__file__).resolve().parents[2]
ARTICLE = """<!doctype html><html lang="en"><title>Article</title><link rel="icon" href="data:,">
<style>body { margin: 0 } iframe { display: block; width: 600px; height: 150px; border: 0; STYLE }
</style><iframe id="figure one" title="Figure" sandbox="allow-scripts" src="SRC"></iframe>
<script>
window.told = [];
const frame = document.querySelector("iframe");
addEventListener("message", (event) => {
  if (event.source !== frame.contentWindow || event.data.type !== "explorer:resize") return;
  told.push(event.data);
  frame.style.height = event.data.height + "px";
});
</script></html>"""
SETTLED = "() => told.length > 0 && frame.offsetHeight === told.at(-1).height"
RESIZE = """async (widths) => {
  for (const width of widths) {
    frame.style.width = width + "px";
    await new Promise(requestAnimationFrame);
  }
}"""


@pytest.fixture(scope="module")
def site(serve, sample_lake: Sample) -> str:
    return serve(sample_lake.folder)


@pytest.fixture(scope="module")
def places(sample_lake: Sample) -> dict[str, str]:
    return sample_lake.embeds()


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    """Return the address of another site, whose articles hold one embed: `?src=&style=`."""

    def answer(environ, start):
        asked = dict(parse_qsl(environ["QUERY_STRING"]))
        src = f"{asked['src']}#{quote('figure one')}"
        start("200 OK", [("Content-Type", "text/html")])
        return [ARTICLE.replace("SRC", src).replace("STYLE", asked.get("style", "")).encode()]

    server = make_server("127.0.0.1", 0, answer, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()


@pytest.fixture
def article(page: Page, host: str, site: str) -> Callable[..., None]:
    """Return what opens an article with one embed, and waits until it has its height."""

    def open_it(address: str, style: str = "") -> None:
        page.goto(f"{host}?{urlencode({'src': site + address, 'style': style})}")
        page.wait_for_function(SETTLED)

    return open_it


def height(page: Page) -> int:
    return page.evaluate("frame.offsetHeight")


@pytest.mark.parametrize("kind", EMBEDS)
def test_the_resize_message_has_its_documented_form_in_a_sandbox(page, article, places, kind):
    article(places[kind])
    [first, *_] = page.evaluate("told")
    assert set(first) == {"type", "version", "id", "height"}
    assert (first["type"], first["version"], first["id"]) == ("explorer:resize", 1, "figure one")
    inside = page.frames[1].evaluate(
        "document.querySelector('main').getBoundingClientRect().height"
    )
    page.wait_for_function(
        "(inside) => 0 <= frame.offsetHeight - inside && frame.offsetHeight - inside < 1",
        arg=inside,
    )


def test_a_thousand_resizes_leave_the_height_as_it_was(page, article, places):
    article(places["curve"])
    before = height(page)
    page.evaluate(RESIZE, [320])
    page.wait_for_function(f"() => frame.offsetHeight !== {before}")
    page.wait_for_function(SETTLED)
    narrowest = height(page)
    page.evaluate(RESIZE, [320 + n * 37 % 700 for n in range(1000)])
    page.evaluate(RESIZE, [600])
    page.wait_for_function(f"() => Math.abs(frame.offsetHeight - {before}) <= 1")
    told = page.evaluate("told.map((one) => one.height)")
    assert max(told) <= narrowest + 1
    assert len(told) <= 1_010  # one a resize at most


def test_a_host_that_sets_another_height_causes_no_growth(page, article, places):
    border = "box-sizing: border-box; border: 9px solid"
    article(places["curve"], border)
    before = page.evaluate("told.length")
    page.evaluate(RESIZE, [600] * 60)
    assert page.evaluate("told.length") == before
    page.evaluate("frame.style.height = '3000px'")
    page.evaluate(RESIZE, [600] * 60)
    assert page.evaluate("told.length") == before
    page.evaluate("frame.style.height = '40px'")
    page.evaluate(RESIZE, [600] * 60)
    assert page.evaluate("told.length") == before


def test_a_host_that_listens_late_may_ask(page, article, places):
    article(places["table"])
    before = page.evaluate("told.length")
    page.evaluate("frame.contentWindow.postMessage({ type: 'explorer:measure' }, '*')")
    page.wait_for_function(f"() => told.length === {before + 1}")
    last, first = page.evaluate("[told.at(-1).height, told.at(-2).height]")
    assert last == first


def documented() -> str:
    """Return the script that docs/embeds.md gives to hosts."""
    scripts = re.findall(r"```js\n(.*?)```", (ROOT / "docs" / "embeds.md").read_text(), re.S)
    (script,) = [one for one in scripts if "addEventListener" in one]
    return script


def test_the_documented_script_sets_the_height_of_a_frame_that_spoke_before(page, site, places):
    page.set_content(f'<iframe title="Figure" width="600" src="{site}{places["curve"]}"></iframe>')
    page.frame_locator("iframe").locator("html.live").wait_for()
    height = "document.querySelector('iframe').offsetHeight"
    assert page.evaluate(height) < 200
    page.add_script_tag(content=documented())
    page.wait_for_function(f"() => {height} > 400")


def test_the_benchs_article_holds_the_documented_script():
    assert documented() in (ROOT / "bench" / "article.html").read_text()


def test_keys_walk_the_marks_of_a_curve_and_escape_hides(page, site, places):
    page.goto(site + places["curve"])
    page.keyboard.press("Tab")
    focused = page.locator("svg.curves a[data-point-id]:focus")
    first = focused.get_attribute("data-point-id")
    tip = page.locator(".tip")
    expect(tip).to_be_visible()
    assert tip.inner_text().replace("\n", " · ") == focused.get_attribute("aria-label")
    page.keyboard.press("ArrowRight")
    expect(focused).not_to_have_attribute("data-point-id", first)
    expect(page.locator("svg.curves a:not([tabindex='-1'])")).to_have_count(1)
    page.keyboard.press("ArrowLeft")
    expect(focused).to_have_attribute("data-point-id", first)
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


@pytest.mark.parametrize("kind", ["timeline", "flame"])
def test_keys_walk_lanes_and_turns_with_one_tab_stop(page, site, places, kind):
    page.goto(site + places[kind])
    marks = {"timeline": ".marks-of a", "flame": ".bars a"}[kind]
    stop = page.locator(f"{marks}:not([tabindex='-1'])")
    expect(stop).to_have_count(1)
    stop.focus()
    focused = page.locator(f"{marks}:focus")
    before = focused.get_attribute("href")
    page.keyboard.press("ArrowDown")
    expect(focused).not_to_have_attribute("href", before)
    expect(stop).to_have_count(1)
    page.keyboard.press("End")
    expect(focused).to_have_attribute("href", page.locator(marks).last.get_attribute("href"))


def test_a_mark_opens_its_point_in_a_page_of_its_own(page, site, places, sample_lake):
    page.goto(site + places["curve"])
    mark = page.locator(f"a[data-point-id='{sample_lake.ids['high']}']")
    with page.context.expect_page() as opened:
        mark.click()
    opened.value.wait_for_url(f"**/points/{sample_lake.ids['high']}")
    assert opened.value.evaluate("window.opener") is None
    assert page.url == site + places["curve"]


def test_a_finger_reads_first_and_follows_second(browser: Browser, site, places, sample_lake):
    context = browser.new_context(viewport={"width": 375, "height": 700}, has_touch=True)
    page = context.new_page()
    page.goto(site + places["curve"])
    mark = page.locator(f"a[data-point-id='{sample_lake.ids['high']}']")
    mark.tap()
    page.locator(".tip").wait_for(state="visible")
    assert len(context.pages) == 1
    with context.expect_page() as opened:
        mark.tap()
    opened.value.wait_for_url(f"**/points/{sample_lake.ids['high']}")
    assert len(context.pages) == 2  # the first tap opened none
    context.close()


def test_a_chart_says_its_values_under_keys(page, site, places):
    page.goto(site + places["point"])
    chart = page.locator("svg.chart").first
    chart.focus()
    output = page.locator("output").first
    output.wait_for(state="attached")
    before = output.inner_text()
    page.keyboard.press("End")
    expect(output).not_to_have_text(before)
    expect(output).to_contain_text("p90")


@pytest.fixture(scope="module", params=[("light", "en"), ("dark", "zh")], ids=lambda one: one[0])
def phone(browser: Browser, request) -> Iterator[tuple[Page, str]]:
    """Return the narrowest page in a theme, and its language."""
    theme, lang = request.param
    context = browser.new_context(viewport={"width": 320, "height": 640}, color_scheme=theme)
    yield context.new_page(), lang
    context.close()


@pytest.mark.parametrize("kind", EMBEDS)
def test_axe_finds_nothing_and_nothing_overflows(phone, site, places, kind):
    page, lang = phone
    page.goto(f"{site}{places[kind]}&lang={lang}&size=large")
    fits_and_is_clean(page)


@pytest.mark.parametrize("kind", EMBEDS)
def test_without_scripts_the_picture_and_its_links_are_there(browser, site, places, kind):
    context = browser.new_context(viewport={"width": 600, "height": 800}, java_script_enabled=False)
    page = context.new_page()
    page.goto(site + places[kind])
    shown = page.locator("figure")
    assert shown.bounding_box()["height"] > 200
    assert page.locator("main a[target=_blank]").count() > 0
    assert page.locator(".tip").count() == 0
    assert page.locator(".flame-readout:visible, .flame-all:visible").count() == 0
    context.close()


@pytest.mark.parametrize("theme", ["auto", "dark"])
@pytest.mark.parametrize("kind", EMBEDS)
def test_paper_is_white_and_whole_whatever_the_theme(browser, site, places, kind, theme):
    context = browser.new_context(viewport={"width": 700, "height": 400}, color_scheme="dark")
    page = context.new_page()
    page.goto(f"{site}{places[kind]}&theme={theme}")
    dark = page.evaluate("getComputedStyle(document.body).color")
    page.emulate_media(media="print")
    body = page.evaluate(
        "['color', 'backgroundColor'].map((name) => getComputedStyle(document.body)[name])"
    )
    assert body == ["rgb(27, 31, 36)", "rgb(255, 255, 255)"]
    assert dark != body[0]
    cut = page.evaluate(
        "[...document.querySelectorAll('main *')].filter((one) => one.clientHeight > 0 && "
        "one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY !== 'visible' "
        "&& !(one instanceof SVGElement) && !one.matches('.sr, .sr *')).map((one) => one.className)"
    )
    assert cut == []
    context.close()
