"""Publishing: rows over rows, then one swap; two writers merge, a kill leaves old or new whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from explorer.domain.lake import Snapshot
from explorer.domain.metrics import METRIC_VERSION
from explorer.errors import ConflictError
from explorer.store import snapshots, tables
from explorer.store.schema import SCHEMA_VERSION, TABLES

_ATTEMPTS = 20
Rows = Iterable[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class PublishResult:
    """What publishing did; `snapshot` is the newest afterwards, None in a lake still empty."""

    snapshot: Snapshot | None
    changes: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def keys(self, table: str, change: str) -> list[str]:
        """Return the keys of one table that were added, changed, unchanged or removed."""
        return self.changes.get(table, {}).get(change, [])


def publish(
    lake: Path,
    *,
    points: Rows = (),
    remove: Iterable[str] = (),
    datasets: Rows = (),
    conversations: Rows = (),
    price_version: str = "",
    note: str = "",
) -> PublishResult:
    """Put rows into a new snapshot and make it the newest; nothing new writes nothing.

    `remove` names point ids (or datasets) that leave. Retries when another writer published in
    between; raises ConflictError after 20 attempts.
    """
    news = {
        "points": list(points),
        "datasets": list(datasets),
        "conversations": list(conversations),
    }
    gone = list(remove)
    for _ in range(_ATTEMPTS):
        expected = snapshots.read_current(lake)
        before = snapshots.load(lake, expected) if expected else None
        after, changes = _next(lake, before, news, gone, price_version, note)
        if after is None:
            return PublishResult(before, changes)
        written = snapshots.write(lake, after)
        if snapshots.swap_current(lake, expected, written.snap):
            return PublishResult(written, changes)
    raise ConflictError(
        f"{lake}: other writers published first {_ATTEMPTS} times.", hint="Run the ingest again."
    )


def _next(
    lake: Path,
    before: Snapshot | None,
    news: Mapping[str, list[Mapping[str, Any]]],
    gone: list[str],
    price_version: str,
    note: str,
) -> tuple[Snapshot | None, dict[str, dict[str, list[str]]]]:
    rows: dict[str, pa.Table] = {}
    changes: dict[str, dict[str, list[str]]] = {}
    for table in TABLES:
        old = tables.read(lake, table, before.tables.get(table, ()) if before else ())
        rows[table], changes[table] = tables.merge(table, old, news[table], gone)
    if not _touched(changes):
        return None, changes
    parts = {table: tables.write_parts(lake, table, rows[table]) for table in TABLES}
    return _snapshot(before, parts, rows, changes["points"], price_version, note), changes


def _touched(changes: Mapping[str, Mapping[str, list[str]]]) -> bool:
    return any(one[kind] for one in changes.values() for kind in ("added", "changed", "removed"))


def _snapshot(
    before: Snapshot | None,
    parts: Mapping[str, tuple[str, ...]],
    rows: Mapping[str, pa.Table],
    changes: Mapping[str, list[str]],
    price_version: str,
    note: str,
) -> Snapshot:
    return Snapshot(
        snap="",
        time=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        parent=before.snap if before else None,
        schema=SCHEMA_VERSION,
        metric_version=METRIC_VERSION,
        price_version=price_version or (before.price_version if before else ""),
        tables=parts,
        points=rows["points"].num_rows,
        requests=_recorded(rows["points"]),
        conversations=rows["conversations"].num_rows if "conversations" in rows else 0,
        added=len(changes["added"]),
        changed=len(changes["changed"]),
        removed=len(changes["removed"]),
        note=note,
    )


def _recorded(points: pa.Table) -> int:
    """Return how many request records the lake has of these points."""
    columns = ["requests_object", "requests_total", "requests_warmup"]
    return sum(
        (row["requests_total"] or 0) + (row["requests_warmup"] or 0)
        for row in points.select(columns).to_pylist()
        if row["requests_object"]
    )
