"""curl, SQL and notebooks give a view's numbers again."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from werkzeug.serving import make_server

from explorer.domain.addresses import API
from explorer.exports import provenance
from tests.api.conftest import server
from tests.lake_fixture import DATASET, Sample

EXACT = 1e-9
RUN = """
import json, sys
cells = json.load(open(sys.argv[1]))["cells"]
space = {}
for cell in cells:
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), "cell", "exec"), space)
found = dict(space["computed"].items())
plain = {name: value.item() if hasattr(value, "item") else value for name, value in found.items()}
json.dump(plain, sys.stdout, default=str)
"""
"""What a notebook runner does: cell after cell in one space."""


@pytest.fixture(scope="module")
def site(sample_lake: Sample) -> Iterator[str]:
    """Return the address of a real server over the sample lake."""
    running = make_server("127.0.0.1", 0, server(sample_lake.lake), threaded=True)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()


def paths(sample: Sample) -> dict[str, str]:
    point = f"{API}/points/{sample.ids['high']}"
    return {
        "curves": f"{API}/curves?x=p90_ttft_s&hw=b200,mi355x",
        "points": f"{API}/points?model=kimik2.5&ttft_max=5",
        "requests": f"{point}/timeline?phase=all",
        "page of requests": f"{point}/requests?limit=20&sort=-e2el_s",
        "series": f"{API}/points/{sample.ids['low']}/series?names=kv_usage_ratio",
        "turns": f"{API}/datasets/{DATASET}/conversations/conv-0",
        "conversations": f"{API}/datasets/{DATASET}/conversations?q=conv",
    }


KINDS = tuple(paths(Sample(Path(), None, dict.fromkeys(("high", "low"), ""), "", "")))


def asked(address: str, format_: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}format={format_}"


def save(client, address: str, folder: Path) -> tuple[Path, Path]:
    """Put a view's notebook and its Parquet file into a folder, as their downloads are named."""
    saved = []
    for format_ in ("ipynb", "parquet"):
        answer = client.get(asked(address, format_))
        name = re.search(r'filename="([^"]+)"', answer.headers["Content-Disposition"])[1]
        (folder / name).write_bytes(answer.data)
        saved.append(folder / name)
    return saved[0], saved[1]


def run(notebook: Path, **env: str) -> dict:
    """Run a notebook's code in a fresh process and return what it computed."""
    script = notebook.with_name("run.py")
    script.write_text(RUN)
    done = subprocess.run(
        [sys.executable, "-I", script.name, notebook.name],
        cwd=notebook.parent, capture_output=True, text=True, env={**os.environ, **env},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout[done.stdout.index("{") :])


@pytest.mark.parametrize("kind", KINDS)
def test_sql_gives_the_same_rows(client, sample_lake, tmp_path, monkeypatch, kind):
    address = paths(sample_lake)[kind]
    _, parquet = save(client, address, tmp_path)
    text = client.get(asked(address, "sql")).text
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as shell:
        view, rows = shell.extract_statements(text)[:2]
        shell.execute(view)
        first = shell.sql(rows.query).to_arrow_table()
    whole = pq.read_table(parquet)
    assert first.num_rows == whole.num_rows > 0
    assert first.column_names == whole.column_names
    assert first.to_pylist() == whole.to_pylist()


def test_sql_of_curves_computes_the_frontier_and_does_not_read_it(
    client, sample_lake, tmp_path, monkeypatch
):
    address = paths(sample_lake)["curves"]
    _, parquet = save(client, address, tmp_path)
    rows = pq.read_table(parquet).to_pylist()
    beaten = {**rows[0], "x": rows[0]["x"] * 2, "y": rows[0]["y"] / 2}
    blank = [{**row, "on_frontier": None} for row in (*rows, beaten)]
    pq.write_table(pa.Table.from_pylist(blank, schema=pq.read_schema(parquet)), parquet)
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as shell:
        view, select = shell.extract_statements(client.get(asked(address, "sql")).text)
        shell.execute(view)
        found = shell.sql(select.query).to_arrow_table()
    assert found["on_frontier"].to_pylist() == [*(row["on_frontier"] for row in rows), False]


def test_sql_of_requests_ends_with_the_points_numbers(client, sample_lake, tmp_path, monkeypatch):
    save(client, paths(sample_lake)["requests"], tmp_path)
    text = client.get(asked(paths(sample_lake)["requests"], "sql")).text
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as shell:
        answer = shell.execute(text)
        names = [column[0] for column in answer.description]
        found = dict(zip(names, answer.fetchall()[0], strict=True))
    shown = client.get(f"{API}/points/{sample_lake.ids['high']}").json["data"]["metrics"]
    known = {name: value for name, value in found.items() if shown[name] is not None}
    assert len(known) > 60
    for name, value in known.items():
        assert value == pytest.approx(shown[name], rel=EXACT), name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("source", ["file", "server"])
def test_a_notebook_runs_and_finds_the_numbers(client, site, sample_lake, tmp_path, kind, source):
    address = paths(sample_lake)[kind]
    notebook, parquet = save(client, address, tmp_path)
    if source == "server":
        parquet.unlink()
    found = run(notebook, EXPLORER=site if source == "server" else "http://nowhere.invalid")
    if kind == "curves":
        curves = client.get(address).json["data"]
        wins = [point["on_frontier"] for curve in curves for point in curve["points"]]
        assert [found[str(place)] for place in range(len(wins))] == wins
    elif kind == "requests":
        shown = client.get(f"{API}/points/{sample_lake.ids['high']}").json["data"]["metrics"]
        for name in ("p90_ttft_s", "p99_e2el_s", "p50_interactivity_tps", "total_tps"):
            assert found[name] == pytest.approx(shown[name], rel=EXACT)
    elif kind == "turns":
        totals = client.get(address).json["data"]["totals"]
        assert {name: found[name] for name in totals if name in found} == {
            name: value for name, value in totals.items() if name in found
        }
    else:
        whole = pq.read_table(io.BytesIO(client.get(asked(address, "parquet")).data))
        for one in whole.schema:
            if provenance.is_number(one.type) and whole[one.name].null_count < whole.num_rows:
                mean = pc.mean(whole[one.name]).as_py()
                assert found[one.name] == pytest.approx(mean, rel=EXACT)


def test_a_notebook_whose_numbers_are_off_fails(client, sample_lake, tmp_path):
    notebook, _ = save(client, paths(sample_lake)["requests"], tmp_path)
    shown = client.get(f"{API}/points/{sample_lake.ids['high']}").json["data"]["metrics"]
    text = notebook.read_text()
    assert repr(shown["p90_ttft_s"]) in text
    notebook.write_text(text.replace(repr(shown["p90_ttft_s"]), "9.75"))
    with pytest.raises(AssertionError, match="p90_ttft_s"):
        run(notebook)


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_is_valid_nbformat_and_the_same_each_time(client, sample_lake, kind):
    address = asked(paths(sample_lake)[kind], "ipynb")
    text = client.get(address).text
    assert text == client.get(address).text
    document = json.loads(text)
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    assert set(document) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    ids = [cell["id"] for cell in document["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in document["cells"]:
        assert re.fullmatch(r"[a-zA-Z0-9-_]{1,64}", cell["id"])
        code = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert set(cell) == {"cell_type", "id", "metadata", "source"} | code


def test_curl_fetches_every_format(client, site, sample_lake, tmp_path):
    address = paths(sample_lake)["curves"]
    script = client.get(asked(address, "curl")).text
    calls = [shlex.split(line) for line in script.splitlines() if line.startswith("curl")]
    assert [call[-1] for call in calls] == [
        f"curves.{ending}" for ending in ("json", "parquet", "csv", "arrows")
    ]
    for call in calls:
        place = call[2].replace("$EXPLORER", "")
        assert f"snap={sample_lake.newest}" in place
        answer = client.get(place)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["Cache-Control"]


@pytest.mark.parametrize("evil", ["$(touch x)", "`id`", '";id;"', "'; DROP", "\\"])
@pytest.mark.parametrize("format_", ["curl", "sql", "ipynb"])
def test_nothing_in_an_address_is_run(client, evil, format_):
    text = client.get(f"{API}/points", query_string={"model": evil, "format": format_}).get_data(
        as_text=True
    )
    lines = text.splitlines()
    risky = [line for line in lines if evil in line and not line.lstrip().startswith(("#", "--"))]
    if format_ == "ipynb":
        risky = [
            line
            for cell in json.loads(text)["cells"]
            if cell["cell_type"] == "code"
            for line in cell["source"]
            if evil in line
        ]
    assert risky == []
