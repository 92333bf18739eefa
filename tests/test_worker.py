"""The server's own worker: kept answers from its event loop, byte for byte as gunicorn's road."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from explorer.domain import addresses
from explorer.domain.share_code import encode
from explorer.worker import question
from tests.lake_fixture import build

ROOT = Path(__file__).resolve().parent.parent
PLAIN = (
    b"GET /e/v1/curve?lang=zh HTTP/1.1\r\nHost: a\r\nAccept-Encoding: br, gzip\r\n"
    b"User-Agent: x (y)\r\n\r\n"
)


def test_a_plain_get_is_understood():
    assert question(PLAIN) == ("/e/v1/curve?lang=zh", "br, gzip", None)
    known = PLAIN.replace(b"User-Agent: x (y)", b'if-none-match: W/"abc"')
    assert question(known) == ("/e/v1/curve?lang=zh", "br, gzip", 'W/"abc"')
    bare = b"GET /s/abc HTTP/1.1\r\nhost:a\r\nConnection: keep-alive\r\n\r\n"
    assert question(bare) == ("/s/abc?", "", None)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"GET", b"HEAD"),
        (b"HTTP/1.1", b"HTTP/1.0"),
        (b"Host: a\r\n", b""),
        (b"Host: a\r\n", b"Host: a\r\nHost: b\r\n"),
        (b"User-Agent: x (y)", b"Content-Length: 3"),
        (b"User-Agent: x (y)", b"transfer-encoding: chunked"),
        (b"User-Agent: x (y)", b"Expect: 100-continue"),
        (b"User-Agent: x (y)", b"Connection: close"),
        (b"User-Agent: x (y)", b"Connection: keep-alive, Upgrade"),
        (b"User-Agent: x (y)", b"Upgrade: h2c"),
        (b"User-Agent: x (y)", b"Accept-Encoding: br"),
        (b"User-Agent: x (y)", b"User-Agent : x"),
        (b"User-Agent: x (y)", b"User-Agent: x\r\n folded"),
        (b"User-Agent: x (y)", b"User-Agent: \xc3\xa4"),
        (b"User-Agent: x (y)", b"User-Agent: a\tb"),
        (b"/e/v1/curve", b"/e/v1/c%75rve"),
        (b"/e/v1/curve", b"http://a/e/v1/curve"),
        (b"/e/v1/curve?lang=zh", b"/e/v1/curve#x"),
        (b"/e/v1/curve?lang=zh", b"/e/v1/curve?lang=zh#x"),
        (b"\r\n\r\n", b"\r\n"),
        (b"\r\n\r\n", b"\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        (b"\r\n", b"\n"),
    ],
)
def test_whatever_is_unusual_is_left_to_gunicorn(old, new):
    assert old in PLAIN
    assert question(PLAIN.replace(old, new)) is None


class Line:
    """A kept connection to the server, in bytes."""

    def __init__(self, port: int, buffer: int = 0) -> None:
        self.sock = socket.socket()
        if buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.sock.settimeout(30)
        self.data = b""
        try:
            self.sock.connect(("127.0.0.1", port))
        except OSError:
            self.sock.close()
            raise

    def ask(self, path: str, *headers: str, method: str = "GET") -> bytes:
        self.send(path, *headers, method=method)
        return self.answer(method)

    def send(self, path: str, *headers: str, method: str = "GET") -> None:
        lines = [f"{method} {path} HTTP/1.1", "Host: a", *headers, "", ""]
        self.sock.sendall("\r\n".join(lines).encode())

    def answer(self, method: str = "GET") -> bytes:
        """Return the next whole answer, its date taken out."""
        while b"\r\n\r\n" not in self.data:
            self._more()
        head, _, rest = self.data.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        size = int(length[1]) if length and method != "HEAD" else 0
        while len(rest) < size:
            self._more()
            rest = self.data.partition(b"\r\n\r\n")[2]
        self.data = rest[size:]
        return re.sub(rb"Date: [^\r]+", b"Date: -", head) + b"\r\n\r\n" + rest[:size]

    def _more(self) -> None:
        got = self.sock.recv(1 << 16)
        assert got, "the server closed the connection"
        self.data += got


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    return build(tmp_path_factory.mktemp("worker") / "lake")


@pytest.fixture(scope="module")
def port(own) -> Iterator[int]:
    """Serve the sample lake as the Procfile does, with one worker; its stderr names its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "--workers", "1", "--threads", "2"]
    command += ["--worker-class", "explorer.worker.Worker", "--bind", f"127.0.0.1:{free}"]
    env = os.environ | {"EXPLORER_LAKE": str(own.folder)}
    with subprocess.Popen([*command, "explorer.app:create_app()"], cwd=ROOT, env=env) as server:
        _wait(free, server)
        yield free
        server.terminate()


def _wait(port: int, server: subprocess.Popen) -> None:
    while server.poll() is None:
        try:
            with closing(Line(port).sock):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server ended")


@pytest.fixture
def connect(port) -> Iterator[Callable[..., Line]]:
    """Return what opens a connection; all are closed in the end."""
    lines: list[Line] = []

    def opened(buffer: int = 0) -> Line:
        lines.append(Line(port, buffer))
        return lines[-1]

    yield opened
    for line in lines:
        line.sock.close()


EMBED = "/e/v1/curve"
PERMALINK = addresses.share(encode("/?stat=p50"))


@pytest.mark.parametrize("path", [EMBED, f"{EMBED}?lang=zh&theme=dark", PERMALINK])
@pytest.mark.parametrize("accepted", ["br", "gzip;q=0.5", "identity"])
def test_both_roads_give_the_same_bytes(connect, path, accepted):
    headers = (f"Accept-Encoding: {accepted}", "User-Agent: x")
    by_gunicorn = [connect().ask(path, *headers) for _ in range(2)][1]  # first of its connection
    line = connect()
    assert [line.ask(path, *headers) for _ in range(3)] == [by_gunicorn] * 3
    unusual = line.ask(path, *headers, "X-Word: ä".encode().decode("latin-1"))
    assert unusual == by_gunicorn


def test_a_known_answer_is_not_sent_again(connect):
    line = connect()
    line.ask(EMBED)
    tag = re.search(rb'ETag: ("[^"]+")', line.ask(EMBED))[1].decode()
    same = line.ask(EMBED, f"If-None-Match: {tag}")
    assert same.startswith(b"HTTP/1.1 304 Not Modified\r\n")
    assert same.endswith(b"\r\n\r\n")
    assert same == connect().ask(EMBED, f"If-None-Match: {tag}")
    assert line.ask(EMBED, 'If-None-Match: "other"').startswith(b"HTTP/1.1 200 OK\r\n")


def test_heads_pages_and_strangers_go_the_long_road_on_the_same_connection(connect):
    line = connect()
    for _ in range(2):
        assert line.ask(EMBED).startswith(b"HTTP/1.1 200 OK")
        assert line.ask(EMBED, method="HEAD").endswith(b"\r\n\r\n")
        assert line.ask("/healthz").endswith(b'{"status":"ok"}\n')
        assert line.ask("/e/v1/none-such").startswith(b"HTTP/1.1 404")


def test_requests_sent_at_once_are_answered_in_their_order(connect):
    line = connect()
    embed, page = line.ask(EMBED), line.ask("/healthz")
    line.sock.sendall(
        b"".join(
            f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode()
            for path in (EMBED, "/healthz", EMBED, EMBED)
        )
    )
    assert [line.answer() for _ in range(4)] == [embed, page, embed, embed]


def test_a_head_that_comes_in_pieces_is_waited_for(connect):
    line = connect()
    whole = line.ask(EMBED)
    line.sock.sendall(f"GET {EMBED} HTTP/1.1\r\nHo".encode())
    line.sock.sendall(b"st: a\r\n\r\n")
    assert line.answer() == whole


def test_a_reader_who_takes_little_at_a_time_gets_everything(connect):
    line = connect(buffer=4_096)
    whole = line.ask("/e/v1/table?rows=all", "Accept-Encoding: identity")
    for _ in range(200):  # more than fits between the two
        line.send("/e/v1/table?rows=all", "Accept-Encoding: identity")
        assert line.answer() == whole


def test_an_unpinned_answer_follows_a_new_snapshot(connect, own):
    line = connect()
    assert line.ask(EMBED) == line.ask(EMBED)
    before = line.ask(EMBED)
    from explorer.store.writer import publish

    publish(own.folder, remove=[own.ids["high"]], price_version="2026-07")
    assert line.ask(EMBED) != before
