"""The timeline's scripts in a real browser, over a packed file and nothing else of the product."""

from __future__ import annotations

import functools
import html
import json
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from explorer.figures.timeline_pack import NULL, pack_timeline
from explorer.i18n import catalogue

CHECKOUT = Path(__file__).parents[2]
READY = '[data-testid="timeline"][data-ready="true"]'
MS = 1_000_000
TEXTS = ("stream_id", "root_id", "parent_id", "conversation", "agent", "kind", "phase", "status")


def columns() -> dict[str, Any]:
    """Return 40 requests: a root of 20 turns, two sub-agents of 10; the slowest is turn 7."""
    rows = []
    for i in range(40):
        agent = None if i < 20 else f"sa:agent_00{i // 10 - 1}"
        turn = i if agent is None else i % 10
        slow = 700 if agent and turn == 7 else 300 if turn == 3 else 100
        start = (turn * 1_000 + (0 if agent is None else 50)) * MS + (i // 10) * MS
        failed = i == 12
        rows.append(
            {
                "stream_id": f"s{i // 10 if agent else 0}",
                "root_id": "s0",
                "parent_id": None if agent is None else "s0",
                "conversation": "trace_0001",
                "agent": agent,
                "kind": "main" if agent is None else "subagent",
                "phase": "warmup" if agent is None and turn == 0 else "profiling",
                "status": "failed" if failed else "ok",
                "start_ns": start,
                "first_token_ns": NULL if failed else start + 20 * MS,
                "end_ns": start if failed else start + (slow + i // 10) * MS,
                "turn": turn,
            }
        )
    rows.sort(key=lambda row: row["start_ns"])
    out: dict[str, Any] = {
        key: np.array([row[key] for row in rows], dtype=object if key in TEXTS else np.int64)
        for key in rows[0]
    }
    n = len(rows)
    nothing = np.array([None] * n, dtype=object)
    out |= {"ordinal": np.arange(n), "depth": (out["agent"] != nothing).astype(np.int64)}
    out |= {"client_worker": nothing, "engine": nothing, "error_type": nothing}
    out |= {key: np.full(n, NULL) for key in ("cached_tokens", "error_code")}
    out |= {"credit_ns": out["start_ns"] - MS}
    return out | {"isl_tokens": np.full(n, 1_000), "osl_tokens": np.full(n, 50)}


class Handler(SimpleHTTPRequestHandler):
    """One page with `?count` timelines, its packed file, its request records."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript"}
    columns = columns()

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path == "/page":
            self.answer(self.page(2 if "two" in self.path else 1), "text/html")
        elif path == "/packed":
            packed = pack_timeline(self.columns, skipped_overflow=3)
            self.answer(packed, "application/octet-stream")
        elif path == "/requests":
            self.answer(json.dumps(self.record()).encode(), "application/json")
        elif path.startswith("/assets/"):
            super().do_GET()
        else:
            self.answer(b"<!doctype html><html lang=en><title>elsewhere</title>", "text/html")

    def record(self) -> dict[str, Any]:
        query = dict(part.split("=") for part in self.path.split("?")[1].split("&"))
        ordinal = int(query.get("ordinal") or query["request_id"].removeprefix("id-"))
        reference = {"dataset": "d", "conversation": "trace_0001", "turn": ordinal, "agent": None}
        return {
            "data": [{"ordinal": ordinal, "request_id": f"id-{ordinal}", "dataset_ref": reference}]
        }

    def page(self, count: int) -> bytes:
        words = {k.removeprefix("timeline."): v for k, v in catalogue("en").items()}
        strings = html.escape(json.dumps(words))
        one = (
            '<div data-testid="timeline" data-src="/packed" data-requests="/requests" {group} '
            'data-turn-url="/datasets/{{dataset}}?turn={{turn}}" data-strings="{strings}"></div>'
        )
        groups = ['data-group="g" data-scope="a"', 'data-group="g" data-scope="b"'][:count]
        divs = "".join(
            one.format(group=g if count > 1 else "", strings=strings).replace("{{", "{")
            for g in groups
        )
        return (
            '<!doctype html><html lang="en"><title>t</title><link rel="icon" href="data:,">'
            '<link rel="stylesheet" href="/assets/tokens.css">'
            '<link rel="stylesheet" href="/assets/timeline.css">'
            f'<body>{divs}<script src="/assets/timeline.js"></script>'
        ).encode()

    def answer(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", "script-src 'self'; style-src 'self'")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        return


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(CHECKOUT))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def view(page: Page, expression: str, which: int = 0) -> Any:
    return page.evaluate(
        f"() => {{ const v = document.querySelectorAll('[data-testid=timeline]')[{which}].timeline;"
        f" return {expression}; }}"
    )


def opened(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_selector(READY)
    return page


def until(page: Page, expression: str) -> None:
    """Wait for a condition on the view without a string the page would have to evaluate."""
    page.wait_for_function(
        f"() => {{ const v = document.querySelector('[data-testid=timeline]').timeline;"
        f" return {expression}; }}"
    )


def test_status_counts_every_request_and_what_left_no_record(page: Page, site: str) -> None:
    opened(page, f"{site}/page")
    status = page.get_by_test_id("timeline-status").inner_text()
    assert status.startswith("showing 39 of 40 requests · 1 in the other phase")
    assert "38 ok, 1 failed, 0 cancelled" in status
    assert "3 skipped for context overflow" in status


def test_hover_paints_the_overlay_alone(page: Page, site: str) -> None:
    opened(page, f"{site}/page")
    box = page.locator(".tl-plot").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 40, box["y"] + 120)
    until(page, "v.cursor !== null && !v.moving && !v.layers.pending")
    before = view(page, "({...v.layers.paints})")
    for x in range(50, 400, 25):
        page.mouse.move(box["x"] + x, box["y"] + 92)
    until(page, f"v.layers.paints.overlay > {before['overlay']}")
    after = view(page, "({...v.layers.paints})")
    assert {name for name in after if after[name] != before[name]} == {"overlay"}


def test_wheel_zooms_at_the_cursor_and_the_address_follows(page: Page, site: str) -> None:
    opened(page, f"{site}/page")
    box = page.locator(".tl-plot").bounding_box()
    assert box is not None
    time, span = view(page, "[v.port.toTime(300), v.port.span]")
    page.mouse.move(box["x"] + 300, box["y"] + 120)
    page.mouse.wheel(0, -300)
    until(page, f"v.port.span < {span}")
    assert view(page, "v.port.toTime(300)") == pytest.approx(time)
    page.wait_for_url("**from=*")


def test_slowest_request_of_a_subagent_in_four_keys(page: Page, site: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, f"{site}/page")
    for key in ("k", "x", "c"):
        page.keyboard.press(key)
    page.get_by_text("Link copied.").first.wait_for()
    slowest = view(page, "v.selected")
    assert view(page, "v.data.turn[v.selected]") == 7
    assert view(page, "v.requestName(v.selected)").startswith("trace_0001 › sa:agent_002")
    link = page.evaluate("() => navigator.clipboard.readText()")
    assert f"req=id-{slowest}" in link
    page.keyboard.press("o")
    page.wait_for_url(f"**/datasets/d?turn={slowest}")
    opened(page, link)
    until(page, f"v.selected === {slowest}")


def test_shift_drag_selects_a_range_that_the_address_keeps(page: Page, site: str) -> None:
    opened(page, f"{site}/page")
    box = page.locator(".tl-plot").bounding_box()
    assert box is not None
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 100, box["y"] + 150)
    page.mouse.down()
    page.mouse.move(box["x"] + 500, box["y"] + 160, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    words = page.locator(".tl-range p")
    expect(words).to_contain_text("requests start here")
    text = words.inner_text()
    assert view(page, "v.selected") == -1
    page.wait_for_url("**range=*")
    opened(page, page.url)
    expect(words).to_have_text(text, use_inner_text=True)


def test_two_timelines_share_one_clock(page: Page, site: str) -> None:
    page.goto(f"{site}/page?two")
    page.locator(READY).nth(1).wait_for()
    view(page, "v.port.show(v.units(2), v.units(4))")
    assert view(page, "[v.seconds(v.port.t0), v.seconds(v.port.t1)]", 1) == pytest.approx([2, 4])
    view(page, "v.setCursor(v.units(3))", 1)
    assert view(page, "v.seconds(v.cursor)") == pytest.approx(3)


def test_a_broken_file_is_said_on_the_page(browser: Any, site: str) -> None:
    page = browser.new_page()
    page.route("**/packed", lambda route: route.fulfill(body=b"JUNK" * 10))
    page.goto(f"{site}/page")
    page.get_by_role("alert").wait_for()
    expect(page.get_by_role("alert")).to_contain_text('starts with "JUNK"')
    page.close()
