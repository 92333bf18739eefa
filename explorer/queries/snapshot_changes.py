"""What changed from one snapshot to another: points added, changed (in what), removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from explorer.domain.columns import POINT_COLUMNS
from explorer.domain.lake import Lake, Snapshot
from explorer.domain.metrics import stored_keys
from explorer.queries import paging
from explorer.queries.paging import Order, Position
from explorer.store.cache import Memo

Kind = Literal["added", "changed", "removed"]
KINDS: tuple[Kind, ...] = ("added", "changed", "removed")
NAMED = (
    "model", "hw", "engine", "precision", "spec", "mode", "parallelism", "kv_offload",
    "kv_offload_backend", "concurrency", "scenario", "workload", "date", "status", "source",
)  # fmt: skip
"""What names a changed point for people, besides its id."""
_APART = ("revision", "point_id")
_ROWS = "SELECT point_id, hash(points) AS row FROM {points} AS points"
_FACTS = (
    f"SELECT point_id, {', '.join(NAMED)} FROM {{points}} "
    "WHERE point_id IN (SELECT unnest(?::VARCHAR[]))"
)
_WHOLE = "SELECT * FROM {points} WHERE point_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY point_id"


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a point that is another now; `key` is a metric's or a column's."""

    key: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Change:
    """One point: what happened to it, its facts (of the later snapshot that has it), its fields."""

    point_id: str
    kind: Kind
    facts: Mapping[str, Any]
    fields: Sequence[Field] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """All that differs between two snapshots, by point id; `since` is None before the first."""

    since: Snapshot | None
    until: Snapshot
    rows: Sequence[Change]

    @property
    def counts(self) -> dict[Kind, int]:
        """How many points were added, changed, removed."""
        found = Counter(row.kind for row in self.rows)
        return {kind: found[kind] for kind in KINDS}


_KEPT: Memo[tuple[str, str], Changes] = Memo(40_000, lambda changes: len(changes.rows) + 1)


def changes(lake: Lake, until: str | None, since: str | None = None) -> Changes:
    """Return what changed up to a snapshot (the newest without one), from another.

    Without `since` from the snapshot before it; where that has expired or there is none, all
    points count as added.
    """
    last = lake.snapshot(until)
    first = lake.snapshot(since) if since else _before(lake, last)
    key = (first.snap if first else "", last.snap)
    return _KEPT.get(key, lambda: _changes(lake, first, last))


def _before(lake: Lake, last: Snapshot) -> Snapshot | None:
    return next((one for one in lake.snapshots() if one.snap == last.parent), None)


def _changes(lake: Lake, first: Snapshot | None, last: Snapshot) -> Changes:
    before = _hashes(lake, first) if first else {}
    after = _hashes(lake, last)
    both = before.keys() & after.keys()
    altered = sorted(point_id for point_id in both if before[point_id] != after[point_id])
    fields = _fields(lake, first, last, altered) if first else {}
    added, removed = after.keys() - both, before.keys() - both
    facts = _facts(lake, last, [*added, *altered])
    gone = _facts(lake, first, list(removed)) if first else {}
    rows = [
        *(Change(one, "added", facts[one]) for one in added),
        *(Change(one, "changed", facts[one], fields[one]) for one in altered),
        *(Change(one, "removed", gone[one]) for one in removed),
    ]
    return Changes(first, last, sorted(rows, key=lambda row: row.point_id))


def _hashes(lake: Lake, snapshot: Snapshot) -> dict[str, int]:
    return {row["point_id"]: row["row"] for row in lake.rows(_ROWS, snap=snapshot.snap)}


def _facts(lake: Lake, snapshot: Snapshot, ids: list[str]) -> dict[str, dict[str, Any]]:
    rows = lake.rows(_FACTS, [ids], snap=snapshot.snap) if ids else []
    return {row["point_id"]: row for row in rows}


def _fields(lake: Lake, first: Snapshot, last: Snapshot, ids: list[str]) -> dict[str, list[Field]]:
    """Return the values that differ of points in both snapshots, metrics first."""
    found: dict[str, list[Field]] = {point_id: [] for point_id in ids}
    if not ids:
        return found
    before, after = (lake.arrow(_WHOLE, [ids], snap=one.snap) for one in (first, last))
    for name in _order(after.column_names):
        pairs = zip(ids, before[name].to_pylist(), after[name].to_pylist(), strict=True)
        for point_id, old, new in pairs:
            if old != new and not (old != old and new != new):
                found[point_id].append(Field(name, old, new))
    return found


def _order(names: Sequence[str]) -> list[str]:
    """Return what is compared: metrics, then facts; files only say that they were read anew."""
    facts = [column.name for column in POINT_COLUMNS if column.name not in _APART]
    return [name for name in (*stored_keys(), *facts) if name in names]


def page(
    found: Changes, kinds: Sequence[str], limit: int, cursor: str | None
) -> tuple[list[Change], str | None]:
    """Return some changes of some kinds after a cursor, by point id, and the next cursor."""
    asked = paging.question("changes", found.since and found.since.snap, found.until.snap, *kinds)
    order = Order(next(column for column in POINT_COLUMNS if column.name == "point_id"))
    at = paging.start(cursor, order, asked)
    rows = [row for row in found.rows if row.kind in kinds and (not at or row.point_id > at.tie)]
    if len(rows) <= limit:
        return rows, None
    last = rows[limit - 1].point_id
    return rows[:limit], paging.encode(Position(found.until.snap, asked, None, last))
