"""Datasets over the API: the contract's names, files, and the real traces against the oracle."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from flask.testing import FlaskClient

from explorer.domain.addresses import API, api_conversation, api_conversations
from explorer.domain.turns import TURN_COLUMNS
from explorer.store.lake import open_lake
from tests.api.conftest import server
from tests.lake_fixture import DATASET, TURNS, turn_table
from tests.oracle.weka import list_order_hits, requests_in_list_order, time_order_hits

ONE = api_conversation(DATASET, "conv-0")


def test_a_conversation_has_the_contracts_names(client: FlaskClient):
    data = client.get(ONE).json["data"]
    assert list(data["turns"][0]) == [
        "turn", "agent", "parent_turn", "join_turn", "kind", "t_s", "end_s", "isl_tokens",
        "cached_tokens", "uncached_tokens", "osl_tokens", "model",
    ]  # fmt: skip
    stored = turn_table().to_pylist()[:TURNS]
    assert [turn["isl_tokens"] for turn in data["turns"]] == [t["isl_tokens"] for t in stored]
    assert data["turns"][2]["t_s"] == 6.0
    assert data["turns"][2]["end_s"] == 8.0
    assert data["totals"]["isl_tokens"] == sum(t["isl_tokens"] for t in stored)
    assert data["max_turn_tokens"] == stored[-1]["isl_tokens"] + stored[-1]["osl_tokens"]


def test_files_carry_every_column_kept_of_a_turn(client: FlaskClient):
    names = [column.name for column in TURN_COLUMNS]
    rows = list(csv.reader(io.StringIO(client.get(f"{ONE}?format=csv").text)))
    assert rows[0] == names
    assert len(rows) == 1 + TURNS
    table = pq.read_table(io.BytesIO(client.get(f"{ONE}?format=parquet").data))
    assert table.to_pylist() == turn_table().to_pylist()[:TURNS]


def test_search_sort_and_cursor_work_together(client: FlaskClient):
    address, found = f"{api_conversations(DATASET)}?q=conv&sort=-position&limit=2", []
    while address:
        answer = client.get(address)
        found += [row["conversation"] for row in answer.json["data"]]
        address = answer.headers.get("Link", "").partition(">")[0].lstrip("<")
    assert found == ["conv-2", "conv-1", "conv-0"]
    assert len(client.get(f"{api_conversations(DATASET)}?search=CONV-2").json["data"]) == 1


def test_the_picture_stands_on_its_own(client: FlaskClient):
    answer = client.get(f"{ONE}/flame?lang=zh")
    assert answer.mimetype == "image/svg+xml"
    assert answer.text.startswith("<svg")
    assert "<style>" in answer.text
    assert "火焰图" in answer.text


def test_the_profile_has_all_tokens(client: FlaskClient):
    answer = client.get(f"{ONE}/speedscope")
    totals = client.get(ONE).json["data"]["totals"]
    tokens = json.loads(answer.data)["profiles"][0]
    assert sum(tokens["weights"]) == totals["isl_tokens"] + totals["osl_tokens"]


def test_a_dataset_has_its_distributions_and_null_for_what_it_lacks(client: FlaskClient):
    body = client.get(f"{API}/datasets").json
    assert [row["dataset"] for row in body["data"]] == [DATASET]
    one = client.get(f"{API}/datasets/{DATASET}").json["data"]
    assert one["distributions"]["isl_tokens"]["n"] == 3 * TURNS
    assert one["distributions"]["subagent_duration_s"] is None


@pytest.fixture(scope="module")
def real_client(real_lake: Path) -> FlaskClient:
    return server(open_lake(real_lake)).test_client()


@pytest.mark.real_data
def test_every_turn_of_the_real_traces_equals_the_oracle(real_data: Path, real_client: FlaskClient):
    paths = sorted((real_data / "weka").glob("trace_*.json"))
    assert len(paths) == 7
    for path in paths:
        trace = json.loads(path.read_text())
        flat = requests_in_list_order(trace)
        hits, later = list_order_hits(trace), time_order_hits(trace)
        address = api_conversation("weka", trace["id"])
        data = real_client.get(address).json["data"]
        cached = [min(r[0]["in"], 64 * n) for r, n in zip(flat, hits, strict=True)]
        assert [turn["isl_tokens"] for turn in data["turns"]] == [r[0]["in"] for r in flat]
        assert [turn["cached_tokens"] for turn in data["turns"]] == cached
        assert [turn["osl_tokens"] for turn in data["turns"]] == [r[0]["out"] for r in flat]
        totals = data["totals"]
        assert (totals["hit_blocks"], totals["time_order_hit_blocks"]) == (sum(hits), sum(later))


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("conversation", "isl", "cached", "osl", "list_order", "time_order"),
    [
        ("trace_0014", 12_621_267, 12_018_432, 59_028, 95.25, 95.25),
        ("trace_0254", 16_049_708, 15_034_368, 76_126, 93.70, 93.96),
        ("trace_0277", 2_576_410, 2_218_432, 31_862, 86.16, 87.35),
    ],
)
def test_totals_of_the_real_traces_are_those_known(
    real_client: FlaskClient, conversation, isl, cached, osl, list_order, time_order
):
    totals = real_client.get(api_conversation("weka", conversation)).json["data"]["totals"]
    assert (totals["isl_tokens"], totals["cached_tokens"]) == (isl, cached)
    assert totals["osl_tokens"] == osl
    assert round(100 * totals["listorder_cache_hit_ratio"], 2) == list_order
    assert round(100 * totals["theoretical_cache_hit_ratio"], 2) == time_order


@pytest.mark.real_data
def test_every_request_of_the_agentic_replays_names_a_turn_that_is_there(real_client: FlaskClient):
    points = real_client.get(f"{API}/points?dataset=weka-traces-replayed").json["data"]
    recorded = [point for point in points if point["has"]["requests"]]
    assert len(recorded) == 2
    for point in recorded:
        address = f"{API}/points/{point['point_id']}/requests?phase=all&limit=1000"
        rows = real_client.get(address).json["data"]
        assert len(rows) == point["requests_total"] + point["requests_warmup"]
        turns: dict[str, set] = {}
        for row in rows:
            to = row["dataset_ref"]
            id_ = to["conversation"]
            if id_ not in turns:
                body = real_client.get(api_conversation(to["dataset"], id_)).json["data"]
                turns[id_] = {(turn["turn"], turn["agent"]) for turn in body["turns"]}
            assert (to["turn"], to["agent"]) in turns[id_]
