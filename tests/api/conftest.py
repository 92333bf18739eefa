"""One client of the API over the sample lake."""

from __future__ import annotations

import flask
import pytest
from flask.testing import FlaskClient

from explorer import api
from explorer.domain.lake import Lake
from tests.lake_fixture import Sample


def server(lake: Lake) -> flask.Flask:
    app = flask.Flask("test")
    app.register_blueprint(api.blueprint(lake))
    return app


@pytest.fixture
def client(sample_lake: Sample) -> FlaskClient:
    return server(sample_lake.lake).test_client()
