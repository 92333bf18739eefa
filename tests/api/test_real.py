"""The API over real results, against figures that were counted by hand and recomputed here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient

from explorer.domain.addresses import API
from explorer.ingest.pipeline import ingest
from explorer.store.lake import open_lake
from tests.api.conftest import server
from tests.api.schema_check import problems

pytestmark = pytest.mark.real_data
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}


@pytest.fixture(scope="module")
def real_client(real_lake: Path) -> FlaskClient:
    return server(open_lake(real_lake)).test_client()


def rows(client: FlaskClient, address: str) -> list[dict[str, Any]]:
    found = []
    while address:
        answer = client.get(address)
        assert answer.status_code == 200
        found += answer.json["data"]
        address = answer.headers.get("Link", "").partition(">")[0].lstrip("<")
    return found


@pytest.fixture(scope="module")
def points(real_client: FlaskClient) -> list[dict[str, Any]]:
    return rows(real_client, f"{API}/points?limit=200")


def test_every_point_meets_the_schema(real_client, points):
    document = real_client.get(f"{API}/openapi.json").json
    schema = {"$ref": "#/components/schemas/Point"}
    assert [p for point in points for p in problems(point, schema, document)] == []
    assert sum(point["format"] == "inferencex-api" for point in points) == 435


def test_metrics_equal_a_recomputation_from_the_requests_served(real_client, points):
    recomputed = 0
    for point in points:
        if not point["has"]["requests"] or point["status"] == "failed":
            continue
        served = rows(real_client, point["links"]["requests"] + "?limit=1000")
        assert len(served) == point["requests_total"]
        kept = [row for row in served if row["status"] == "ok"]
        assert len(kept) == point["requests_ok"]
        for name in ("ttft_s", "e2el_s", "itl_s"):
            sample = [row[name] for row in kept if row[name] is not None and row[name] > 0]
            for rank, share in QUANTILES.items():
                expected = np.quantile(sample, share) if sample else None
                assert point["metrics"][f"{rank}_{name}"] == pytest.approx(expected, rel=1e-9)
        tokens = sum((row["isl_tokens"] or 0) + (row["osl_tokens"] or 0) for row in kept)
        span = max(row["end_s"] for row in kept) - min(row["start_s"] for row in kept)
        assert point["metrics"]["total_tps"] == pytest.approx(tokens / span, rel=1e-9)
        recomputed += 1
    assert recomputed > 30


def test_both_phases_of_the_agentic_replay_are_served_whole(real_client, points):
    (point,) = [
        one for one in points if one["requests_warmup"] == 203 and one["requests_total"] == 412
    ]
    served = rows(real_client, point["links"]["requests"] + "?phase=all&limit=100")
    phases = [row["phase"] for row in served]
    assert (phases.count("warmup"), phases.count("profiling")) == (203, 412)
    assert min(row["start_s"] for row in served if row["phase"] == "profiling") == 0.0
    assert len({row["root_id"] for row in served}) == 15


def test_failures_are_served_by_status(real_client, points):
    (point,) = [
        one for one in points if one["requests_failed"] == 65 and one["requests_cancelled"] == 13
    ]
    failed = rows(real_client, point["links"]["requests"] + "?status=failed&limit=50")
    assert len(failed) == 65
    assert sum(error["n"] for error in point["errors"] if error["code"] != 499) == 65
    cancelled = rows(real_client, point["links"]["requests"] + "?status=cancelled")
    assert {row["error_code"] for row in cancelled} == {499}
    assert len(cancelled) == 13


def test_curves_and_points_say_the_same_numbers(real_client, points):
    by_id = {point["point_id"]: point for point in points}
    body = real_client.get(f"{API}/curves?x=p90_ttft_s&y=usd_per_mtok_total").json
    shown = [point for curve in body["data"] for point in curve["points"]]
    assert shown
    for point in shown:
        numbers = by_id[point["point_id"]]["metrics"]
        assert point["x"] == numbers["p90_ttft_s"]
        assert point["y"] == numbers["usd_per_mtok_total"]


def test_every_request_of_a_bound_replay_names_its_turn(real_data, tmp_path):
    lake = tmp_path / "lake"
    ingest(
        [real_data / "aiperf" / name for name in ("c_weka_agentic_c6", "weka_traces_replayed")],
        lake,
    )
    client = server(open_lake(lake)).test_client()
    (point,) = rows(client, f"{API}/points")
    served = rows(client, point["links"]["requests"] + "?phase=all&limit=1000")
    assert len(served) == 615
    assert {row["dataset_ref"]["dataset"] for row in served} == {"weka-traces-replayed"}
    assert all(row["dataset_ref"]["turn"] is not None for row in served)
    assert all(row["dataset_ref"]["conversation"] == row["conversation"] for row in served)
