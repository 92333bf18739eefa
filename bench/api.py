"""How long the API takes on a running server, beside that server's emptiest answer.

    explorer serve --lake LAKE --port 8050 &
    python bench/api.py http://127.0.0.1:8050

Prints p50 in ms and its ratio to /healthz for: every point once and again, the
curves of a bare address, a page of 100 points; then lets eight clients ask for all of it at once
and compares each body with the serial one.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from urllib.parse import urlsplit

CLIENTS = 8
REPEATS = 50


class Client:
    """One kept-alive connection."""

    def __init__(self, base: str) -> None:
        self.connection = HTTPConnection(urlsplit(base).netloc, timeout=60)

    def get(self, path: str) -> bytes:
        self.connection.request("GET", path)
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise SystemExit(f"{path}: {response.status} {body[:200]!r}")
        return body


def timed(client: Client, paths: Iterable[str]) -> tuple[float, dict[str, bytes]]:
    """Return the p50 in ms and the bodies."""
    spent, bodies = [], {}
    for path in paths:
        start = time.perf_counter()
        bodies[path] = client.get(path)
        spent.append((time.perf_counter() - start) * 1e3)
    return statistics.median(spent), bodies


def main(base: str) -> None:
    client = Client(base)
    client.get("/api/v1/points?limit=1")
    baseline, _ = timed(client, ["/healthz"] * REPEATS)
    points = json.loads(client.get("/api/v1/points?limit=1000"))["data"]
    each = [point["links"]["self"] for point in points]
    curves, page = "/api/v1/curves", "/api/v1/points?limit=100"
    runs = {
        f"one point, first ({len(each)})": each,
        f"one point, warm ({len(each)})": each,
        "curves, first": [curves],
        "curves, warm": [curves] * REPEATS,
        "100 points, warm": [page] * REPEATS,
    }
    print(f"{'healthz':28} {baseline:8.2f} ms   1.0")
    serial: dict[str, bytes] = {}
    for name, paths in runs.items():
        p50, bodies = timed(client, paths)
        serial |= bodies
        print(f"{name:28} {p50:8.2f} ms {p50 / baseline:5.1f}")

    def ask(offset: int) -> tuple[float, dict[str, bytes]]:
        paths = [*serial][offset::1] + [*serial][:offset]
        return timed(Client(base), paths)

    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(pool.map(ask, range(0, CLIENTS * 7, 7)))
    wrong = sum(bodies[path] != body for _, bodies in answers for path, body in serial.items())
    p50 = statistics.median(spent for spent, _ in answers)
    print(f"{'eight clients at once':28} {p50:8.2f} ms {p50 / baseline:5.1f}")
    print(f"answers that differ from the serial ones: {wrong} of {len(serial) * CLIENTS}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8050")
