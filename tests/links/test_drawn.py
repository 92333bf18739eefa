"""Pictures of embeds as files: whole, titled, pinned, the same each time."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from explorer.app import create_app
from explorer.exports.standalone import tokens
from explorer.settings import Settings
from tests.lake_fixture import DATASET, FIRST_NAME, Sample


@pytest.fixture(scope="module")
def client(sample_lake: Sample):
    return create_app(Settings(lake=sample_lake.folder)).test_client()


def query(sample: Sample, kind: str) -> str:
    ids = sample.ids
    return {
        "curve": "x=p90_ttft_s",
        "point": f"point={ids['high']}",
        "timeline": f"point={ids['high']}&phase=all",
        "compare": f"a={ids['low']}&b={ids['high']}",
        "flame": f"a={DATASET}/conv-0",
    }[kind]


KINDS = ("curve", "point", "timeline", "compare", "flame")
kinds = pytest.mark.parametrize("kind", KINDS)


@kinds
def test_a_picture_needs_nothing_around_it(client, sample_lake, kind):
    answer = client.get(f"/e/v1/{kind}.svg?{query(sample_lake, kind)}")
    assert answer.status_code == 200
    assert answer.mimetype == "image/svg+xml"
    root = ElementTree.fromstring(answer.text)
    assert "var(" not in answer.text
    assert "class=" not in answer.text
    texts = ["".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert any(sample_lake.newest in text for text in texts)
    drawn = re.findall(r"<(?:path|rect|circle|line|polyline)\b", answer.text)
    assert len(drawn) > 5


@kinds
def test_a_png_is_the_same_each_time(client, sample_lake, kind):
    address = f"/e/v1/{kind}.png?{query(sample_lake, kind)}"
    first, again = client.get(address), client.get(address)
    assert first.data[:8] == b"\x89PNG\r\n\x1a\n"
    assert first.data == again.data
    kept = client.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert kept.status_code == 304


def test_a_pinned_picture_never_changes_and_has_no_cookie(client, sample_lake):
    answer = client.get(f"/e/v1/curve.svg?snap={FIRST_NAME}")
    assert "immutable" in answer.headers["Cache-Control"]
    assert "Set-Cookie" not in answer.headers
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert sample_lake.first in answer.text
    assert "immutable" not in client.get("/e/v1/curve.svg").headers["Cache-Control"]


def test_a_chart_says_which_it_is(client, sample_lake):
    text = client.get(f"/e/v1/point.svg?{query(sample_lake, 'point')}").text
    assert re.search(r"<text[^>]*font-weight=\"700\"[^>]*> ?[^<]* · Time to first token", text)


@kinds
def test_a_title_of_its_own_stands_above(client, sample_lake, kind):
    asked = f"/e/v1/{kind}.svg?{query(sample_lake, kind)}&title=%3CMine%3E"
    assert "&lt;Mine&gt;" in client.get(asked).text


@kinds
def test_a_theme_changes_paper_and_ink(client, sample_lake, kind):
    asked = f"/e/v1/{kind}.svg?{query(sample_lake, kind)}"
    light, dark = (client.get(f"{asked}&theme={theme}").text for theme in ("light", "dark"))
    paper = {theme: tokens(theme)["--paper"] for theme in ("light", "dark")}
    assert f'<rect width="100%" height="100%" fill="{paper["light"]}"/>' in light
    assert f'<rect width="100%" height="100%" fill="{paper["dark"]}"/>' in dark
    assert client.get(f"{asked}&theme=auto").text == light


def test_a_flame_graph_says_which_conversation_it_is_in_the_language_asked(client, sample_lake):
    asked = f"/e/v1/flame.svg?{query(sample_lake, 'flame')}"
    assert re.search(
        r'<text[^>]*font-weight="700"[^>]*>[^<]*conv-0[^<]*</text>', client.get(asked).text
    )
    assert "火焰图" in client.get(f"{asked}&lang=zh").text


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/e/v1/table.svg", 400, "Known: compare, curve"),
        ("/e/v1/curv.png", 400, "Did you mean curve?"),
        ("/e/v1/point.svg", 400, "needs point"),
        ("/e/v1/point.svg?point=nosuchpoint0", 404, "nosuchpoint0"),
        ("/e/v1/curve.svg?model=nobody", 404, "nothing to draw"),
        ("/e/v1/curve.svg?snap=0123456789abcdef", 404, "No snapshot"),
    ],
)
def test_what_has_no_picture_says_so_in_words(client, address, status, said):
    answer = client.get(address)
    assert answer.status_code == status
    assert answer.mimetype == "text/plain"
    assert said in answer.text
    assert answer.headers["Cache-Control"] == "no-store"


def test_embeds_keep_their_own_addresses(client):
    assert client.get("/e/v1/curve").mimetype == "text/html"


def test_a_title_of_control_characters_is_drawn(client):
    assert client.get("/e/v1/curve.png?title=%00%01%EF%BF%BF").mimetype == "image/png"
