"""Exports of real results: numbers again from files alone, for points of every kind of input."""

from __future__ import annotations

import io
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow.parquet as pq
import pytest

from explorer.domain.addresses import API
from explorer.store.lake import open_lake
from tests.api.conftest import server
from tests.exports.test_reproduce import EXACT, run, save

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def lake(real_lake: Path):
    return open_lake(real_lake)


@pytest.fixture
def client(lake):
    return server(lake).test_client()


@pytest.fixture(scope="module")
def recorded(lake) -> list[str]:
    """Return the points with most requests of each format of input."""
    rows = lake.rows(
        "SELECT format, arg_max(point_id, requests_total) AS point_id FROM {points} "
        "WHERE requests_object IS NOT NULL GROUP BY format ORDER BY format"
    )
    return [row["point_id"] for row in rows]


def test_notebooks_of_requests_find_the_points_numbers(client, recorded, tmp_path):
    assert recorded
    for point_id in recorded:
        folder = tmp_path / point_id
        folder.mkdir()
        notebook, _ = save(client, f"{API}/points/{point_id}/timeline?phase=all", folder)
        found = run(notebook, EXPLORER="http://nowhere.invalid")
        shown = client.get(f"{API}/points/{point_id}").json["data"]["metrics"]
        compared = 0
        for name in ("p90_ttft_s", "p99_e2el_s", "p50_interactivity_tps", "mean_isl_tokens"):
            if shown[name] is not None:
                assert found[name] == pytest.approx(shown[name], rel=EXACT), (point_id, name)
                compared += 1
        assert compared >= 3


def test_sql_of_every_default_curve_finds_its_winners(client, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number, query in enumerate(
        ("", "x=p90_ttft_s", "y=usd_per_mtok_total", "model=dsr1&scenario=fixed", "split=spec")
    ):
        (tmp_path / str(number)).mkdir()
        monkeypatch.chdir(tmp_path / str(number))
        save(client, f"{API}/curves?{query}", Path.cwd())
        text = client.get(f"{API}/curves?{query}{'&' if query else ''}format=sql").text
        assert "NOT EXISTS" in text
        with duckdb.connect() as shell:
            view, select = shell.extract_statements(text)
            shell.execute(view)
            rows = shell.sql(select.query).to_arrow_table().to_pylist()
        body = client.get(f"{API}/curves?{query}").json["data"]
        told = {
            (curve["curve_id"], point["point_id"]): point["on_frontier"]
            for curve in body
            for point in curve["points"]
        }
        assert {(row["curve_id"], row["point_id"]): row["on_frontier"] for row in rows} == told


def test_csv_and_parquet_of_every_point_are_equal_to_the_last_digit(client):
    address = f"{API}/points?limit=1000"
    table = pq.read_table(io.BytesIO(client.get(f"{address}&format=parquet").data))
    text = client.get(f"{address}&format=csv&header=1").text
    frame = pd.read_csv(io.StringIO(text), comment="#", low_memory=False)
    assert len(frame) == table.num_rows > 400
    for one in table.schema:
        if one.metadata and b"unit" in one.metadata:
            theirs = table[one.name].to_pandas()
            pd.testing.assert_series_equal(
                frame[one.name].astype("float64"), theirs.astype("float64"), check_exact=True
            )
