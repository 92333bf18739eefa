"""Point page at full size: builds one point of N requests, then times page, brush and bytes.

    .venv/bin/python bench/point_page.py [N] [LAKE]

Prints milliseconds of the page, of the parts that 20 brushes ask for, of rows anywhere in the
table, and the compressed bytes of the first answer; the ratio to a `SELECT count(*)` on the same
object is the figure that travels between machines.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from point_lake import DURATION_S, build

from explorer.components.markup import to_html
from explorer.domain import view_state
from explorer.pages import point
from explorer.settings import Settings
from explorer.store.lake import LocalLake, open_lake
from explorer.store.schema import REQUESTS

POINT = "benchpoint00"


def requests(n: int) -> pa.Table:
    """Return n requests of an hour: lognormal lengths and latencies, 3 % of them failed."""
    rng = np.random.default_rng(7)
    start = np.sort(rng.uniform(0, DURATION_S, n))
    ttft = rng.lognormal(-0.5, 0.9, n)
    itl = rng.lognormal(-4.2, 0.3, n)
    osl = rng.lognormal(5.5, 1.0, n).astype(np.int64) + 2
    isl = rng.lognormal(10.5, 1.0, n).astype(np.int64) + 1
    end = start + ttft + itl * (osl - 1)
    stream = rng.integers(0, max(n // 12, 1), n)
    ok = rng.random(n) > 0.03
    ns = lambda seconds: (seconds * 1e9).astype(np.int64)  # noqa: E731
    columns = {
        "ordinal": np.arange(n),
        "request_id": [f"r{i:07}" for i in range(n)],
        "stream_id": [f"s{i}" for i in stream],
        "root_id": [f"s{i}" for i in stream],
        "conversation": [f"c{i % 400}" for i in stream],
        "turn": np.arange(n) % 40,
        "depth": np.zeros(n, np.int64),
        "kind": ["main"] * n,
        "phase": ["profiling"] * n,
        "credit_ns": ns(start - 0.002),
        "start_ns": ns(start),
        "first_token_ns": ns(start + ttft),
        "end_ns": ns(end),
        "ttft_s": ttft,
        "e2el_s": end - start,
        "itl_s": itl,
        "isl_tokens": isl,
        "osl_tokens": osl,
        "status": np.where(ok, "ok", "failed"),
        "error_type": [None if one else "HTTPError" for one in ok],
        "error_code": [None if one else 429 for one in ok],
    }
    missing = {name: pa.nulls(n) for name in REQUESTS.names if name not in columns}
    return pa.table({**columns, **missing}).select(REQUESTS.names).cast(REQUESTS)


def median_ms(ask: Callable[[], object], times: int = 7) -> float:
    """Return the median time of a call in ms, after one unmeasured call."""
    ask()
    return statistics.median(_once(ask) for _ in range(times))


def _once(ask: Callable[[], object]) -> float:
    began = time.perf_counter()
    ask()
    return (time.perf_counter() - began) * 1000


WINDOWS = "from={}&to={}"
RANGES = "where=ttft_s:0.{}..{}"
PARTS = {
    "numbers": "&view=numbers",
    "charts in sight": "&view=charts&open=e2e,interactivity,isl,ttft",
    "page": "",
}
"""What a brush asks for, in order."""


def brushes(lake: LocalLake, which: str, times: int = 20) -> dict[str, list[float]]:
    """Return part → times in ms of as many different brushes, each drawn for the first time."""
    found: dict[str, list[float]] = {name: [] for name in PARTS}
    for index in range(times):
        query = which.format(100 + index * 40, 900 + index * 40)
        for name, more in PARTS.items():
            state = view_state.parse(query + more)
            ask = partial(point.view, lake, {"point_id": POINT}, state)
            found[name].append(_once(lambda ask=ask: to_html(ask().body)))  # type: ignore[misc]
    return {name: sorted(values) for name, values in found.items()}


def rows(lake: LocalLake, sort: str, n: int) -> float:
    """Return the median time in ms of a part of the request table, anywhere in it."""
    states = [
        view_state.parse(f"view=rows&sort={sort}&open=rows-{start}")
        for start in range(0, n - 100, n // 12)
    ]
    draw = [partial(point.view, lake, {"point_id": POINT}, state) for state in states]
    return statistics.median(_once(lambda one=one: to_html(one().body)) for one in draw)  # type: ignore[misc]


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 150_000
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.mkdtemp()) / "lake"
    if not (folder / "refs" / "current").exists():
        build(folder, {POINT: requests(n)})
    lake = open_lake(folder)
    state = view_state.parse("")
    row = lake.rows("SELECT requests_object FROM {points}")[0]
    base = median_ms(
        lambda: lake.rows(
            "SELECT count(*) FROM {requests}", objects={"requests": row["requests_object"]}
        )
    )
    cold = _once(lambda: point.view(lake, {"point_id": POINT}, state))
    page = median_ms(lambda: to_html(point.view(lake, {"point_id": POINT}, state).body))
    print(f"requests {n:,}; count(*) {base:.1f} ms")
    print(f"page: first {cold:.0f} ms, kept {page:.0f} ms")
    for name, which in (("window", WINDOWS), ("range", RANGES)):
        for part, times in brushes(lake, which).items():
            middle, high = statistics.median(times), times[int(len(times) * 0.95) - 1]
            print(
                f"{name}, {part}: {middle:.0f} ms, p95 {high:.0f} ms ({middle / base:.0f} × count)"
            )
    for sort in ("start_s", "-ttft_s", "conversation"):
        print(f"100 rows by {sort}: {rows(lake, sort, n):.0f} ms")
    print(f"compressed first answer: {size(folder):,} B")


def size(folder: Path) -> int:
    """Return the bytes of the first answer over the wire (br)."""
    from explorer.app import create_app

    client = create_app(Settings(lake=folder)).test_client()
    answer = client.get(f"/points/{POINT}", headers={"Accept-Encoding": "br"})
    return len(answer.data)


if __name__ == "__main__":
    main()
