"""A chosen set of views as a folder that any file server serves, without network.

Pages are the server's own first paint, which is complete HTML; embeds stand at their own
addresses; data files lie beside. The same snapshot and views give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import flask

from explorer import __version__
from explorer.app import create_app
from explorer.components.modes import FILE
from explorer.domain.addresses import api_point
from explorer.domain.lake import Snapshot
from explorer.embeds import kinds, styles
from explorer.errors import UsageError
from explorer.exports.scripts import ASSETS
from explorer.publish import index_page, pick, views
from explorer.publish.data import Data
from explorer.publish.folder import Folder, replaced
from explorer.publish.places import INDEX, Links, Places, place
from explorer.publish.rewrite import Page, in_head, relinked
from explorer.publish.views import Wanted
from explorer.settings import Settings
from explorer.store.lake import open_lake

_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_TIMELINE = re.compile(r"/points/([^/]+)/timeline")
_PAGE_POLICY = (
    "default-src 'self' 'unsafe-inline' data: blob:; connect-src 'none'; object-src 'none'; "
    "base-uri 'none'; form-action {form}"
)
_MISSING = "missing"
Report = dict[str, int]


@dataclass(frozen=True, slots=True)
class Made:
    """A view as it was published: its file and what its page calls itself."""

    wanted: Wanted
    file: str
    title: str


def site(settings: Settings, lines: Sequence[str], out: Path, snap: str | None = None) -> Report:
    """Write the views of `lines` into the folder `out` and return its bytes by kind of file.

    UsageError names every line that is no view; then nothing is written and what stood at `out`
    stays. Everything shows one snapshot: `snap`, else the newest.
    """
    wanted = views.read(lines)
    snapshot = open_lake(settings.lake).snapshot(snap)
    app = create_app(settings)
    with replaced(out) as folder:
        builder = Builder(app, settings.public_url, snapshot, folder)
        made = builder.pages([one for one in wanted if not one.kind])
        embeds = builder.embeds(views.embeds_of(wanted))
        builder.root(made, embeds)
        folder.close(_facts(snapshot, made, embeds, settings.public_url))
        return _report(folder.sizes())


class Builder:
    """Draws views with the product's own server and writes what they become."""

    def __init__(
        self, app: flask.Flask, public_url: str, snapshot: Snapshot, folder: Folder
    ) -> None:
        self._client = app.test_client()
        self._public, self._snap, self._folder = public_url, snapshot, folder
        self._base = public_url or "http://localhost"
        self._data = Data(self._fetch, folder, snapshot.snap)
        self._places = Places({}, public_url)

    def _fetch(self, address: str) -> Any:
        with FILE.on():
            return self._client.get(address, base_url=self._base)

    def _html(self, one: Wanted) -> str:
        """Return a view's document from the server; UsageError when it has none."""
        answer = self._fetch(one.pinned(self._snap.snap))
        if answer.status_code != 200:
            said = _TITLE.search(answer.text)
            raise UsageError(
                f"{one.address}: {answer.status_code}, {said[1] if said else 'no page'}.",
                hint=f"It must show something in snapshot {self._snap.snap}; nothing was written.",
            )
        return str(answer.text)

    def _links(self, one: Wanted, file: str) -> Links:
        return Links(self._places, file, one, self._data.file, self._asset, self._base)

    def _asset(self, path: str) -> str:
        """Return where a stylesheet or script stands in the site."""
        name = path.removeprefix("/assets/")
        file = f"assets/{name}"
        if file not in self._folder:
            self._folder.add(file, (ASSETS / name).read_bytes())
        return file

    def _canonical(self, one: Wanted, file: str) -> str:
        return f"{self._public}{one.address}" if self._public else posixpath.basename(file)

    # ---- pages -----------------------------------------------------------------------------------

    def pages(self, wanted: Sequence[Wanted]) -> list[Made]:
        """Write the pages, each with the data that it links to."""
        self._places = place(wanted, self._public)
        made = []
        for one in wanted:
            file = self._places.files[one.address]
            timeline = _TIMELINE.fullmatch(one.path)
            html = self._timeline(one, file, timeline[1]) if timeline else self._page(one, file)
            if self._places.first[one.path] is one and one.path != "/":
                html = in_head(html, self._picker(wanted, one.path))
            self._folder.add(file, html.encode())
            made.append(Made(one, file, _title(html)))
        return made

    def _page(self, one: Wanted, file: str) -> str:
        links = self._links(one, file)
        home = self._places.relative(file, INDEX)
        page = Page(links.to, self._canonical(one, file), home, self._public)
        page.feed(self._html(one))
        page.close()
        form = self._public or "'none'"
        policy = _PAGE_POLICY.format(form=form)
        return in_head(
            page.html(), f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        )

    def _timeline(self, one: Wanted, file: str, point_id: str) -> str:
        """Return the timeline's own offline page, with the way to the point where it is here."""
        self._html(one)
        held = one.state.only(("lang",)).having(snap=self._snap.snap, phase="all")
        address = views.addresses.with_query(api_point(point_id, "timeline"), held)
        answer = self._fetch(f"{address}&format=html")
        if answer.status_code != 200:
            raise UsageError(f"{one.address}: {answer.json['error']['message']}")
        return index_page.with_way_back(answer.text, self._links(one, file), one)

    def _picker(self, wanted: Sequence[Wanted], path: str) -> str:
        """Return the script that follows the query of a path of several views; empty for one."""
        beside = [one for one in wanted if one.path == path]
        if len(beside) < 2:
            return ""
        here = posixpath.join(path.strip("/"), INDEX)
        ways = [(one, self._way(here, self._places.files[one.address])) for one in beside]
        return f"<script>{pick.script(ways, '')}</script>"

    def _way(self, here: str, file: str) -> str:
        return "" if file == here else self._places.relative(here, file)

    # ---- embeds ----------------------------------------------------------------------------------

    def embeds(self, wanted: Sequence[Wanted]) -> list[Made]:
        """Write the embeds; each kind's own address is a page that picks among them."""
        files = place(wanted, self._public).files
        made = [self._embed(one, files[one.address]) for one in wanted]
        for kind in dict.fromkeys(one.kind for one in wanted):
            self._choice(kind, [one for one in made if one.wanted.kind == kind])
        return made

    def _embed(self, one: Wanted, file: str) -> Made:
        html = self._embedded(one, file, self._html(one))
        self._folder.add(file, html.encode())
        return Made(one, file, _title(html))

    def _embedded(self, one: Wanted, file: str, html: str, script: str = "") -> str:
        """Return an embed's document with its links as the site has them, and its policy."""
        links = self._links(one, file)
        plain = relinked(html, links.to, self._canonical(one, file))
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy = re.sub(r" ?frame-ancestors[^;]*;?", "", styles.policy())
        if script:
            policy = policy.replace("script-src", f"script-src 'sha256-{digest}'")
        meta = f'<meta http-equiv="Content-Security-Policy" content="{policy.strip("; ")}">'
        return in_head(plain, meta + (f"<script>{script}</script>" if script else ""))

    def _choice(self, kind: str, made: Sequence[Made]) -> None:
        here = f"{views.EMBED.strip('/')}/{kind}/{INDEX}"
        ways = [(one.wanted, self._places.relative(here, one.file)) for one in made]
        missing = f"{_MISSING}/{INDEX}"
        script = pick.script(ways, missing, kinds.BY_NAME[kind].keys)
        first = made[0].wanted
        html = self._embedded(first, here, self._html(first), script)
        self._folder.add(here, html.encode())
        there = posixpath.join(posixpath.dirname(here), missing)
        self._folder.add(there, index_page.missing(kind, made, there, self._places).encode())

    # ---- the list --------------------------------------------------------------------------------

    def root(self, made: Sequence[Made], embeds: Sequence[Made]) -> None:
        """Write the site's own page: what it holds, of which snapshot, how to embed it."""
        curves = [one for one in made if one.wanted.path == "/"]
        script = pick.script([(one.wanted, one.file) for one in curves], "") if curves else ""
        html = index_page.index(made, embeds, self._data.files(), self._snap, script)
        self._folder.add(INDEX, html.encode())


def _title(html: str) -> str:
    """Return what a page calls itself, without the product's name; escaped as it stands there."""
    found = _TITLE.search(html)
    return found[1].strip().removesuffix(" · Explorer") if found else ""


def _facts(
    snapshot: Snapshot, made: Sequence[Made], embeds: Sequence[Made], public_url: str
) -> dict[str, Any]:
    def held(some: Sequence[Made]) -> list[dict[str, str]]:
        return [
            {"address": one.wanted.address, "file": one.file, "title": one.title} for one in some
        ]

    return {
        "product": f"Explorer {__version__}",
        "snapshot": snapshot.snap,
        "date": snapshot.time[:10],
        "metric_version": snapshot.metric_version,
        "price_version": snapshot.price_version,
        "public_url": public_url or None,
        "pages": held(made),
        "embeds": held(embeds),
    }


_KINDS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("data", lambda name: name.startswith("data/")),
    ("embeds", lambda name: name.startswith("e/")),
    ("assets", lambda name: name.startswith("assets/")),
    ("pages", lambda name: True),
)


def _report(sizes: dict[str, int]) -> Report:
    """Return bytes by kind of file and the number of files."""
    report: Report = {name: 0 for name, _ in _KINDS}
    for name, size in sizes.items():
        kind = next(kind for kind, holds in _KINDS if holds(name))
        report[kind] += size
    return {**report, "bytes": sum(sizes.values()), "files": len(sizes)}
