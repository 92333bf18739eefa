"""Snapshots of the lake, newest first, as the contract names them."""

from __future__ import annotations

from typing import Any

from explorer.domain.columns import Column
from explorer.domain.lake import Lake, Snapshot
from explorer.errors import NotFoundError
from explorer.queries import paging
from explorer.queries.paging import Order, Position

COLUMNS: tuple[Column, ...] = (
    Column("snap", "str", "the snapshot's hash"),
    Column("name", "str", "a name given to it"),
    Column("time", "str", "when it was published, UTC"),
    Column("parent", "str", "the snapshot before it"),
    Column("points", "int", "points in it"),
    Column("requests", "int", "requests recorded in it"),
    Column("conversations", "int", "conversations in it"),
    Column("added", "int", "points added to the parent's"),
    Column("changed", "int", "points whose row changed"),
    Column("removed", "int", "points taken away"),
    Column("kept", "bool", "named or kept: never swept"),
)
_ASKED = paging.question("snapshots")


def many(
    lake: Lake, *, limit: int = paging.DEFAULT_LIMIT, cursor: str | None = None
) -> tuple[list[dict[str, Any]], Snapshot | None, str | None]:
    """Return snapshots after a cursor, newest first; the newest of all; the next cursor.

    An empty lake has none, which is no error here.
    """
    every = lake.snapshots()
    newest = lake.snapshot() if every else None
    at = paging.start(cursor, Order(COLUMNS[0]), _ASKED)
    first = _index(every, at) + 1 if at else 0
    rows = [
        {column.name: getattr(one, column.name) for column in COLUMNS}
        for one in every[first : first + limit]
    ]
    if first + limit >= len(every):
        return rows, newest, None
    last = rows[-1]["snap"]
    return rows, newest, paging.encode(Position(last, _ASKED, None, last))


def _index(every: list[Snapshot], at: Position) -> int:
    for index, snapshot in enumerate(every):
        if snapshot.snap == at.tie:
            return index
    raise NotFoundError(
        f"Snapshot {at.tie!r} of the cursor has expired.", hint="Start again without a cursor."
    )
