"""SQL over snapshots: a cursor per query, shut in, safe after a fork."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import duckdb
import pyarrow as pa
import pytest

from explorer.errors import LakeError
from explorer.store.connection import connect
from explorer.store.lake import open_lake
from explorer.store.objects import put_table
from explorer.store.writer import publish


@pytest.fixture
def lake(tmp_path):
    rows = [{"point_id": f"p{i:03d}", "model": f"m{i % 7}", "p90_ttft_s": i} for i in range(300)]
    publish(tmp_path, points=[{**row, "p90_ttft_s": float(row["p90_ttft_s"])} for row in rows])
    return open_lake(tmp_path)


def test_eight_threads_get_the_serial_answers(lake):
    def ask(number):
        sql = "SELECT count(*) AS n, sum(p90_ttft_s) AS s FROM {points} WHERE model = ?"
        return lake.rows(sql, [f"m{number % 7}"])

    serial = [ask(number) for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(200))) == serial


FORKED = """
import os, sys
from pathlib import Path
from explorer.store.lake import open_lake

lake = open_lake(Path(sys.argv[1]))
child = os.fork()
print(lake.rows("SELECT count(*) AS n FROM {points}")[0]["n"], flush=True)
if child:
    assert os.waitpid(child, 0)[1] == 0
"""


def test_a_lake_opened_before_a_fork_connects_after_it(lake):
    done = subprocess.run(
        [sys.executable, "-c", FORKED, str(lake.folder)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == ["300", "300"]


def test_nothing_outside_the_lake_can_be_read(lake, tmp_path_factory):
    secret = tmp_path_factory.mktemp("secret") / "secret.csv"
    secret.write_text("a\n1\n")
    with pytest.raises(duckdb.PermissionException):
        lake.rows(f"SELECT * FROM read_csv('{secret}')")
    with pytest.raises(duckdb.Error):
        lake.rows("SET enable_external_access = true")


def test_settings_are_read_back(tmp_path):
    connection = connect(tmp_path)
    row = connection.execute("SELECT current_setting('enable_external_access')").fetchall()
    assert row == [(False,)]
    connection.close()


def test_arrow_and_rows_agree(lake):
    sql = "SELECT point_id, p90_ttft_s FROM {points} ORDER BY point_id"
    assert lake.arrow(sql).to_pylist() == lake.rows(sql)


def test_many_snapshots_stay_readable_beyond_those_kept_loaded(tmp_path):
    snaps = [publish(tmp_path, points=[{"point_id": f"p{i}"}]).snapshot.snap for i in range(12)]
    lake = open_lake(tmp_path)
    for _ in range(2):
        for number, snap in enumerate(snaps):
            rows = lake.rows("SELECT count(*) AS n FROM {points}", snap=snap)
            assert rows == [{"n": number + 1}]


def test_readers_of_more_snapshots_than_are_kept_do_not_disturb_one_another(tmp_path):
    snaps = [publish(tmp_path, points=[{"point_id": f"p{i}"}]).snapshot.snap for i in range(12)]
    lake = open_lake(tmp_path)

    def ask(number):
        snap = snaps[number % len(snaps)]
        return lake.rows("SELECT count(*) AS n FROM {points}", snap=snap)[0]["n"]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(60))) == [1 + i % len(snaps) for i in range(60)]


def test_parts_written_before_a_column_existed_read_as_null(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    from explorer.store import snapshots
    from explorer.store.objects import object_path, put_table
    from explorer.store.schema import POINTS

    snapshot = publish(tmp_path, points=[{"point_id": "a", "model": "m"}]).snapshot
    with pq.ParquetFile(object_path(tmp_path, snapshot.tables["points"][0])) as file:
        older = file.read().drop_columns(["p90_ttft_s"])
    part = put_table(tmp_path, pa.table(older), "older")
    tables = {**snapshot.tables, "points": (part,)}
    old = snapshots.write(tmp_path, replace(snapshot, tables=tables))
    assert open_lake(tmp_path).rows("SELECT * FROM {points}", snap=old.snap)[0]["model"] == "m"
    assert snapshots.swap_current(tmp_path, snapshot.snap, old.snap)
    after = publish(tmp_path, points=[{"point_id": "b", "p90_ttft_s": 2.0}])
    rows = open_lake(tmp_path).rows("SELECT p90_ttft_s FROM {points} ORDER BY point_id")
    assert [row["p90_ttft_s"] for row in rows] == [None, 2.0]
    assert after.snapshot.points == 2
    assert POINTS.field("p90_ttft_s").type == pa.float64()


def test_several_objects_are_one_table_whose_rows_say_where_from(lake, tmp_path):
    tables = [pa.table({"n": [1, 2]}), pa.table({"n": [3], "late": ["x"]})]
    names = [put_table(tmp_path, table, "sample") for table in tables]
    sql = "SELECT parse_filename(filename, true) AS name, n, late FROM {o} ORDER BY n"
    rows = lake.rows(sql, objects={"o": names})
    assert [row["name"] for row in rows] == [names[0], names[0], names[1]]
    assert [row["late"] for row in rows] == [None, None, "x"]
    with pytest.raises(LakeError, match="missing"):
        lake.rows("SELECT * FROM {o}", objects={"o": [names[0], "0" * 64]})
