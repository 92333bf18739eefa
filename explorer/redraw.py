"""A page drawn anew in place: its parts as lines, each sent when it is drawn, the chart first.

Dash's own callback answers when the whole page is drawn, and its renderer then compares every
component. A page whose parts stand by themselves (`pages.registry.Page.begin`) is asked for here
by assets/page.js instead: `/_redraw` before the page's address. Lines are JSON: what the document
takes over from the page, `[name, html]` of each part, and `null` at the end, without which the
answer is not whole. 204 says that the page is not drawn in parts.

What the dots of a crowd say is asked for later, see components/curve_dots.py; 204 then says that
there are newer results than those that the chart shows.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import brotli
import flask
from dash.development.base_component import Component

from explorer.components import frame
from explorer.components.curve_dots import said_of_dots
from explorer.components.still import inside
from explorer.components.view import Begun
from explorer.domain import addresses, view_state
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.errors import ExplorerError
from explorer.pages.registry import find

PREFIX = "/_redraw"
TYPE = "application/x-ndjson"


def blueprint(lake: Lake, base: Callable[[], str]) -> flask.Blueprint:
    """Return the route of redraws; `base` says where this reader reaches the server."""
    routes = flask.Blueprint("redraw", __name__)

    def redraw(path: str = "") -> flask.Response:
        place = f"/{path}"
        state = _asked()
        try:
            drawn = _begin(lake, place, state)
        except ExplorerError:
            drawn = None  # the page of the error is Dash's to show
        if drawn is None:
            return flask.Response(status=204)
        return _streamed(lines(lake, drawn, state, place, base()))

    def dots(snap: str) -> Any:
        state = _asked()
        try:
            same = lake.snapshot(state["snap"]).snap == snap
            return said_of_dots(lake, state) if same else flask.Response(status=204)
        except ExplorerError:
            return flask.Response(status=204)

    routes.add_url_rule(f"{addresses.DOTS}/<snap>", view_func=dots)
    routes.add_url_rule(f"{PREFIX}/", view_func=redraw)
    routes.add_url_rule(f"{PREFIX}/<path:path>", view_func=redraw)
    return routes


def _asked() -> ViewState:
    return view_state.parse(flask.request.query_string.decode("utf-8", "replace"))


def _begin(lake: Lake, path: str, state: ViewState) -> Begun | None:
    found = find(path)
    begin = found[0].begin if found else None
    return begin(lake, found[1], state) if found and begin else None


def lines(lake: Lake, drawn: Begun, state: ViewState, path: str, base: str) -> Iterator[str]:
    """Yield the lines of a redraw, each part as soon as it is drawn.

    All up to the part that comes first to the eye is one piece: each piece costs a browser a turn.
    """
    waiting = _line({**frame.about(drawn.view, state), "first": drawn.first})
    snapshot = lake.snapshot(state["snap"])
    parts: Iterable[tuple[str, Component]] = chain(
        drawn.parts, frame.around(drawn.view, state, path, snapshot, base)
    )
    for name, component in parts:
        line = _line([name, inside(component)])
        if waiting and name != drawn.first:
            waiting += line
        else:
            yield waiting + line
            waiting = ""
    yield waiting + _line(None)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _streamed(text: Iterable[str]) -> flask.Response:
    """Return lines as they come, in the encoding that the browser prefers."""
    encoding = flask.request.accept_encodings.best_match(tuple(_ENCODERS))
    answer = flask.Response(_ENCODERS.get(encoding or "", _plain)(text), mimetype=TYPE)
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["Vary"] = "Accept-Encoding"
    if encoding:
        answer.headers["Content-Encoding"] = encoding
    return answer


def _plain(text: Iterable[str]) -> Iterator[bytes]:
    return (line.encode() for line in text)


def _brotli(text: Iterable[str]) -> Iterator[bytes]:
    pack = brotli.Compressor(quality=4)
    for line in text:
        yield pack.process(line.encode()) + pack.flush()
    yield pack.finish()


def _gzip(text: Iterable[str]) -> Iterator[bytes]:
    pack = zlib.compressobj(6, wbits=31)
    for line in text:
        yield pack.compress(line.encode()) + pack.flush(zlib.Z_SYNC_FLUSH)
    yield pack.flush()


_ENCODERS = {"br": _brotli, "gzip": _gzip}
