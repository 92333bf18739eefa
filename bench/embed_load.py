"""Requests a second of a kept address, with the load generator beside the server.

    python bench/embed_load.py [LAKE] [SECONDS]

Starts gunicorn as the Procfile does (two workers, four threads each) and asks it over kept
connections from one process: no browser, no parsing, just bytes. The baselines in the same run
are /healthz, which passes through Flask, and the page that an embed stands for. Prints requests
a second, ratios, and the CPU that each request costs server and generator: beside other work on
the machine, that says what idle cores would do.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from explorer.domain import addresses
from explorer.domain.share_code import encode

CHECKOUT = Path(__file__).resolve().parent.parent
CONNECTIONS = 16


def worked(group: int) -> float:
    """Return the CPU seconds of a process group so far."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if int(fields[2]) == group:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def server(lake: Path, port: int) -> Iterator[int]:
    """Run the Procfile's command on a port and yield its process group."""
    line = (CHECKOUT / "Procfile").read_text().split("web: ", 1)[1].strip()
    env = os.environ | {"EXPLORER_LAKE": str(lake), "EXPLORER_HOST": "127.0.0.1"}
    env |= {"PORT": str(port), "WEB_CONCURRENCY": "2"}
    env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"
    process = subprocess.Popen(
        ["bash", "-c", f"exec {line}"], cwd=CHECKOUT, env=env, start_new_session=True
    )
    try:
        _wait(f"http://127.0.0.1:{port}/readyz")
        yield process.pid
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=30)


def _wait(address: str) -> None:
    for _ in range(240):
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.25)
    raise SystemExit(f"{address} does not answer")


def request(path: str, host: str) -> bytes:
    """Return a browser's request in bytes."""
    return (
        f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept-Encoding: gzip, br\r\n"
        "Accept: text/html\r\nConnection: keep-alive\r\n\r\n"
    ).encode()


def once(port: int, text: bytes) -> bytes:
    """Return one whole answer, with its head."""
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(text)
        data = b""
        while True:
            data += sock.recv(1 << 20)
            head, whole, body = data.partition(b"\r\n\r\n")
            if whole and len(body) >= _length(head):
                return data


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    raise SystemExit("no Content-Length: " + head.decode())


def load(port: int, text: bytes, size: int, seconds: float) -> tuple[int, float]:
    """Return how many answers of `size` bytes came, and in how many seconds.

    Each connection has one request under way. Heads differ by their date only, so that an answer
    is whole when its bytes are.
    """
    chooser = selectors.DefaultSelector()
    for _ in range(CONNECTIONS):
        sock = socket.create_connection(("127.0.0.1", port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        chooser.register(sock, selectors.EVENT_READ, [0])
        sock.sendall(text)
    done, start = 0, time.perf_counter()
    while (now := time.perf_counter()) - start < seconds:
        for key, _ in chooser.select(1.0):
            got = key.fileobj.recv(1 << 18)  # type: ignore[union-attr]
            if not got:
                raise SystemExit("the server closed a connection")
            key.data[0] += len(got)
            if key.data[0] >= size:
                key.data[0] -= size
                done += 1
                key.fileobj.sendall(text)  # type: ignore[union-attr]
    for key in list(chooser.get_map().values()):
        key.fileobj.close()  # type: ignore[union-attr]
    return done, now - start


def main() -> None:
    """Print requests a second of embeds, a permalink's road, and the baselines."""
    lake = Path(sys.argv[1] if len(sys.argv) > 1 else CHECKOUT / "data" / "lake")
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5.0
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with server(lake, port) as group:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz") as ready:
            snap = json.load(ready)["snapshot"]
        paths = {
            "/healthz (Flask)": "/healthz",
            "embed, unpinned": "/e/v1/curve",
            "embed, pinned": f"/e/v1/curve?snap={snap}",
            "permalink": addresses.share(encode(f"/?snap={snap}")),
            "page of the same": "/",
        }
        rates = {name: measure(group, port, path, seconds) for name, path in paths.items()}
    for name, (rate, size, cpu, own) in rates.items():
        costs = f"server {cpu * 1e6:6.0f} µs, generator {own * 1e6:4.0f} µs of CPU a request"
        print(f"{name:18} {rate:8.0f} requests/s  {size:7,} bytes  {costs}")
    for name in ("embed, unpinned", "embed, pinned", "permalink"):
        ratio = rates[name][0] / rates["page of the same"][0]
        cores = os.cpu_count() or 1
        able = cores / (rates[name][2] + rates[name][3])
        print(f"{name} / page {ratio:.0f}; {cores} idle cores would do {able:,.0f} requests/s")


def measure(group: int, port: int, path: str, seconds: float) -> tuple[float, int, float, float]:
    """Return requests a second, bytes of an answer, CPU s a request of server and generator."""
    text = request(path, f"127.0.0.1:{port}")
    for _ in range(40):  # both workers have it
        whole = once(port, text)
    if not whole.startswith((b"HTTP/1.1 200", b"HTTP/1.1 308")):
        raise SystemExit(whole[:200].decode())
    before, own = worked(group), time.process_time()
    done, took = load(port, text, len(whole), seconds)
    cpu, own = worked(group) - before, time.process_time() - own
    return done / took, len(whole), cpu / max(done, 1), own / max(done, 1)


if __name__ == "__main__":
    main()
