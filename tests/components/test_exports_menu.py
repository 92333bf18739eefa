"""Every page's menu of files: pinned, whole, and each link is answered."""

from __future__ import annotations

import re
from html import unescape

import pytest

from explorer.app import create_app
from explorer.i18n import LANGUAGES
from explorer.settings import Settings
from tests.lake_fixture import DATASET, FIRST_NAME, Sample

MENU = re.compile(r'<details[^>]*data-testid="exports".*?</details>', re.DOTALL)
LINK = re.compile(r'<a [^>]*?href="([^"]+)"')
PAGES = {
    "curves": ("/?x=p90_ttft_s&scale=logx&lang={lang}", {"curves", "points"}),
    "empty curves": ("/?model=nobody&lang={lang}", {"curves", "points"}),
    "point": ("/points/{low}?lang={lang}", {"point", "requests", "series"}),
    "row": ("/points/{other}?lang={lang}", {"point"}),
    "timeline": ("/points/{high}/timeline?phase=all&lang={lang}", {"requests"}),
    "compare": ("/compare?a={low}&b={other}&lang={lang}", {"point", "requests", "series"}),
    "timelines": ("/compare/timelines?a={low}&b={high}&lang={lang}", {"requests"}),
    "one point": ("/compare?a={low}&lang={lang}", {"point", "requests", "series"}),
    "datasets": ("/datasets?lang={lang}", {"datasets"}),
    "dataset": ("/datasets/{dataset}?lang={lang}", {"dataset", "conversations"}),
    "conversation": ("/datasets/{dataset}/conversations/conv-0?lang={lang}", {"turns"}),
    "conversations": (
        "/compare/conversations?a={dataset}/conv-0&b={dataset}/conv-1&lang={lang}",
        {"turns"},
    ),
}
NO_PICTURE = ("row", "empty curves", "compare")
"""Views of the sample whose embeds have nothing to draw, or no picture: those links say so."""
pages = pytest.mark.parametrize("name", PAGES)


@pytest.fixture(scope="module")
def client(sample_lake: Sample):
    return create_app(Settings(lake=sample_lake.folder)).test_client()


def menu(client, sample: Sample, name: str, lang: str = "en", more: str = "") -> str:
    address = PAGES[name][0].format(lang=lang, dataset=DATASET, **sample.ids)
    answer = client.get(address + more)
    assert answer.status_code == 200
    found = MENU.search(answer.text)
    assert found, address
    return found[0]


def links(text: str) -> list[str]:
    return [unescape(href) for href in LINK.findall(text)]


@pages
def test_a_page_offers_its_rows_in_every_format(client, sample_lake, name):
    text = menu(client, sample_lake, name)
    named = [one for one in re.findall(r'data-export="(\w+)"', text) if one != "picture"]
    assert set(named) == PAGES[name][1]
    rows = len(named)
    for format_ in ("csv", "parquet", "arrow", "json", "curl", "sql", "ipynb"):
        assert text.count(f"format={format_}") == rows


@pages
def test_each_link_is_pinned_and_answered(client, sample_lake, name):
    found = links(menu(client, sample_lake, name))
    assert len(found) >= 7
    for href in found:
        assert f"snap={sample_lake.newest}" in href
        if name in NO_PICTURE and href.startswith("/e/"):
            continue
        answer = client.get(href)
        assert answer.status_code == 200, (href, answer.text[:200])
        assert "immutable" in answer.headers["Cache-Control"]


def test_a_pin_of_the_address_stays(client, sample_lake):
    for href in links(menu(client, sample_lake, "curves", more=f"&snap={FIRST_NAME}")):
        assert href.count("snap=") == 1
        assert f"snap={FIRST_NAME}" in href


@pytest.mark.parametrize("lang", LANGUAGES)
def test_links_are_named_for_those_who_cannot_see_the_menu(client, sample_lake, lang):
    text = menu(client, sample_lake, "compare", lang)
    labels = re.findall(r'<a [^>]*aria-label="([^"]+)"', text)
    assert len(set(labels)) == len(links(text)) == 30


def test_points_of_the_menu_are_those_on_the_curves(client, sample_lake):
    found = {}
    for kind in ("curves", "points"):
        hrefs = links(menu(client, sample_lake, "curves"))
        href = next(one for one in hrefs if f"/{kind}?" in one and "format=json" in one)
        found[kind] = client.get(href).json
    on = {point["point_id"] for curve in found["curves"]["data"] for point in curve["points"]}
    assert on
    assert on <= {point["point_id"] for point in found["points"]["data"]}


def test_an_error_has_no_menu(client):
    assert 'data-testid="exports"' not in client.get("/points/nosuchpoint0").text
