"""/points/{id}/timeline: one packed file, the same spelled out, all requests as tables."""

from __future__ import annotations

import gzip
import io

import brotli
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from flask.testing import FlaskClient

from explorer.domain.addresses import API
from explorer.figures.timeline_pack import unpack_timeline
from tests.api.schema_check import problems
from tests.lake_fixture import Sample


def address(sample: Sample, query: str = "", part: str = "timeline", name: str = "high") -> str:
    return f"{API}/points/{sample.ids[name]}/{part}?{query}"


def test_the_packed_file_holds_the_phase_asked_for(client: FlaskClient, sample_lake: Sample):
    for phase in ("all", "profiling", "warmup"):
        file = unpack_timeline(client.get(address(sample_lake, f"phase={phase}")).data)
        rows = client.get(address(sample_lake, f"phase={phase}&limit=1000", "requests")).json[
            "data"
        ]
        assert file.requests["ordinal"].tolist() == [row["ordinal"] for row in rows]
        assert file.header["n"] == len(rows) > 0
        assert file.header["counts"]["skipped_overflow"] == 1
        assert file.header["about"]["dataset"] == "sample-set"


def test_it_is_packed_once_and_sent_in_the_readers_encoding(client, sample_lake):
    plain = client.get(address(sample_lake, "phase=all"))
    for name, read in (("br", brotli.decompress), ("gzip", gzip.decompress)):
        answer = client.get(address(sample_lake, "phase=all"), headers={"Accept-Encoding": name})
        assert answer.headers["Content-Encoding"] == name
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert int(answer.headers["Content-Length"]) == len(answer.data) < len(plain.data)
        assert read(answer.data) == plain.data
        assert answer.headers["ETag"] == plain.headers["ETag"]
    assert "Content-Encoding" not in plain.headers
    assert plain.mimetype == "application/octet-stream"


def test_a_pinned_address_is_immutable_and_another_layout_is_refused(client, sample_lake):
    pinned = client.get(address(sample_lake, f"layout=1&snap={sample_lake.newest}"))
    assert "immutable" in pinned.headers["Cache-Control"]
    assert "immutable" not in client.get(address(sample_lake)).headers["Cache-Control"]
    refused = client.get(address(sample_lake, "layout=2"))
    assert (refused.status_code, refused.json["error"]["code"]) == (400, "bad_value")


def test_json_spells_the_packed_file_out(client, sample_lake):
    answer = client.get(address(sample_lake, "phase=all&format=json"))
    document = client.get(f"{API}/openapi.json").json
    get = document["paths"][f"{API}/points/{{point_id}}/timeline"]["get"]
    schema = get["responses"]["200"]["content"]["application/json"]["schema"]
    assert problems(answer.json, schema, document) == []
    data = answer.json["data"]
    rows = client.get(address(sample_lake, "phase=all&limit=1000", "requests")).json["data"]
    grid = data["unit_ns"] / 1e9
    assert data["n"] == len(rows)
    for name in ("ordinal", "turn", "phase", "status", "client_worker", "isl_tokens", "osl_tokens"):
        assert data["requests"][name] == [row[name] for row in rows]
    for i, row in enumerate(rows):
        for name in ("credit_s", "start_s", "first_token_s", "end_s"):
            got = data["requests"][name][i]
            if row[name] is None:
                assert got is None
            else:
                span = row[name] - row["start_s"]
                assert got == pytest.approx(row[name], abs=2 * grid + abs(span) / 2**13)
        stream = data["requests"]["stream"][i]
        assert data["streams"]["conversation"][stream] == row["conversation"]
        error = data["requests"]["error"][i]
        assert (error or {}).get("code") == row["error_code"]


READERS = {
    "csv": lambda data: pyarrow.csv.read_csv(io.BytesIO(data)),
    "parquet": lambda data: pq.read_table(io.BytesIO(data)),
    "arrow": lambda data: pyarrow.ipc.open_stream(data).read_all(),
}


@pytest.mark.parametrize("format_", READERS)
def test_a_table_holds_all_requests_of_the_window(client, sample_lake, format_):
    window = "phase=all&from=3&to=30"
    answer = client.get(address(sample_lake, f"{window}&format={format_}"))
    table = READERS[format_](answer.data)
    rows = client.get(address(sample_lake, f"{window}&limit=1000", "requests")).json["data"]
    assert len(rows) > 10
    assert table["ordinal"].to_pylist() == [row["ordinal"] for row in rows]
    assert table["dataset_ref_turn"].to_pylist() == [row["dataset_ref"]["turn"] for row in rows]
    name = f'attachment; filename="timeline-{sample_lake.ids["high"]}.{format_}"'
    assert answer.headers["Content-Disposition"] == name


def test_a_point_without_records_has_no_timeline_and_says_so(client, sample_lake):
    for query in ("", "format=csv", "format=html", "format=perfetto", "format=json"):
        answer = client.get(address(sample_lake, query, name="split"))
        assert answer.status_code == 404
        assert "no request records" in answer.json["error"]["message"]
    point = client.get(f"{API}/points/{sample_lake.ids['split']}").json["data"]
    assert point["links"]["timeline"] is None


def test_the_points_link_leads_to_it(client, sample_lake):
    point = client.get(f"{API}/points/{sample_lake.ids['high']}").json["data"]
    assert client.get(point["links"]["timeline"]).data[:4] == b"XTLN"
    other = client.get(f"{API}/points/{sample_lake.ids['other-alias']}/timeline?phase=all")
    assert other.headers["Location"].endswith(f"{sample_lake.ids['other']}/timeline?phase=all")


def test_a_request_is_had_by_its_ordinal_and_by_its_id(client, sample_lake):
    query = "phase=all&ordinal=5,9"
    rows = client.get(address(sample_lake, query, "requests")).json["data"]
    assert [row["ordinal"] for row in rows] == [5, 9]
    one = client.get(
        address(sample_lake, f"phase=all&request_id={rows[1]['request_id']}", "requests")
    ).json["data"]
    assert one == rows[1:]
    bad = client.get(address(sample_lake, "ordinal=x", "requests"))
    assert "whole numbers" in bad.json["error"]["hint"]
