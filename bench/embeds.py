"""Embeds as a reader meets them: one on a slow phone, ten in an article, beside the Dash page.

    python bench/embeds.py ADDRESS [RUNS]

One curve alone: 4x CPU slowdown, 1.6 Mbps, 150 ms, empty cache; when the chart stands, how many
requests came before it, bytes before and after hovering and walking its marks. Ten in
bench/article.html, which another site serves: 10 Mbps, 40 ms; when the last is drawn, bytes of
all. The baseline in the same run is the curves page: when it is live, and its bytes. Prints
medians, ranges and ratios.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright
from werkzeug.serving import make_server

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from bench.first_paint import OBSERVE
from tests.browser.conftest import ARGS, QUIET

ARTICLE = Path(__file__).with_name("article.html")
ONE_PROCESS = (f"{QUIET},IsolateOrigins,site-per-process", "--disable-site-isolation-trials")
"""Frames of another site share the page's process, so that one throttle holds for all."""
SLOW = {"latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000}
FAST = {"latency": 40, "downloadThroughput": 1_250_000, "uploadThroughput": 1_250_000}
TALL = {"width": 900, "height": 14_000}
"""Holds the whole article: a frame below the window is not painted before it is scrolled to."""
PAINTED = "() => performance.getEntriesByName('first-contentful-paint').length > 0"
PAINT = """() => performance.timeOrigin +
  performance.getEntriesByName('first-contentful-paint')[0].startTime"""
CHART = "main[data-embed] :is(svg, table)"
Numbers = dict[str, float]


def ask(address: str) -> Any:
    """Return JSON from an address."""
    with urllib.request.urlopen(address) as answer:
        return json.load(answer)


def chosen(site: str) -> dict[str, str]:
    """Return two points with requests and a conversation of the lake that is served."""
    points = ask(f"{site}/api/v1/points?limit=1000")["data"]
    recorded = [one for one in points if one["has"]["requests"] and one["status"] == "ok"]
    recorded.sort(key=lambda one: (-(one["requests_total"] or 0), one["point_id"]))
    dataset = ask(f"{site}/api/v1/datasets")["data"][0]["dataset"]
    found = ask(f"{site}/api/v1/datasets/{dataset}/conversations?limit=100")["data"]
    middle = sorted(found, key=lambda one: one["requests"])[len(found) // 2]
    return {
        "SITE": site,
        "POINT_A": recorded[0]["point_id"],
        "POINT_B": recorded[1]["point_id"],
        "CONVERSATION": f"{dataset}/{middle['conversation']}",
    }


def written(words: dict[str, str]) -> str:
    """Return the article with its addresses filled in."""
    text = ARTICLE.read_text()
    for name, value in words.items():
        text = text.replace(name, value)
    return text


def warm(words: dict[str, str]) -> None:
    """Ask for every embed of the article until each worker has drawn it."""
    for address in re.findall(r'src="([^"#]+)', written(words)):
        for _ in range(12):
            urllib.request.urlopen(unescape(address)).read()


@contextmanager
def article(words: dict[str, str]) -> Iterator[str]:
    """Serve the article from another site and yield its address."""
    text = written(words)

    def answer(environ: Any, start: Any) -> list[bytes]:
        start("200 OK", [("Content-Type", "text/html; charset=utf-8")])
        return [text.encode()]

    server = make_server("127.0.0.1", 0, answer, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()


@contextmanager
def throttled(
    browser: Browser, size: dict[str, int], line: dict[str, int], slow: int
) -> Iterator[Any]:
    """Yield a page with an empty cache on a slow line, and the bytes of what it loaded."""
    context = browser.new_context(viewport=size, device_scale_factor=0.5)  # type: ignore[arg-type]
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", {"offline": False, **line})
    session.send("Emulation.setCPUThrottlingRate", {"rate": slow})
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    yield page, sizes
    context.close()


def alone(browser: Browser, address: str) -> Numbers:
    """Return when a curve embed stands, its requests and kilobytes, before and after use."""
    with throttled(browser, {"width": 390, "height": 844}, SLOW, 4) as (page, sizes):
        page.add_init_script(OBSERVE.replace("[data-testid=curve-chart] ", "svg.curves "))
        page.goto(address, wait_until="commit")
        page.wait_for_function("() => window.firstChart", timeout=60_000)
        page.wait_for_function(PAINTED)
        found = page.evaluate("() => ({chart_s: window.firstChart / 1000})")
        found |= {"requests": len(sizes), "kB": sum(sizes) / 1000}
        use(page)
        return found | {"kB_after_use": sum(sizes) / 1000}


def use(page: Page) -> None:
    """Hover a mark and walk others by key."""
    mark = page.locator("svg.curves a").first
    mark.hover(force=True)
    mark.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    page.locator(".tip").wait_for(state="visible")


def ten(browser: Browser, address: str) -> Numbers:
    """Return when the last of ten embeds is painted, and the kilobytes of all."""
    with throttled(browser, TALL, FAST, 1) as (page, sizes):
        page.goto(address)
        own = sizes[0]
        start = page.evaluate("performance.timeOrigin")
        frames = page.frames[1:]
        for frame in frames:
            frame.wait_for_selector(CHART, state="attached")
            frame.wait_for_function(PAINTED)
        last = max(frame.evaluate(PAINT) for frame in frames)
        return {
            "embeds": len(frames),
            "all_drawn_s": (last - start) / 1000,
            "kB": (sum(sizes) - own) / 1000,
        }


def dash(browser: Browser, address: str, line: dict[str, int], slow: int) -> Numbers:
    """Return when the curves page is live, and its kilobytes."""
    with throttled(browser, {"width": 900, "height": 900}, line, slow) as (page, sizes):
        page.add_init_script(OBSERVE)
        page.goto(address, wait_until="commit")
        page.wait_for_function("() => window.live", timeout=90_000)
        return {"live_s": page.evaluate("window.live") / 1000, "kB": sum(sizes) / 1000}


def told(title: str, visits: list[Numbers]) -> Numbers:
    """Print medians and ranges of visits, and return the medians."""
    print(title)
    middle = {name: statistics.median(one[name] for one in visits) for name in visits[0]}
    for name, value in middle.items():
        values = sorted(one[name] for one in visits)
        print(f"  {name:13} median {value:8.2f}  {values[0]:.2f} to {values[-1]:.2f}")
    return middle


def main() -> None:
    """Print what embeds cost a reader, beside the page."""
    site, runs = sys.argv[1].rstrip("/"), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    words = chosen(site)
    with sync_playwright() as playwright, article(words) as host:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=[*ARGS, *ONE_PROCESS]
        )
        warm(words)
        one = told(
            "curve embed, 4x CPU, 1.6 Mbps",
            [alone(browser, f"{site}/e/v1/curve") for _ in range(runs)],
        )
        page = told(
            "curves page, the same", [dash(browser, f"{site}/", SLOW, 4) for _ in range(runs)]
        )
        all_ = told("ten embeds in an article, 10 Mbps", [ten(browser, host) for _ in range(runs)])
        fast = told(
            "curves page, the same", [dash(browser, f"{site}/", FAST, 1) for _ in range(runs)]
        )
        browser.close()
    print(f"page live / embed's chart {page['live_s'] / one['chart_s']:.1f}")
    print(f"page kB / embed kB {page['kB'] / one['kB']:.0f}")
    print(f"page kB / ten embeds' kB {fast['kB'] / all_['kB']:.1f}")
    print(f"page live / ten embeds drawn {fast['live_s'] / all_['all_drawn_s']:.1f}")


if __name__ == "__main__":
    main()
