"""The composition root: create_app(settings) puts lake, pages and API together."""

from __future__ import annotations

import gc
import logging
from typing import Any
from urllib.parse import unquote

import dash
import flask
from dash import Input, Output, dcc, html

from explorer import __version__, api, delivery, redraw
from explorer.components.frame import frame
from explorer.components.markup import to_html
from explorer.components.view import View
from explorer.document import ASSETS, document, loader_hash
from explorer.domain import view_state
from explorer.domain.lake import Lake, Snapshot
from explorer.domain.view_state import ViewState
from explorer.embeds import blueprint as embeds
from explorer.errors import ExpiredError, ExplorerError
from explorer.exports.ready import Front, Ready
from explorer.links import blueprint as links
from explorer.links.head import head
from explorer.links.site import Site
from explorer.pages import fallback
from explorer.pages.registry import find
from explorer.settings import Settings, from_environment
from explorer.store.lake import open_lake

log = logging.getLogger("explorer")


class ExplorerDash(dash.Dash):
    """Dash whose first answer already holds the page as plain HTML."""

    def __init__(self, lake: Lake, ready: Ready, public_url: str, **options: Any) -> None:
        self.lake = lake
        self.site = Site(lake, draw, self.index, ready, public_url)
        super().__init__(__name__, **options)

    def _config(self) -> dict[str, Any]:
        """Return the renderer's settings, the same for every visit: no page has job handles."""
        config: dict[str, Any] = super()._config()
        config.pop("end_id", None)
        return config

    def interpolate_index(self, **parts: str) -> str:
        """Return the HTML of the page asked for, drawn on the server."""
        path = flask.request.path
        state = view_state.parse(flask.request.query_string.decode("utf-8", "replace"))
        view, snapshot = draw(self.lake, path, state)
        flask.g.page_status = view.status
        about = head(self.lake, self.site.base, view, state, path, snapshot)
        page = to_html(frame(view, state, path, snapshot, base=self.site.base))
        return document(page, view, state, path, about, parts)


def draw(lake: Lake, path: str, state: ViewState) -> tuple[View, Snapshot | None]:
    """Return the view of an address and the snapshot it shows; errors become pages."""
    snapshot: Snapshot | None = None
    try:
        snapshot = lake.snapshot(state["snap"])
        found = find(path)
        if found is None:
            return fallback.not_found(path, state), snapshot
        page, values = found
        return page.draw(lake, values, state), snapshot
    except ExpiredError as error:
        newest = lake.snapshot()
        return fallback.expired(error, newest, path, state), newest
    except ExplorerError as error:
        return fallback.failed(error, path, state), snapshot


def create_app(settings: Settings | None = None) -> flask.Flask:
    """Return the WSGI application over the lake that the settings name.

    Without settings it is a server's: they come from the environment, and the process is its own.
    """
    if settings is None:
        settings = from_environment()
        calm_collector()
    lake = open_lake(settings.lake, settings.threads, settings.memory_mb)
    server = flask.Flask("explorer")
    _operation(server, lake)
    server.register_blueprint(api.blueprint(lake))
    ready = Ready(("/e/", "/s/"))
    server.register_blueprint(embeds.blueprint(lake, ready))
    server.extensions["ready"] = ready
    server.wsgi_app = Front(server.wsgi_app, ready)  # type: ignore[assignment]
    app = ExplorerDash(
        lake,
        ready,
        settings.public_url,
        server=server,
        assets_folder=str(ASSETS),
        suppress_callback_exceptions=True,
        update_title=None,
        compress=False,
        title="Explorer",
        assets_ignore=r"\.(mjs|test\..*)$|embed\.(js|css)$",
    )
    app.layout = html.Div([dcc.Location(id="url"), html.Div(id="page")])
    register(app)
    server.register_blueprint(links.blueprint(app.site))
    server.register_blueprint(redraw.blueprint(lake, lambda: app.site.base))
    delivery.install(server, _policy)
    server.after_request(_page_status)
    return server


def calm_collector() -> None:
    """Let Python look for cycles rarely among what lives long: caches hold millions of objects.

    A full pass stopped a worker for 0.2 to 0.6 s in the middle of an answer. What requests leave
    behind dies young, in the passes that stay as they are.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 1_000)


def register(app: ExplorerDash) -> None:
    """Bind the one router: an address in, a page out."""

    def show(path: str | None, search: str | None) -> Any:
        state = view_state.parse(search or "")
        place = unquote(path or "/")  # a browser's path is quoted, Flask's is not
        view, snapshot = draw(app.lake, place, state)
        spelled = f"{path or '/'}{search or ''}"
        return frame(view, state, place, snapshot, spelled, app.site.base)

    app.callback(Output("page", "children"), Input("url", "pathname"), Input("url", "search"))(show)


def _operation(server: flask.Flask, lake: Lake) -> None:
    """Add the addresses that operators ask: alive, ready, which version."""

    def healthz() -> flask.Response:
        return flask.jsonify(status="ok")

    def readyz() -> tuple[flask.Response, int]:
        try:
            return flask.jsonify(status="ready", snapshot=lake.snapshot().snap), 200
        except ExplorerError as error:
            return flask.jsonify(status="empty", error=str(error)), 503

    def version() -> flask.Response:
        return flask.jsonify(version=__version__, view_state=view_state.VIEW_STATE_VERSION)

    server.add_url_rule("/healthz", view_func=healthz)
    server.add_url_rule("/readyz", view_func=readyz)
    server.add_url_rule("/version", view_func=version)


def _page_status(response: flask.Response) -> flask.Response:
    """Give a page drawn by Dash's index the status its view has."""
    if "page_status" in flask.g:
        response.status_code = flask.g.page_status
    return response


def _policy() -> str:
    return (
        f"default-src 'self'; script-src 'self' {loader_hash()}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
        "frame-ancestors 'self'"
    )
