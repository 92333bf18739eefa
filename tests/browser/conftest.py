"""A real Chromium before a real server over the real or the sample lake."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Playwright, Route, sync_playwright
from werkzeug.serving import make_server

from explorer.app import create_app
from explorer.settings import Settings
from tests.crowd_lake import lake_of

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
QUIET = (
    "--disable-features=AvoidCorsURLLoaderRestartOnRedirect,AvoidUnnecessaryBeforeUnloadCheckSync,"
    "DestroyProfileOnBrowserClose,HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,LensOverlay,"
    "MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,PaintHolding,PreconnectToSearch,"
    "ThirdPartyStoragePartitioning,AimEnabled,PreloadTopChromeWebUI,WebUIOmniboxAimPopup"
)
"""What Playwright turns off (a second list replaces the first), and pages of the browser's own.

Each window loads a popup of the address bar, 410 files and a second of CPU, beside the page.
"""
READY = "html[data-ready=true]"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in Path(str(item.fspath)).parts:
            item.add_marker(pytest.mark.browser)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Return Playwright itself: a second one in the same thread refuses to start."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=(*ARGS, QUIET))
    yield chromium
    chromium.close()


@pytest.fixture(scope="session")
def serve():
    """Return a function that serves a lake and gives the address; all end with the session."""
    servers = []

    def start(lake: Path) -> str:
        app = create_app(Settings(lake=lake))
        server = make_server("127.0.0.1", free_port(), app, threaded=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()


@pytest.fixture(scope="session")
def real_site(serve, real_lake) -> str:
    """Return the address of a server over the real lake."""
    return serve(real_lake)


@pytest.fixture(scope="session")
def crowd_site(serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a server over a lake whose chart shows a thousand points as dots."""
    return serve(lake_of(tmp_path_factory.mktemp("crowd") / "lake", 1_000))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Return a page on which console errors and page errors fail the test."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else None
    )
    yield page
    context.close()
    assert errors == []


@pytest.fixture
def sized(browser: Browser) -> Iterator[Callable[[int], Page]]:
    """Return a function that gives a page of so many px across; all close with the test."""
    contexts = []

    def open_page(width: int) -> Page:
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}))
        return contexts[-1].new_page()

    yield open_page
    for context in contexts:
        context.close()


def fits_and_is_clean(page: Page) -> None:
    """Check that a page does not scroll sideways, and that axe finds nothing in it."""
    wide, room = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= room
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


STYLED = """() => [...document.querySelectorAll("link[rel=stylesheet]")]
    .every((one) => one.sheet)"""


def open_ready(page: Page, address: str) -> None:
    """Open an address, wait until its first data is drawn interactively and nothing moves it.

    Stylesheets of other pages come after the first paint, and may come after the live page.
    """
    page.goto(address)
    page.wait_for_selector(READY)
    page.wait_for_function(STYLED)


def routed(page: Page, pattern: str, to: Callable[[Route], object], **how: int) -> None:
    """Route the requests of a pattern, from the very next one on.

    In a page that stands already a request can still slip past a new route, unseen by all
    listeners too: here a request of our own has been through it.
    """
    page.route(pattern, to, **how)
    if page.url != "about:blank":
        page.route("**/healthz?routed", lambda route: route.fulfill(status=204))
        page.wait_for_function("async () => (await fetch('/healthz?routed')).status === 204")


def hold(page: Page, pattern: str) -> list[Route]:
    """Hold back the requests of a pattern; return the list that they come into."""
    held: list[Route] = []
    routed(page, pattern, lambda route: held.append(route))
    return held


def let_through(page: Page, route: Route) -> None:
    """Let a request go that was held back, and wait until the page has had its answer."""
    with page.expect_response(route.request.url) as answer:
        route.continue_()
    answer.value.finished()
    taken(page)


def taken(page: Page) -> None:
    """Wait until the page has done what it does at once with an answer that came just now."""
    page.evaluate("new Promise((then) => requestAnimationFrame(() => setTimeout(then)))")


SHOWN = """() => document.querySelector("#react-entry-point #page-root")?.dataset.shown ===
    location.pathname + location.search"""


def followed(page: Page, address: str | Callable[[str], bool]) -> None:
    """Wait until the address matches and the page shown is that address's, not the one before."""
    page.wait_for_url(address)
    page.wait_for_function(SHOWN)


def go(page: Page, address: str) -> None:
    """Go to an address as the page's own scripts do, and wait until its page is shown."""
    page.evaluate("(address) => window.explorer.go(address)", address)
    followed(page, f"**{address}")
