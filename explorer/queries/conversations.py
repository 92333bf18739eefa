"""Conversations of a dataset: searched, sorted, paged; one of them with its turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from explorer.domain.addresses import conversation_ids
from explorer.domain.columns import Column
from explorer.domain.lake import Lake
from explorer.domain.turns import CONVERSATION_COLUMNS, Turn, turn_of
from explorer.errors import NotFoundError, UsageError
from explorer.queries import datasets, paging
from explorer.queries.nearest import nearest
from explorer.queries.paging import Order, Page
from explorer.store.cache import Memo
from explorer.store.tables import decode

Row = dict[str, Any]

PAGE = 50
_BY_NAME: Mapping[str, Column] = {column.name: column for column in CONVERSATION_COLUMNS}
SORTS = tuple(
    column.name for column in CONVERSATION_COLUMNS if column.type in ("str", "int", "float")
)
"""Columns that order conversations; `-` before the name descends. Without: by position."""

_FOUND = """
FROM {conversations} WHERE dataset = ? AND (? = '' OR contains(lower(conversation), ?)
  OR contains(lower(array_to_string(models, ' ')), ?))
"""
_NAMED = """
SELECT * FROM {conversations} WHERE dataset = ? AND conversation IN (?, ?)
ORDER BY conversation = ? DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a dataset's conversations, from `offset` on, of `total` that match."""

    rows: list[Row]
    total: int
    offset: int
    sort: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation: its row, its dataset's row, its turns in list order."""

    row: Row
    dataset: Row
    turns: tuple[Turn, ...]

    def find(self, turn: str | None, agent: str | None) -> Turn | None:
        """Return the turn that an address names: its number within its agent; None when none."""
        if turn is None or not turn.isdecimal():
            return None
        wanted = int(turn), agent or None
        return next((one for one in self.turns if (one.turn, one.agent) == wanted), None)


_TURNS: Memo[tuple[str, str], tuple[Turn, ...]] = Memo(50_000, len)
"""(turns object, conversation) → turns: at most fifty thousand."""


def _search(slug: str, search: str | None) -> list[Any]:
    word = (search or "").lower()
    return [slug, word, word, word]


def order(sort: str | None) -> Order:
    """Return the order of `sort`, else by position; UsageError for an unknown column."""
    tie = _BY_NAME["position"]
    if not sort or sort == "position":
        return Order(tie)
    name = sort.removeprefix("-")
    if name not in SORTS:
        raise UsageError(f"sort={sort}: no such column.", hint=nearest(name, SORTS))
    return Order(tie, name, _BY_NAME[name].type, sort.startswith("-"))


def many(
    lake: Lake,
    slug: str,
    *,
    snap: str | None = None,
    search: str | None = None,
    sort: str | None = None,
    limit: int = paging.DEFAULT_LIMIT,
    cursor: str | None = None,
) -> Page:
    """Return a page of a dataset's conversations; `search` looks in ids and models, any case."""
    by = order(sort)
    asked = paging.question("conversations", slug, search, sort)
    at = paging.start(cursor, by, asked)
    snapshot = paging.snapshot_of(lake, at, snap)
    datasets.one(lake, slug, snapshot.snap)
    beyond, more = paging.after(by, at)
    sql = (
        f"SELECT *, {by.value} AS sort_value {_FOUND} AND {beyond} "
        f"ORDER BY {by.sql} LIMIT {int(limit) + 1}"
    )
    rows = lake.rows(sql, [*_search(slug, search), *more], snap=snapshot.snap)
    kept, following = paging.cut(rows, limit, snapshot, asked, "position")
    return Page([_row(row) for row in kept], snapshot, following)


def parts(lake: Lake, slug: str, snap: str) -> list[str]:
    """Return the cursors of every page after the first of all conversations of a dataset."""
    asked = paging.question("conversations", slug, None, None)
    rows = "{conversations} WHERE dataset = ?"
    return paging.parts(lake, rows, [slug], "position", lake.snapshot(snap), asked)


def page(
    lake: Lake,
    slug: str,
    *,
    snap: str | None = None,
    search: str | None = None,
    sort: str | None = None,
    offset: int = 0,
) -> Rows:
    """Return 50 conversations from `offset` on, and how many match; an unknown sort is none."""
    by = order(sort if (sort or "").removeprefix("-") in SORTS else None)
    params = _search(slug, search)
    total = lake.rows(f"SELECT count(*) AS n {_FOUND}", params, snap=snap)[0]["n"]
    sql = f"SELECT * {_FOUND} ORDER BY {by.sql} LIMIT {PAGE} OFFSET {int(offset)}"
    rows = [_row(row) for row in lake.rows(sql, params, snap=snap)]
    name = by.expression or "position"
    return Rows(rows, total, offset, f"{'-' if by.descending else ''}{name}")


def _row(row: Row) -> Row:
    made = decode("conversations", {name: row[name] for name in row if name != "sort_value"})
    made["models"] = made["models"] or []
    return made


def one(lake: Lake, slug: str, conversation: str, snap: str | None = None) -> Conversation:
    """Return a conversation with its turns; NotFoundError for an id the dataset does not have.

    `conversation` is an id, or one as an address writes it: an id with a slash is quoted there.
    """
    snapshot = lake.snapshot(snap)
    dataset = datasets.one(lake, slug, snapshot.snap)
    ids = conversation_ids(conversation)
    found = lake.rows(_NAMED, [slug, *ids, ids[0]], snap=snapshot.snap)
    if not found:
        raise NotFoundError(
            f"No conversation {conversation!r} in dataset {slug!r}.",
            hint=f"List them with /api/v1/datasets/{slug}/conversations.",
        )
    row = _row(found[0])
    return Conversation(row, dataset, _turns(lake, dataset, row["conversation"]))


def _turns(lake: Lake, dataset: Row, conversation: str) -> tuple[Turn, ...]:
    name = dataset["turns_object"]
    if not name:
        return ()
    return _TURNS.get((name, conversation), lambda: _read(lake, name, conversation))


def _read(lake: Lake, name: str, conversation: str) -> tuple[Turn, ...]:
    sql = "SELECT * FROM {turns} WHERE conversation = ? ORDER BY ordinal"
    return tuple(turn_of(row) for row in lake.rows(sql, [conversation], objects={"turns": name}))
