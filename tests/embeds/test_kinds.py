"""All six kinds: one complete document each, links that lead out, cautions that are said."""

from __future__ import annotations

import re
from html import unescape

import pytest

from explorer import i18n
from explorer.domain import view_state
from explorer.domain.addresses import EMBEDS
from explorer.domain.view_state import KEYS, OWN_NUMBERS
from explorer.embeds.kinds import KINDS
from explorer.pages.registry import find
from tests.lake_fixture import ALIAS, DATASET

SIZES = ("small", "medium", "large")


def with_key(address: str, text: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{text}"


def test_every_kind_that_addresses_name_is_drawn():
    assert [kind.name for kind in KINDS] == list(EMBEDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_keys_of_a_kind_are_keys_of_addresses(kind):
    assert set(kind.keys) - {key.name for key in KEYS} - set(OWN_NUMBERS) == set()
    assert set(kind.needs) <= set(kind.keys)


@pytest.mark.parametrize("kind", EMBEDS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lang", i18n.LANGUAGES)
def test_an_embed_is_complete_in_one_answer(get, addresses, kind, size, lang):
    page = get(with_key(addresses[kind], f"size={size}&lang={lang}")).text
    assert page.startswith("<!doctype html>")
    assert f'<html lang="{lang}"' in page
    outside = re.findall(r'<(?:script|link|img|iframe|image)[^>]*(?:src|href)="([^"]*)"', page)
    assert [one for one in outside if not one.startswith(("data:", "/"))] == []
    assert "<script src" not in page
    assert 'rel="stylesheet"' not in page
    assert "url(http" not in page
    assert "_dash" not in page


@pytest.mark.parametrize("kind", EMBEDS)
def test_every_link_opens_outside_and_leads_into_the_product(get, addresses, kind):
    page = get(addresses[kind]).text
    links = re.findall(r"<a\b[^>]*>", page)
    assert links
    for link in links:
        assert 'target="_blank"' in link
        assert 'rel="noopener"' in link
        href = unescape(re.search(r'href="([^"]*)"', link)[1])
        path = href.partition("?")[0]
        assert find(path) or path.startswith("/api/v1/"), href
    assert "data-nav" not in page


@pytest.mark.parametrize("kind", EMBEDS)
def test_links_keep_the_pin_and_leave_the_authors_words_behind(get, addresses, kind, sample_lake):
    pin = sample_lake.newest
    page = get(with_key(addresses[kind], f"snap={pin}&title=Mine&caption=Said")).text
    links = [unescape(one) for one in re.findall(r'<a [^>]*href="([^"]*)"', page)]
    unpinned = [link for link in links if f"snap={pin}" not in link]
    assert len(unpinned) == 1  # the way to the newest data
    assert f">{i18n.text('en', 'embeds.unpinned')}</a>" in page
    assert [link for link in links if "title=" in link or "caption=" in link] == []


@pytest.mark.parametrize("kind", EMBEDS)
def test_title_and_caption_are_the_authors_or_our_own(get, addresses, kind):
    own = get(addresses[kind]).text
    assert re.search(r'<h1 class="title">[^<]+</h1>', own)
    if kind != "timeline":
        assert re.search(r"<figcaption>[^<]+</figcaption>", own)
    theirs = get(with_key(addresses[kind], "title=A+%3Cb%3E&caption=So+it+is")).text
    assert '<h1 class="title">A &lt;b&gt;</h1>' in theirs
    assert "<title>A &lt;b&gt;</title>" in theirs
    assert "<figcaption>So it is</figcaption>" in theirs


@pytest.mark.parametrize("kind", EMBEDS)
def test_the_source_says_which_snapshot_of_when(get, addresses, kind, sample_lake):
    snapshot = sample_lake.lake.snapshot()
    said = i18n.text("en", "embeds.source", snapshot=snapshot.snap[:8], date=snapshot.time[:10])
    assert said in get(addresses[kind]).text


@pytest.mark.parametrize("kind", EMBEDS)
def test_themes_force_their_colours_and_paper_is_light(get, addresses, kind):
    auto, light, dark = (
        get(with_key(addresses[kind], f"theme={theme}")).text for theme in ("auto", "light", "dark")
    )
    assert "prefers-color-scheme:dark" in auto
    assert "@media (prefers-color-scheme" not in auto
    assert "color-scheme:dark" not in light
    assert '<html lang="en" data-theme="dark">' in dark
    style = re.search(r"<style>(.*?)</style>", dark, re.S)[1]
    assert style.count(':root[data-theme="dark"]') == style.count(
        '@media screen{:root[data-theme="dark"]'
    )


def test_marks_are_those_of_the_page(get, addresses):
    page = get("/?model=kimik2.5").text
    embed = get(addresses["curve"]).text
    marks = set(re.findall(r'data-point-id="([^"]+)"', embed))
    assert marks
    assert marks == set(re.findall(r'<a data-point-id="([^"]+)"', page))


def test_no_point_is_marked_as_chosen_unless_the_address_chooses(get, addresses, sample_lake):
    assert 'class="halo"' not in get(addresses["curve"]).text
    chosen = with_key(addresses["curve"], f"point={sample_lake.ids['low']}")
    assert get(chosen).text.count('class="halo"') == 1


def test_simulated_mock_and_failed_points_say_so(get, sample_lake):
    mock = get(f"/e/v1/point?point={sample_lake.ids['mock']}").text
    assert i18n.text("en", "frame.mock") in mock
    crashed = get(f"/e/v1/point?point={sample_lake.ids['crashed']}").text
    assert i18n.text("en", "curves.status.failed") in crashed
    third = get(f"/e/v1/point?point={sample_lake.ids['split']}&lang=zh").text
    assert i18n.text("zh", "point.third_party") in third


def test_an_older_id_shows_what_it_became(get, sample_lake):
    page = get(f"/e/v1/point?point={sample_lake.ids[ALIAS]}").text
    assert f"/points/{sample_lake.ids['other']}" in page


def test_a_table_says_how_many_rows_it_leaves_out(get, sample_lake):
    small = get("/e/v1/table?model=kimik2.5&size=small&sort=-y").text
    rows = re.findall(r'data-row="([^"]+)"', small)
    total = len(re.findall(r'data-row="', get("/e/v1/table?model=kimik2.5&rows=all").text))
    assert len(rows) == min(8, total)


def test_a_comparison_has_ratios_differences_and_overlaid_latencies(get, addresses):
    page = get(addresses["compare"]).text
    assert re.search(r"<small[^>]*>×[\d.]+", page)
    assert 'data-testid="compare-differs"' in page
    assert page.count('<svg class="chart"') == 2


def test_a_flame_graph_highlights_its_turn_and_says_it(get, addresses):
    page = get(addresses["flame"]).text
    assert page.count('aria-current="true"') == 2  # the bar, and its row of the table
    assert re.search(r'<p class="chosen"><a [^>]*>Turn 4</a>', page)
    assert f"/datasets/{DATASET}/conversations/conv-1?" in page
    assert "measured in" in page


def test_a_long_conversation_keeps_its_scale_and_counts_its_rows(get, addresses, monkeypatch):
    from explorer.embeds import flame

    whole = get(addresses["flame"].replace("turn=4", "turn=9")).text
    monkeypatch.setattr(flame, "MOST", {"small": 5, "medium": 5, "large": 5})
    cut = get(addresses["flame"].replace("turn=4", "turn=9") + "&title=x").text
    said = i18n.text("en", "embeds.rows_some", first="1", last="5", n="15")
    assert said in cut
    assert 'class="overview"' in cut
    bars = re.findall(r'<rect class="c" [^/]*/>', cut)
    assert bars
    assert set(bars) <= set(re.findall(r'<rect class="c" [^/]*/>', whole))


def test_canonical_addresses_of_one_picture_are_one_answer(get):
    first = get("/e/v1/curve?hw=mi355x,b200&model=kimik2.5&unknown=1", Accept_Encoding="br")
    second = get("/e/v1/curve?model=kimik2.5&hw=b200,mi355x&stat=p90", Accept_Encoding="br")
    assert first.headers["ETag"] == second.headers["ETag"]
    assert first.data == second.data


def test_state_of_an_embed_survives_its_address(addresses):
    for address in addresses.values():
        state = view_state.parse(address.partition("?")[2])
        assert state.problems == ()
