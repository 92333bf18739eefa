"""Frame times of the request timeline under software rendering, beside a naive drawing.

    python bench/timeline_frames.py [--sizes 8000,150000,100000,1000000] [--json OUT]

Generates requests, packs them, serves them locally, drives Chromium with --disable-gpu and times
each frame (script plus raster flush) while zooming, panning and scrolling, for every grouping.
Each frame keeps the best of --passes; CPU is the main thread's own time, first pass, so that
other work on the machine is left out; it holds about 5 ms of the driver's call and the page's
commit, which the wall time of a frame does not. The view stands where most requests are.
The naive drawing (one rectangle a request in view) runs in the same page over the same moves.
`--sizes 10000000` shows that ten million requests open; it needs about 12 GB of memory.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import json
import sys
import tempfile
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

from timeline_data import generate  # noqa: E402

from explorer.figures.timeline_pack import pack_timeline  # noqa: E402

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
GROUPINGS = ("conversation", "worker", "slot", "engine")
BUDGET_MS = {100_000: 8.3, 1_000_000: 16.7}
NAIVE_FRAMES = 12


class Handler(SimpleHTTPRequestHandler):
    """Serves the checkout, and packed files from a folder of their own."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript"}
    packed: Path

    def translate_path(self, path: str) -> str:
        if path.startswith("/packed/"):
            return str(self.packed / path.rsplit("/", 1)[1])
        return super().translate_path(path)

    def log_message(self, format: str, *args: Any) -> None:
        return


def write_packed(folder: Path, n: int) -> dict[str, Any]:
    """Pack `n` generated requests into the folder; return sizes in bytes a request."""
    data = pack_timeline(generate(n), skipped_overflow=0)
    (folder / str(n)).write_bytes(data)
    return {"raw": len(data) / n, "gzip": len(gzip.compress(data, 6)) / n}


def measure(page: Any, n: int, passes: int) -> dict[str, Any]:
    """Open one size several times (all but the first are warm) and time its frames."""
    opened = [page.evaluate("n => bench.open(String(n))", n) for _ in range(passes + 1)][1:]
    out: dict[str, Any] = {"open": {key: min(o[key] for o in opened) for key in opened[0]}}
    out["decode"] = min(page.evaluate("n => bench.timeDecode(String(n))", n) for _ in range(passes))
    out["frames"], out["naive"], out["layers"] = {}, {}, {}
    for by in GROUPINGS:
        out["frames"][by] = page.evaluate("a => bench.frames(...a)", [by, "ttft", passes])
        out["frames"][by] |= cpu_times(page)
        out["layers"][by] = page.evaluate("() => bench.layers()")
        out["naive"][by] = page.evaluate("a => bench.naive(...a)", [NAIVE_FRAMES, min(passes, 2)])
    out["hover_paints"] = page.evaluate("() => bench.hover()")
    return out


def cpu_times(page: Any) -> dict[str, float]:
    """Return p50 and p95 of the main thread's CPU time a frame: other work does not count."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def clock() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(1e3 * m["value"] for m in metrics if m["name"] == "ThreadTime")

    times = []
    for k in range(1, page.evaluate("() => bench.step(0)") + 1):
        before = clock()
        page.evaluate("k => bench.step(k)", k)
        times.append(clock() - before)
    session.detach()
    times.sort()
    return {"cpu_p50": times[len(times) // 2], "cpu_p95": times[int(len(times) * 0.95)]}


def report(n: int, size: dict[str, Any], got: dict[str, Any]) -> None:
    """Print one size as lines a person compares."""
    opened = got["open"]
    build = sum(opened[key] for key in ("model", "layout", "index", "shades") if key in opened)
    print(f"\n{n:,} requests: {size['gzip']:.2f} B each under gzip ({size['raw']:.1f} raw)")
    print(
        f"  warm click to drawn {opened['opened']:.0f} ms (decode {got['decode']:.0f}); index "
        f"build {build:.0f} ms = {build / n * 1e6:.0f} ms per million"
    )
    for by, f in got["frames"].items():
        budget = BUDGET_MS.get(n)
        verdict = "" if budget is None else (" ok" if f["p95"] <= budget else f" OVER {budget}")
        print(
            f"  {by:13} p50 {f['p50']:6.2f}  p95 {f['p95']:6.2f}  max {f['max']:6.2f} ms{verdict}; "
            f"CPU p50 {f['cpu_p50']:5.2f}  p95 {f['cpu_p95']:5.2f} ms; "
            f"{f['frames']} frames, {f['rows']:,} rows"
        )
    for by, f in got["naive"].items():
        ratio = f["p95"] / got["frames"][by]["p95"]
        print(f"  naive, {by}: p50 {f['p50']:.1f}  p95 {f['p95']:.1f} ms = {ratio:.1f}x ours")
    for by, layers in got["layers"].items():
        print(f"  layers, {by}: " + ", ".join(f"{k} {v:.2f}" for k, v in layers.items()))
    print(f"  hover, 300 moves: {got['hover_paints']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="8000,100000,150000,1000000")
    parser.add_argument("--passes", type=int, default=5, help="each frame keeps its best")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    from playwright.sync_api import sync_playwright

    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        Handler.packed = Path(name)
        server = ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, directory=str(ROOT))
        )
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for n in (int(size) for size in args.sizes.split(",")):
            size = write_packed(Handler.packed, n)
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(600_000)
            page.goto(f"http://127.0.0.1:{server.server_port}/bench/timeline_frames.html")
            page.wait_for_function("window.bench")
            results[str(n)] = {"size": size, **measure(page, n, args.passes)}
            report(n, size, results[str(n)])
            page.close()
            (Handler.packed / str(n)).unlink()
        browser.close()
        server.shutdown()
    if args.json:
        args.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
