"""`/cards/v1/<code>.png`: the picture of a view, drawn once for a snapshot and an address."""

from __future__ import annotations

import flask

from explorer.components.view import Words
from explorer.domain import view_state
from explorer.domain.lake import Snapshot
from explorer.domain.share_code import BrokenCodeError
from explorer.errors import ExplorerError, UsageError
from explorer.exports.cards import WIDTH, Card, card
from explorer.exports.png import png
from explorer.exports.ready import IMMUTABLE
from explorer.links.pictures import subject
from explorer.links.site import Place, Site, place_of_code
from explorer.store.cache import Memo

WIDTHS = (WIDTH, 600)
_KEPT_BYTES = 48_000_000
_NEWEST = "public, max-age=300"


class Shelf:
    """Draws cards, each once for a snapshot, an address and a width; who asks twice waits."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._drawn: Memo[tuple[str, str, str, int], bytes] = Memo(_KEPT_BYTES, len)

    def answer(self, code: str) -> flask.Response:
        """Answer a card; one of a named snapshot never changes."""
        asked = flask.request.args
        try:
            place = place_of_code(code)
            state = place.state.having(snap=asked.get("snap") or place.state["snap"])
            pinned = state["snap"] is not None
            data = self._card(Place(place.path, state), _width(asked.get("w")))
        except BrokenCodeError as error:
            return _refused(400, f"This is no code of a card ({error.code}).")
        except ExplorerError as error:
            return _refused(error.http_status, str(error))
        response = flask.Response(data, mimetype="image/png")
        response.headers["Cache-Control"] = IMMUTABLE if pinned else _NEWEST
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.add_etag()
        response.make_conditional(flask.request)
        return response

    def _card(self, place: Place, width: int) -> bytes:
        snapshot = self._site.lake.snapshot(place.state["snap"])
        key = (snapshot.snap, place.path, view_state.format(place.state), width)
        return self._drawn.get(key, lambda: png(self._svg(place, snapshot), width / WIDTH))

    def _svg(self, place: Place, snapshot: Snapshot) -> str:
        """Return the card as SVG; what the page says of itself, and what it shows."""
        lake, state = self._site.lake, place.state
        view, _ = self._site.draw(lake, place.path, state)
        if view.status != 200:
            raise _no_page(view.title, view.status)
        words = Words(state)
        theme = "dark" if state["theme"] == "dark" else "light"
        title = view.title.removesuffix(f" · {words('frame.name')}")
        source = words(
            "share.card_source", name=snapshot.name or snapshot.snap[:8], date=snapshot.time[:10]
        )
        shown = subject(lake, place.path, state, title, view.description)
        return card(
            Card(
                title=shown.title or title,
                subtitle=view.description if view.description != title else "",
                figures=shown.figures,
                pictures=shown.pictures,
                source=" · ".join(part for part in (source,) if part),
                name=words("frame.name"),
                theme=theme,
            )
        )


def _no_page(title: str, status: int) -> ExplorerError:
    error = ExplorerError(f"There is no such view: {title}.")
    error.http_status = status
    return error


def _width(text: str | None) -> int:
    if text is None:
        return WIDTH
    if text not in {str(width) for width in WIDTHS}:
        raise UsageError(f"w={text[:20]} is no width of a card.", hint=f"Known: {WIDTHS}.")
    return int(text)


def _refused(status: int, text: str) -> flask.Response:
    response = flask.Response(text + "\n", status=status, mimetype="text/plain")
    response.headers["Cache-Control"] = "no-store"
    return response
