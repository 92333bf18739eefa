"""Curves at size: frontier, server time and bytes per redraw, and the redraw in a browser.

    .venv/bin/python bench/curves.py [POINTS ...]        (default 1000 5000)

Prints for each size the median and p95 milliseconds of 20 different views (axes, limits, splits) of
CPU on the server, so that neighbours do not count, the compressed bytes of what the browser is
sent, and the time in Chromium from a change of the address until the new chart is in place and
painted. The named baseline, the figure that travels between machines, is `frontier in plain
Python`: sorting and one pass over the same pairs; everything is also given as a ratio to it.
"""

from __future__ import annotations

import gzip
import json
import logging
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import sync_playwright
from werkzeug.serving import make_server

from explorer.app import create_app
from explorer.domain import view_state
from explorer.domain.frontier import frontier
from explorer.domain.identity import point_id
from explorer.pages import curves
from explorer.settings import Settings
from explorer.store.lake import LocalLake, open_lake
from explorer.store.writer import publish

HARDWARE = ("b200", "mi355x", "h200", "gb200", "b300", "gb300")
ENGINES = ("vllm", "sglang")
VIEWS = (
    "", "y=output_tps_per_gpu", "ttft_max=2", "x=ttft_s", "stat=p50", "frontier=all",
    "scale=log", "y=usd_per_mtok_total", "split=precision", "ttft_max=3&limit=mark",
)  # fmt: skip
"""Each is asked twice, so 20 redraws."""
HW = "hw=" + ",".join(HARDWARE)
ARGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def lake_of(folder: Path, n: int) -> LocalLake:
    """Return a lake of n agentic points of one model over six hardware and two engines."""
    dice = random.Random(11)
    publish(folder, points=[_row(dice, index) for index in range(n)], price_version="2026-07")
    return open_lake(folder)


def _row(dice: random.Random, index: int) -> dict[str, object]:
    hw, engine = HARDWARE[index % 6], ENGINES[index % 2]
    speed = dice.uniform(5, 150)
    row: dict[str, object] = {
        "point_id": point_id({"bench": index}), "aliases": [], "run_id": f"run{index}",
        "source": "measured", "format": "bench", "status": "ok", "valid": True, "model": "bench",
        "hw": hw, "hw_raw": hw, "engine": engine, "precision": dice.choice(("fp4", "fp8")),
        "spec": "none", "mode": "agg", "nodes": 1, "gpus": 8, "tp": 8, "parallelism": "TP8",
        "scenario": "agentic", "workload": "coding", "kv_offload": dice.choice(("none", "dram")),
        "kv_offload_backend": "lmcache", "warnings": [], "errors": [], "revision": str(index),
        "date": "2026-05-20", "concurrency": float(index), "requests_ok": 100,
        "requests_total": 100,
    }  # fmt: skip
    for factor, statistic in ((1.0, "mean"), (1.1, "p50"), (0.9, "p90"), (0.7, "p99")):
        row[f"{statistic}_interactivity_tps"] = speed * factor
        row[f"{statistic}_ttft_s"] = dice.uniform(0.2, 6) / factor
    for basis, share in (("total", 1.0), ("input", 0.98), ("output", 0.02)):
        row[f"{basis}_tps_per_gpu"] = share * dice.uniform(2e5, 1e6) / speed
    return row


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


def redraw(lake: LocalLake, query: str) -> bytes:
    """Return what a change of the address sends to the browser, as JSON."""
    view = curves.view(lake, {}, view_state.parse(query))
    return json.dumps(view.body, default=lambda node: node.to_plotly_json()).encode()


def server(lake: LocalLake) -> tuple[list[float], int]:
    """Return the milliseconds of 20 redraws and the largest compressed answer."""
    queries = [f"{HW}&{query}" for query in VIEWS]
    size = max(len(gzip.compress(redraw(lake, query), 6)) for query in queries)
    found = []
    for query in (*queries, *queries):
        start = time.process_time()
        redraw(lake, query)
        found.append((time.process_time() - start) * 1e3)
    return found, size


def browser(folder: Path) -> list[float]:
    """Return the milliseconds from a change of the address until the chart is painted."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    site = make_server("127.0.0.1", 0, create_app(Settings(lake=folder)), threaded=True)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    script = """(href) => new Promise((done) => {
      const start = performance.now();
      document.addEventListener("explorer:mounted", function seen(event) {
        if (!event.target.matches("[data-testid=curve-chart]")) return;
        document.removeEventListener("explorer:mounted", seen);
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - start), 0));
      });
      window.explorer.go(href);
    })"""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(ARGS))
        page = chromium.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"http://127.0.0.1:{site.server_port}/?{HW}")
        page.wait_for_selector("html[data-ready=true]")
        found = [
            page.evaluate(script, f"/?{HW}&{query}")
            for _ in range(3)
            for query in (*VIEWS[1:], "label=none")
        ]
        chromium.close()
    site.shutdown()
    return found[len(VIEWS) :]


def said(times: list[float], baseline: float) -> str:
    p95 = statistics.quantiles(times, n=20)[-1]
    middle = statistics.median(times)
    return f"median {middle:.1f} ms, p95 {p95:.1f} ms ({middle / baseline:.2f}× the baseline)"


def main() -> None:
    dice = random.Random(3)
    pairs = [(dice.random(), dice.random()) for _ in range(100_000)]
    baseline = statistics.median(timed(lambda: plain_frontier(pairs), 7))
    print(f"baseline, frontier in plain Python of 100,000 points: {baseline:.1f} ms")
    ours = timed(lambda: frontier(pairs, "higher", "higher"), 9)
    print(f"frontier of 100,000 points: {said(ours, baseline)}")
    for n in [int(text) for text in sys.argv[1:]] or [1_000, 5_000]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "lake"
            times, size = server(lake_of(folder, n))
            print(f"{n:,} points: server {said(times, baseline)}; {size / 1000:.0f} kB compressed")
            print(f"{n:,} points: redraw in Chromium {said(browser(folder), baseline)}")


if __name__ == "__main__":
    main()
