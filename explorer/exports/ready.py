"""Answers that are complete before they are asked for: kept whole, sent without Flask.

A view makes an `Answer`, keeps it under the address it was asked at (`Ready.keep`), and returns
it: an `Answer` is a WSGI application, which Flask takes as a response. `Front`, wrapped round
Flask once by the composition root, answers the next request for that address from what is kept.
Both roads run the same code, so headers and bytes are the same.

    ready = Ready(("/e/", "/s/"))
    server.wsgi_app = Front(server.wsgi_app, ready)

    def view() -> Answer:
        answer = Answer(body, cache=IMMUTABLE, still=standing.pinned(pin))
        ready.keep(flask.request.environ, answer)
        return answer

    def moved() -> Answer:  # a redirect that depends on nothing but its own address
        answer = Answer(b"", status=308, headers=(("Location", place),), cache=IMMUTABLE)
        ready.keep(flask.request.environ, answer)
        return answer

An answer must depend on its path and query alone, never on host, cookies or language headers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import blake2b
from http import HTTPStatus
from typing import Any

from werkzeug.http import parse_accept_header

from explorer.domain.lake import Lake
from explorer.errors import ExplorerError
from explorer.exports.compressed import ENCODINGS, SMALL, compressed
from explorer.store.cache import Memo

Environ = dict[str, Any]
Start = Callable[..., Any]
WSGI = Callable[[Environ, Start], Iterable[bytes]]
Pairs = tuple[tuple[str, str], ...]
Reply = tuple[str, list[tuple[str, str]], list[bytes]]

IMMUTABLE = "public, max-age=31536000, immutable"
SHORT = "public, max-age=60, stale-while-revalidate=600"
NEVER = "no-store"
_QUALITY = 9
_OVERHEAD = 2_048
_OPEN: Pairs = (
    ("Access-Control-Allow-Origin", "*"),
    ("Cross-Origin-Resource-Policy", "cross-origin"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "strict-origin-when-cross-origin"),
)


def always() -> bool:
    """Tell that an answer stands for as long as the process lives."""
    return True


class Answer:
    """One complete answer: its bytes in every encoding, ETag and 304, GET and HEAD; no cookie.

    `headers` come on top of those that let any page show it. `still` tells, each time before it
    is sent again, whether what the answer was made of still stands.
    """

    def __init__(
        self,
        body: bytes,
        *,
        mimetype: str = "text/html; charset=utf-8",
        status: int = 200,
        cache: str = NEVER,
        headers: Pairs = (),
        still: Callable[[], bool] = always,
    ) -> None:
        self.body, self.status, self.still = body, status, still
        self._line = f"{status} {HTTPStatus(status).phrase}"
        self._hash = blake2b(body, digest_size=12).hexdigest()
        self._common = (("Content-Type", mimetype), ("Cache-Control", cache), *_OPEN, *headers)
        self._made: dict[str, tuple[bytes, str, list[tuple[str, str]]]] = {}

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Answer a GET or HEAD request as WSGI."""
        accepted, known = environ.get("HTTP_ACCEPT_ENCODING", ""), environ.get("HTTP_IF_NONE_MATCH")
        line, headers, body = self.reply(accepted, known)
        start(line, headers.copy())
        return [] if environ["REQUEST_METHOD"] == "HEAD" else body

    def reply(self, accepted: str, known: str | None) -> Reply:
        """Return status line, headers and body for a client's Accept-Encoding and If-None-Match.

        The headers are shared between callers: copy, never change them.
        """
        encoding = _encoding(accepted)
        body, tag, headers = self._made.get(encoding) or self._make(encoding)
        if self.status == 200 and _known(known, tag):
            return _UNCHANGED, [pair for pair in headers if pair[0] not in _OF_BODY], []
        return self._line, headers, [body]

    def _make(self, encoding: str) -> tuple[bytes, str, list[tuple[str, str]]]:
        body, tag = self.body, f'"{self._hash}"'
        extra: list[tuple[str, str]] = []
        if encoding and len(body) >= SMALL:
            body = compressed(self._hash, body, encoding, _QUALITY)
            tag = f'"{self._hash}-{encoding}"'
            extra = [("Content-Encoding", encoding)]
        if self.status == 200:
            extra.append(("ETag", tag))
        length = ("Content-Length", str(len(body)))
        headers = [*self._common, ("Vary", "Accept-Encoding"), *extra, length]
        self._made[encoding] = made = (body, tag, headers)
        return made


_UNCHANGED = "304 Not Modified"
_OF_BODY = frozenset(("Content-Type", "Content-Length", "Content-Encoding"))


@lru_cache(maxsize=256)
def _encoding(accepted: str) -> str:
    """Return the encoding of ENCODINGS that a client likes best, ours first; empty for none."""
    asked = parse_accept_header(accepted) if accepted else None
    if not asked:
        return ""
    rated = {one: _quality(one, asked) for one in ENCODINGS}
    best = max(ENCODINGS, key=lambda one: rated[one])
    return best if rated[best] > 0 else ""


def _quality(encoding: str, asked: Any) -> float:
    rates: dict[str, float] = dict(asked)
    return rates.get(encoding, rates.get("*", 0.0))


def _known(header: str | None, tag: str) -> bool:
    """Tell whether a client has this representation already (RFC 9110, weak comparison)."""
    if not header:
        return False
    tags = (one.strip().removeprefix("W/") for one in header.split(","))
    return header.strip() == "*" or tag in tags


class Ready:
    """Answers by address, the most recently used up to a weight in bytes; 32 MB unless said."""

    def __init__(self, prefixes: tuple[str, ...], capacity: int = 32_000_000) -> None:
        self.prefixes = prefixes
        self._kept: Memo[str, Answer] = Memo(capacity, _weight)

    def keep(self, environ: Environ, answer: Answer) -> None:
        """Keep what was answered at the address of a request."""
        self._kept.put(_target(environ), answer)

    def find(self, environ: Environ) -> Answer | None:
        """Return what is kept for a request's address and still stands, else None."""
        return self.at(_target(environ))

    def at(self, target: str) -> Answer | None:
        """Return what is kept at a decoded path, `?` and query, and still stands, else None."""
        answer = self._kept.held((target,)).get(target)
        return answer if answer is not None and answer.still() else None


def _target(environ: Environ) -> str:
    return f"{environ['PATH_INFO']}?{environ.get('QUERY_STRING', '')}"


def _weight(answer: Answer) -> int:
    return 2 * len(answer.body) + _OVERHEAD


class Front:
    """WSGI in front of an application: GET and HEAD of what is kept, all else passes on."""

    def __init__(self, app: WSGI, ready: Ready) -> None:
        self._app, self._ready = app, ready

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Answer a request."""
        asked = environ["REQUEST_METHOD"] in ("GET", "HEAD")
        if asked and environ["PATH_INFO"].startswith(self._ready.prefixes):
            answer = self._ready.find(environ)
            if answer is not None:
                return answer(environ, start)
        return self._app(environ, start)


class Standing:
    """Tells whether the snapshot that an answer was made of still stands."""

    def __init__(self, lake: Lake, seconds: float = 1.0) -> None:
        self._lake, self._seconds = lake, seconds
        self._looked: dict[str, tuple[float, bool]] = {}

    def current(self, snap: str) -> Callable[[], bool]:
        """Return what tells whether a snapshot is the newest; looked up each time."""
        return lambda: self._snap(None) == snap

    def pinned(self, pin: str) -> Callable[[], bool]:
        """Return what tells whether a pinned snapshot exists; looked up once a second."""
        return lambda: self._exists(pin)

    def _snap(self, pin: str | None) -> str | None:
        try:
            return self._lake.snapshot(pin).snap
        except ExplorerError:
            return None

    def _exists(self, pin: str) -> bool:
        now = time.monotonic()
        looked, there = self._looked.get(pin, (-self._seconds, False))
        if now - looked >= self._seconds:
            there = self._snap(pin) is not None
            self._looked[pin] = (now, there)
        return there
