"""The page about the API names every route, and its examples are right calls."""

from __future__ import annotations

import re
from pathlib import Path

from explorer.api.routes import ROUTES
from explorer.domain.addresses import API
from tests.lake_fixture import Sample

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")


def test_the_page_lists_exactly_the_routes():
    assert re.findall(r"^\| `(/\S+)`", PAGE, re.M) == [route.path for route in ROUTES]


def test_the_examples_are_answered(client, sample_lake: Sample):
    examples = re.findall(rf"curl 'localhost:8050({re.escape(API)}[^']+)'", PAGE)
    assert len(examples) == 4
    for example in examples:
        answer = client.get(example.replace("POINT", sample_lake.ids["high"]))
        assert answer.status_code == 200
