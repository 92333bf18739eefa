"""A page as one HTML file: styles, scripts and rows inside, no network by its own policy."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from explorer.app import create_app
from explorer.components.modes import FILE
from explorer.domain.addresses import API
from explorer.errors import UsageError
from explorer.exports.scripts import ASSETS
from explorer.publish import views
from explorer.publish.rewrite import Page, in_head
from explorer.settings import Settings
from explorer.store.lake import open_lake

MOST_BYTES = 4 << 20
"""Rows larger than this stay outside the file: its link leads to the public server, if any."""
_ROWS = re.compile(r'(href="data:text/csv;base64,)([A-Za-z0-9+/]{40})')
_ASSET = "/assets/"
_POLICY = (
    "default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action {form}"
)


def report(settings: Settings, address: str, snap: str | None = None) -> bytes:
    """Return the page of an address at a snapshot as one file that opens from a disk.

    Its tables' CSV files are inside. UsageError when the address is no page with a static form.
    """
    (one,) = views.read([address])
    if one.kind or one.path.endswith("/timeline"):
        raise UsageError(
            f"{one.address} has a file of its own kind.",
            hint="explorer export timeline --format html, or export site for embeds.",
        )
    snapshot = open_lake(settings.lake).snapshot(snap)
    client = create_app(settings).test_client()
    base = settings.public_url or "http://localhost"

    def fetch(place: str) -> Any:
        with FILE.on():
            return client.get(place, base_url=base)

    answer = fetch(one.pinned(snapshot.snap))
    if answer.status_code != 200:
        raise UsageError(f"{one.address}: {answer.status_code}.", hint="See its page.")
    inside = _Inside(fetch, base, settings.public_url, snapshot.snap)
    canonical = f"{settings.public_url}{one.address}" if settings.public_url else ""
    page = Page(inside.to, canonical, "#main", settings.public_url)
    page.feed(answer.text)
    page.close()
    return _whole(page, settings.public_url).encode()


class _Inside:
    """Gives links of a page their place in the file: rows as data, what is elsewhere or nothing."""

    def __init__(self, fetch: Callable[[str], Any], base: str, public: str, snap: str) -> None:
        self._fetch, self._base, self._public, self._snap = fetch, base, public, snap
        self._known: dict[str, str | None] = {}

    def to(self, href: str) -> str | None:
        """Return a link's address in the file; None when it leads nowhere."""
        href = href.removeprefix(self._base)
        if not href.startswith("/"):
            return href
        if href.startswith(_ASSET):
            return href.partition("?")[0]
        parts = urlsplit(href)
        found = self._rows(parts.path, parts.query) if parts.path.startswith(API) else None
        return found or (f"{self._public}{href}" if self._public else None)

    def _rows(self, path: str, query: str) -> str | None:
        """Return rows as a data address: CSV only, up to MOST_BYTES."""
        asked = dict(parse_qsl(query)) | {"snap": self._snap, "header": "1"}
        if asked.get("format") != "csv":
            return None
        place = f"{path}?{urlencode(sorted(asked.items()))}"
        if place not in self._known:
            answer = self._fetch(place)
            fits = answer.status_code == 200 and len(answer.data) <= MOST_BYTES
            text = base64.b64encode(answer.data).decode()
            self._known[place] = f"data:text/csv;base64,{text}" if fits else None
        return self._known[place]


def _whole(page: Page, public: str) -> str:
    """Return the document with its stylesheets and scripts inside."""
    styles = "".join(_read(name) for name in page.styles)
    script = "\n".join(_read(name) for name in page.scripts)
    page.styles, page.scripts = [], []
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = _POLICY.format(digest=digest, form=public or "'none'")
    html = page.html().replace("</head>", f"<style>{styles}</style></head>", 1)
    html = _ROWS.sub(_named, html)
    head, _, tail = html.rpartition("</body>")
    html = f"{head}<script>{script}</script></body>{tail}"
    return in_head(html, f'<meta http-equiv="Content-Security-Policy" content="{policy}">')


def _named(found: re.Match[str]) -> str:
    """Return a link to rows inside the file with the name they are saved under."""
    top = base64.b64decode(found[2]).decode()  # the first line of the CSV's header says which rows
    name = top.partition("\n")[0].removeprefix("# export: ")
    return f'download="{name}.csv" {found[1]}{found[2]}'


def _read(name: str) -> str:
    return (ASSETS / name.removeprefix(_ASSET)).read_text(encoding="utf-8")
