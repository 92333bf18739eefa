"""Pages of an answer: an order with a tie-break, and cursors pinned to their snapshot."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from explorer.domain.columns import Column
from explorer.domain.lake import Lake, Snapshot
from explorer.errors import UsageError
from explorer.store.cache import Memo

MAX_LIMIT = 1_000
DEFAULT_LIMIT = 100
_VERSION = 1
_PLAIN: dict[str, tuple[type, ...]] = {"str": (str,), "int": (int,), "float": (int, float)}


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of one page, the snapshot they come from, and the cursor of the next page or None."""

    rows: list[dict[str, Any]]
    snapshot: Snapshot
    next: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """Sorts by `expression`, nulls last, then by the unique column `tie`, ascending.

    `type` is the expression's domain type; without an expression `tie` alone orders.
    """

    tie: Column
    expression: str = ""
    type: str = "str"
    descending: bool = False

    @property
    def value(self) -> str:
        """The SQL whose result a cursor remembers."""
        return f"({self.expression})" if self.expression else "NULL"

    @property
    def sql(self) -> str:
        """ORDER BY without its keyword."""
        if not self.expression:
            return self.tie.name
        return f"{self.value} {'DESC' if self.descending else 'ASC'} NULLS LAST, {self.tie.name}"


@dataclass(frozen=True, slots=True)
class Position:
    """The last row of a page: its sort value and its tie."""

    snap: str
    question: str
    value: Any
    tie: Any


def question(*parts: Any) -> str:
    """Return a short digest of what was asked, so that a cursor serves its own question only."""
    return blake2b(json.dumps(parts, default=str).encode(), digest_size=6).hexdigest()


def encode(position: Position) -> str:
    """Return a position as an opaque cursor."""
    parts = [_VERSION, position.snap, position.question, position.value, position.tie]
    text = json.dumps(parts, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode(cursor: str) -> Position:
    """Return the position of a cursor; UsageError for one that this build did not make."""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        version, snap, asked, value, tie = json.loads(raw)
    except (binascii.Error, ValueError, TypeError):
        raise _bad(cursor) from None
    if version != _VERSION or not isinstance(snap, str) or not isinstance(asked, str):
        raise _bad(cursor)
    return Position(snap, asked, value, tie)


_PARTS: Memo[tuple[str, str, int], list[str]] = Memo(10_000, lambda cursors: len(cursors) + 1)
_ENDS = """
SELECT tie FROM (
  SELECT {tie} AS tie, row_number() OVER (ORDER BY {tie}) AS n, count(*) OVER () AS total
  FROM {rows}
) WHERE n % {limit} = 0 AND n < total ORDER BY n
"""


def parts(
    lake: Lake, rows: str, params: list[Any], tie: str, snapshot: Snapshot, asked: str
) -> list[str]:
    """Return the cursors of every page after the first, of MAX_LIMIT rows each, by `tie` alone.

    `rows` is what stands after FROM, with its parameters.
    """
    sql = _ENDS.replace("{tie}", tie).replace("{rows}", rows).replace("{limit}", str(MAX_LIMIT))

    def find() -> list[str]:
        found = lake.rows(sql, params, snap=snapshot.snap)
        return [encode(Position(snapshot.snap, asked, None, row["tie"])) for row in found]

    return _PARTS.get((snapshot.snap, asked, MAX_LIMIT), find)


def _bad(cursor: str) -> UsageError:
    return UsageError(
        f"cursor={cursor[:40]!r} is no cursor of this lake.",
        hint="Take meta.next of the page before, with the same parameters, or leave it out.",
    )


def start(cursor: str | None, order: Order, asked: str) -> Position | None:
    """Return where a page starts; UsageError when the cursor belongs to another question."""
    if not cursor:
        return None
    position = decode(cursor)
    if position.question != asked:
        raise UsageError(
            "The cursor belongs to other parameters.",
            hint="Keep filters and sort as they were on the first page, or leave cursor out.",
        )
    known = position.value is None or isinstance(position.value, _PLAIN.get(order.type, (str,)))
    if not known or not isinstance(position.tie, _PLAIN[order.tie.type]):
        raise _bad(cursor)
    return position


def snapshot_of(lake: Lake, position: Position | None, snap: str | None) -> Snapshot:
    """Return the snapshot of a page: the cursor's; UsageError when `snap` names another."""
    if position is None:
        return lake.snapshot(snap)
    if snap is not None and lake.snapshot(snap).snap != position.snap:
        raise UsageError(
            f"The cursor belongs to snapshot {position.snap}, snap names {snap}.",
            hint="Leave snap out, or start again without a cursor.",
        )
    return lake.snapshot(position.snap)


def after(order: Order, position: Position | None) -> tuple[str, list[Any]]:
    """Return the condition that a row comes after a position, and its parameters."""
    if position is None:
        return "true", []
    tie = order.tie.name
    if not order.expression:
        return f"{tie} > ?", [position.tie]
    value = order.value
    if position.value is None:
        return f"({value} IS NULL AND {tie} > ?)", [position.tie]
    beyond = "<" if order.descending else ">"
    sql = f"({value} {beyond} ? OR {value} IS NULL OR ({value} = ? AND {tie} > ?))"
    return sql, [position.value, position.value, position.tie]


def cut(
    rows: list[dict[str, Any]], limit: int, snapshot: Snapshot, asked: str, tie: str
) -> tuple[list[dict[str, Any]], str | None]:
    """Return `limit` of limit + 1 rows and the next cursor, from the last row's `sort_value`."""
    if len(rows) <= limit:
        return rows, None
    last = rows[limit - 1]
    return rows[:limit], encode(Position(snapshot.snap, asked, last["sort_value"], last[tie]))
