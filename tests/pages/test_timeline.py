"""The timeline's page without a browser: what stands in the first answer."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from explorer import i18n
from explorer.components.markup import to_html
from explorer.domain import view_state
from explorer.pages import compare_timelines, timeline
from explorer.pages.registry import find
from explorer.queries import conversations, points, requests
from explorer.queries.requests import Wanted
from explorer.queries.window import Window
from explorer.store.lake import open_lake
from tests.lake_fixture import ALIAS, DATASET, Sample
from tests.oracle import weka


def draw(sample: Sample, name: str = "high", query: str = "") -> str:
    found = find(f"/points/{sample.ids[name]}/timeline")
    assert found is not None
    page, values = found
    assert page.name == "timeline"
    return to_html(page.draw(sample.lake, values, view_state.parse(query)).body)


def mounts(page: str) -> list[dict[str, str]]:
    """Return the data-… attributes of the timelines on a page."""
    found = re.findall(r'<div data-testid="timeline"[^>]*>', page)
    return [
        {name: html.unescape(text) for name, text in re.findall(r'data-([\w-]+)="([^"]*)"', one)}
        for one in found
    ]


def test_words_counts_and_the_first_requests_stand_in_the_first_answer(sample_lake: Sample):
    page = draw(sample_lake)
    assert re.findall(r"<h1>(Timeline: B200 · vLLM[^<]*)</h1>", page)
    assert "86 ok, 1 failed, 1 cancelled" in page
    assert "1 more were skipped for context overflow" in page
    rows = requests.many(
        sample_lake.lake,
        points.one(sample_lake.lake, sample_lake.ids["high"]),
        Wanted(Window()),
        limit=timeline.ROWS,
    ).rows
    assert re.findall(r'data-request="([^"]+)"', page) == [row["request_id"] for row in rows]
    first = rows[0]["dataset_ref"]
    assert f"/datasets/{DATASET}/conversations/{first['conversation']}" in page
    assert f"turn={first['turn']}" in page


def test_the_phase_and_the_window_of_the_address_choose_the_rows(sample_lake: Sample):
    page = draw(sample_lake, query="phase=all&from=5&to=6")
    shown = len(re.findall("data-request=", page))
    assert 0 < shown < 20
    assert "(both)" in page
    assert len(re.findall("data-request=", draw(sample_lake, query="phase=warmup"))) == 8
    toggle = re.findall(r'<a [^>]*data-phase="(\w+)"[^>]*>.*?class="n">([\d,]+)<', page)
    assert dict(toggle) == {"warmup": "8", "profiling": "88", "all": "96"}


def test_the_element_says_where_everything_is(sample_lake: Sample):
    (one,) = mounts(draw(sample_lake, query="lang=zh&snap=first", name="low"))
    point = f"/api/v1/points/{sample_lake.ids['low']}"
    assert one["src"] == f"{point}/timeline?snap={sample_lake.first}&phase=all&layout=1"
    assert one["requests"] == f"{point}/requests?snap={sample_lake.first}"
    assert one["turn-url"] == ""
    assert json.loads(one["exports"])["parquet"] == f"{point}/timeline?snap=first&format=parquet"
    assert json.loads(one["strings"])["showing"] == i18n.text("zh", "timeline.showing")
    bound = mounts(draw(sample_lake))[0]["turn-url"]
    assert bound == (
        "/datasets/{dataset}/conversations/{conversation}"
        f"?point={sample_lake.ids['high']}&turn={{turn}}&agent={{agent}}"
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_point_without_records_says_so(sample_lake: Sample, lang: str):
    page = draw(sample_lake, "split", f"lang={lang}")
    assert i18n.text(lang, "timeline_page.none") in page
    assert not mounts(page)


def test_an_older_id_shows_the_point_it_became(sample_lake: Sample):
    view = timeline.view(
        sample_lake.lake, {"point_id": sample_lake.ids[ALIAS]}, view_state.parse("")
    )
    assert view.canonical == f"/points/{sample_lake.ids['other']}/timeline"


def test_two_timelines_have_one_clock_and_their_own_selections(sample_lake: Sample):
    a, b = sample_lake.ids["low"], sample_lake.ids["high"]
    state = view_state.parse(f"a={a}&b={b}&c=nothere&range=a:1..2;b:3..4")
    view = compare_timelines.view(sample_lake.lake, {}, state)
    page = to_html(view.body)
    assert [(one["group"], one["scope"]) for one in mounts(page)] == [("pair", "a"), ("pair", "b")]
    assert "c: no point nothere" in page
    assert view.canonical == f"/compare/timelines?range=a:1..2%3Bb:3..4&a={a}&b={b}&c=nothere"
    assert state.problems == ()


def test_a_pair_with_an_aggregate_says_what_is_missing(sample_lake: Sample):
    state = view_state.parse(f"a={sample_lake.ids['low']}&b={sample_lake.ids['split']}")
    page = to_html(compare_timelines.view(sample_lake.lake, {}, state).body)
    assert len(mounts(page)) == 1
    assert i18n.text("en", "timeline_page.none") in page


def entry_of(trace: dict, outer: int, inner: int | None) -> tuple[str | None, int]:
    """(agent, turn) of a trace's entry by counting: turns count their agent's own requests."""
    before: dict[str | None, int] = {}
    for _, at, within, _ in weka.requests_in_list_order(trace):
        agent = None if within is None else trace["requests"][at]["agent_id"]
        if (at, within) == (outer, inner):
            return agent, before.get(agent, 0)
        before[agent] = before.get(agent, 0) + 1
    raise AssertionError(f"no entry {outer}, {inner}")


@pytest.mark.real_data
def test_all_615_requests_link_to_the_turn_that_the_trace_file_has(
    real_data: Path, real_lake: Path
):
    folder = real_data / "aiperf"
    lines = (folder / "c_weka_agentic_c6" / "profile_export.jsonl").read_text().splitlines()
    raw = [json.loads(line)["metadata"] for line in lines]
    files = {path.stem: weka.load(path) for path in (folder / "weka_traces_replayed").iterdir()}
    assert len(raw) == 615
    lake = open_lake(real_lake)
    sql = "SELECT point_id FROM {points} WHERE requests_warmup = 203 AND requests_total = 412"
    (row,) = lake.rows(sql)
    point = points.one(lake, row["point_id"])
    table = requests.table(lake, point, Window("all")).to_pylist()
    served = {one["request_id"]: one for one in table}
    checked = set()
    for record in raw:
        trace = record["source_trace_id"]
        inner = record.get("source_inner_idx")
        agent, turn = entry_of(files[trace], record["source_outer_idx"], inner)
        one = served[record["x_request_id"]]
        assert one["dataset_ref_conversation"] == trace
        assert (one["dataset_ref_agent"], one["dataset_ref_turn"]) == (agent, turn)
        found = conversations.one(lake, one["dataset_ref_dataset"], trace)
        opened = found.find(str(turn), agent)
        assert opened is not None
        assert opened.source_outer_idx == record["source_outer_idx"]
        assert opened.source_inner_idx == inner
        checked.add(record["x_request_id"])
    assert len(checked) == 615
