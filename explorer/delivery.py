"""How answers leave: static files compressed once, caching, security headers."""

from __future__ import annotations

from collections.abc import Callable

import flask
from flask_compress import Compress

from explorer.exports import scripts
from explorer.exports.compressed import ENCODINGS, SMALL, compressed

STATIC = ("/assets/", "/_dash-component-suites/", f"{scripts.ADDRESS}/")
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
        COMPRESS_BR_LEVEL=4,
        COMPRESS_STREAMS=False,
    )
    Compress(server)
    server.add_url_rule(f"{scripts.ADDRESS}/<version>/<path:name>", view_func=_module)

    def after(response: flask.Response) -> flask.Response:
        if flask.request.path.startswith(STATIC) and response.status_code == 200:
            _static(response)
        _secure(response, policy)
        return response

    server.after_request(after)


def _module(version: str, name: str) -> flask.Response:
    """Answer a module of the timeline; one of another version is answered, but never kept."""
    if name not in scripts.module_names():
        flask.abort(404)
    return flask.send_file(scripts.ASSETS / name, mimetype="text/javascript")


def _fresh() -> bool:
    """Tell whether an address names its content: its version, or what Dash adds to each asset."""
    path = flask.request.path
    if path.startswith(f"{scripts.ADDRESS}/"):
        return path.split("/")[2] == scripts.version()
    return not path.endswith(".mjs")


def _static(response: flask.Response) -> None:
    """Serve a static file from memory, compressed once per encoding, for ever cacheable."""
    response.headers["Cache-Control"] = _FOREVER if _fresh() else "no-cache"
    if not (response.mimetype or "").startswith(_TEXT):
        return
    response.direct_passthrough = False
    source = response.response
    data = response.get_data()
    getattr(source, "close", lambda: None)()  # a file is one; what Dash reads itself is a list
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
