"""oEmbed 1.0, JSON: what embeds a page, within the asker's limits; the errors of the spec."""

from __future__ import annotations

from html import unescape
from urllib.parse import quote

import pytest

from explorer.domain.share_code import encode

HOST = "http://localhost"


def ask(client, url: str, **params: object):
    more = "".join(f"&{name}={value}" for name, value in params.items())
    return client.get(f"/oembed?url={quote(url, safe='')}{more}")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/?model=kimik2.5", "curve"),
        ("/points/gdtjz6auvfsw", "point"),
        ("/points/gdtjz6auvfsw/timeline", "timeline"),
        ("/compare?a=gdtjz6auvfsw&b=t3fvom5xync4", "compare"),
        ("/datasets/sample-set/conversations/conv-0", "flame"),
    ],
)
def test_each_kind_of_page_has_its_embed(client, path: str, kind: str) -> None:
    answer = ask(client, HOST + path)
    assert answer.status_code == 200
    found = answer.json
    assert (found["version"], found["type"]) == ("1.0", "rich")
    assert f'src="{HOST}/e/v1/{kind}' in found["html"]
    source = unescape(found["html"].split('src="')[1].split('"')[0]).removeprefix(HOST)
    assert client.get(source).status_code == 200
    assert client.get(found["thumbnail_url"].removeprefix(HOST)).mimetype == "image/png"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    again = client.get(answer.request.full_path, headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304


def test_limits_hold_for_frame_and_thumbnail(client) -> None:
    found = ask(client, f"{HOST}/", maxwidth=640, maxheight=400).json
    assert (found["width"], found["height"]) == (640, 400)
    assert (found["thumbnail_width"], found["thumbnail_height"]) == (600, 315)
    small = ask(client, f"{HOST}/", maxwidth=320).json
    assert small["width"] == 320
    assert "thumbnail_url" not in small
    assert client.get("/cards/v1/AdMHAA.png?w=601").status_code == 400


def test_a_pin_and_a_short_link_are_respected(client, sample_lake) -> None:
    pinned = ask(client, f"{HOST}/?snap=first").json["html"]
    assert "snap=first" in pinned
    short = ask(client, f"{HOST}/s/{encode('/points/gdtjz6auvfsw?snap=first')}").json["html"]
    assert "point=gdtjz6auvfsw" in short
    assert "snap=first" in short


@pytest.mark.parametrize(
    ("url", "params", "status"),
    [
        (f"{HOST}/", {"format": "xml"}, 501),
        ("", {}, 400),
        ("http://elsewhere.example/", {}, 404),
        ("javascript:alert(1)", {}, 404),
        ("http://[", {}, 404),
        (f"{HOST}//[/", {}, 404),
        (f"{HOST}//elsewhere.example/", {}, 404),
        (f"{HOST}/datasets", {}, 404),
        (f"{HOST}/points/aaaaaaaaaaaa", {}, 404),
        (f"{HOST}/s/xxxx", {}, 404),
        (f"{HOST}/", {"maxwidth": "wide"}, 400),
        (f"{HOST}/", {"maxheight": "0"}, 400),
    ],
)
def test_what_cannot_be_embedded_is_said_as_the_spec_says(client, url, params, status) -> None:
    assert ask(client, url, **params).status_code == status


def test_a_host_is_the_same_in_capitals_and_without_a_slash(client) -> None:
    assert ask(client, "http://LocalHost").status_code == 200
