"""A server over the sample lake, and one way to ask it for embeds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from werkzeug.test import TestResponse

from explorer.app import create_app
from explorer.settings import Settings
from tests.lake_fixture import DATASET, Sample

Get = Callable[..., TestResponse]


@pytest.fixture(scope="session")
def get(sample_lake: Sample) -> Get:
    """Return a function that asks a server over the sample lake."""
    client = create_app(Settings(lake=sample_lake.folder)).test_client()

    def ask(address: str, **headers: str) -> TestResponse:
        return client.get(address, headers={k.replace("_", "-"): v for k, v in headers.items()})

    return ask


@pytest.fixture(scope="session")
def addresses(sample_lake: Sample) -> dict[str, str]:
    """Return an address of each kind of embed."""
    ids = sample_lake.ids
    return {
        "curve": "/e/v1/curve?model=kimik2.5",
        "point": f"/e/v1/point?point={ids['high']}",
        "timeline": f"/e/v1/timeline?point={ids['high']}",
        "flame": f"/e/v1/flame?a={DATASET}/conv-1@{ids['high']}&turn=4",
        "compare": f"/e/v1/compare?a={ids['low']}&b={ids['high']}",
        "table": "/e/v1/table?model=kimik2.5",
    }
