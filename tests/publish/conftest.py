"""A site of the sample lake, made once, and a plain file server."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.publish.site import site
from explorer.settings import Settings
from tests.lake_fixture import DATASET, Sample


def lines(sample: Sample) -> list[str]:
    """Return views of every kind of page that has a static form."""
    low, high = sample.ids["low"], sample.ids["high"]
    return [
        "# what an article shows",
        "/",
        "/?x=p90_ttft_s&hw=b200,mi355x",
        "/?lang=zh",
        f"/points/{high}",
        f"/points/{high}?phase=warmup",
        f"https://example.org/points/{low}  # a whole URL is fine",
        f"/points/{high}/timeline",
        f"/compare?a={low}&b={high}",
        "/datasets",
        f"/datasets/{DATASET}",
        f"/datasets/{DATASET}/conversations/conv-0",
        f"/datasets/{DATASET}/conversations/conv-0?point={high}",
        "/e/v1/table?model=kimik2.5",
        "/e/v1/curve?title=Mine",
    ]


@pytest.fixture(scope="session")
def published(sample_lake: Sample, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a site; read it, never write to it."""
    out = tmp_path_factory.mktemp("site") / "public"
    site(Settings(lake=sample_lake.folder), lines(sample_lake), out)
    return out


class Quiet(http.server.SimpleHTTPRequestHandler):
    """The standard library's file server, without its log."""

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def files(published: Path) -> Iterator[str]:
    """Return the address of a plain file server over the site."""
    handler = functools.partial(Quiet, directory=str(published))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
