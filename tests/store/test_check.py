"""A lake's health: damage is found, orphans are swept a day later, a sound lake says so."""

from __future__ import annotations

import time

import pyarrow as pa
import pytest

from explorer.store.check import DAY_S, check
from explorer.store.objects import object_path, put_table
from explorer.store.writer import publish


@pytest.fixture
def lake(tmp_path):
    logs = pa.table({"line": [1], "file": ["a"], "level": ["INFO"], "text": ["x"]})
    kept = put_table(tmp_path, logs, "logs")
    publish(tmp_path, points=[{"point_id": "a", "logs_object": kept}])
    return tmp_path, kept


def test_a_sound_lake_is_sound(lake):
    folder, _ = lake
    health = check(folder)
    assert health.sound
    assert (health.objects, health.snapshots, health.orphans) == (2, 1, [])


def test_a_changed_byte_is_damage(lake):
    folder, kept = lake
    path = object_path(folder, kept)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    assert check(folder).damaged == [kept]


def test_a_lost_object_is_missing(lake):
    folder, kept = lake
    object_path(folder, kept).unlink()
    health = check(folder)
    assert health.missing == [kept]
    assert not health.sound


def test_orphans_are_swept_only_after_a_day_and_only_when_asked(lake):
    folder, kept = lake
    loose = put_table(folder, pa.table({"a": [1]}), "other")
    leftover = folder / "objects" / ".tmp-broken"
    leftover.write_bytes(b"half")
    assert check(folder).orphans == [f"{loose}.parquet", ".tmp-broken"]
    assert check(folder, repair=True).swept == []
    later = check(folder, repair=True, now=time.time() + DAY_S + 60)
    assert later.swept == [f"{loose}.parquet", ".tmp-broken"]
    assert object_path(folder, kept).exists()
    assert check(folder).orphans == []


def test_a_snapshot_that_cannot_be_read_is_named(lake):
    folder, _ = lake
    (folder / "snapshots" / f"{'0' * 16}.json").write_text("{}")
    assert len(check(folder).unreadable) == 1
