"""A server over the sample lake, and one way to ask it for embeds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from werkzeug.test import TestResponse

from explorer.app import create_app
from explorer.settings import Settings
from tests.lake_fixture import Sample

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
    return sample_lake.embeds()
