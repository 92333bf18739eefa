"""`/oembed`: how another site embeds a page of this one. Source: oembed.com, version 1.0."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit

import flask

from explorer.components.embed_code import HEIGHTS, iframe
from explorer.components.view import View, Words
from explorer.domain import addresses, view_state
from explorer.domain.lake import Snapshot
from explorer.domain.share_code import BrokenCodeError
from explorer.exports.cards import HEIGHT, WIDTH
from explorer.links.cards import WIDTHS
from explorer.links.head import card_of
from explorer.links.site import Place, Site, place_of_code

_WIDTH = 800
_SECONDS = 3600
_EMBED = "/e/v1/"
_SHARE = "/s/"


def answer(site: Site) -> flask.Response:
    """Answer what embeds a `url`: 501 for other formats than JSON, 404 for what has no embed."""
    asked = flask.request.args
    if asked.get("format", "json") != "json":
        return _failed(501, "Only format=json is answered.")
    limits = [_limit(asked.get(name)) for name in ("maxwidth", "maxheight")]
    if None in limits:
        return _failed(400, "maxwidth and maxheight are whole numbers of pixels from 1.")
    if not asked.get("url"):
        return _failed(400, "Say of what: url=…, the address of a page.")
    found = _place(site, asked["url"])
    embed = _embed_of(found) if found else None
    if found is None or embed is None:
        return _failed(404, f"Nothing to embed at {asked['url'][:200]}")
    view, snapshot = site.draw(site.lake, found.path, found.state)
    if view.status != 200:
        return _failed(404, view.title)
    return _found(site, found, embed, view, snapshot, *(limit or 0 for limit in limits))


def _limit(text: str | None) -> int | None:
    """Return a limit in px, 0 for none; None where the text is no limit."""
    if not text:
        return 0
    return int(text) if text.isascii() and text.isdigit() and 0 < int(text) < 100_000 else None


def _place(site: Site, url: str) -> Place | None:
    """Return the page of an address of this server; None for another's, or for no page."""
    try:
        parts = urlsplit(url)
    except ValueError:  # brackets that hold no IPv6 address
        return None
    hosts = {urlsplit(base).netloc.lower() for base in (site.base, flask.request.host_url)}
    if parts.scheme not in ("http", "https") or parts.netloc.lower() not in hosts:
        return None
    try:
        if parts.path.startswith(_SHARE):
            return place_of_code(parts.path.removeprefix(_SHARE))
    except BrokenCodeError:
        return None
    return Place(unquote(parts.path) or "/", view_state.parse(parts.query))


def _embed_of(found: Place) -> str | None:
    return addresses.embed_of(found.path, found.state)


def _found(
    site: Site,
    found: Place,
    embed: str,
    view: View,
    snapshot: Snapshot | None,
    most_across: int,
    most_down: int,
) -> flask.Response:
    kind = embed.removeprefix(_EMBED).partition("?")[0]
    width = min(_WIDTH, most_across or _WIDTH)
    height = min(HEIGHTS[kind], most_down or HEIGHTS[kind])
    words = Words(found.state)
    title = view.title.removesuffix(f" · {words('frame.name')}")
    document: dict[str, Any] = {
        "version": "1.0",
        "type": "rich",
        "title": title,
        "provider_name": words("frame.name"),
        "provider_url": site.base + "/",
        "cache_age": _SECONDS,
        "width": width,
        "height": height,
        "html": iframe(site.base + embed, title, width, height),
        **_thumbnail(site, found, snapshot, most_across, most_down),
    }
    response = flask.jsonify(document)
    response.headers["Cache-Control"] = f"public, max-age={_SECONDS}"
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.add_etag()
    response.make_conditional(flask.request)
    return response


def _thumbnail(
    site: Site, found: Place, snapshot: Snapshot | None, most_across: int, most_down: int
) -> dict[str, Any]:
    """Return the largest card that respects the limits; nothing where none does."""
    picture = card_of(found.path, found.state, snapshot)
    for width in WIDTHS if picture else ():
        height = HEIGHT * width // WIDTH
        if width <= (most_across or WIDTH) and height <= (most_down or HEIGHT):
            more = "" if width == WIDTH else f"{'&' if '?' in picture else '?'}w={width}"
            url = site.base + picture + more
            return {"thumbnail_url": url, "thumbnail_width": width, "thumbnail_height": height}
    return {}


def _failed(status: int, text: str) -> flask.Response:
    response = flask.Response(text + "\n", status=status, mimetype="text/plain")
    response.headers["Cache-Control"] = "no-store"
    return response
