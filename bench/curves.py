"""Curves at size: frontier, server time and bytes per redraw, and the redraw in a browser.

    .venv/bin/python bench/curves.py [POINTS ...]        (default 1000 5000)

Each size is a lake of that many points, all on one picture, and 40 different changes of its
address (filters, axes, limits, splits, policies), none asked before. Printed are median and p95 of

- the server: CPU until the chart's part is on its way, and until the whole page is, so that
  neighbours on the machine do not count; and the largest answer as it is sent;
- the browser: a click on a link until all but the table is painted, and until the whole page is,
  as a clock on the wall sees it, and the CPU of the page's main thread.

The named baseline, the figure that travels between machines, is `frontier in plain Python`:
sorting and one pass over 100,000 pairs, timed again before each part; everything is also given as
a ratio to it.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from explorer.app import calm_collector, create_app
from explorer.domain.frontier import frontier
from explorer.settings import Settings

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run as a file, not as a module
from bench.__main__ import served
from tests.browser.conftest import ARGS, QUIET
from tests.crowd_lake import HW, lake_of

CHANGES = (
    *(f"y={y}" for y in ("output_tps_per_gpu", "usd_per_mtok_total", "tps_per_mw_output")),
    *(f"x={x}" for x in ("ttft_s", "p50_ttft_s", "mean_interactivity_tps", "concurrency")),
    *(f"stat={stat}" for stat in ("mean", "p50", "p99")),
    *(f"ttft_max={bound}" for bound in (2, 3, 4, 5, 5.5)),
    *(f"speed_min={bound}" for bound in (10, 20, 40)),
    *(f"cost_max={bound}" for bound in (0.02, 0.05)),
    *(f"ttft_max={bound}&limit=mark" for bound in (3, 4)),
    *(f"precision={one}" for one in ("fp4", "fp8")),
    *(f"offload={one}" for one in ("none", "dram")),
    *(f"engine={one}" for one in ("vllm", "sglang")),
    *(f"split={one}" for one in ("precision", "offload", "offload,precision")),
    *(f"frontier={one}" for one in ("all", "e2e")),
    *(f"scale={one}" for one in ("logx", "logy", "log")),
    "price=rental", "rate.b200=3.5", "valid=1&stat=p50", "x=ttft_s&y=output_tps_per_gpu",
    "ttft_max=4&cost_max=0.05",
)  # fmt: skip


def timed(work: Callable[[], object], times: int) -> list[float]:
    """Return the milliseconds of each call, after one that is not counted."""
    work()
    found = []
    for _ in range(times):
        start = time.thread_time()
        work()
        found.append((time.thread_time() - start) * 1e3)
    return found


def plain_frontier(pairs: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the frontier by sorting and one pass: the baseline."""
    kept, best = [], float("-inf")
    for x, y in sorted(pairs, key=lambda pair: (-pair[0], -pair[1])):
        if y > best:
            kept.append((x, y))
            best = y
    return kept


def server(lake: Path) -> tuple[dict[str, list[float]], int]:
    """Return the CPU milliseconds of each change and the bytes of the largest answer."""
    client = create_app(Settings(lake=lake)).test_client()
    calm_collector()

    def redraw(query: str) -> tuple[float, float, int]:
        start = time.process_time()
        answer = client.get(f"/_redraw/?{query}", headers={"Accept-Encoding": "br"})
        assert answer.status_code == 200
        chunks = iter(answer.response)
        size = len(next(chunks))
        chart = time.process_time()
        size += sum(map(len, chunks))
        return (chart - start) * 1e3, (time.process_time() - start) * 1e3, size

    redraw(HW)
    redraw(f"{HW}&stat=p75")  # the prices of the snapshot, the first of every kind of chip
    charts, wholes, sizes = zip(*(redraw(f"{HW}&{query}") for query in CHANGES), strict=True)
    return {"chart": list(charts), "whole page": list(wholes)}, max(sizes)


_CLICK = """(href) => new Promise((done) => {
  const start = performance.now();
  const root = document.querySelector("#react-entry-point #page-root");
  const times = [];
  const note = () => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => times.push(performance.now() - start) === 2 && done(times);
    channel.port2.postMessage(null);
  });
  const watcher = new MutationObserver((changes) => {
    for (const { attributeName } of changes) {
      if (root.getAttribute(attributeName) === href) note();
    }
    if (root.dataset.shown === href) watcher.disconnect();
  });
  watcher.observe(root, { attributes: true, attributeFilter: ["data-seen", "data-shown"] });
  const link = document.createElement("a");
  link.dataset.nav = "1";
  link.href = href;
  document.body.append(link);
  link.click();
  link.remove();
})"""


@contextmanager
def opened(address: str) -> Iterator[Page]:
    """Open an address in Chromium and wait until it is live."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=(*ARGS, QUIET)
        )
        page = chromium.new_page(viewport={"width": 1440, "height": 900})
        page.goto(address, timeout=120_000)
        page.wait_for_selector("html[data-ready=true]", timeout=120_000)
        yield page
        chromium.close()


def browser(lake: Path) -> dict[str, list[float]]:
    """Return per change the milliseconds until painted, and those of the page's main thread.

    First all but the table, which stands below the window, then the whole page.
    """
    found: dict[str, list[float]] = {
        "click to all but the table": [],
        "click to painted page": [],
        "main thread CPU": [],
    }
    with served(lake, workers=1) as address, opened(f"{address}/?{HW}") as page:
        ticks = _thread_time(page)
        for query in ("stat=p75", "ttft_max=5.9", *CHANGES):
            page.wait_for_timeout(300)  # who reads does not choose again in the same breath
            before = ticks()
            painted = page.evaluate(_CLICK, f"/?{HW}&{query}")
            times = (*painted, (ticks() - before) * 1e3)
            for name, value in zip(found, times, strict=True):
                found[name].append(value)
    return {name: times[2:] for name, times in found.items()}


def _thread_time(page: Page) -> Callable[[], float]:
    """Return a reader of the seconds of CPU that the page's main thread has used."""
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def read() -> float:
        metrics: list[dict[str, Any]] = tools.send("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in metrics if one["name"] == "TaskDuration")

    return read


def said(times: list[float], baseline: float) -> str:
    p95 = statistics.quantiles(times, n=20)[-1]
    middle = statistics.median(times)
    return f"median {middle:.1f} ms, p95 {p95:.1f} ms ({middle / baseline:.2f}× the baseline)"


def baseline(pairs: list[tuple[float, float]]) -> float:
    return statistics.median(timed(lambda: plain_frontier(pairs), 5))


def main() -> None:
    dice = random.Random(3)
    pairs = [(dice.random(), dice.random()) for _ in range(100_000)]
    base = baseline(pairs)
    print(f"baseline, frontier in plain Python of 100,000 points: {base:.1f} ms")
    ours = timed(lambda: frontier(pairs, "higher", "higher"), 9)
    print(f"frontier of 100,000 points: {said(ours, base)}")
    for n in [int(text) for text in sys.argv[1:]] or [1_000, 5_000]:
        with tempfile.TemporaryDirectory() as name:
            lake = lake_of(Path(name) / "lake", n)
            base = baseline(pairs)
            parts, size = server(lake)
            for what, times in parts.items():
                print(f"{n:,} points: server, {what}: {said(times, base)}")
            print(f"{n:,} points: largest answer {size / 1000:.0f} kB compressed")
            base = baseline(pairs)
            for what, found in browser(lake).items():
                print(f"{n:,} points: {what} {said(found, base)}", flush=True)


if __name__ == "__main__":
    main()
