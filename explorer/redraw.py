"""A page drawn anew in place: its parts as lines, each sent when it is drawn, the chart first.

Dash's own callback answers when the whole page is drawn, and its renderer then compares every
component. A page whose parts stand by themselves (`pages.registry.Page.begin`) is asked for here
by assets/page.js instead: `/_redraw` before the page's address. Lines are JSON: what the document
takes over from the page, `[name, html]` of each part, and `null` at the end, without which the
answer is not whole. 204 says that the page is not drawn in parts.

What the dots of a crowd say (components/curve_dots.py) and what closed details hold is asked for
later, the latter with its part: `/_part/<snapshot>/<part>` before the page's address. 204 then says
that there are newer results than those that the page shows.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import brotli
import flask

from explorer.components import frame
from explorer.components.curve_dots import said_of_dots
from explorer.components.modes import FOLDED
from explorer.components.still import inside
from explorer.components.view import Begun
from explorer.domain import addresses, view_state
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.errors import ExplorerError
from explorer.pages.registry import find

PREFIX = "/_redraw"
PART = "/_part"
TYPE = "application/x-ndjson"


def blueprint(lake: Lake, base: Callable[[], str]) -> flask.Blueprint:
    """Return the route of redraws; `base` says where this reader reaches the server."""
    routes = flask.Blueprint("redraw", __name__)

    def redraw(path: str = "") -> flask.Response:
        place = f"/{path}"
        state = _asked()
        try:
            with FOLDED.on():
                drawn = _begin(lake, place, state)
        except ExplorerError:
            drawn = None  # the page of the error is Dash's to show
        if drawn is None:
            return flask.Response(status=204)
        return _streamed(lines(lake, drawn, state, place, base()))

    def dots(snap: str) -> Any:
        return _while_shown(lake, snap, lambda state: said_of_dots(lake, state))

    def whole_part(snap: str, name: str, path: str = "") -> Any:
        ask = partial(_part, lake, name, f"/{path}", base())
        return _while_shown(lake, snap, ask)

    routes.add_url_rule(f"{addresses.DOTS}/<snap>", view_func=dots)
    routes.add_url_rule(f"{PART}/<snap>/<name>/", view_func=whole_part)
    routes.add_url_rule(f"{PART}/<snap>/<name>/<path:path>", view_func=whole_part)
    routes.add_url_rule(f"{PREFIX}/", view_func=redraw)
    routes.add_url_rule(f"{PREFIX}/<path:path>", view_func=redraw)
    return routes


def _asked() -> ViewState:
    return view_state.parse(flask.request.query_string.decode("utf-8", "replace"))


def _while_shown(lake: Lake, snap: str, answer: Callable[[ViewState], Any]) -> Any:
    """Return an answer while `snap` is what the address shows, else nothing."""
    state = _asked()
    try:
        found = answer(state) if lake.snapshot(state["snap"]).snap == snap else None
    except ExplorerError:
        found = None
    return flask.Response(status=204) if found is None else found


def _part(lake: Lake, name: str, path: str, base: str, state: ViewState) -> str | None:
    """Return a part of a page with nothing folded."""
    drawn = _begin(lake, path, state)
    if drawn is None:
        return None
    around = frame.around(drawn.view, state, path, lake.snapshot(state["snap"]), base)
    draw = (drawn.parts | around).get(name)
    return inside(draw()) if draw else None


def _begin(lake: Lake, path: str, state: ViewState) -> Begun | None:
    found = find(path)
    begin = found[0].begin if found else None
    return begin(lake, found[1], state) if found and begin else None


def lines(lake: Lake, drawn: Begun, state: ViewState, path: str, base: str) -> Iterator[str]:
    """Yield the lines of a redraw in pieces, each as soon as its parts are drawn.

    A piece is all up to the part that takes longest, all else that is put in place together with
    it, and what is below: each costs a browser a turn. What closed `<details>` hold is left out.
    """
    snapshot = lake.snapshot(state["snap"])
    around = frame.around(drawn.view, state, path, snapshot, base)
    draws = drawn.parts | around
    order = sorted(draws, key=drawn.below.__contains__)
    together = len(order) - len(drawn.below)
    ends = (drawn.first, order[together - 1])
    about = frame.about(drawn.view, state)
    piece = _line({**about, "snap": snapshot.snap, "together": together})
    for name in order:
        with FOLDED.on():
            piece += _line([name, inside(draws[name]())])
        if name in ends:
            yield piece
            piece = ""
    yield piece + _line(None)


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
    pack = brotli.Compressor(quality=2)
    for line in text:
        yield pack.process(line.encode()) + pack.flush()
    yield pack.finish()


def _gzip(text: Iterable[str]) -> Iterator[bytes]:
    pack = zlib.compressobj(6, wbits=31)
    for line in text:
        yield pack.compress(line.encode()) + pack.flush(zlib.Z_SYNC_FLUSH)
    yield pack.flush()


_ENCODERS = {"br": _brotli, "gzip": _gzip}
