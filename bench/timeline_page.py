"""From a click to a drawn timeline, through the real page and API of a served lake.

    python bench/timeline_page.py [--sizes 8000,150000] [--visits 9] [--json OUT]

Writes generated requests and server series into a lake of its own, serves it with gunicorn as the
Procfile does, and drives Chromium: on the point's page the link to the timeline is clicked, and
the clock stops at the second frame after the timeline says that it is drawn. Prints the first
visit, then median and best of the warm ones, and the least processor time of the main thread;
payload over the wire; the server's share; and, as the baseline, fetching and parsing the same
requests as JSON in the same page.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import numpy as np
import pyarrow as pa

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

from point_lake import build  # noqa: E402
from timeline_data import NULL, generate  # noqa: E402
from timeline_frames import CHROMIUM, FLAGS  # noqa: E402

from explorer.store.schema import REQUESTS  # noqa: E402

BUDGET_MS = {8_000: 300, 150_000: 1_000}
BUDGET_BYTES = {8_000: 120_000}
_CLICK = """async (selector) => {
  const link = document.querySelector(selector);
  const began = performance.now();
  link.click();
  const drawn = () => document.querySelector('[data-testid="timeline"][data-ready="true"]');
  await new Promise((done) => {
    const look = () => { if (drawn()) { observer.disconnect(); done(); } };
    const observer = new MutationObserver(look);
    observer.observe(document.documentElement, {
      childList: true, subtree: true, attributes: true, attributeFilter: ["data-ready"] });
    look();
  });
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - began;
}"""
_AS_JSON = """async (address) => {
  const began = performance.now();
  const answer = await fetch(address + "&format=json", { cache: "no-store" });
  const rows = (await answer.json()).data.n;
  return [performance.now() - began, rows];
}"""


def requests(n: int) -> pa.Table:
    """Return generated requests as the lake's table."""
    columns = generate(n)
    made: dict[str, Any] = {}
    for field in REQUESTS:
        if field.name not in columns:
            made[field.name] = pa.nulls(n, field.type)
        elif pa.types.is_string(field.type):
            texts = [None if one is None else str(one) for one in columns[field.name]]
            made[field.name] = pa.array(texts, pa.string())
        else:
            values = np.asarray(columns[field.name], dtype=np.int64)
            made[field.name] = pa.array(values, mask=values == NULL)
    made["request_id"] = pa.array([f"{i:08x}-0000-4000-8000-{i:012x}" for i in range(n)])
    return pa.table(made).select(REQUESTS.names).cast(REQUESTS)


def serve(lake: Path) -> tuple[subprocess.Popen[bytes], str]:
    """Start the production server over a lake; return it and its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        *(sys.executable, "-m", "gunicorn", "--worker-class", "gthread", "--workers", "1"),
        *("--threads", "4", "--bind", f"127.0.0.1:{port}", "explorer.app:create_app()"),
    ]
    env = {**os.environ, "EXPLORER_LAKE": str(lake)}
    server = subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    address = f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            urlopen(f"{address}/healthz", timeout=1).read()
            return server, address
        except (URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError("the server did not start in a minute")


def wire(address: str, encoding: str) -> tuple[int, float]:
    """Return bytes over the wire and ms of an answer that the server has made before."""
    asked = Request(address, headers={"Accept-Encoding": encoding})
    urlopen(asked).read()
    began = time.perf_counter()
    size = len(urlopen(asked).read())
    return size, (time.perf_counter() - began) * 1e3


def thread_ms(session: Any) -> float:
    """Return the processor time of the page's main thread so far: other work leaves it alone."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(one["value"] for one in metrics if one["name"] == "ThreadTime") * 1e3


def measure(browser: Any, base: str, n: int, visits: int) -> dict[str, Any]:
    """Click through to one size's timeline again and again; times in ms."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.goto(f"{base}/points/bench{n}")
    page.wait_for_selector("html[data-ready=true]")
    link = f'a[href^="/points/bench{n}/timeline"]'
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    times, cpu = [], []
    for _ in range(visits + 1):
        began = thread_ms(session)
        times.append(page.evaluate(_CLICK, link))
        cpu.append(thread_ms(session) - began)
        source = page.locator("[data-testid=timeline]").get_attribute("data-src")
        build_ms = page.evaluate(
            "() => document.querySelector('[data-testid=timeline]').timeline.build"
        )
        page.go_back()
        page.wait_for_selector('[data-testid="point-page"]')
    as_json, rows = page.evaluate(_AS_JSON, source)
    assert rows == n
    context.close()
    br, server_ms = wire(base + source, "br")
    gz, _ = wire(base + source, "gzip")
    return {
        "requests": n,
        "first_ms": times[0],
        "warm_median_ms": statistics.median(times[1:]),
        "warm_best_ms": min(times[1:]),
        "warm_cpu_ms": min(cpu[1:]),
        "server_ms": server_ms,
        "build_ms": build_ms,
        "bytes_br": br,
        "bytes_gzip": gz,
        "json_baseline_ms": as_json,
        "ratio_to_json": statistics.median(times[1:]) / as_json,
    }


def report(one: dict[str, Any]) -> str:
    """Return a size's figures in a line, budgets beside them."""
    n = one["requests"]
    return (
        f"{n:>9,} requests: click to drawn {one['first_ms']:.0f} ms first, "
        f"{one['warm_median_ms']:.0f} ms warm (best {one['warm_best_ms']:.0f}, main thread "
        f"{one['warm_cpu_ms']:.0f}; budget {BUDGET_MS.get(n, '–')}); {one['bytes_br']:,} B br, "
        f"{one['bytes_gzip']:,} B gzip ({one['bytes_gzip'] / n:.1f} a request; budget "
        f"{BUDGET_BYTES.get(n, '–')}); server {one['server_ms']:.0f} ms; "
        f"{one['ratio_to_json']:.2f} × the same as JSON"
    )


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--sizes", default="8000,150000")
    parser.add_argument("--visits", type=int, default=9)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        lake = Path(folder) / "lake"
        build(lake, {f"bench{n}": requests(n) for n in sizes})
        server, base = serve(lake)
        try:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            found = [measure(browser, base, n, options.visits) for n in sizes]
        finally:
            server.terminate()
            server.wait()
    for one in found:
        print(report(one))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
