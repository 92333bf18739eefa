"""Answers kept whole: the same from memory as from Flask, gone when what they show is gone."""

from __future__ import annotations

import flask
import pytest

from explorer.exports.ready import IMMUTABLE, Answer, Front, Ready, Standing
from explorer.store import snapshots
from tests.lake_fixture import build

BODY = b"<p>hello</p>" * 200


class Site:
    """A small application whose view counts how often it was asked."""

    def __init__(self, capacity=1_000_000, **how):
        self.asked = 0
        self.how = how
        self.ready = Ready(("/k/",), capacity)
        app = flask.Flask("site")
        app.add_url_rule("/k/<name>", view_func=self.view)
        app.add_url_rule("/other/<name>", view_func=self.view, endpoint="other")
        app.wsgi_app = Front(app.wsgi_app, self.ready)
        self.client = app.test_client()

    def view(self, name):
        self.asked += 1
        answer = Answer(BODY + name.encode(), cache=IMMUTABLE, **self.how)
        self.ready.keep(flask.request.environ, answer)
        return answer


@pytest.mark.parametrize("accepted", ["", "gzip", "br"])
def test_flask_is_asked_once_and_both_roads_give_the_same(accepted):
    site = Site()
    first, again = (
        site.client.get("/k/a", headers={"Accept-Encoding": accepted}) for _ in range(2)
    )
    assert site.asked == 1
    assert (first.status, first.data) == (again.status, again.data)
    assert list(first.headers) == list(again.headers)


def test_addresses_are_told_apart_by_path_and_query():
    site = Site()
    for address in ("/k/a", "/k/b", "/k/a?x=1", "/k/a?x=2", "/k/a"):
        site.client.get(address)
    assert site.asked == 4


def test_other_paths_and_methods_pass_on():
    site = Site()
    site.client.get("/other/a")
    site.client.get("/other/a")
    assert site.asked == 2
    assert site.client.post("/k/a").status_code == 405
    assert site.client.options("/k/a").status_code == 200


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("br, gzip", "br"),
        ("gzip", "gzip"),
        ("gzip;q=1, br;q=0.5", "gzip"),
        ("br;q=0, gzip;q=0", None),
        ("identity", None),
        ("*", "br"),
        ("deflate", None),
        ("", None),
    ],
)
def test_the_client_chooses_the_encoding(accepted, encoding):
    answer = Site().client.get("/k/a", headers={"Accept-Encoding": accepted})
    assert answer.headers.get("Content-Encoding") == encoding
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert int(answer.headers["Content-Length"]) == len(answer.data)


def test_a_small_answer_is_not_compressed():
    body = Answer(b"short")
    sent = {}
    [data] = body(
        {"REQUEST_METHOD": "GET", "HTTP_ACCEPT_ENCODING": "br"},
        lambda status, headers: sent.update(headers),
    )
    assert data == b"short"
    assert "Content-Encoding" not in sent


@pytest.mark.parametrize("header", ['"nothing", {tag}', "W/{tag}", "*", "{tag}"])
def test_a_known_tag_is_304(header):
    client = Site().client
    tag = client.get("/k/a").headers["ETag"]
    answer = client.get("/k/a", headers={"If-None-Match": header.replace("{tag}", tag)})
    assert answer.status_code == 304
    assert "Content-Length" not in answer.headers
    assert client.get("/k/a", headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_redirect_is_kept_as_it_is():
    site = Site(status=308, headers=(("Location", "/there"),))
    for _ in range(2):
        answer = site.client.get("/k/a", headers={"If-None-Match": "*"})
        assert (answer.status_code, answer.headers["Location"]) == (308, "/there")
        assert "ETag" not in answer.headers
    assert site.asked == 1


def test_what_no_longer_stands_is_asked_for_again():
    standing = [True]
    site = Site(still=lambda: standing[0])
    site.client.get("/k/a")
    site.client.get("/k/a")
    standing[0] = False
    site.client.get("/k/a")
    assert site.asked == 2


def test_memory_is_bounded_whatever_is_asked():
    site = Site(capacity=50_000)
    for n in range(100):
        site.client.get(f"/k/a?n={n}")
    assert len(site.ready._kept) <= 50_000 // (2 * len(BODY))


def test_the_newest_snapshot_stands_until_the_next_and_a_pin_until_it_expires(tmp_path):
    sample = build(tmp_path / "lake")
    standing = Standing(sample.lake, seconds=0.0)
    newest, pinned = standing.current(sample.newest), standing.pinned(sample.first)
    assert newest()
    assert pinned()
    assert not standing.current(sample.first)()
    snapshots.expire(sample.folder, sample.first)
    assert not pinned()
    assert newest()


def test_a_pin_is_not_looked_up_again_within_a_moment(tmp_path):
    sample = build(tmp_path / "lake")
    pinned = Standing(sample.lake, seconds=3600.0).pinned(sample.first)
    assert pinned()
    snapshots.expire(sample.folder, sample.first)
    assert pinned()
