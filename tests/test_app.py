"""The application as a whole: statuses, headers, no state between requests, no cookie."""

from __future__ import annotations

import re

import pytest

from explorer.app import create_app
from explorer.pages.registry import PAGES
from explorer.settings import Settings

PLAIN = [page.pattern.pattern for page in PAGES if "(?P" not in page.pattern.pattern]


@pytest.fixture(scope="module")
def client(sample_lake):
    return create_app(Settings(lake=sample_lake.folder)).test_client()


def test_an_empty_lake_says_how_to_fill_it(tmp_path):
    client = create_app(Settings(lake=tmp_path)).test_client()
    answer = client.get("/")
    assert answer.status_code == 200
    assert "explorer ingest" in answer.text
    assert client.get("/healthz").json == {"status": "ok"}
    assert client.get("/readyz").status_code == 503


def test_unknown_addresses_are_404_pages(client):
    for path in ("/nothing", "/points/aaaaaaaaaaaa"):
        answer = client.get(path)
        assert answer.status_code == 404, path
        assert 'id="page-root"' in answer.text


def test_ready_names_the_snapshot(client, sample_lake):
    assert client.get("/readyz").json["status"] == "ready"
    assert client.get("/version").json["version"]


def test_pages_set_no_cookie_and_a_strict_policy(client):
    answer = client.get("/")
    assert "Set-Cookie" not in answer.headers
    policy = answer.headers["Content-Security-Policy"]
    script = re.search(r"script-src ([^;]*)", policy)[1]
    assert "unsafe" not in script
    assert "'self'" in script
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_static_files_are_compressed_and_kept_for_ever(client):
    page = client.get("/").text
    address = re.search(r'src="(/assets/page\.js[^"]*)"', page)[1]
    answer = client.get(address, headers={"Accept-Encoding": "br"})
    assert answer.headers["Content-Encoding"] == "br"
    assert "immutable" in answer.headers["Cache-Control"]
    plain = client.get(address)
    assert "Content-Encoding" not in plain.headers
    assert len(plain.data) > len(answer.data)


def test_the_first_answer_is_small(client):
    answer = client.get("/", headers={"Accept-Encoding": "br"})
    assert len(answer.data) < 60_000


def test_two_processes_give_the_same_page(sample_lake):
    pages = [
        create_app(Settings(lake=sample_lake.folder)).test_client().get("/?split=offload").text
        for _ in range(2)
    ]
    assert pages[0] == pages[1]


def test_asking_one_thing_does_not_change_another(client):
    before = client.get("/?y=total_tps").text
    client.get("/?hw=b200&lang=zh&theme=dark&ttft_max=1")
    assert client.get("/?y=total_tps").text == before


def test_what_an_address_gets_wrong_is_said_on_the_page(client):
    text = client.get("/?colour=red&ttft_max=soon").text
    assert "colour" in text
    assert "soon" in text
    assert client.get("/?colour=red").status_code == 200


def test_an_address_cannot_inject_markup(client):
    text = client.get("/?q=x&colour=<script>alert(1)</script>").text
    assert "<script>alert" not in text
    text = client.get("/<img src=x onerror=alert(1)>").text
    assert "<img src=x" not in text


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("path", PLAIN)
def test_every_page_without_values_draws_in_both_languages(client, path, lang):
    answer = client.get(f"{path}?lang={lang}")
    assert answer.status_code == 200
    assert f'<html lang="{lang}"' in answer.text
    assert "<h1" in answer.text
