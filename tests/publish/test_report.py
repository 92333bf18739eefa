"""One page as one file: nothing outside, rows inside, the same each time."""

from __future__ import annotations

import base64
import io
import re

import pandas as pd
import pytest

from explorer.errors import UsageError
from explorer.publish.report import report
from explorer.settings import Settings
from tests.lake_fixture import DATASET, FIRST_NAME, Sample

LINK = re.compile(r'\s(?:href|src)="([^"]*)"')
SCRIPT = re.compile(r"<script\b[^>]*>.*?</script>", re.DOTALL)
ROWS = re.compile(r'download="([^"]+)" href="data:text/csv;base64,([^"]+)"')


def made(sample: Sample, address: str, **how: str) -> str:
    return report(Settings(lake=sample.folder, **how), address).decode()


def addresses(sample: Sample) -> list[str]:
    low, high = sample.ids["low"], sample.ids["high"]
    return [
        f"/points/{high}",
        f"/compare?a={low}&b={high}",
        f"/datasets/{DATASET}/conversations/conv-0",
        "/?lang=zh",
    ]


@pytest.mark.parametrize("place", range(4))
def test_nothing_outside_the_file_is_named(sample_lake, place):
    html = made(sample_lake, addresses(sample_lake)[place])
    for href in LINK.findall(SCRIPT.sub("", html)):
        assert href.startswith(("#", "data:", "http")), href
        assert "localhost" not in href
    assert html.count("<script") == html.count("</script>") == 1
    assert '<link rel="stylesheet"' not in html
    assert "default-src 'none'" in html


def test_rows_are_inside_and_read_back(sample_lake: Sample):
    found = dict(ROWS.findall(made(sample_lake, f"/points/{sample_lake.ids['high']}")))
    assert {"point.csv", "requests.csv", "series.csv"} <= set(found)
    rows = pd.read_csv(io.BytesIO(base64.b64decode(found["requests.csv"])), comment="#")
    assert len(rows) > 40


def test_the_same_page_gives_the_same_file(sample_lake: Sample):
    address = addresses(sample_lake)[1]
    assert made(sample_lake, address) == made(sample_lake, address)


def test_a_public_server_is_behind_what_is_not_inside(sample_lake: Sample):
    html = made(sample_lake, "/", public_url="https://bench.example.org")
    assert 'href="https://bench.example.org/points/' in html


def test_a_snapshot_can_be_named(sample_lake: Sample):
    settings = Settings(lake=sample_lake.folder)
    html = report(settings, f"/points/{sample_lake.ids['gone']}", FIRST_NAME).decode()
    assert sample_lake.ids["gone"] in html


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/zzz", "no page has this path"),
        ("/points/nosuchpoint0", "404"),
        ("/e/v1/curve", "file of its own kind"),
        ("/points/x/timeline", "--format html"),
    ],
)
def test_what_is_no_page_says_so(sample_lake: Sample, address, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        made(sample_lake, address)
