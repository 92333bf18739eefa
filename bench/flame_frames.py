"""Scrolling a flame graph of 1,200 turns: main-thread CPU time a frame, beside an empty page.

    python bench/flame_frames.py [--turns 1200] [--frames 200] [--json OUT]

Drives Chromium under software rendering, scrolls the graph's own window 120 px a frame and sums
the main thread's CPU time from the browser's own trace, so that other work on the machine is left
out. Baseline: a page of the same height without content.
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from explorer.domain.turns import Turn  # noqa: E402
from explorer.figures.flame import flame  # noqa: E402
from explorer.i18n import text  # noqa: E402

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
SCROLL = """frames => new Promise(done => { let y = 0, n = 0;
  const box = document.querySelector(".flame-box.long .flame-rows") || document.documentElement;
  const step = () => {
    y += 120; if (y > box.scrollHeight - box.clientHeight) y = 0;
    box.scrollTop = y; if (++n < frames) requestAnimationFrame(step); else done(); };
  requestAnimationFrame(step); })"""
HEIGHT = (
    """() => (document.querySelector(".flame-rows") || document.documentElement).scrollHeight"""
)


def session(turns: int) -> list[Turn]:
    """Return a long session: every 30 turns a sub-agent of ten, a cut of the context every 150."""
    made: list[Turn] = []
    while len(made) < turns:
        at = len(made)
        inside = at % 30 if at % 30 < 10 and at >= 30 else None
        isl = 12_000 + (at % 150) * 900 if inside is None else 9_000 + inside * 4_000
        cached = int(isl * 0.9) // 64 * 64
        made.append(
            Turn(
                ordinal=at,
                turn=at if inside is None else inside,
                agent=None if inside is None else f"agent_{at // 30:03d}",
                agent_type=None if inside is None else "Explore",
                parent_turn=None if inside is None else at - inside - 1,
                join_turn=None,
                kind="main" if inside is None else "subagent",
                t_ms=at * 9_000.0,
                end_ms=at * 9_000.0 + 9_500,
                isl_tokens=isl,
                cached_tokens=cached,
                uncached_tokens=isl - cached,
                osl_tokens=400,
                time_order_cached_tokens=cached,
                blocks=isl // 64,
                hit_blocks=cached // 64,
                time_order_hit_blocks=cached // 64,
                shared_blocks=cached // 64,
                prefix_source=at - 1 if at else None,
                model="m",
                source_outer_idx=at if inside is None else at - inside,
                source_inner_idx=inside,
                think_time_ms=None,
                api_time_ms=9_500.0,
            )
        )
    return made


def page_of(turns: int) -> str:
    """Return a whole page with the graph, its styles and its script."""
    names = ("tokens.css", "layout.css", "series.css", "conversations.css")
    style = "".join((ROOT / "assets" / name).read_text() for name in names)
    graph = flame(session(turns), say=partial(text, "en"), href=lambda turn: f"?turn={turn.turn}")
    script = (ROOT / "assets" / "flame.js").read_text()
    head = f"<!doctype html><meta charset=utf-8><style>{style}</style>"
    box = f'<div class="flame-box long">{graph}</div>'
    return f"{head}<div class=page><main>{box}</main></div><script>{script}</script>"


def cpu_per_frame(browser: Browser, markup: str, frames: int) -> dict[str, float]:
    """Return main-thread CPU ms a frame: mean, p95 and the largest single task."""
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.set_content(markup)
    browser.start_tracing(
        page=page, categories=["devtools.timeline", "disabled-by-default-devtools.timeline"]
    )
    page.evaluate(SCROLL, frames)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    height = page.evaluate(HEIGHT)
    page.close()
    tasks = [event["tdur"] / 1000 for event in _tasks(events)]
    each = sorted(tasks)[-frames:]  # a frame's own task is larger than the timers between
    return {
        "ms": sum(tasks) / frames,
        "p95_ms": each[int(len(each) * 0.95)],
        "largest_ms": max(tasks),
        "height": height,
    }


def _tasks(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event.get("name") == "thread_name" and event["args"]["name"].startswith("CrRendererMain")
    }
    return [
        event
        for event in events
        if event.get("name") == "RunTask"
        and (event["pid"], event["tid"]) in mains
        and "tdur" in event
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=1200)
    parser.add_argument("--frames", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        markup = page_of(options.turns)
        graph = cpu_per_frame(browser, markup, options.frames)
        blank = f"<!doctype html><body style='height:{graph['height']}px'></body>"
        result = {
            "turns": options.turns,
            "bytes": len(markup),
            "graph": graph,
            "empty_page": cpu_per_frame(browser, blank, options.frames),
        }
        browser.close()
    print(json.dumps(result, indent=1))
    if options.json:
        options.json.write_text(json.dumps(result))


if __name__ == "__main__":
    main()
