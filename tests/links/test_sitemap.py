"""sitemap.xml and robots.txt."""

from __future__ import annotations

from xml.etree import ElementTree

from explorer.app import create_app
from explorer.links import sitemap
from explorer.settings import Settings
from tests.lake_fixture import DATASET

NAME = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def places(text: str) -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(text).iter(f"{NAME}loc")]


def test_every_address_of_the_sitemap_is_a_page(client, sample_lake) -> None:
    found = places(client.get("/sitemap.xml").text)
    assert "http://localhost/" in found
    assert f"http://localhost/points/{sample_lake.ids['low']}" in found
    assert f"http://localhost/points/{sample_lake.ids['gone']}" not in found
    assert f"http://localhost/datasets/{DATASET}/conversations/conv-0" in found
    for address in found:
        answer = client.get(address.removeprefix("http://localhost"))
        assert answer.status_code == 200, address


def test_a_long_sitemap_is_an_index_of_parts(client, monkeypatch) -> None:
    whole = places(client.get("/sitemap.xml").text)
    monkeypatch.setattr(sitemap, "MOST", 4)
    parts = places(client.get("/sitemap.xml").text)
    assert len(parts) == -(-len(whole) // 4)
    again = [
        address
        for part in parts
        for address in places(client.get(part.removeprefix("http://localhost")).text)
    ]
    assert again == whole


def test_robots_find_the_sitemap_and_an_empty_lake_has_one_too(client, tmp_path) -> None:
    assert "Sitemap: http://localhost/sitemap.xml" in client.get("/robots.txt").text
    empty = create_app(Settings(lake=tmp_path)).test_client()
    assert places(empty.get("/sitemap.xml").text) == ["http://localhost/"]
