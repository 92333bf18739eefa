"""How embeds are answered: caching, ETags, encodings, policy, errors, checks for authors."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from explorer import i18n
from explorer.app import create_app
from explorer.domain.addresses import EMBEDS
from explorer.exports.ready import IMMUTABLE, SHORT
from explorer.settings import Settings
from explorer.store import snapshots
from tests.lake_fixture import build


def with_key(address: str, text: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{text}"


@pytest.mark.parametrize("kind", EMBEDS)
def test_pinned_is_for_ever_and_unpinned_for_a_minute(get, addresses, kind, sample_lake):
    pinned = get(with_key(addresses[kind], f"snap={sample_lake.newest}"))
    assert pinned.status_code == 200
    assert pinned.headers["Cache-Control"] == IMMUTABLE
    assert get(addresses[kind]).headers["Cache-Control"] == SHORT


@pytest.mark.parametrize("kind", EMBEDS)
@pytest.mark.parametrize("encoding", ["br", "gzip", "identity"])
def test_the_second_answer_is_the_first_and_a_known_tag_is_304(get, addresses, kind, encoding):
    address = with_key(addresses[kind], f"caption={encoding}")  # first asked for here
    first = get(address, Accept_Encoding=encoding)
    again = get(address, Accept_Encoding=encoding)
    assert first.data == again.data
    assert dict(first.headers) == dict(again.headers)
    tag = first.headers["ETag"]
    assert not tag.startswith("W/")
    known = get(address, Accept_Encoding=encoding, If_None_Match=tag)
    assert known.status_code == 304
    assert known.data == b""
    assert known.headers["ETag"] == tag
    assert known.headers["Cache-Control"] == first.headers["Cache-Control"]


def test_each_encoding_has_its_own_tag_and_the_same_text(get, addresses):
    import gzip

    import brotli

    plain, zipped, small = (
        get(addresses["curve"], Accept_Encoding=one) for one in ("identity", "gzip", "br")
    )
    assert len({one.headers["ETag"] for one in (plain, zipped, small)}) == 3
    assert gzip.decompress(zipped.data) == plain.data == brotli.decompress(small.data)
    assert {one.headers["Vary"] for one in (plain, zipped, small)} == {"Accept-Encoding"}
    assert len(small.data) <= 20_000


@pytest.mark.parametrize("kind", EMBEDS)
def test_no_answer_sets_a_cookie_and_any_page_may_read_it(get, addresses, kind):
    answer = get(addresses[kind])
    assert "Set-Cookie" not in answer.headers
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"


def test_the_policy_allows_its_own_script_and_any_host(get, addresses):
    answer = get(addresses["curve"])
    policy = answer.headers["Content-Security-Policy"]
    [script] = re.findall(r"<script>(.*?)</script>", answer.text, re.S)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors" not in policy
    assert "X-Frame-Options" not in answer.headers


def test_head_has_the_headers_of_get(sample_lake, addresses):
    client = create_app(Settings(lake=sample_lake.folder)).test_client()
    for _ in range(2):  # drawn, then kept
        head, got = client.head(addresses["curve"]), client.get(addresses["curve"])
        assert dict(head.headers) == dict(got.headers)
        assert head.data == b""


def test_a_missing_point_is_a_readable_404(get):
    answer = get("/e/v1/point?point=nosuchpoint1&lang=zh")
    assert answer.status_code == 404
    assert i18n.text("zh", "embeds.why_404") in answer.text
    assert "nosuchpoint1" in answer.text
    assert "immutable" not in answer.headers["Cache-Control"]
    assert get("/e/v1/compare?a=nosuchpoint1&b=nosuchpoint2").status_code == 404
    assert get("/e/v1/flame?a=sample-set/nothing").status_code == 404
    assert get("/e/v1/pie").status_code == 404


def test_what_a_kind_needs_is_asked_for(get):
    answer = get("/e/v1/timeline")
    assert answer.status_code == 400
    assert i18n.text("en", "embeds.check.missing", key="point", kind="timeline") in answer.text


def test_an_expired_snapshot_is_410_even_where_it_was_kept(tmp_path):
    sample = build(tmp_path / "lake")
    app = create_app(Settings(lake=sample.folder))
    client = app.test_client()
    address = f"/e/v1/curve?snap={sample.first}"
    assert client.get(address).status_code == 200
    assert client.get(address).status_code == 200
    snapshots.expire(sample.folder, sample.first)
    again = create_app(Settings(lake=sample.folder)).test_client().get(address)
    assert again.status_code == 410
    assert i18n.text("en", "embeds.why_410") in again.text


def test_an_empty_lake_says_so(tmp_path):
    answer = create_app(Settings(lake=tmp_path / "none")).test_client().get("/e/v1/curve")
    assert answer.status_code == 503
    assert i18n.text("en", "embeds.error_503") in answer.text


def test_without_check_unknown_keys_are_ignored(get, addresses):
    plain = get(with_key(addresses["curve"], "colour=red"))
    assert plain.status_code == 200
    assert "colour" not in plain.text
    assert 'class="check' not in plain.text


def test_check_lists_what_is_wrong_with_the_nearest_known(get, sample_lake):
    address = (
        "/e/v1/point?check=1&pont=x&theme=drak&from=soon&by=worker&point=gone12345678"
        "&x_from=2&x_to=1.5"
    )
    answer = get(address)
    assert answer.status_code == 404
    assert answer.headers["Cache-Control"] == "no-store"
    listed = re.search(r'<div class="check.*?</div>', answer.text, re.S)[0]
    for said in (
        i18n.text("en", "embeds.check.near", word="point"),
        i18n.text("en", "embeds.check.near", word="dark"),
        i18n.text("en", "embeds.check.kind_number"),
        i18n.text("en", "embeds.check.idle", key="by", kind="point"),
        i18n.text("en", "frame.bad_range", key="x_to", value="2..1.5"),
        "gone12345678",
        i18n.text("en", "embeds.check.unpinned"),
    ):
        assert said in listed


def test_check_says_when_all_is_well_and_draws_the_picture(get, addresses, sample_lake):
    answer = get(with_key(addresses["curve"], f"snap={sample_lake.newest}&check=1"))
    assert i18n.text("en", "embeds.check.fine") in answer.text
    assert '<svg class="curves"' in answer.text
    assert answer.headers["Cache-Control"] == "no-store"
