"""What each resource answers on the sample lake."""

from __future__ import annotations

import csv
import io
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from flask.testing import FlaskClient

from explorer.api import points as points_api
from explorer.domain import view_state
from explorer.domain.addresses import API, api_curves
from explorer.queries import points
from explorer.queries.curves import curves
from explorer.store import snapshots
from explorer.store.lake import open_lake
from explorer.store.writer import publish
from tests.api.conftest import server
from tests.lake_fixture import ALIAS, FIRST_NAME, Sample, build


def everything(client: FlaskClient, path: str, limit: int) -> list[dict]:
    """Follow Link headers to the end."""
    rows, address = [], f"{API}/{path}{'&' if '?' in path else '?'}limit={limit}"
    while address:
        answer = client.get(address)
        assert answer.status_code == 200
        rows += answer.json["data"]
        link = answer.headers.get("Link", "")
        address = link.partition(">")[0].lstrip("<")
        assert bool(address) == (answer.json["meta"]["next"] is not None)
    return rows


def test_points_are_those_of_the_query(client, sample_lake: Sample):
    body = client.get(f"{API}/points").json
    rows = points.many(sample_lake.lake, view_state.parse("")).rows
    assert body["data"] == [points.payload(row) for row in rows]
    of = body["meta"].pop("provenance")
    assert body["meta"] == {
        "snapshot": sample_lake.newest,
        "metric_version": 1,
        "price_version": "2026-07",
        "next": None,
    }
    assert of["address"] == f"{API}/points?price=own@2026-07&snap={sample_lake.newest}"


def test_following_links_gives_every_point_once(client):
    whole = client.get(f"{API}/points").json["data"]
    assert everything(client, "points", 2) == whole
    by_ttft = everything(client, "points?sort=-p90_ttft_s", 2)
    assert len(by_ttft) == len(whole)
    assert by_ttft[-1]["metrics"]["p90_ttft_s"] is None


def test_filters_of_the_address_work_as_on_the_page(client, sample_lake: Sample):
    data = client.get(f"{API}/points?hw=b200&offload=dram&conc=8").json["data"]
    assert [one["point_id"] for one in data] == [sample_lake.ids["high"]]
    assert (
        client.get(f"{API}/points?hw=b200,mi355x").json
        == client.get(f"{API}/points?hw=mi355x&hw=b200").json
    )


def test_an_alias_moves_to_the_newest_id_with_its_query(client, sample_lake: Sample):
    old, new = sample_lake.ids[ALIAS], sample_lake.ids["other"]
    for part in ("", "/requests", "/series"):
        answer = client.get(f"{API}/points/{old}{part}?snap={FIRST_NAME}")
        assert answer.status_code == 308
        assert answer.headers["Location"] == f"{API}/points/{new}{part}?snap={FIRST_NAME}"
        assert client.get(answer.headers["Location"]).status_code == 200


def test_own_rates_reach_the_metrics(client, sample_lake: Sample):
    path = f"{API}/points/{sample_lake.ids['low']}"
    plain = client.get(path).json["data"]["metrics"]["usd_per_mtok_total"]
    own = client.get(f"{path}?rate.b200=3.46").json["data"]["metrics"]["usd_per_mtok_total"]
    assert own == pytest.approx(2 * plain)
    rental = client.get(f"{path}?price=rental@2026-07").json["data"]
    assert rental["price"] == {"rate": 2.6, "kw": 1.71}


def test_requests_say_why_there_are_none(client, sample_lake: Sample):
    body = client.get(f"{API}/points/{sample_lake.ids['other']}/requests").json
    assert body["data"] == []
    assert body["meta"]["reason"] == "not_recorded"


def test_requests_page_through_both_phases(client, sample_lake: Sample):
    path = f"points/{sample_lake.ids['high']}/requests?phase=all"
    rows = everything(client, path, 10)
    assert [row["ordinal"] for row in rows] == list(range(96))
    slow = everything(client, f"{path}&sort=-e2el_s&status=ok", 7)
    assert [row["e2el_s"] for row in slow] == sorted((row["e2el_s"] for row in slow), reverse=True)


def test_series_come_by_name_with_reasons_for_those_missing(client, sample_lake: Sample):
    path = f"{API}/points/{sample_lake.ids['low']}/series"
    body = client.get(f"{path}?names=kv_usage_ratio,power_w,cpu_hit_ratio&budget=50").json
    assert {row["name"] for row in body["data"]} >= {"kv_usage_ratio", "power_w"}
    for row in body["data"]:
        assert len(row["t_s"]) == len(row["value"]) <= 50
    assert "cpu_hit_ratio" in body["meta"]["missing"]
    wrong = client.get(f"{path}?names=kv_usage")
    assert wrong.status_code == 400
    assert wrong.json["error"]["hint"] == "Did you mean kv_usage_ratio?"


def test_curves_are_those_of_the_query_and_take_a_page_address(client, sample_lake: Sample):
    state = view_state.parse("x=p90_ttft_s&split=offload&scale=logx&lang=zh")
    body = client.get(api_curves(state)).json
    asked = state.having(snap=sample_lake.newest)
    assert body["data"] == curves(sample_lake.lake, asked)["data"]
    assert body["meta"]["x"] == "p90_ttft_s"
    assert body["data"]


def test_snapshots_newest_first(client, sample_lake: Sample):
    data = client.get(f"{API}/snapshots").json["data"]
    assert [one["snap"] for one in data] == [sample_lake.newest, sample_lake.first]
    newest, first = data
    assert (newest["points"], newest["added"], newest["removed"]) == (7, 5, 1)
    assert (first["name"], first["kept"], first["parent"]) == (FIRST_NAME, True, None)
    assert everything(client, "snapshots", 1) == data


@pytest.mark.parametrize("path", ["points", "curves", "snapshots", "requests", "series", "point"])
def test_files_hold_the_rows_of_the_json(client, sample_lake: Sample, path: str):
    inner = f"points/{sample_lake.ids['low']}"
    path = {"requests": f"{inner}/requests", "series": f"{inner}/series", "point": inner}.get(
        path, path
    )
    arrow = client.get(f"{API}/{path}?format=arrow")
    table = pa.ipc.open_stream(arrow.data).read_all()
    parquet = client.get(f"{API}/{path}?format=parquet")
    assert pq.read_table(io.BytesIO(parquet.data)).equals(table)
    text = client.get(f"{API}/{path}?format=csv")
    header, *lines = csv.reader(io.StringIO(text.data.decode()))
    assert header == table.schema.names
    assert len(lines) == table.num_rows > 0
    assert text.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert ".csv" in text.headers["Content-Disposition"]


def test_a_table_of_points_has_all_metrics_and_runs_no_cell(client):
    body = client.get(f"{API}/points").json["data"]
    table = pa.ipc.open_stream(client.get(f"{API}/points?format=arrow").data).read_all()
    assert table.schema.names == [column.name for column in points_api.TABLE_COLUMNS]
    for row, point in zip(table.to_pylist(), body, strict=True):
        assert {key: row[key] for key in point["metrics"]} == point["metrics"]
        assert row["prefill_gpus"] == point["prefill"]["gpus"]
        assert row["concurrency"] == point["concurrency"]
    text = client.get(f"{API}/points?format=csv").data.decode()
    images = {row["image"] for row in csv.DictReader(io.StringIO(text))}
    assert images == {"'=cmd|' /C calc'!A0"}


def test_links_of_a_point_resolve(client):
    for point in client.get(f"{API}/points").json["data"]:
        for name in ("self", "requests", "series"):
            if point["links"][name]:
                assert client.get(point["links"][name]).status_code == 200


def test_eight_clients_at_once_get_the_serial_answers(sample_lake: Sample):
    paths = [f"points/{sample_lake.ids[name]}" for name in ("low", "high", "other", "crashed")]
    paths += [f"{path}/requests?phase=all" for path in paths[:2]]
    paths += [f"{path}/series" for path in paths[:2]]
    paths += ["points?limit=3", "points?sort=-p90_ttft_s", "curves", "curves?x=ttft_s", "snapshots"]
    paths += [f"points?{urlencode({'rate.b200': rate})}" for rate in (1.5, 2.5)]

    def bodies(app, offset: int) -> dict[str, bytes]:
        client = app.test_client()
        turned = paths[offset:] + paths[:offset]
        return {path: client.get(f"{API}/{path}").data for path in turned}

    serial = bodies(server(sample_lake.lake), 0)
    for _ in range(3):
        with ThreadPoolExecutor(8) as pool:
            fresh = server(sample_lake.lake)
            for answers in pool.map(bodies, [fresh] * 8, range(8)):
                assert answers == serial


def test_a_publish_shows_at_once_and_a_cursor_stays_where_it_began(tmp_path):
    sample = build(tmp_path / "lake")
    client = server(sample.lake).test_client()
    page = client.get(f"{API}/points?limit=1").json
    before = client.get(f"{API}/points").json["data"]
    publish(sample.folder, remove=[sample.ids["mock"]])
    assert len(client.get(f"{API}/points").json["data"]) == len(before) - 1
    rest = client.get(f"{API}/points?limit=100&cursor={page['meta']['next']}").json
    assert page["data"] + rest["data"] == before
    assert rest["meta"]["snapshot"] == sample.newest


def test_an_expired_snapshot_is_gone(tmp_path):
    sample = build(tmp_path / "lake")
    client = server(sample.lake).test_client()
    assert client.get(f"{API}/points?snap={sample.first}").status_code == 200
    snapshots.expire(sample.folder, sample.first)
    answer = client.get(f"{API}/points?snap={sample.first}")
    assert answer.status_code == 410
    assert answer.json["error"]["code"] == "expired"


def test_an_empty_lake_says_what_to_do(tmp_path):
    client = server(open_lake(tmp_path / "none")).test_client()
    answer = client.get(f"{API}/points")
    assert answer.status_code == 503
    assert "explorer ingest" in answer.json["error"]["hint"]
    assert client.get(f"{API}/snapshots").json["data"] == []
    assert client.get(f"{API}/openapi.json").status_code == 200


def test_a_defect_of_ours_shows_nothing_of_the_inside(client, monkeypatch, caplog):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("/secret/path")

    monkeypatch.setattr(points, "many", broken)
    answer = client.get(f"{API}/points?limit=7")
    assert answer.status_code == 500
    assert b"secret" not in answer.data
    assert answer.json["error"]["code"] == "internal"
    assert "/secret/path" in caplog.text


def test_changes_of_a_snapshot_say_kind_fields_and_pinned_pages(client, sample_lake):
    answer = client.get(f"{API}/snapshots/{sample_lake.newest}/changes?since=first").json
    assert answer["meta"]["since"] == sample_lake.first
    assert answer["meta"]["counts"] == {"added": 5, "changed": 0, "removed": 1}
    rows = {row["point_id"]: row for row in answer["data"]}
    gone = rows[sample_lake.ids["gone"]]
    assert (gone["change"], gone["page_after"]) == ("removed", None)
    assert gone["page_before"] == f"/points/{gone['point_id']}?snap={sample_lake.first}"
    only = client.get(f"{API}/snapshots/{sample_lake.newest}/changes?since=first&change=removed")
    assert [row["point_id"] for row in only.json["data"]] == [gone["point_id"]]
    assert client.get(f"{API}/snapshots/nothing/changes").status_code == 404
    assert client.get(f"{API}/snapshots/first/changes?change=moved").status_code == 400


@pytest.mark.parametrize("asked", ["", "?since=first", "?change=added&limit=2"])
def test_the_address_of_changes_names_both_snapshots(client, sample_lake, asked):
    answer = client.get(f"{API}/snapshots/{sample_lake.newest}/changes{asked}").json
    address = answer["meta"]["provenance"]["address"]
    assert f"since={sample_lake.first}" in address
    assert client.get(address).json == answer


def test_a_name_in_the_path_of_changes_becomes_the_snapshot_it_names(client, sample_lake):
    answer = client.get(f"{API}/snapshots/first/changes").json
    address = answer["meta"]["provenance"]["address"]
    assert address == f"{API}/snapshots/{sample_lake.first}/changes"
    assert answer["meta"]["since"] is None
    assert client.get(address).json == answer
    table = client.get(f"{API}/snapshots/first/changes?format=csv&header=1").text
    assert f"# address: {address}\n" in table
