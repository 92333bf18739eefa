"""How answers leave: static files compressed once, caching, security headers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import flask
from flask_compress import Compress

from explorer.exports.compressed import ENCODINGS, SMALL, compressed

STATIC = ("/assets/", "/_dash-component-suites/")
_TEXT = ("text/", "application/javascript", "application/json", "image/svg+xml")
_FOREVER = "public, max-age=31536000, immutable"
Policy = Callable[[], str]


def install(server: flask.Flask, policy: Policy) -> None:
    """Add compression, caching and security headers to a server.

    `policy` gives the Content-Security-Policy of HTML pages (not of embeds, which set their own).
    """
    server.config.update(
        COMPRESS_MIN_SIZE=512,
        COMPRESS_ALGORITHM=["br", "gzip"],
        COMPRESS_BR_LEVEL=5,
        COMPRESS_STREAMS=False,
    )
    Compress(server)

    def after(response: flask.Response) -> flask.Response:
        if flask.request.path.startswith(STATIC) and response.status_code == 200:
            _static(response)
        _secure(response, policy)
        return response

    server.after_request(after)


def _static(response: flask.Response) -> None:
    """Serve a static file from memory, compressed once per encoding, for ever cacheable."""
    response.headers["Cache-Control"] = _FOREVER
    if not (response.mimetype or "").startswith(_TEXT):
        return
    response.direct_passthrough = False
    with closing(response.response):  # type: ignore[type-var]
        data = response.get_data()
    encoding = flask.request.accept_encodings.best_match(ENCODINGS)
    if encoding is None or len(data) < SMALL:
        return
    name = f"{flask.request.full_path} {response.headers.get('ETag', '')}"
    response.set_data(compressed(name, data, encoding, 9))
    response.headers["Content-Encoding"] = encoding
    response.headers.add("Vary", "Accept-Encoding")


def _secure(response: flask.Response, policy: Policy) -> None:
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault("Referrer-Policy", "strict-origin-when-cross-origin")
    if response.mimetype == "text/html" and not flask.request.path.startswith("/e/"):
        response.headers["Content-Security-Policy"] = policy()
