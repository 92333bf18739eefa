"""Where everything stands in a site's folder, and where a link of a page leads there."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from urllib.parse import quote, unquote, urlsplit

from explorer.domain import addresses, view_state
from explorer.domain.view_state import ViewState
from explorer.publish.views import Wanted

INDEX = "index.html"
_PICTURE = re.compile(r"/e/v1/\w+\.(?:svg|png)")
_OUTSIDE = ("http:", "https:", "mailto:", "data:")


def digest(text: str) -> str:
    """Return the short name of an address in the folder."""
    return blake2b(text.encode(), digest_size=5).hexdigest()


@dataclass(frozen=True, slots=True)
class Places:
    """The files of views by canonical address; `public_url` is where everything else is.

    The first view of a path stands at the path itself, the others below it; the root is the
    site's own list.
    """

    files: dict[str, str]
    public_url: str = ""
    first: dict[str, Wanted] = field(default_factory=dict)

    def relative(self, file: str, target: str, fragment: str = "") -> str:
        """Return how a file names another of the site; quoted, as addresses are."""
        way = quote(posixpath.relpath(target, posixpath.dirname(file) or "."))
        return way + (f"#{fragment}" if fragment else "")


def place(views: Iterable[Wanted], public_url: str) -> Places:
    """Return where each view stands."""
    places = Places({}, public_url)
    for one in views:
        base = one.path.strip("/")
        if one.path != "/" and one.path not in places.first and not one.kind:
            places.files[one.address] = posixpath.join(base, INDEX)
            places.first[one.path] = one
        else:
            places.first.setdefault(one.path, one)
            places.files[one.address] = posixpath.join(base, f"v-{digest(one.address)}", INDEX)
    return places


@dataclass(frozen=True, slots=True)
class Links:
    """Rewrites the links of one file; `data` gives the file of an API address, or None."""

    places: Places
    file: str
    here: Wanted
    data: Callable[[str], str | None]
    asset: Callable[[str], str]
    base: str = ""

    def to(self, href: str) -> str | None:
        """Return a link's address in the site; None when it leads nowhere there.

        A view that is not in the site leads to the public server, if there is one.
        """
        href = href.removeprefix(self.base) if self.base else href
        if href.startswith(("#", *_OUTSIDE)) or not href.startswith("/"):
            return href if not href.startswith("//") else None
        parts = urlsplit(href)
        found = self._file(parts.path, parts.query, href)
        if found is not None:
            return self.places.relative(self.file, found, parts.fragment)
        return f"{self.places.public_url}{href}" if self.places.public_url else None

    def _file(self, path: str, query: str, href: str) -> str | None:
        if path.startswith("/assets/"):
            return self.asset(path)
        if path.startswith(addresses.API) or _PICTURE.fullmatch(path):
            return self.data(href)
        state = view_state.parse(query).having(snap=None)
        return self._view(unquote(path).rstrip("/") or "/", state)

    def _view(self, path: str, state: ViewState) -> str | None:
        """Return the file of a view; for one of another path the nearest that the site has.

        On its own path a page's links are its controls: one that is not there must not seem to be.
        """
        files = self.places.files
        if path == self.here.path:
            return files.get(addresses.page(path, state))
        looks = (("lang", "theme"), ("lang",), ())
        tried = [
            state.having(**dict.fromkeys(left)) for left in ((), ("theme",), ("lang", "theme"))
        ]
        tried += [state.only(kept) for kept in looks]
        found = (files.get(addresses.page(path, one)) for one in tried)
        return next((file for file in found if file), INDEX if path == "/" else None)
