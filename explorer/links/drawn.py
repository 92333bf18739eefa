"""`/e/v1/<kind>.svg` and `.png`: the picture of an embed as a file that needs nothing around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape

import flask

from explorer.components.view import Words
from explorer.domain import addresses, view_state
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.embeds import flame
from explorer.embeds.kinds import BY_NAME, Kind
from explorer.errors import ExplorerError, NotFoundError, UsageError
from explorer.exports.cards import wrapped
from explorer.exports.png import png
from explorer.exports.ready import IMMUTABLE, SHORT
from explorer.exports.standalone import WIDTH, Margin, Sheet, standalone
from explorer.figures.flame_svg import WIDTH as FLAME_WIDTH
from explorer.figures.flame_svg import flame_svg
from explorer.links.pictures import first_svg
from explorer.queries import conversations, money
from explorer.queries.nearest import nearest
from explorer.store.cache import Memo

KINDS = tuple(name for name in BY_NAME if name != "table")
"""Kinds of embed that hold a picture."""
TYPES = {"svg": "image/svg+xml", "png": "image/png"}
_MARGINS = {"curve": Margin(), "timeline": Margin(56, 28, 40, 150), "flame": Margin(14, 14, 8, 14)}
_WIDTHS = {"flame": FLAME_WIDTH + 28}
"""Widths of files in px, where they are not WIDTH: a flame graph is not scaled."""
_CHART = Margin(30, 28, 44, 68)
_CHARTS = ("point", "compare")
_TITLE = re.compile(r"<title[^>]*>([^<]+)</title>")
_KEPT_BYTES = 48_000_000


def drawing(lake: Lake, name: str, state: ViewState) -> str:
    """Return the picture of an embed as a standalone SVG, titled, with its snapshot below.

    UsageError for a kind without picture or a key that is missing; NotFoundError where there is
    nothing to draw.
    """
    kind = _kind(name, state)
    if name == "flame":
        return _flame(lake, state)
    asked = money.dated(lake, state.only(kind.keys)).having(size="small", check=None)
    found = kind.draw(lake, asked)
    markup = first_svg(found.body)
    if not markup:
        raise NotFoundError(f"{found.title}: there is nothing to draw.", hint="See its page.")
    title = state["title"] or " · ".join([found.title, *_chart_title(name, markup)])
    return standalone(markup, _sheet(lake, name, state, title, found.notices))


def _flame(lake: Lake, state: ViewState) -> str:
    """Return a conversation's flame graph, turn by turn, however long it is."""
    slug, conversation, _ = addresses.named_conversation(state["a"])
    found, words = conversations.one(lake, slug, conversation, state["snap"]), Words(state)
    title = state["title"] or flame.title(found, words)
    return standalone(flame_svg(found.turns, say=words), _sheet(lake, "flame", state, title, ()))


def _chart_title(name: str, markup: str) -> list[str]:
    """Return what a chart of several calls itself: its file shows one of them."""
    said = _TITLE.search(markup) if name in _CHARTS else None
    return [unescape(said[1])] if said else []


def _kind(name: str, state: ViewState) -> Kind:
    if name not in KINDS:
        raise UsageError(f"No picture of {name!r}.", hint=nearest(name, KINDS))
    if missing := [key for key in BY_NAME[name].needs if not state[key]]:
        raise UsageError(f"This picture needs {', '.join(missing)}.", hint="See docs/embeds.md.")
    return BY_NAME[name]


def _sheet(lake: Lake, name: str, state: ViewState, title: str, notices: Sequence[str]) -> Sheet:
    """Return the sheet of a picture; its note says which snapshot, and what to know first."""
    snapshot = lake.snapshot(state["snap"])
    note = Words(state)("exports.note", snapshot=snapshot.snap, date=snapshot.time[:10])
    note = wrapped(" · ".join([note, *notices]), 12, 900, 1)[0]
    return Sheet(
        width=_WIDTHS.get(name, WIDTH),
        theme="dark" if state["theme"] == "dark" else "light",
        margin=_MARGINS.get(name, _CHART),
        around=f"{name} point conversation flame",
        title=title,
        note=note,
    )


class Files:
    """Draws pictures, each once for a snapshot, an address and a type."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._drawn: Memo[tuple[str, str, str, str], bytes] = Memo(_KEPT_BYTES, len)

    def answer(self, kind: str, ending: str) -> flask.Response:
        """Answer a picture; one of a named snapshot never changes."""
        state = view_state.parse(flask.request.query_string.decode("utf-8", "replace"))
        try:
            data = self._data(kind, ending, state)
        except ExplorerError as error:
            said = flask.Response(f"{error}\n", error.http_status, mimetype="text/plain")
            said.headers["Cache-Control"] = "no-store"
            return said
        response = flask.Response(data, mimetype=TYPES[ending])
        response.headers["Cache-Control"] = IMMUTABLE if state["snap"] else SHORT
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Content-Security-Policy"] = (
            "default-src 'none'; style-src 'unsafe-inline'"
        )
        response.add_etag()
        response.make_conditional(flask.request)
        return response

    def _data(self, kind: str, ending: str, state: ViewState) -> bytes:
        snap = self._lake.snapshot(state["snap"]).snap

        def make() -> bytes:
            svg = drawing(self._lake, kind, state)
            return png(svg) if ending == "png" else svg.encode()

        return self._drawn.get((snap, kind, ending, view_state.format(state)), make)
