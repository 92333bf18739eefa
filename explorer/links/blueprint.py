"""Routes: `/s/<code>`, pictures (`/cards/v1/…`, `/e/v1/<kind>.svg`), `/oembed`, `/sitemap.xml`."""

from __future__ import annotations

import flask
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from explorer.domain import addresses
from explorer.domain.share_code import BrokenCodeError
from explorer.exports.ready import IMMUTABLE, Answer
from explorer.links import cards, drawn, oembed, sitemap
from explorer.links.site import Site, place_of_code
from explorer.pages.registry import find

_MOVED = 308


def blueprint(site: Site) -> flask.Blueprint:
    """Return the routes that lead in from outside."""
    links = flask.Blueprint("links", __name__)
    shelf = cards.Shelf(site)

    def share(code: str) -> Answer | tuple[str, int]:
        return _share(site, code)

    links.add_url_rule("/s/<path:code>", "share", share)
    links.add_url_rule("/cards/v1/<code>.png", "card", shelf.answer)
    files = drawn.Files(site.lake)
    for ending in drawn.TYPES:
        rule = f"/e/v1/<kind>.{ending}"
        links.add_url_rule(rule, ending, files.answer, defaults={"ending": ending})
    links.add_url_rule("/oembed", "oembed", lambda: oembed.answer(site))
    links.add_url_rule("/robots.txt", "robots", lambda: sitemap.robots(site))
    links.add_url_rule("/sitemap.xml", "sitemap", lambda: sitemap.answer(site))
    links.before_app_request(_respell)
    links.app_errorhandler(404)(lambda error: _unrouted(site, error))
    return links


def _unrouted(site: Site, error: NotFound) -> ResponseReturnValue:
    """Answer what no route takes (a path with line ends) with its page, as any other path."""
    request = flask.request
    if request.method not in ("GET", "HEAD") or request.url_rule is not None:
        return error
    return site.index(), error.code  # the page's own status comes over it


def _share(site: Site, code: str) -> Answer | tuple[str, int]:
    """Answer with a redirect that holds for ever; a broken code gets a page that says why."""
    try:
        place = place_of_code(code)
    except BrokenCodeError:
        return site.index(), 400  # the page of the code says what is wrong
    target = addresses.page(place.path, place.state)
    answer = Answer(b"", status=_MOVED, headers=(("Location", target),), cache=IMMUTABLE)
    site.ready.keep(flask.request.environ, answer)
    return answer


def _respell() -> flask.Response | None:
    """Redirect a page's older spelling to today's."""
    request = flask.request
    if request.method not in ("GET", "HEAD") or find(request.path) is None:
        return None
    spelled = addresses.respelled(request.path, request.query_string.decode("latin-1"))
    if spelled is None:
        return None
    response = flask.Response(status=_MOVED)
    response.headers["Location"] = spelled
    response.headers["Cache-Control"] = "public, max-age=86400"
    return response
