"""A server over the sample lake, and over a lake of one's own that changes."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from explorer.app import create_app
from explorer.settings import Settings
from tests.lake_fixture import Sample, build


@pytest.fixture(scope="package")
def client(sample_lake: Sample) -> FlaskClient:
    return create_app(Settings(lake=sample_lake.folder)).test_client()


@pytest.fixture
def own(tmp_path) -> Sample:
    """Return a sample lake that a test may write to."""
    return build(tmp_path / "lake")
