"""Rows for re-drawing: many objects in a scan are those of one after the other."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from explorer.domain.lake import Lake
from explorer.queries import replay_samples
from explorer.queries.replay_samples import SAMPLES, read, read_ahead
from explorer.store import objects
from explorer.store.lake import open_lake
from tests.forget import forget_all
from tests.lake_fixture import build, request_table


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> tuple[Lake, dict[str, pa.Table]]:
    """A lake with requests objects of different size, one of them without a request that counts."""
    folder = build(tmp_path_factory.mktemp("samples") / "lake").folder
    tables = [request_table(n) for n in (3, 9, 5)]
    tables.append(tables[0].slice(0, 0))
    named = {objects.put_table(folder, table, "requests"): table for table in tables}
    return open_lake(folder), named


@pytest.mark.parametrize("most", [1, 60, 1_000_000])
def test_one_scan_of_many_objects_gives_what_each_gives(lake, monkeypatch, most: int):
    monkeypatch.setattr(replay_samples, "_AT_ONCE", most)
    alone = {}
    for name in lake[1]:
        forget_all()
        alone[name] = read(lake[0], name)
    forget_all()
    read_ahead(lake[0], {name: len(table) for name, table in lake[1].items()})
    for name, expected in alone.items():
        found = read(lake[0], name)
        assert list(found) == list(expected) != []
        for column, values in expected.items():
            np.testing.assert_array_equal(found[column], values)


def test_columns_are_the_requests_that_count(lake):
    for name, table in lake[1].items():
        rows = [
            row for row in table.to_pylist()
            if row["phase"] == "profiling" and row["status"] == "ok"
        ]  # fmt: skip
        roots = sorted({row["root_id"] for row in rows})
        found = read(lake[0], name)
        assert found["block"].tolist() == [roots.index(row["root_id"]) for row in rows]
        assert found["input"].tolist() == [row["isl_tokens"] for row in rows]
        ttft = next(at for at, one in enumerate(SAMPLES) if one.value == "ttft_s")
        assert found[f"sample_{ttft}"].tolist() == [row["ttft_s"] for row in rows]


def test_what_is_held_is_not_read_again(lake, monkeypatch):
    forget_all()
    sizes = {name: len(table) for name, table in lake[1].items()}
    read_ahead(lake[0], sizes)
    monkeypatch.setattr(replay_samples, "_scan", None)
    read_ahead(lake[0], sizes)
