"""Pages for what is not there: unknown addresses, an empty lake, an expired snapshot."""

from __future__ import annotations

from dash import html

from explorer.components.frame import link
from explorer.components.view import View, Words
from explorer.domain import addresses
from explorer.domain.lake import Snapshot
from explorer.domain.view_state import ViewState
from explorer.errors import ExpiredError, ExplorerError, LakeError


def not_found(path: str, state: ViewState) -> View:
    """Return the page of an address that names nothing."""
    words = Words(state)
    return _plain(
        words("frame.not_found"), words("frame.not_found_text", what=path), path, state, 404
    )


def failed(error: ExplorerError, path: str, state: ViewState) -> View:
    """Return the page of an error that a reader can act on."""
    words = Words(state)
    if isinstance(error, LakeError):
        return _plain(words("frame.empty_title"), words("frame.empty_text"), path, state, 200)
    heading = words("frame.not_found") if error.http_status == 404 else words("frame.failed")
    return _plain(heading, str(error), path, state, error.http_status)


def expired(error: ExpiredError, newest: Snapshot, path: str, state: ViewState) -> View:
    """Return the page of a snapshot that was taken away, with the way to the same view today."""
    words = Words(state)
    title, away = words("snapshots.expired_title"), ("snap", "a", "b")
    free = state.having(**dict.fromkeys(away if path == "/snapshots" else away[:1]))
    now = {"name": newest.name or newest.snap[:8], "date": newest.time[:10]}
    here = addresses.page(path, free)
    body = html.Section(
        [
            html.H1(title),
            html.P(words("snapshots.expired", snap=error.params["snap"]), className="sub"),
            html.P([words("snapshots.expired_next", **now), " ", link(here, here)]),
            html.P(link(words("snapshots.all"), addresses.snapshots(free.only(("lang", "theme"))))),
        ],
        className="plain",
        **{"data-testid": "expired"},
    )
    return View(title=title, body=body, canonical=path, status=error.http_status)


def _plain(heading: str, text: str, path: str, state: ViewState, status: int) -> View:
    words = Words(state)
    back = link(words("frame.back"), addresses.curves(state.only(("lang", "theme"))))
    body = html.Section([html.H1(heading), html.P(text, className="sub"), back], className="plain")
    return View(title=heading, body=body, canonical=path, status=status)
