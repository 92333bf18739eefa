"""Heads of pages: canonical, languages, cards, oEmbed, schema.org."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape

import pytest

from explorer.app import create_app
from explorer.queries import paging
from explorer.settings import Settings
from tests.lake_fixture import DATASET, NAMES, Sample


def tags(html: str) -> dict[str, str]:
    """Return the head's meta tags by name."""
    found = re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">', html)
    return {name: unescape(text) for name, text in found}


def documents(html: str) -> list[dict]:
    texts = re.findall(r'<script type="application/ld\+json">(.*?)</script>', html, re.S)
    return [json.loads(text) for text in texts]


def canonical(html: str) -> str:
    return unescape(re.search(r'<link rel="canonical" href="([^"]*)">', html)[1])


def test_the_public_address_stands_in_every_link_where_it_is_set(sample_lake: Sample) -> None:
    settings = Settings(lake=sample_lake.folder, public_url="https://bench.example")
    page = create_app(settings).test_client().get("/?lang=zh&theme=dark").text
    assert canonical(page) == "https://bench.example/"
    assert tags(page)["og:url"] == "https://bench.example/?lang=zh"
    assert tags(page)["og:image"].startswith("https://bench.example/cards/v1/")
    assert 'hreflang="zh" href="https://bench.example/?lang=zh"' in page
    assert "https://bench.example/s/" in page, "the share dialog"
    assert "http://localhost" not in page


def test_a_card_names_the_snapshot_and_is_a_picture_of_the_size_said(client, sample_lake) -> None:
    said = tags(client.get("/?lang=zh").text)
    assert said["twitter:card"] == "summary_large_image"
    assert said["og:locale"] == "zh_CN"
    picture = said["og:image"].removeprefix("http://localhost")
    assert picture.endswith(f"?snap={sample_lake.newest}")
    answer = client.get(picture)
    assert answer.mimetype == "image/png"
    size = [int.from_bytes(answer.data[at : at + 4]) for at in (16, 20)]
    assert size == [int(said["og:image:width"]), int(said["og:image:height"])]


def test_pages_with_an_embed_say_how_to_embed_them(client, sample_lake) -> None:
    found = re.search(
        r'<link rel="alternate" type="application/json\+oembed" href="([^"]*)"',
        client.get(f"/points/{sample_lake.ids['low']}?phase=all").text,
    )
    address = unescape(found[1]).removeprefix("http://localhost")
    assert client.get(address).json["type"] == "rich"
    assert "json+oembed" not in client.get("/datasets").text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_datasets_are_declared_for_search_engines(client, sample_lake, lang: str) -> None:
    (whole,) = documents(client.get(f"/?lang={lang}").text)
    assert whole["@type"] == "Dataset"
    assert whole["identifier"] == sample_lake.newest
    assert 50 <= len(whole["description"]) <= 5_000 or lang == "zh"
    for download in whole["distribution"]:
        answer = client.get(download["contentUrl"].removeprefix("http://localhost"))
        assert answer.status_code == 200
        assert answer.mimetype == download["encodingFormat"].partition(";")[0]
    (listed,) = documents(client.get(f"/datasets?lang={lang}").text)
    assert [one["identifier"] for one in listed["dataset"]] == [DATASET]
    (one,) = documents(client.get(f"/datasets/{DATASET}?lang={lang}").text)
    assert one["url"] == f"http://localhost/datasets/{DATASET}"
    assert documents(client.get("/compare").text) == []


def rows_of(client, downloads: list[dict], mime: str) -> list[str]:
    """Return the ids of all rows behind a dataset's downloads of a type."""
    found = []
    for one in downloads:
        if one["encodingFormat"] != mime:
            continue
        answer = client.get(one["contentUrl"].removeprefix("http://localhost"))
        if mime == "text/csv":
            found += [row["point_id"] for row in csv.DictReader(io.StringIO(answer.text))]
        else:
            found += [row["conversation"] for row in answer.json["data"]]
    return found


@pytest.mark.parametrize("most", [1_000, 3, 2, 1])
def test_downloads_that_are_declared_hold_every_row(client, sample_lake, monkeypatch, most: int):
    monkeypatch.setattr(paging, "MAX_LIMIT", most)
    kept = [sample_lake.ids[name] for name in NAMES if name != "gone"]
    (whole,) = documents(client.get("/?lang=zh").text)
    assert rows_of(client, whole["distribution"], "text/csv") == sorted(kept)
    assert len(whole["distribution"]) == 2 * -(-len(kept) // most)
    (one,) = documents(client.get(f"/datasets/{DATASET}").text)
    ids = rows_of(client, one["distribution"], "application/json")
    assert ids == ["conv-0", "conv-1", "conv-2"]


def test_an_error_is_not_indexed_and_has_no_card(client) -> None:
    for address in ("/nothing", "/points/aaaaaaaaaaaa", "/?snap=0123456789abcdef"):
        page = client.get(address).text
        assert tags(page)["robots"] == "noindex"
        assert "og:image" not in page
        assert 'data-testid="share"' not in page


def test_texts_in_the_head_are_escaped(client) -> None:
    page = client.get("/?model=%22%3E%3Cscript%3E&q=%3C/script%3E").text
    assert "><script>&" not in page
    assert '"><script>' not in page.replace('src="', "")
