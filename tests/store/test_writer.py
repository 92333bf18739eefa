"""Publishing: idempotent, order-free, atomic under kills, safe between two writers."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time

import pytest

from explorer.errors import ExpiredError, LakeError, NotFoundError, UsageError
from explorer.store import snapshots
from explorer.store.lake import open_lake
from explorer.store.objects import object_path
from explorer.store.writer import publish


def point(name, **more):
    return {
        "point_id": name,
        "revision": "r",
        "model": "m",
        "warnings": [{"code": "c", "params": {"n": 1}}],
        "aliases": [],
        "p90_ttft_s": 1.5,
        **more,
    }


def ids(lake, snap=None):
    rows = open_lake(lake).rows("SELECT point_id FROM {points} ORDER BY 1", snap=snap)
    return [row["point_id"] for row in rows]


def test_publishing_twice_writes_nothing(tmp_path):
    first = publish(tmp_path, points=[point("a"), point("b")])
    before = sorted(path.name for path in tmp_path.rglob("*"))
    second = publish(tmp_path, points=[point("b"), point("a")])
    assert second.snapshot == first.snapshot
    assert second.keys("points", "unchanged") == ["a", "b"]
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_order_of_publishing_gives_the_same_objects(tmp_path):
    names = [f"p{i:04d}" for i in range(60)]
    parts = []
    for seed in (1, 2):
        lake = tmp_path / str(seed)
        shuffled = random.Random(seed).sample(names, len(names))
        for name in shuffled[:5]:
            publish(lake, points=[point(name)])
        result = publish(lake, points=[point(name) for name in shuffled])
        parts.append(result.snapshot.tables)
    assert parts[0] == parts[1]


def test_more_than_two_thousand_points_split_into_parts(tmp_path):
    lake_rows = [point(f"{i % 32:x}{i:05d}") for i in range(2_100)]
    first = publish(tmp_path, points=lake_rows).snapshot
    assert len(first.tables["points"]) > 10
    second = publish(tmp_path, points=[point("000000", model="other")]).snapshot
    kept = set(first.tables["points"]) & set(second.tables["points"])
    assert len(kept) == len(first.tables["points"]) - 1
    assert len(ids(tmp_path)) == 2_100


def test_removal_is_a_new_snapshot_and_the_old_one_still_answers(tmp_path):
    old = publish(tmp_path, points=[point("a"), point("b")]).snapshot
    new = publish(tmp_path, remove=["a"]).snapshot
    assert (new.removed, new.points, new.parent) == (1, 1, old.snap)
    assert ids(tmp_path) == ["b"]
    assert ids(tmp_path, snap=old.snap) == ["a", "b"]


def test_an_expired_snapshot_says_so_and_a_name_never_moves(tmp_path):
    old = publish(tmp_path, points=[point("a")]).snapshot
    new = publish(tmp_path, points=[point("b")]).snapshot
    snapshots.give_name(tmp_path, old.snap, "article")
    assert snapshots.load(tmp_path, "article").snap == old.snap
    with pytest.raises(UsageError):
        snapshots.give_name(tmp_path, new.snap, "article")
    snapshots.expire(tmp_path, "article")
    with pytest.raises(ExpiredError):
        snapshots.load(tmp_path, "article")
    with pytest.raises(UsageError, match="expired snapshot's"):
        snapshots.give_name(tmp_path, new.snap, "article")
    with pytest.raises(ExpiredError):
        snapshots.load(tmp_path, old.snap)
    with pytest.raises(NotFoundError):
        snapshots.load(tmp_path, "0" * 16)
    with pytest.raises(UsageError):
        snapshots.expire(tmp_path, new.snap)


def test_no_name_hides_another_snapshots_hash(tmp_path):
    old = publish(tmp_path, points=[point("a")]).snapshot
    new = publish(tmp_path, points=[point("b")]).snapshot
    with pytest.raises(UsageError, match="looks like a snapshot's hash"):
        snapshots.give_name(tmp_path, new.snap, old.snap)
    names = tmp_path / "refs" / "names"
    names.mkdir()
    (names / old.snap).write_text(new.snap)  # as an older build allowed
    assert snapshots.load(tmp_path, old.snap).snap == old.snap
    (names / "deadbeefdeadbeef").write_text(new.snap)
    assert snapshots.load(tmp_path, "deadbeefdeadbeef").snap == new.snap


def test_a_schema_this_build_does_not_read_is_named(tmp_path):
    snap = publish(tmp_path, points=[point("a")]).snapshot.snap
    path = tmp_path / "snapshots" / f"{snap}.json"
    path.write_text(path.read_text().replace('"schema":1', '"schema":99'))
    with pytest.raises(LakeError, match="schema 99"):
        open_lake(tmp_path).snapshot()


def test_an_empty_lake_says_how_to_fill_it(tmp_path):
    with pytest.raises(LakeError, match="explorer ingest"):
        open_lake(tmp_path).rows("SELECT 1 FROM {points}")


def publish_some(lake, names):
    for name in names:
        publish(lake, points=[point(name)])


def test_two_writers_at_once_lose_nothing(tmp_path):
    context = multiprocessing.get_context("spawn")
    halves = [[f"a{i}" for i in range(6)], [f"b{i}" for i in range(6)]]
    writers = [context.Process(target=publish_some, args=(tmp_path, half)) for half in halves]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert ids(tmp_path) == sorted(halves[0] + halves[1])


def publish_for_ever(lake):
    number = 0
    while True:
        publish(lake, points=[point("a", p90_ttft_s=float(number))])
        number += 1


@pytest.mark.parametrize("seed", range(4))
def test_a_kill_at_any_moment_leaves_a_whole_snapshot(tmp_path, seed):
    publish(tmp_path, points=[point("a")])
    writer = multiprocessing.get_context("spawn").Process(target=publish_for_ever, args=(tmp_path,))
    writer.start()
    first = snapshots.read_current(tmp_path)
    while snapshots.read_current(tmp_path) == first:
        writer.join(0.01)
        assert writer.exitcode is None
    time.sleep(random.Random(seed).random() / 5)
    os.kill(writer.pid, signal.SIGKILL)
    writer.join()
    snapshot = open_lake(tmp_path).snapshot()
    assert all(object_path(tmp_path, part).exists() for part in snapshot.tables["points"])
    assert ids(tmp_path) == ["a"]
    assert publish(tmp_path, points=[point("b")]).snapshot.points == 2


def test_json_columns_and_lists_come_back_as_they_went_in(tmp_path):
    from explorer.store.tables import read_rows

    snapshot = publish(tmp_path, points=[point("a", aliases=["x", "y"])]).snapshot
    row = read_rows(tmp_path, "points", snapshot.tables["points"])[0]
    assert row["warnings"] == [{"code": "c", "params": {"n": 1}}]
    assert row["aliases"] == ["x", "y"]
    assert row["p50_ttft_s"] is None
