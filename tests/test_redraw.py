"""A page drawn anew in place: the same parts as the whole page, as they are drawn, chart first."""

from __future__ import annotations

import gzip
import json
import re
from html import unescape

import brotli
import pytest

from explorer.app import create_app
from explorer.components.curve_picture import chart
from explorer.components.curves_shown import curves_shown
from explorer.components.view import Words
from explorer.domain import view_state
from explorer.pages import curves
from explorer.settings import Settings
from explorer.store.lake import open_lake
from tests.crowd_lake import HW, lake_of
from tests.forget import forget_all


@pytest.fixture(scope="module")
def client(sample_lake):
    return create_app(Settings(lake=sample_lake.folder)).test_client()


def lines(client, query: str) -> list:
    answer = client.get(f"/_redraw/?{query}", headers={"Accept-Encoding": ""})
    assert answer.status_code == 200
    return [json.loads(line) for line in answer.text.splitlines()]


@pytest.mark.parametrize(
    "query", ["", "lang=zh&theme=dark", "stat=p50&scale=log", "ttft_max=3", "hw=none-such"]
)
@pytest.mark.parametrize("lake", ["client", "crowd"])
def test_the_parts_are_those_of_the_whole_page(request, lake, query):
    client = request.getfixturevalue(lake)
    about, *parts, end = lines(client, query)
    assert end is None
    page = client.get(f"/?{query}").text
    assert f"<title>{about['title']}</title>" in unescape(page)
    assert f'<html lang="{about["lang"]}" data-theme="{about["theme"]}">' in page
    for name, inside in parts:
        assert fold(inside_of(page, name)) == inside, name
    named = re.findall(r' data-part="(\w+)"', page)
    assert sorted(name for name, _ in parts) == sorted(named)
    for name, _ in parts:
        assert client.get(f"/_part/{about['snap']}/{name}/?{query}").text == inside_of(page, name)


def inside_of(page: str, name: str) -> str:
    """Return what is inside a part of a page."""
    element = re.search(rf'<(\w+)[^>]* data-part="{name}"[^>]*>', page)
    rest, depth = page[element.end() :], 1
    for tag in re.finditer(rf"<(/?){element[1]}[ >]", rest):
        depth += -1 if tag[1] else 1
        if not depth:
            return rest[: tag.start()]
    raise AssertionError(f"{name} has no end")


CLOSED = re.compile(
    r'<details((?: [\w-]+="[^"]*")*)>(<summary>(?:(?!</summary>).)*</summary>).*?</details>',
    re.DOTALL,
)
KEPT = ("explain-axes",)
"""Closed ones of which a redraw sends all: it is little."""


def fold(inside: str) -> str:
    """Return a part without what is closed in it."""
    return CLOSED.sub(_folded, inside)


def _folded(found: re.Match) -> str:
    if any(name in found[1] for name in KEPT):
        return found[0]
    attributes = sorted([*re.findall(r' [\w-]+="[^"]*"', found[1]), ' data-folded=""'])
    return f"<details{''.join(attributes)}>{found[2]}</details>"


def test_parts_of_a_page_that_is_not_the_newest_are_refused(tmp_path):
    lake = lake_of(tmp_path / "lake", 20)
    client = create_app(Settings(lake=lake)).test_client()
    old, new = "", ""
    for n in (20, 21):
        lake_of(lake, n)
        old, new = new, f"/_part/{lines(client, HW)[0]['snap']}/choices/?{HW}"
        assert client.get(new).status_code == 200
    assert old != new
    for place in (old, new.replace("/choices/", "/none/"), new.replace("?", "datasets?")):
        assert client.get(place).status_code == 204


def test_the_chart_comes_first_and_does_not_wait_for_the_rest(client, monkeypatch):
    def never(*_):
        raise RuntimeError("drawn too early")

    forget_all()
    monkeypatch.setattr(curves, "_twin", never)
    answer = client.get("/_redraw/?stat=mean", headers={"Accept-Encoding": ""}, buffered=False)
    chunks = iter(answer.response)
    _, title, chart = map(json.loads, next(chunks).splitlines())
    assert (title[0], chart[0]) == ("title", "chart")
    assert '<svg class="curves"' in chart[1]
    with pytest.raises(RuntimeError, match="too early"):
        list(chunks)


def test_the_table_comes_after_all_that_is_put_in_place_together(client):
    about, *parts, _ = lines(client, "stat=p50")
    assert [name for name, _ in parts[about["together"] :]] == ["twin"]


@pytest.mark.parametrize(
    ("encoding", "unpack"), [("br", brotli.decompress), ("gzip", gzip.decompress)]
)
def test_it_is_compressed_line_by_line(client, encoding, unpack):
    plain = client.get("/_redraw/?stat=p50", headers={"Accept-Encoding": ""}).data
    answer = client.get("/_redraw/?stat=p50", headers={"Accept-Encoding": encoding})
    assert answer.headers["Content-Encoding"] == encoding
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert unpack(answer.data) == plain


@pytest.mark.parametrize(
    "address", ["datasets", "no/such/page", "?view=history", "?snap=none-such"]
)
def test_what_is_not_drawn_in_parts_is_left_to_the_whole_page(client, address):
    answer = client.get(f"/_redraw/{address}")
    assert (answer.status_code, answer.data) == (204, b"")


@pytest.fixture(scope="module")
def crowd_lake(tmp_path_factory):
    return lake_of(tmp_path_factory.mktemp("crowd") / "lake", 600)


@pytest.fixture(scope="module")
def crowd(crowd_lake):
    return create_app(Settings(lake=crowd_lake)).test_client()


@pytest.mark.parametrize("query", ["", "lang=zh&stat=p50", "split=offload&scale=log&y_to=900000"])
def test_dots_say_what_their_links_say_elsewhere(crowd, crowd_lake, query):
    page = crowd.get(f"/?{HW}&{query}").text
    said = crowd.get(dots_of(page)).json
    a, b, c, d = said["between"]
    rows = [row.split(";") for row in said["rows"].split("\n")]
    drawn = re.findall(r'<path class="dots" d="([^"]+)"', page)
    assert len(rows) == sum(path.count("h0") for path in drawn) > 300
    texts, href = said["texts"], said["href"]
    ours = [
        (f"{href[0]}{row[0]}{href[1]}", f"{texts[int(row[1])]}{a}{row[2]}{b}{row[3]}{c}{row[4]}{d}"
         f"{texts[int(row[5])]}")
        for row in rows
    ]  # fmt: skip
    state = view_state.parse(f"{HW}&{query}")
    whole = chart(curves_shown(open_lake(crowd_lake), state, Words(state)).picture)
    link = r'<a data-point-id="\w+" href="([^"]+)" aria-label="([^"]+)">(?:<g[^>]*>)?</a>'
    links = re.findall(link, whole)
    assert ours == [(unescape(place), unescape(words)) for place, words in links]


def dots_of(page: str) -> str:
    return unescape(re.search(r'data-dots="([^"]+)"', page)[1])


def test_dots_of_a_chart_that_is_not_the_newest_are_refused(tmp_path):
    lake = lake_of(tmp_path / "lake", 300)
    client = create_app(Settings(lake=lake)).test_client()
    old = dots_of(client.get(f"/?{HW}").text)
    assert client.get(old).status_code == 200
    lake_of(lake, 301)
    assert client.get(old).status_code == 204
    new = dots_of(client.get(f"/?{HW}").text)
    assert new != old
    assert client.get(new).status_code == 200
    snap = old.split("/")[2].partition("?")[0]
    assert client.get(f"{old}&snap={snap}").status_code == 200
    assert client.get(f"{old}&snap=none-such").status_code == 204


def test_few_points_have_no_dots(client):
    assert 'data-dots="' not in client.get("/").text
