"""Small lakes built by ingest, and how tests look into them."""

from __future__ import annotations

import atexit
from functools import cache
from pathlib import Path
from typing import Any

from explorer.ingest.pipeline import ingest
from explorer.ingest.report import Report
from explorer.ingest.sandbox import Pool
from explorer.store import snapshots, tables


@cache
def workers() -> Pool:
    """Return one parsing process for all tests of a run."""
    pool = Pool(1)
    atexit.register(pool.close)
    return pool


def put(lake: Path, *paths: Path, **options: Any) -> Report:
    """Ingest with the tests' one parsing process."""
    return ingest(paths, lake, pool=workers(), **options)


def points(lake: Path, table: str = "points") -> dict[str, dict[str, Any]]:
    """Return the newest snapshot's rows by id."""
    current = snapshots.read_current(lake)
    assert current is not None
    parts = snapshots.load(lake, current).tables.get(table, ())
    rows = tables.read_rows(lake, table, parts)
    return {row["point_id" if table == "points" else "dataset"]: row for row in rows}


def only(lake: Path) -> dict[str, Any]:
    """Return the lake's only point."""
    [row] = points(lake).values()
    return row


def state(lake: Path) -> dict[str, bytes]:
    """Return every file that a publish could write, with its bytes."""
    return {
        str(path.relative_to(lake)): path.read_bytes()
        for folder in ("objects", "snapshots", "refs")
        for path in sorted((lake / folder).rglob("*"))
        if path.is_file()
    }


def numbers(row: dict[str, Any]) -> dict[str, Any]:
    """Return a point without the names of its sources."""
    return {key: value for key, value in row.items() if key != "sources"}
