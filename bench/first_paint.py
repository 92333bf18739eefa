"""Cold curves page on a slow phone: when the chart stands, when the page is live.

    python bench/first_paint.py ADDRESS [RUNS]

4x CPU slowdown, 1.6 Mbps, 150 ms, empty cache. The chart stands once the frame that holds it is
drawn and the browser has reported its first paint. The baseline in the same run is the live page
itself: without the server-made chart a reader would wait for that. Prints seconds, bytes, ratio.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.browser.conftest import ARGS, QUIET

OBSERVE = """
const seen = new MutationObserver(() => {
  const chart = document.querySelector('[data-testid=curve-chart] a[data-point-id]');
  if (chart && !window.firstChart) requestAnimationFrame(() => {
    window.firstChart = window.firstChart || performance.now();
  });
  if (document.documentElement.dataset.ready === 'true' && !window.live) {
    window.live = performance.now();
    seen.disconnect();
    console.debug("live");  // asked for again and again, the page would wait for the questions
  }
});
seen.observe(document, {childList: true, subtree: true, attributes: true});
"""

FOUND = """() => {
  const first = performance.getEntriesByName("first-contentful-paint")[0].startTime;
  return { chart: Math.max(first, window.firstChart) / 1000, live: window.live / 1000 };
}"""


def visit(browser: Browser, address: str) -> dict[str, float]:
    """Open the page once with an empty cache and return seconds and kilobytes."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.add_init_script(OBSERVE)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": 150,
            "downloadThroughput": 200_000,
            "uploadThroughput": 94_000,
        },
    )
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    with page.expect_console_message(lambda said: said.text == "live", timeout=90_000):
        page.goto(address, wait_until="commit")
    found = page.evaluate(FOUND)
    context.close()
    return {**found, "kB": sum(sizes) / 1000, "html_kB": sizes[0] / 1000}


def main() -> None:
    """Print the median of several cold visits."""
    address, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=(*ARGS, QUIET)
        )
        visits = [visit(browser, address) for _ in range(runs)]
        browser.close()
    for name in visits[0]:
        values = sorted(one[name] for one in visits)
        middle, low, high = statistics.median(values), values[0], values[-1]
        print(f"{name:8} median {middle:8.2f}  {low:.2f} to {high:.2f}")
    ratio = statistics.median(one["live"] / one["chart"] for one in visits)
    print(f"live / chart {ratio:.1f}")


if __name__ == "__main__":
    main()
