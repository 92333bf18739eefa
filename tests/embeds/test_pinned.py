"""A pinned picture stays as it is, byte for byte, while results come; an unpinned one follows."""

from __future__ import annotations

import re
from pathlib import Path

from explorer.app import create_app
from explorer.settings import Settings
from explorer.store import snapshots
from explorer.store.writer import publish
from tests.forget import forget_all
from tests.ingest.lakes import points, put
from tests.ingest.row_samples import FLAT, changed
from tests.lake_fixture import DATASET, PRICE_VERSION, build


def pictures(page: str) -> list[str]:
    return re.findall(r"<svg.*</svg>", page, re.S)


def client(lake: Path):
    return create_app(Settings(lake=lake)).test_client()


def dated(folder: Path, date: str, **values: float) -> Path:
    """Write a row sample that says of itself when it was measured."""
    changed(FLAT, folder / "row.json", **values)
    (folder / "explorer.toml").write_text(f'date = "{date}"\n')
    return folder


def test_ingest_changes_the_newest_and_leaves_the_pinned(tmp_path):
    lake = tmp_path / "lake"
    put(lake, FLAT)
    pin = snapshots.read_current(lake)
    [point_id] = points(lake)
    pinned = f"/e/v1/curve?snap={pin}"
    server = client(lake)
    before, newest = server.get(pinned).data, server.get("/e/v1/curve").data
    kept = server.get(f"/e/v1/point?point={point_id}&snap={pin}").data

    more = changed(FLAT, tmp_path / "more" / "row.json", conc=16, median_ttft=3.5, p90_ttft=4.5)
    put(lake, more)

    assert snapshots.read_current(lake) != pin
    for again in (server, client(lake)):  # a server that kept the answer, and one that did not
        if again is not server:
            forget_all()
        assert again.get(pinned).data == before
        assert again.get(f"/e/v1/point?point={point_id}&snap={pin}").data == kept
        assert again.get("/e/v1/curve").data != newest
    assert pictures(before.decode())
    marks = re.findall(r"data-point-id=", server.get("/e/v1/curve").text)
    assert len(marks) == 2
    assert before.count(b"data-point-id=") == 1


def test_every_kind_keeps_its_bytes_when_numbers_change_and_its_snapshot_gets_a_name(tmp_path):
    sample = build(tmp_path / "lake")
    low, high = sample.ids["low"], sample.ids["high"]
    asked = [
        "curve?model=kimik2.5",
        "table?model=kimik2.5",
        f"point?point={low}",
        f"timeline?point={low}",
        f"compare?a={low}&b={high}",
        f"flame?a={DATASET}/conv-1@{high}",
    ]
    pinned = [f"/e/v1/{address}&snap={sample.newest}" for address in asked]
    before = [client(sample.folder).get(address).data for address in pinned]
    newest = [client(sample.folder).get(f"/e/v1/{address}").data for address in asked]

    row = points(sample.folder)[low] | {"p90_ttft_s": 9.9, "total_tps_per_gpu": 1.0}
    publish(sample.folder, points=[row], price_version=PRICE_VERSION)
    snapshots.give_name(sample.folder, sample.newest, "published")
    forget_all()

    server = client(sample.folder)
    assert [server.get(address).data for address in pinned] == before
    changed_now = [server.get(f"/e/v1/{address}").data for address in asked]
    assert all(now != then for now, then in zip(changed_now, newest, strict=True))
    named = server.get(f"/e/v1/{asked[0]}&snap=published")
    assert b"snapshot published of" in named.data
    assert pictures(named.text) != []


def test_a_point_measured_again_says_so_where_the_newer_run_is_known(tmp_path):
    lake = tmp_path / "lake"
    put(lake, dated(tmp_path / "first", "2026-05-01", p90_ttft=4.0))
    pin = snapshots.read_current(lake)
    [first] = points(lake)
    put(lake, dated(tmp_path / "second", "2026-05-02", p90_ttft=4.5))
    [second] = [one for one in points(lake) if one != first]
    server = client(lake)
    assert f"point {second} is newer" in server.get(f"/e/v1/point?point={first}").text
    assert "is newer" not in server.get(f"/e/v1/point?point={first}&snap={pin}").text
    assert "is newer" not in server.get(f"/e/v1/point?point={second}").text
