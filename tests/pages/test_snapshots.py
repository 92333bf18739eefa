"""Snapshots as pages: their list, what changed, the expired, notices on superseded points."""

from __future__ import annotations

import re

import pytest

from explorer import tables
from explorer.app import create_app
from explorer.domain import view_state
from explorer.pages import snapshots as pages
from explorer.settings import Settings
from explorer.store import snapshots
from explorer.store.tables import decode
from explorer.store.writer import publish
from tests.forget import forget_all
from tests.lake_fixture import PRICE_VERSION, Sample, build


@pytest.fixture
def own(tmp_path) -> Sample:
    return build(tmp_path / "lake")


def page_of(sample: Sample, query: str) -> str:
    view = pages.view(sample.lake, {}, view_state.parse(query))
    return str(view.body.to_plotly_json()["props"]["data-html"])


def get(sample: Sample, address: str):
    return create_app(Settings(lake=sample.folder)).test_client().get(address)


def republished(sample: Sample, name: str, **fields: object) -> None:
    sql = "SELECT * FROM {points} WHERE point_id = ?"
    row = decode("points", sample.lake.rows(sql, [sample.ids[name]])[0])
    publish(sample.folder, points=[row | fields], price_version=PRICE_VERSION)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_list_has_every_snapshot_with_counts_and_what_changed(sample_lake, lang) -> None:
    page = page_of(sample_lake, f"lang={lang}")
    assert page.index(sample_lake.newest) < page.index(sample_lake.first)
    assert f"?snap=first&amp;lang={lang}".removesuffix("&amp;lang=en") in page
    assert page.count("<tr>") == 3
    assert f"/snapshots?a={sample_lake.first}&amp;b={sample_lake.newest}" in page or lang == "zh"


def test_what_changed_links_to_both_sides_pinned(sample_lake: Sample) -> None:
    page = page_of(sample_lake, "a=first")
    gone, high = sample_lake.ids["gone"], sample_lake.ids["high"]
    assert f"/points/{gone}?snap={sample_lake.first}" in page
    assert f"/points/{high}?snap={sample_lake.newest}" in page
    assert f"/points/{gone}?snap={sample_lake.newest}" not in page
    assert "5 points added, 0 changed, 1 removed." in page
    for address in set(re.findall(r'href="(/points/[^"]*)"', page)):
        assert get(sample_lake, address.replace("&amp;", "&")).status_code == 200


def test_a_changed_metric_is_said_from_to_in_its_unit(own: Sample) -> None:
    republished(own, "other", total_tps_per_gpu=237.5)
    page = page_of(own, f"a={own.newest}")
    assert "Total throughput per GPU: 225.0 tok/s per GPU → 237.5 tok/s per GPU" in page


def test_another_metric_version_or_price_table_is_said(own: Sample, monkeypatch) -> None:
    monkeypatch.setattr("explorer.store.writer.METRIC_VERSION", 2)
    publish(own.folder, remove=[own.ids["mock"]], price_version="2026-08")
    page = page_of(own, "a=first")
    assert "Metric version 1 became 2" in page
    assert "Price table 2026-07 became 2026-08" in page
    shown = get(own, "/snapshots").text
    assert "computed by metric version 2; this server knows version 1" in shown
    assert "computed by metric version" not in get(own, "/snapshots?snap=first").text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_expired_snapshot_is_a_410_page_with_the_way_to_the_newest(own: Sample, lang) -> None:
    republished(own, "other", total_tps=950.0)
    snapshots.expire(own.folder, own.newest)
    answer = get(own, f"/?snap={own.newest}&x=p90_ttft_s&lang={lang}")
    assert answer.status_code == 410
    assert own.newest in answer.text
    assert 'data-testid="expired"' in answer.text
    more = "&amp;lang=zh" if lang == "zh" else ""
    assert f'href="/?x=p90_ttft_s{more}"' in answer.text
    changes = get(own, f"/snapshots?a={own.newest}")
    assert changes.status_code == 410
    assert 'href="/snapshots"' in changes.text


def notice(sample: Sample, name: str, query: str = "") -> str:
    page = get(sample, f"/points/{sample.ids[name]}{query}").text
    found = re.findall(r'<p[^>]*data-testid="superseded"[^>]*>.*?</p>', page, re.S)
    return " ".join(found)


def test_a_point_that_was_measured_again_leads_to_the_newer_run(own: Sample) -> None:
    assert notice(own, "other") == ""
    sql = "SELECT * FROM {points} WHERE point_id = ?"
    row = decode("points", own.lake.rows(sql, [own.ids["other"]])[0])
    later = row | {"point_id": "laterlaterla", "date": "2026-06-30", "aliases": []}
    publish(own.folder, points=[later], price_version=PRICE_VERSION)
    said = notice(own, "other")
    assert "2026-06-30" in said
    assert 'href="/points/laterlaterla"' in said


def test_a_pinned_point_says_what_became_of_it(own: Sample) -> None:
    client = create_app(Settings(lake=own.folder)).test_client()
    pinned = f"/points/{own.ids['other']}?snap={own.newest}"
    assert "superseded" not in client.get(pinned).text
    republished(own, "other", total_tps_per_gpu=237.5, revision="another")
    changed = client.get(pinned).text  # the same server, which has the page from before
    assert "this point has other numbers" in changed
    assert f'href="/points/{own.ids["other"]}"' in changed
    assert "225" in changed, "the pinned numbers stay"
    assert "237.5" not in changed
    publish(own.folder, remove=[own.ids["other"]], price_version=PRICE_VERSION)
    assert "this point is gone" in client.get(pinned).text
    assert client.get(f"/points/{own.ids['other']}").status_code == 404


def test_an_alias_leads_to_the_point_it_became_and_is_not_canonical(sample_lake: Sample) -> None:
    answer = get(sample_lake, f"/points/{sample_lake.ids['other-alias']}")
    assert answer.status_code == 200
    assert (
        f'rel="canonical" href="http://localhost/points/{sample_lake.ids["other"]}"' in answer.text
    )


def test_a_pinned_page_draws_the_same_svg_after_later_ingests(own: Sample) -> None:
    def drawn(query: str) -> str:
        forget_all()
        page = get(own, f"/?{query}").text
        found = re.search(r'<svg class="curves".*?</svg>(?=</div>)', page, re.S)
        assert found
        return found[0]

    pinned = f"snap={own.newest}"
    before, newest = drawn(pinned), drawn("")
    assert len(before) > 1_000
    republished(own, "other", total_tps_per_gpu=1_000.0, revision="another")
    publish(own.folder, remove=[own.ids["high"]], price_version=PRICE_VERSION)
    assert drawn(pinned) == before
    assert drawn("") != newest


def test_a_newer_price_table_changes_no_pinned_page(own: Sample, monkeypatch) -> None:
    point = own.ids["other"]
    views = (f"/points/{point}", f"/compare?a={point}&b={own.ids['low']}", "/?y=usd_per_mtok_total")

    def costs(query: str) -> list[list[str]]:
        forget_all()
        pages = [get(own, f"{view}{'&' if '?' in view else '?'}{query}").text for view in views]
        return [re.findall(r"\$\s?[0-9.,]+", page) for page in pages]

    pinned, free = costs(f"snap={own.newest}"), costs("lang=en")
    prices = tables.table("prices")
    dearer = {
        hw: {name: 10 * rate for name, rate in rates.items()}
        for hw, rates in prices["versions"][PRICE_VERSION]["hw"].items()
    }
    versions = {**prices["versions"], "2099-01": {"hw": dearer}}
    monkeypatch.setitem(prices, "versions", versions)
    monkeypatch.setitem(prices, "newest", "2099-01")
    assert costs(f"snap={own.newest}") == pinned
    now = costs("lang=en")
    assert all(now[at] != free[at] for at in range(len(views))), "unpinned ones follow the table"
    assert costs(f"price=own@{PRICE_VERSION}") == free
