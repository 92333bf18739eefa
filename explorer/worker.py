"""A gunicorn worker that answers what is kept from its event loop.

    gunicorn --worker-class explorer.worker.Worker "explorer.app:create_app()"

gunicorn's threaded worker hands each request of a kept connection to a thread, parses it anew and
builds its environment; for an answer that is complete before it is asked for (exports/ready.py)
that is nearly all of its cost. This worker looks first whether a plain GET asks for one. Whatever
is not that, and whatever is unusual about a request, is left unread to gunicorn, so that both
roads give the same bytes.
"""

from __future__ import annotations

import re
import socket
import time
from functools import lru_cache

from gunicorn.util import http_date
from gunicorn.workers.gthread import TConn, ThreadWorker

from explorer.exports.ready import Ready

_MOST = 8_192
"""Bytes of a request's head beyond which it is gunicorn's."""
_HEAD = re.compile(
    rb"GET (/[!\"$&->@-~]*)(?:\?([!-\"$-~]*))? HTTP/1\.1\r\n((?:[A-Za-z0-9-]+:[ -~]*\r\n)+)\r\n"
)
"""A request without a body: a path without escapes, a query, headers of plain text."""
_UNUSUAL = re.compile(
    rb"(?:^|\n)(?:(?:content-length|transfer-encoding|expect|upgrade|http2-settings|te|trailer):"
    rb"|connection:(?! ?keep-alive\r))"
)
"""Headers that ask for more than a kept answer, in small letters."""


class Worker(ThreadWorker):
    """gunicorn's threaded worker with a shorter road for answers that are kept."""

    _ready: Ready | None = None

    def load_wsgi(self) -> None:
        """Load the application and find what it keeps."""
        super().load_wsgi()
        self._ready = getattr(self.wsgi, "extensions", {}).get("ready")

    def on_client_socket_readable(self, conn: TConn, client: socket.socket) -> None:
        """Answer a kept connection's next request, or hand it to a thread."""
        try:
            wire = self._wire(conn, client)
        except OSError:  # gunicorn meets it again and knows what to do
            wire = None
        if wire is None:
            super().on_client_socket_readable(conn, client)
        else:
            self._send(conn, client, wire)

    def _wire(self, conn: TConn, client: socket.socket) -> bytes | None:
        """Return the bytes of the answer to what is waiting, which is then read; else None."""
        if self._ready is None or not self._plain(conn):
            return None
        waiting = client.recv(_MOST, socket.MSG_PEEK)
        asked = question(waiting)
        if asked is None:
            return None
        target, accepted, known = asked
        answer = self._ready.at(target)
        if answer is None:
            return None
        client.recv(len(waiting))
        line, headers, body = answer.reply(accepted, known)
        head = "".join(f"{name}: {value}\r\n" for name, value in headers)
        return b"".join((_first(line, int(time.time())), head.encode("latin-1"), b"\r\n", *body))

    def _plain(self, conn: TConn) -> bool:
        """Tell whether a connection speaks HTTP/1 in the clear and owes nothing."""
        if not self.alive or conn.is_http2 or self.cfg.is_ssl or conn.parser is None:
            return False
        return not conn.parser.unreader.buf.getvalue()

    def _send(self, conn: TConn, client: socket.socket, wire: bytes) -> None:
        """Send an answer; what the connection does not take at once is a thread's to send."""
        try:
            sent = client.send(wire)
        except BlockingIOError:
            sent = 0
        except OSError:
            sent = -1
        if sent == len(wire):
            self.keepalived_conns.remove(conn)  # they stand in the order in which they time out
            conn.set_timeout()
            self.keepalived_conns.append(conn)
            return
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        future = self.tpool.submit(_rest, conn, wire, sent)
        future.add_done_callback(
            lambda done: self.method_queue.defer(self.finish_request, conn, done)
        )


def _rest(conn: TConn, wire: bytes, sent: int) -> bool:
    """Send what is left of an answer and tell whether the connection can be kept."""
    if sent < 0:
        return False
    try:
        conn.sock.setblocking(True)
        conn.sock.sendall(memoryview(wire)[sent:])
    except OSError:
        return False
    return True


@lru_cache(maxsize=64)
def _first(line: str, second: int) -> bytes:
    """Return the lines with which gunicorn begins an answer that keeps its connection."""
    return (
        f"HTTP/1.1 {line}\r\nServer: gunicorn\r\nDate: {http_date(second)}\r\n"
        "Connection: keep-alive\r\n"
    ).encode()


@lru_cache(maxsize=1_024)
def question(head: bytes) -> tuple[str, str, str | None] | None:
    """Return target, Accept-Encoding and If-None-Match of a whole plain GET, else None.

    The target is the path, `?` and the query, as `Ready` keeps answers.
    """
    found = _HEAD.fullmatch(head)
    if found is None:
        return None
    path, query, lines = found.groups()
    lower = lines.lower()
    if _UNUSUAL.search(lower):
        return None
    fields: dict[bytes, list[str]] = {b"host": [], b"accept-encoding": [], b"if-none-match": []}
    for line in lines.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() in fields:
            fields[name.lower()].append(value.strip(b" ").decode("ascii"))
    if len(fields[b"host"]) != 1 or any(len(values) > 1 for values in fields.values()):
        return None
    accepted, known = fields[b"accept-encoding"], fields[b"if-none-match"]
    target = f"{path.decode('ascii')}?{(query or b'').decode('ascii')}"
    return target, "".join(accepted), known[0] if known else None
