"""`explorer export`: the API's rows from the command line."""

from __future__ import annotations

import io
import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from explorer.cli import main
from explorer.domain.addresses import API
from explorer.exports import provenance
from tests.api.conftest import server
from tests.lake_fixture import DATASET, FIRST_NAME, Sample


@pytest.fixture
def client(sample_lake: Sample):
    return server(sample_lake.lake).test_client()


def calls(sample: Sample) -> dict[str, tuple[list[str], str]]:
    """Return kinds of export: the call's words, the API's address of the same question."""
    low, high = sample.ids["low"], sample.ids["high"]
    return {
        "points": (["points", "model=kimik2.5"], f"{API}/points?model=kimik2.5&limit=1000"),
        "curve": (["curve", "x=p90_ttft_s"], f"{API}/curves?x=p90_ttft_s"),
        "requests": (
            ["requests", high, "phase=all", "status=ok"],
            f"{API}/points/{high}/requests?phase=all&status=ok&limit=1000",
        ),
        "series": (
            ["series", low, "names=kv_usage_ratio"],
            f"{API}/points/{low}/series?names=kv_usage_ratio",
        ),
        "conversation": (
            ["conversation", DATASET, "conv-0"],
            f"{API}/datasets/{DATASET}/conversations/conv-0",
        ),
    }


KINDS = ("points", "curve", "requests", "series", "conversation")


def export(sample: Sample, out, *words: str) -> int:
    return main(["export", *words, "--lake", str(sample.folder), "--out", str(out)])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("format_", ["csv", "parquet", "arrow", "json", "ipynb", "sql"])
def test_a_file_holds_the_bytes_that_the_api_answers(client, sample_lake, tmp_path, kind, format_):
    words, address = calls(sample_lake)[kind]
    assert export(sample_lake, tmp_path / "f", *words, "--format", format_) == 0
    header = "&header=1" if format_ == "csv" else ""
    joint = "&" if "?" in address else "?"
    base = "http://127.0.0.1:8050"
    answer = client.get(f"{address}{joint}format={format_}{header}", base_url=base)
    assert (tmp_path / "f").read_bytes() == answer.data


def test_more_rows_than_a_page_all_come(client, sample_lake, tmp_path, monkeypatch):
    monkeypatch.setattr("explorer.api.ask._AT_ONCE", 7)
    high = sample_lake.ids["high"]
    words = ("requests", high, "phase=all", "limit=7", "sort=-e2el_s")
    export(sample_lake, tmp_path / "f.json", *words, "--format", "json")
    export(sample_lake, tmp_path / "f.parquet", *words, "--format", "parquet")
    body = json.loads((tmp_path / "f.json").read_text())
    whole = client.get(f"{API}/points/{high}/requests?phase=all&sort=-e2el_s&limit=1000").json
    assert body["data"] == whole["data"]
    assert body["meta"]["next"] is None
    table = pq.read_table(tmp_path / "f.parquet")
    assert table["request_id"].to_pylist() == [row["request_id"] for row in whole["data"]]
    assert provenance.read(table)["snapshot"] == sample_lake.newest


def test_a_csv_has_its_header_unless_told_otherwise(sample_lake, tmp_path):
    export(sample_lake, tmp_path / "a.csv", "points")
    export(sample_lake, tmp_path / "b.csv", "points", "--no-header")
    plain = pd.read_csv(tmp_path / "b.csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "a.csv", comment="#"), plain)
    assert (tmp_path / "a.csv").read_text().startswith("# export: points\n")


def test_an_older_snapshot_and_an_older_id_are_followed(sample_lake, tmp_path):
    export(sample_lake, tmp_path / "f", "points", "--snap", FIRST_NAME, "--format", "arrow")
    table = pa.ipc.open_stream(io.BytesIO((tmp_path / "f").read_bytes())).read_all()
    assert sample_lake.ids["gone"] in table["point_id"].to_pylist()
    assert export(sample_lake, tmp_path / "g", "series", sample_lake.ids["other-alias"]) == 0


@pytest.mark.parametrize("format_", ["svg", "png"])
@pytest.mark.parametrize("kind", ["curve", "conversation"])
def test_pictures_are_files_of_their_own(sample_lake, tmp_path, kind, format_):
    words, _ = calls(sample_lake)[kind]
    assert export(sample_lake, tmp_path / "p", *words, "--format", format_) == 0
    data = (tmp_path / "p").read_bytes()
    assert data.startswith(b"\x89PNG" if format_ == "png" else b"<svg ")
    assert export(sample_lake, tmp_path / "q", *words, "--format", format_) == 0
    assert (tmp_path / "q").read_bytes() == data


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["points", "modle=x"], "Did you mean mode"),
        (["points", "kimik2.5"], "is no KEY=VALUE"),
        (["requests", "nosuchpoint0"], "No point 'nosuchpoint0'"),
        (["curve", "stat=p42"], "p42"),
        (["curve", "model=nobody", "--format", "svg"], "nothing to draw"),
        (["conversation", DATASET, "nobody"], "nobody"),
        (["site", "--view", "/zzz"], "no page has this path"),
        (["site"], "No view is named"),
    ],
)
def test_a_wrong_call_says_what_and_writes_nothing(sample_lake, tmp_path, capsys, words, said):
    assert export(sample_lake, tmp_path / "f", *words) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_site_of_a_file_of_views_tells_its_size(sample_lake, tmp_path, capsys):
    (tmp_path / "views.txt").write_text("# two\n/\n/datasets\n")
    out = tmp_path / "site"
    assert export(sample_lake, out, "site", "--views", str(tmp_path / "views.txt")) == 0
    told = capsys.readouterr().out
    files = [path for path in out.rglob("*") if path.is_file()]
    assert f"{len(files)} files, {sum(path.stat().st_size for path in files):,} bytes" in told


def test_a_site_says_which_of_its_views_were_pinned_elsewhere(sample_lake, tmp_path, capsys):
    views = ["--view", f"/?snap={FIRST_NAME}", "--view", f"/datasets?snap={sample_lake.newest}"]
    assert export(sample_lake, tmp_path / "a", "site", *views) == 0
    said = f"Views pinned to {FIRST_NAME} show {sample_lake.newest} here"
    assert said in capsys.readouterr().out
    pinned = ["site", "--view", f"/?snap={FIRST_NAME}", "--snap", sample_lake.first]
    assert export(sample_lake, tmp_path / "b", *pinned) == 0
    assert "Views pinned" not in capsys.readouterr().out
