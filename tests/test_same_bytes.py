"""The same address gives the same bytes in every process: replicas and restarts are one server."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import hashlib, sys
from pathlib import Path
from explorer.app import create_app
from explorer.settings import Settings
client = create_app(Settings(lake=Path(sys.argv[1]))).test_client()
for address in sys.argv[2:]:
    answer = client.get(address)
    assert answer.status_code == 200, address
    print(address, hashlib.sha256(answer.data).hexdigest(), answer.headers.get("ETag"))
"""


def printed(seed: int, *arguments: str) -> str:
    """Return what a fresh process prints whose sets have another order."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("pinned", [False, True])
def test_embeds_redraws_and_the_api_are_the_same_in_every_process(sample_lake, pinned):
    pin = f"&snap={sample_lake.newest}" if pinned else ""
    addresses = [f"{one}{'&' if '?' in one else '?'}lang=en{pin}" for one in places(sample_lake)]
    first = printed(1, str(sample_lake.folder), *addresses)
    assert first.count("\n") == len(addresses)
    assert printed(2, str(sample_lake.folder), *addresses) == first


def places(sample_lake) -> list[str]:
    return [*sample_lake.embeds().values(), "/_redraw/", "/api/v1/curves"]
