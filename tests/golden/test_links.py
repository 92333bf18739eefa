"""Every link ever published still leads where it led: tests/golden/links.toml is only added to."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from explorer.app import create_app
from explorer.domain import addresses, view_state
from explorer.domain.share_code import decode, encode
from explorer.pages.registry import PAGES, find
from explorer.settings import Settings

LINKS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "links.toml").read_text(encoding="utf-8")
)["link"]
SHOWN = [link for link in LINKS if "page" in link]
MOVED = [link for link in LINKS if "to" in link]
by_address = {"ids": lambda link: link["address"]}


@pytest.fixture(scope="module")
def client(sample_lake):
    return create_app(Settings(lake=sample_lake.folder)).test_client()


@pytest.mark.parametrize("link", SHOWN, **by_address)
def test_a_published_link_shows_its_page_in_its_state(client, link: dict[str, Any]) -> None:
    parts = urlsplit(link["address"])
    state = view_state.parse(parts.query)
    assert view_state.format(state) == link["state"]
    assert state.problems == ()
    answer = client.get(link["address"])
    assert answer.status_code == 200
    if not link["page"].startswith("embed "):
        found = find(parts.path)
        assert found is not None
        assert found[0].name == link["page"]


@pytest.mark.parametrize("link", MOVED, **by_address)
def test_an_older_spelling_leads_to_todays(client, link: dict[str, Any]) -> None:
    answer = client.get(link["address"])
    assert answer.status_code == 308
    assert answer.headers["Location"] == link["to"]
    assert "max-age" in answer.headers["Cache-Control"]
    assert client.get(link["to"]).status_code == 200


@pytest.mark.parametrize(
    "link", [link for link in MOVED if link["address"].startswith("/s/")], **by_address
)
def test_a_share_code_of_version_1_is_made_and_read_as_ever(link: dict[str, Any]) -> None:
    code = link["address"].removeprefix("/s/")
    assert decode(code) == link["to"]
    assert encode(link["to"]) == code


def test_every_page_embed_and_key_has_a_published_link() -> None:
    pages = {link["page"] for link in SHOWN}
    assert pages >= {page.name for page in PAGES} - {"share"}
    assert pages >= {f"embed {kind}" for kind in addresses.EMBEDS}
    keys = {pair.partition("=")[0] for link in SHOWN for pair in link["state"].split("&") if pair}
    assert keys >= {key.name for key in view_state.KEYS}
    spelled = {link["address"].partition("?")[2] for link in MOVED}
    for key in view_state.KEYS:
        for alias in key.aliases:
            assert any(f"{alias}=" in query for query in spelled), alias
