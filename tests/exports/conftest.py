"""The API over the sample lake, as files are had from it."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from tests.api.conftest import server
from tests.lake_fixture import Sample


@pytest.fixture
def client(sample_lake: Sample) -> FlaskClient:
    return server(sample_lake.lake).test_client()
