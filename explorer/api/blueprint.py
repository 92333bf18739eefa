"""Flask meets the routes: strict parameters, one envelope, ETags, caching, CORS, redirects."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from urllib.parse import urlencode

from flask import Blueprint, Response, request
from werkzeug.routing import BaseConverter

from explorer.api import envelope, formats, parameters
from explorer.api.ask import encode, settled
from explorer.api.envelope import Moved
from explorer.api.formats import Encoded
from explorer.api.parameters import Arguments
from explorer.api.route import REST, Route
from explorer.api.routes import ROUTES
from explorer.domain import view_state
from explorer.domain.addresses import API, api_docs
from explorer.domain.lake import Lake
from explorer.errors import ExplorerError, NotFoundError
from explorer.exports import reproduce
from explorer.exports.compressed import ENCODINGS, SMALL, compressed
from explorer.queries.nearest import nearest
from explorer.store.cache import Memo

log = logging.getLogger(__name__)
_KEPT_BYTES = 64 << 20
_QUALITY = 6
_METHODS = "GET, HEAD, OPTIONS"
_IMMUTABLE = "public, max-age=31536000, immutable"
_SHORT = "public, max-age=10, must-revalidate"
_EXPOSED = "ETag, Link, Location, Explorer-Snapshot"


def blueprint(lake: Lake) -> Blueprint:
    """Return /api/v1 over a lake."""
    api = Blueprint("api", __name__, url_prefix=API)
    answers: Memo[tuple[str, ...], Encoded] = Memo(_KEPT_BYTES, formats.weight)
    api.record_once(lambda setup: setup.app.url_map.converters.update({REST: _Rest}))
    for route in ROUTES:
        api.add_url_rule(route.rule, route.name, _view(lake, route, answers))
    every = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    for rule in ("/", f"/<{REST}:rest>"):
        api.add_url_rule(rule, "nowhere", _nowhere, methods=every, strict_slashes=False)
    api.register_error_handler(ExplorerError, _failed)
    api.register_error_handler(Exception, _broken)
    api.after_request(_open)
    return api


class _Rest(BaseConverter):
    """A place that may hold slashes and line ends, also at its start."""

    regex = r"[\s\S]+?"
    part_isolating = False


def _view(
    lake: Lake, route: Route, answers: Memo[tuple[str, ...], Encoded]
) -> Callable[..., Response]:
    def view(**values: str) -> Response:
        arguments = parameters.read(_pairs(), route.parameters)
        if arguments.own.get("format") in reproduce.FORMATS:
            arguments = replace(arguments, base=request.host_url.rstrip("/"))
        arguments = settled(lake, route, arguments)
        try:
            response = _respond(route, _answer(lake, route, values, arguments, answers))
        except Moved as moved:
            response = _moved(route, moved.values)
        pinned = route.pure and arguments.pin
        response.headers["Cache-Control"] = _IMMUTABLE if pinned else _SHORT
        return response

    return view


def _pairs() -> list[tuple[str, str]]:
    return list(request.args.items(multi=True))


def _answer(
    lake: Lake,
    route: Route,
    values: Mapping[str, str],
    arguments: Arguments,
    answers: Memo[tuple[str, ...], Encoded],
) -> Encoded:
    def ask() -> Encoded:
        return encode(route, values, arguments, route.ask(lake, values, arguments))

    if not route.pure:
        return ask()
    asked = view_state.format(arguments.state), repr(sorted(arguments.own.items()))
    key = (route.name, repr(sorted(values.items())), *asked, arguments.pin or "", arguments.base)
    return answers.get(key, ask)


def _respond(route: Route, encoded: Encoded) -> Response:
    """Return the response: 304 without a body when the reader has it already.

    The ETag is weak because compression makes other bytes of the same answer.
    """
    response = Response(encoded.body, mimetype=None, content_type=encoded.mime)
    response.set_etag(encoded.etag, weak=True)
    if encoded.snap:
        response.headers["Explorer-Snapshot"] = encoded.snap
    if encoded.next:
        pairs = [pair for pair in _pairs() if pair[0] != "cursor"]
        query = urlencode([*pairs, ("cursor", encoded.next)])
        response.headers["Link"] = f'<{request.path}?{query}>; rel="next"'
    if encoded.name:
        response.headers["Content-Disposition"] = f'attachment; filename="{encoded.name}"'
    response.make_conditional(request)
    if route.packed and response.status_code == 200 and encoded.mime not in formats.DENSE:
        _compress(response, encoded)
    return response


def _compress(response: Response, encoded: Encoded) -> None:
    """Send an answer in an encoding the reader takes; each is made once."""
    response.headers.add("Vary", "Accept-Encoding")
    encoding = request.accept_encodings.best_match(ENCODINGS)
    if encoding and len(encoded.body) >= SMALL:
        response.set_data(compressed(encoded.etag, encoded.body, encoding, _QUALITY))
        response.headers["Content-Encoding"] = encoding


def _moved(route: Route, values: Mapping[str, str]) -> Response:
    query = request.query_string.decode("latin-1")
    address = API + route.address(values) + (f"?{query}" if query else "")
    response = Response(status=308)
    response.headers["Location"] = address
    return response


def _nowhere(rest: str = "") -> Response:
    """Answer what no route answers: a wrong method on a known path, or an unknown path."""
    if request.method not in ("GET", "HEAD"):
        response = _error(405, "method_not_allowed", f"No {request.method} here.", "Use GET.")
        response.headers["Allow"] = _METHODS
        return response
    known = [f"{API}{route.path}" for route in ROUTES]
    raise NotFoundError(
        f"Nothing at {request.path}.",
        hint=f"{nearest(request.path, known)} All routes: {api_docs()}",
    )


def _failed(error: ExplorerError) -> Response:
    return _error(error.http_status, error.code, error.message, error.hint)


def _broken(error: Exception) -> Response:
    """Answer a defect of ours: logged here, no inside shown outside."""
    log.error("API %s %s failed", request.method, request.path, exc_info=error)
    return _error(500, "internal", "This is a defect of ours.", "The server's log has the details.")


def _error(status: int, code: str, message: str, hint: str) -> Response:
    document = envelope.failure(code, message, hint)
    response = Response(envelope.encode(document), status, content_type=formats.JSON)
    response.headers["Cache-Control"] = "no-store"
    return response


def _open(response: Response) -> Response:
    """Let pages of any origin read."""
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Access-Control-Expose-Headers"] = _EXPOSED
    if request.method == "OPTIONS":
        response.headers["Allow"] = response.headers["Access-Control-Allow-Methods"] = _METHODS
        response.headers["Access-Control-Allow-Headers"] = "If-None-Match"
        response.headers["Access-Control-Max-Age"] = "86400"
    return response
