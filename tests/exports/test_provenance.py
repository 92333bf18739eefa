"""Files say where they come from, in every format, and read back to equal numbers."""

from __future__ import annotations

import io
import json
import math

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from explorer.api.routes import ROUTES
from explorer.domain.addresses import API
from explorer.exports import provenance, tabular
from tests.lake_fixture import Sample

TABULAR = [route for route in ROUTES if route.tabular]
routes = pytest.mark.parametrize("route", TABULAR, ids=lambda route: route.name)
TOLD = ("snapshot", "date", "metric_version", "price_version", "address", "licence", "citation")


def path(route, sample: Sample, name: str = "high") -> str:
    return API + route.address(sample.places(name))


def tables(client, address: str, **query: str) -> tuple[pa.Table, pa.Table, pd.DataFrame]:
    """Return the same rows from Parquet, from Arrow and from CSV with its comment lines."""
    answers = {
        one: client.get(address, query_string={**query, "format": one}).data
        for one in ("parquet", "arrow")
    }
    text = client.get(address, query_string={**query, "format": "csv", "header": "1"}).text
    return (
        pq.read_table(io.BytesIO(answers["parquet"])),
        pa.ipc.open_stream(answers["arrow"]).read_all(),
        pd.read_csv(io.StringIO(text), comment="#"),
    )


def header_of(text: str) -> dict[str, str]:
    lines = [line[2:] for line in text.splitlines() if line.startswith("# ")]
    return dict(line.split(": ", 1) for line in lines)


@routes
def test_each_format_says_where_its_rows_come_from(client, sample_lake, route):
    address = path(route, sample_lake)
    parquet, arrow, _ = tables(client, address)
    facts = provenance.read(parquet)
    assert facts == provenance.read(arrow)
    assert facts == client.get(address).json["meta"]["provenance"]
    assert facts["snapshot"] == sample_lake.newest
    said = header_of(client.get(address, query_string={"format": "csv", "header": "1"}).text)
    for name in TOLD:
        assert facts[name] is not None
        assert said[name] == str(facts[name]).replace(",", "%2C")


@routes
def test_the_address_in_a_file_gives_the_same_rows_and_itself(client, sample_lake, route):
    first = client.get(path(route, sample_lake)).json
    if "snap" not in {one.name for one in route.parameters}:
        return
    again = client.get(first["meta"]["provenance"]["address"])
    assert "immutable" in again.headers["Cache-Control"]
    assert again.json["meta"]["provenance"] == first["meta"]["provenance"]
    pinned = json.loads(json.dumps(first["data"]).replace(f"?snap={sample_lake.newest}", ""))
    unlinked = json.dumps(again.json["data"]).replace(f"?snap={sample_lake.newest}", "")
    assert json.loads(unlinked) == pinned


@routes
@pytest.mark.parametrize("name", ["high", "low", "split"])
def test_csv_and_parquet_read_back_to_equal_numbers(client, sample_lake, route, name):
    parquet, arrow, csv = tables(client, path(route, sample_lake, name))
    assert parquet.equals(arrow)
    assert list(csv.columns) == parquet.column_names
    for column in parquet.column_names:
        whole = parquet[column].to_pylist()
        for mine, theirs in zip(csv[column].tolist(), whole, strict=True):
            if theirs is None or isinstance(theirs, list):
                continue
            if isinstance(theirs, str):
                assert tabular.unguarded(str(mine)) == theirs or float(mine) == float(theirs)
            else:
                assert mine == theirs or math.isclose(mine, theirs, rel_tol=0, abs_tol=0)


@routes
def test_every_number_column_has_a_unit_in_parquet_and_in_the_csv_header(
    client, sample_lake, route
):
    parquet, _, _ = tables(client, path(route, sample_lake))
    units = provenance.units(parquet)
    numbers = {one.name for one in parquet.schema if provenance.is_number(one.type)}
    assert set(units) == numbers
    text = client.get(path(route, sample_lake), query_string={"format": "csv", "header": "1"}).text
    said = dict(pair.split("=", 1) for pair in header_of(text).get("units", "").split())
    assert said == units


def test_axes_carry_the_unit_of_what_was_asked(client):
    parquet, _, _ = tables(client, f"{API}/curves", x="p90_ttft_s", y="usd_per_mtok_total")
    assert provenance.units(parquet)["x"] == "s"
    assert provenance.units(parquet)["y"] == "$/Mtok"


def test_without_header_a_csv_is_a_plain_table(client):
    text = client.get(f"{API}/points?format=csv").text
    assert text.startswith('"point_id"')
    with_header = client.get(f"{API}/points?format=csv&header=1").text
    assert with_header.endswith(text)


def test_header_lines_stay_in_one_cell_of_a_spreadsheet(client):
    text = client.get(f"{API}/points?hw=b200,mi355x&format=csv&header=1").text
    lines = [line for line in text.splitlines() if line.startswith("#")]
    assert len(lines) > 8
    assert not [line for line in lines if set(line) & set(',;"\t')]


def test_filters_are_told_as_they_were_answered(client):
    facts = client.get(f"{API}/curves?hw=b200").json["meta"]["provenance"]
    assert "model=kimik2.5" in facts["filters"]
    assert "hw=b200" in facts["filters"]


@pytest.mark.parametrize("word", ["simulated", "mock"])
def test_rows_that_nobody_measured_say_so(word):
    of = provenance.Provenance("points", "/api/v1/points", sources=(word,))
    assert of.facts()["source"] == [word]
    assert "no hardware was measured" in of.facts()["note"]


def test_a_mark_inside_a_cell_starts_no_comment():
    table = pa.table({"name": ["a # b", "#c", None], "n": [1, 2, 3]})
    read = pd.read_csv(io.BytesIO(b"# top\n" + tabular.csv(table)), comment="#")
    assert read["name"].tolist()[:2] == ["a # b", "#c"]
    assert read["n"].tolist() == [1, 2, 3]
