"""Pages of datasets and conversations without a browser: what they say, where they lead."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from explorer.app import draw
from explorer.components.markup import to_html
from explorer.domain import addresses, view_state
from explorer.domain.view_state import ViewState
from explorer.ingest.pipeline import ingest
from explorer.store.lake import open_lake
from tests.lake_fixture import ALIAS, DATASET, FIRST_NAME, TURNS, Sample

CONV = addresses.conversation(DATASET, "conv-1")


def page(lake, address: str) -> tuple[int, str]:
    """Return the status and the HTML of an address, server-made pictures included."""
    path, _, query = address.partition("?")
    view, _ = draw(lake, path, view_state.parse(query))
    return view.status, to_html(view.body)


def trace(id_: str, requests: list[dict]) -> dict:
    return {"id": id_, "models": ["m"], "block_size": 64, "requests": requests}


def request(t: float, blocks: list[int], **more) -> dict:
    return {"t": t, "type": "n", "model": "m", "in": 64 * len(blocks) + 5, "out": 7,
            "hash_ids": blocks, "api_time": 1.0, **more}  # fmt: skip


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    """Two equal conversations, one with a sub-agent and an unknown field, and a stream."""
    home = tmp_path_factory.mktemp("traces")
    folder, stream = home / "set", home / "stream"
    folder.mkdir()
    stream.mkdir()
    plain = [request(float(t), list(range(t + 2))) for t in range(50)]
    group = {"t": 50.5, "type": "subagent", "agent_id": "agent_001", "subagent_type": "Explore",
             "requests": [request(50.6, [900, 901]), request(52.0, [900, 901, 902])]}  # fmt: skip
    tail = [request(60.0, list(range(60)), colour="red")]
    for id_, requests in (("a", plain), ("b", plain), ("c", [*plain, group, *tail])):
        (folder / f"{id_}.json").write_text(json.dumps(trace(id_, requests)))
    rows = [{"timestamp": 100 * n, "input_length": 600, "output_length": 9, "hash_ids": [1, n + 2]}
            for n in range(30)]  # fmt: skip
    (stream / "arrivals.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    ingest([home], home / "lake")
    return open_lake(home / "lake")


def test_an_empty_lake_says_how_to_fill_it(tmp_path: Path):
    status, html = page(open_lake(tmp_path), "/datasets")
    assert status == 200
    assert "explorer ingest" in html or "explorer demo" in html


def test_the_list_names_both_rules_and_links(lake):
    status, html = page(lake, "/datasets")
    assert status == 200
    assert "2 trace sets, 3 conversations, 183 requests" in html
    assert 'href="/datasets/set"' in html
    assert 'href="/datasets/arrivals"' in html
    assert "list order" in html
    assert "time order" in html


def test_duplicates_and_unknown_fields_are_said(lake):
    _, html = page(lake, "/datasets/set")
    assert "1 conversations repeat another one" in html
    assert "same as a" in html
    assert "colour (1)" in html


def test_a_stream_has_distributions_and_no_conversations(lake):
    status, html = page(lake, "/datasets/arrivals")
    assert status == 200
    assert "does not say which requests belong together" in html
    assert "Time between arrivals" in html
    assert "conversations-table" not in html


def test_the_hooks_stand_on_the_page(lake):
    _, html = page(lake, "/datasets/set/conversations/c")
    for hook in ("flame-graph", "dag", "turns-table", "turn-card"):
        assert html.count(f'data-testid="{hook}"') == 1
    assert html.count("<title>Turn ") >= 51


def test_every_turn_leads_to_itself_in_all_views(lake):
    address = addresses.conversation(
        "set", "c", ViewState().having(turn="1", agent="agent_001", snap=lake.snapshot().snap)
    )
    _, html = page(lake, address)
    assert "agent_001, turn 1" in html
    views = html.partition('id="flame"')[2]
    assert views.count('aria-current="true"') == 4
    bars = re.findall(r'<a href="([^"]+)" data-nav=""', html)
    assert all("snap=" in bar for bar in bars)
    for bar in set(bars):
        state = view_state.parse(bar.replace("&amp;", "&").partition("?")[2])
        assert state.problems == ()
        assert state["turn"].isdecimal()


def test_a_long_graph_is_folded_until_asked(lake):
    _, folded = page(lake, "/datasets/set/conversations/c")
    _, whole = page(lake, "/datasets/set/conversations/c?open=dag")
    assert "Show every turn" in folded
    assert "Fold long runs" in whole
    boxes = [html.count('class="box') for html in (folded, whole)]
    assert boxes[0] < 15
    assert boxes[1] == 53


def test_without_points_only_theory_is_shown(lake):
    _, html = page(lake, "/datasets/set/conversations/c?turn=0")
    assert "only theory is shown" in html
    assert "No point in this lake replayed this turn" in html


def test_measurement_stands_beside_theory(sample_lake: Sample):
    high = sample_lake.ids["high"]
    _, html = page(sample_lake.lake, f"{CONV}?point={high}&turn=5")
    assert "replayed 11 of 15 turns" in html
    assert "failed / replays" in html
    assert html.count('class="replays"') == 1
    assert f"/points/{high}/timeline?" in html


def test_a_point_that_did_not_replay_it_measures_nothing(sample_lake: Sample):
    _, html = page(sample_lake.lake, f"{CONV}?point={sample_lake.ids[ALIAS]}")
    assert "failed / replays" not in html


def test_a_pin_stays_in_every_link(sample_lake: Sample):
    status, html = page(sample_lake.lake, f"{CONV}?snap={FIRST_NAME}")
    assert status == 200
    inside = re.findall(r'href="(/(?:datasets|compare|api)[^"]*)"', html)
    lost = [href for href in inside if f"snap={FIRST_NAME}" not in href and "/api/" not in href]
    assert lost == []


@pytest.mark.parametrize("path", ["/datasets/nothere", "/datasets/set/conversations/nothere"])
def test_what_is_not_there_is_a_404(lake, path: str):
    assert page(lake, path)[0] == 404


def test_a_comparison_shows_what_it_can_and_says_what_it_cannot(sample_lake: Sample):
    high = sample_lake.ids["high"]
    keys = (f"a={DATASET}/conv-0@{high}", f"b={DATASET}/conv-9", f"c={DATASET}/conv-1@zzz")
    status, html = page(sample_lake.lake, "/compare/conversations?" + "&".join(keys))
    assert status == 200
    assert "2 conversations side by side" in html
    assert "b: sample-set/conv-9 names no conversation" in html
    assert "c: no point zzz" in html
    assert html.count('class="flame-svg"') == 2
    assert f">{TURNS}<" in html


def test_a_comparison_of_nothing_says_how(sample_lake: Sample):
    status, html = page(sample_lake.lake, "/compare/conversations")
    assert status == 200
    assert "Open a conversation and follow Compare" in html
