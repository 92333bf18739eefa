"""How answers leave: static files compressed once, caching, security headers."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from contextlib import closing

import brotli
import flask
from flask_compress import Compress

from explorer.store.cache import Memo

STATIC = ("/assets/", "/_dash-component-suites/")
_TEXT = ("text/", "application/javascript", "application/json", "image/svg+xml")
_FOREVER = "public, max-age=31536000, immutable"
_COMPRESSED: Memo[tuple[str, str, str], bytes] = Memo(64_000_000, len)
"""(address, etag, encoding) → bytes. plotly.js takes 0.2 s to compress, once a process."""
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
    encoding = flask.request.accept_encodings.best_match(["br", "gzip"])
    if encoding is None or len(data) < 512:
        return
    key = (flask.request.full_path, response.headers.get("ETag", ""), encoding)
    response.set_data(_COMPRESSED.get(key, lambda: _compress(data, encoding)))
    response.headers["Content-Encoding"] = encoding
    response.headers.add("Vary", "Accept-Encoding")


def _compress(data: bytes, encoding: str) -> bytes:
    return brotli.compress(data, quality=9) if encoding == "br" else gzip.compress(data, 9, mtime=0)


def _secure(response: flask.Response, policy: Policy) -> None:
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault("Referrer-Policy", "strict-origin-when-cross-origin")
    if response.mimetype == "text/html" and not flask.request.path.startswith("/e/"):
        response.headers["Content-Security-Policy"] = policy()
