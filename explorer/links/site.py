"""What the routes of this package share: the lake, how a page is drawn, the public address."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import flask

from explorer.components.view import View
from explorer.domain import view_state
from explorer.domain.lake import Lake, Snapshot
from explorer.domain.share_code import decode
from explorer.domain.view_state import ViewState
from explorer.exports.ready import Ready

Draw = Callable[[Lake, str, ViewState], tuple[View, Snapshot | None]]


@dataclass(frozen=True)
class Site:
    """A lake on the web: `draw` gives the page of an (unquoted) path, `index` the request's own.

    `public_url` is what readers type, empty where the request's host is to be believed.
    """

    lake: Lake
    draw: Draw
    index: Callable[[], str]
    ready: Ready
    public_url: str = ""

    @property
    def base(self) -> str:
        """The public address without a path: `https://host`."""
        return self.public_url or flask.request.host_url.rstrip("/")


@dataclass(frozen=True, slots=True)
class Place:
    """An address taken apart: the unquoted path and the state."""

    path: str
    state: ViewState


def place(address: str) -> Place:
    """Return the path and state of an address inside the product."""
    parts = urlsplit(address)
    return Place(unquote(parts.path), view_state.parse(parts.query))


def place_of_code(code: str) -> Place:
    """Return where a share code leads; BrokenCodeError where it leads nowhere."""
    return place(decode(code))
