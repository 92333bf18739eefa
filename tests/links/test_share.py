"""`/s/<code>`: a redirect for good, from any replica; a broken code is a page that says why."""

from __future__ import annotations

import pytest

from explorer.app import create_app
from explorer.domain.share_code import encode
from explorer.settings import Settings


def test_a_code_redirects_for_good_without_asking_the_lake(client, tmp_path) -> None:
    address = "/points/gdtjz6auvfsw?snap=first&lang=zh"
    other = create_app(Settings(lake=tmp_path / "nothing")).test_client()
    for replica in (client, other):
        for _ in range(2):  # the second comes from what is kept
            answer = replica.get(f"/s/{encode(address)}")
            assert (answer.status_code, answer.headers["Location"]) == (308, address)
            assert "immutable" in answer.headers["Cache-Control"]
            assert "Set-Cookie" not in answer.headers
        assert replica.head(f"/s/{encode(address)}").status_code == 308


def test_an_older_spelling_inside_a_code_leads_to_todays(client) -> None:
    answer = client.get(f"/s/{encode('/?search=kimi&x=interactivity_tps')}")
    assert answer.headers["Location"] == "/?q=kimi"


@pytest.mark.parametrize("code", ["x", "AdMHzz", "AgMHAA", "A" * 7000, "AdM", "a/b"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_broken_code_says_what_is_wrong_and_what_next(client, code: str, lang: str) -> None:
    answer = client.get(f"/s/{code}?lang={lang}")
    assert answer.status_code == 400
    said = {
        "en": ("This share link is broken", "Copy the link again"),
        "zh": ("已损坏", "重新完整复制"),
    }
    for text in said[lang]:
        assert text in answer.text
    assert len(answer.text) < 60_000
    assert 'content="noindex"' in answer.text


def test_a_code_cannot_lead_elsewhere(client) -> None:
    for address in ("//elsewhere.example/", "https://elsewhere.example/"):
        with pytest.raises(ValueError, match="address"):
            encode(address)


@pytest.mark.parametrize(
    "address",
    ["/", "/snapshots", "/datasets", "/s/AdMHAA", "/robots.txt", "/sitemap.xml", "/e/v1/curve",
     "/cards/v1/AdMHAA.png", "/oembed?url=http://localhost/", "/api/v1/snapshots", "/healthz"],
)  # fmt: skip
def test_no_public_route_sets_a_cookie(client, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code in (200, 308)
    assert "Set-Cookie" not in answer.headers


def test_a_renamed_key_and_a_slash_redirect_but_an_unknown_key_is_told(client) -> None:
    assert client.get("/datasets/?search=a").headers["Location"] == "/datasets?q=a"
    told = client.get("/?colour=red")
    assert told.status_code == 200
    assert "colour" in told.text
    assert client.post("/datasets/").status_code != 308
