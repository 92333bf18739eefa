"""The data files of a site: what its pages link to of the API, saved under the rows' own name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from explorer.domain.addresses import API, api_docs
from explorer.publish.folder import Folder
from explorer.publish.places import digest

_FORM = ("format", "header")
_NEEDS_SERVER = ("curl",)
_NAME = re.compile(r'filename="([^"/\\]+)"')
_ENDINGS = {
    "application/json": "json",
    "image/svg+xml": "svg",
    "image/png": "png",
    "application/octet-stream": "xtln",
}


class Data:
    """Saves API answers of a snapshot; one group of rows has one folder, format beside format."""

    def __init__(self, fetch: Callable[[str], Any], folder: Folder, snap: str) -> None:
        self._fetch, self._folder, self._snap = fetch, folder, snap
        self._known: dict[str, str | None] = {}

    def files(self) -> list[str]:
        """Return the data files, in order of their names."""
        return sorted({file for file in self._known.values() if file})

    def file(self, address: str) -> str | None:
        """Return the file of an API address; None for what needs a server or is not there."""
        parts = urlsplit(address)
        pairs = [pair for pair in parse_qsl(parts.query) if pair[0] not in ("header", "snap")]
        pairs.append(("snap", self._snap))
        if ("format", "csv") in pairs:
            pairs.append(("header", "1"))  # a file that leaves says where its rows come from
        asked = f"{parts.path}?{urlencode(sorted(pairs))}"
        if asked not in self._known:
            self._known[asked] = self._save(parts.path, dict(sorted(pairs)))
        return self._known[asked]

    def _save(self, path: str, pairs: Mapping[str, str]) -> str | None:
        asked = pairs.get("format", "")
        if path == api_docs() or asked in _NEEDS_SERVER:
            return None
        answer = self._fetch(f"{path}?{urlencode(pairs)}" if pairs else path)
        if answer.status_code != 200:
            return None
        stem = _stem(path)
        rows = {name: text for name, text in pairs.items() if name not in _FORM}
        group = f"data/{stem}-{digest(f'{path}?{urlencode(rows)}')}"
        file = posixpath.join(group, _name(answer, path, asked))
        self._folder.add(file, answer.data)
        return file


def _stem(path: str) -> str:
    """Return what an API path is about, as a file's name: `points-c6-series`."""
    words = re.sub(r"[^A-Za-z0-9_-]+", "-", posixpath.splitext(path.removeprefix(API))[0])
    return words.strip("-")[:60] or "data"


def _name(answer: Any, path: str, asked: str) -> str:
    """Return a file's name: the answer's own, else after the last word of its address."""
    if found := _NAME.search(answer.headers.get("Content-Disposition", "")):
        return found[1]
    ending = asked if asked == "sql" else _ENDINGS.get(answer.mimetype, "txt")
    return f"{_stem(posixpath.basename(path))}.{ending}"
