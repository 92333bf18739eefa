"""Conversations have addresses whatever is in their ids, slashes above all."""

from __future__ import annotations

import functools
import http.server
import json
import re
import threading
from html import unescape
from pathlib import Path
from urllib.parse import quote, unquote
from urllib.request import urlopen

import pytest
from flask.testing import FlaskClient

from explorer.app import create_app, draw
from explorer.domain import addresses
from explorer.domain.lake import Lake
from explorer.domain.share_code import encode
from explorer.domain.view_state import ViewState
from explorer.ingest.pipeline import ingest
from explorer.publish.site import site
from explorer.settings import Settings
from explorer.store.lake import open_lake

IDS = (
    "a/b", "/home/u/chat.json", "dir/", "a//b", "a/../../b", "x", "x/flame", "x/speedscope",
    "50%/2F", "user@host/1", "line\nend", "日本/1",
)  # fmt: skip
SET = "ids"
RAW = pytest.mark.parametrize("id_", IDS, ids=range(len(IDS)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake of one conversation for each of IDS, each of its own length."""
    home = tmp_path_factory.mktemp("ids")
    (home / SET).mkdir()
    for n, id_ in enumerate(IDS):
        turns = [
            {"t": float(t), "type": "n", "model": "m", "in": 64 * (t + 1) + 5, "out": 7,
             "hash_ids": list(range(t + 1)), "api_time": 1.0}
            for t in range(n + 2)
        ]  # fmt: skip
        trace = {"id": id_, "models": ["m"], "block_size": 64, "requests": turns}
        (home / SET / f"{n:02d}.json").write_text(json.dumps(trace))
    ingest([home / SET], home / "lake")
    return home / "lake"


@pytest.fixture(scope="module")
def lake(folder: Path) -> Lake:
    return open_lake(folder)


@pytest.fixture(scope="module")
def client(folder: Path) -> FlaskClient:
    return create_app(Settings(lake=folder)).test_client()


def turns(id_: str) -> int:
    return IDS.index(id_) + 2


def once_quoted(id_: str) -> str:
    return f"/datasets/{SET}/conversations/{quote(id_, safe='')}"


@RAW
def test_the_list_leads_to_the_page(client: FlaskClient, id_: str):
    listed = client.get(f"/datasets/{SET}").text
    here = addresses.conversation(SET, id_)
    assert f'href="{here}"' in unescape(listed)
    answer = client.get(here)
    assert answer.status_code == 200
    assert f'<link rel="canonical" href="http://localhost{here}">' in answer.text
    assert f">{turns(id_)} turns, 0 sub-agents" in answer.text


@RAW
def test_the_api_answers_the_conversation_and_its_parts(client: FlaskClient, id_: str):
    asked = addresses.api_conversation(SET, id_)
    body = client.get(asked).json
    assert body["data"]["conversation"] == id_
    assert len(body["data"]["turns"]) == turns(id_)
    again = client.get(body["meta"]["provenance"]["address"])
    assert again.json["data"] == body["data"]
    assert client.get(addresses.api_conversation(SET, id_, "flame")).text.startswith("<svg")
    profile = client.get(addresses.api_conversation(SET, id_, "speedscope")).json
    assert profile["name"] == f"{SET}/{id_}"


@RAW
def test_the_embed_its_picture_and_oembed_find_it(client: FlaskClient, id_: str):
    here = addresses.conversation(SET, id_)
    embed = addresses.embed("flame", ViewState().having(a=addresses.conversation_key(SET, id_)))
    assert client.get(embed).status_code == 200
    assert here in unescape(client.get(embed).text)
    assert client.get(addresses.picture(embed, "svg")).status_code == 200
    of_page = addresses.embed_of(unquote(here), ViewState())
    assert of_page is not None
    assert here in unescape(client.get(of_page).text)
    told = client.get(addresses.oembed(f"http://localhost{here}"))
    assert told.status_code == 200
    assert client.get(addresses.card(encode(here))).status_code == 200


@RAW
def test_a_share_code_leads_to_it(client: FlaskClient, id_: str):
    here = addresses.conversation(SET, id_)
    moved = client.get(addresses.share(encode(here)))
    assert moved.status_code == 308
    assert moved.headers["Location"] == here


@RAW
def test_links_to_its_turns_lead_to_them(client: FlaskClient, id_: str):
    here = addresses.conversation(SET, id_)
    page = unescape(client.get(here).text)
    found = set(re.findall(r'href="(/datasets/[^"]*turn=1[^"]*)"', page))
    assert {address.partition("?")[0] for address in found} == {here}
    assert client.get(found.pop()).status_code == 200


@pytest.mark.parametrize("id_", ["a/b", "/home/u/chat.json", "a//b", "日本/1"], ids=range(4))
def test_a_once_quoted_or_bare_slash_is_understood(client: FlaskClient, id_: str):
    for asked in (once_quoted(id_), quote(unquote(once_quoted(id_)))):
        moved = client.get(asked)
        assert moved.status_code == 308
        assert moved.headers["Location"] == addresses.conversation(SET, id_)
    api = addresses.API + once_quoted(id_)
    assert client.get(api).json["data"]["conversation"] == id_
    assert client.get(f"{api}/flame").text.startswith("<svg")


def test_the_page_that_the_browser_asks_for_is_the_servers(client: FlaskClient, lake: Lake):
    for path in (f"/datasets/{SET}/conversations/a%2Fb", f"/datasets/{SET}/conversations/a/b"):
        view, _ = draw(lake, path, ViewState())
        assert view.status == 200
        assert view.canonical == addresses.conversation(SET, "a/b")


def test_a_published_site_serves_them_and_stays_in_its_folder(folder: Path, tmp_path: Path):
    out = tmp_path / "outer" / "public"
    chosen = [id_ for id_ in IDS if "\n" not in id_]
    wanted = [f"/datasets/{SET}", *(addresses.conversation(SET, id_) for id_ in chosen)]
    site(Settings(lake=folder), [*wanted, once_quoted("a/b")], out)
    assert [path.name for path in (tmp_path / "outer").iterdir()] == ["public"]
    handler = functools.partial(_Quiet, directory=str(out))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_address[1]}"
        with urlopen(f"{base}/datasets/{SET}/") as answer:
            page = unescape(answer.read().decode())
        links = re.findall(r'<a href="(conversations/[^"]+)"', page)
        assert len(set(links)) >= len(chosen)
        for link in set(links):
            with urlopen(f"{base}/datasets/{SET}/{link}") as answer:
                assert answer.status == 200
        server.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Say nothing."""
