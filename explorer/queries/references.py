"""Which turn of the dataset each request replays, by the entry that its record names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from explorer.domain.lake import Lake
from explorer.queries.points import bound
from explorer.store.cache import Memo

Row = dict[str, Any]

REFERENCE = ("dataset", "conversation", "agent", "turn")
ENTRY = ("conversation", "source_outer_idx", "source_inner_idx")
"""What names an entry of a trace: never the request's own turn, which counts its stream."""
PLACE = ("agent", "turn")
"""What a reference says of the entry."""

_TURNS = """
SELECT conversation, agent, turn, source_outer_idx, source_inner_idx FROM {turns}
WHERE conversation IN (SELECT unnest(?::VARCHAR[]))
"""
_READ: Memo[tuple[str, str], tuple[Row, ...]] = Memo(200_000, lambda turns: len(turns) + 1)
"""(turns object, conversation) → its turns."""


def references(
    lake: Lake, point: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], snap: str | None
) -> list[Row | None]:
    """Return {dataset, conversation, agent, turn} of each row that has ENTRY's columns.

    Null unless the run is bound and the dataset has the conversation; agent and turn are null
    when the record names no entry. A request's own turn counts its stream, not the dataset's.
    """
    turns = _turns(lake, point, {row["conversation"] for row in rows} - {None}, snap)
    known = {turn["conversation"] for turn in turns}
    entry = itemgetter(*ENTRY)
    at = {entry(turn): turn for turn in turns}
    return [
        {
            "dataset": point["dataset"],
            "conversation": row["conversation"],
            **{name: at[entry(row)][name] if entry(row) in at else None for name in PLACE},
        }
        if row["conversation"] in known
        else None
        for row in rows
    ]


def _turns(
    lake: Lake, point: Mapping[str, Any], conversations: set[str], snap: str | None
) -> list[Row]:
    turns = turns_object(lake, point, snap) if conversations else None
    if turns is None:
        return []
    held = _READ.held((turns, one) for one in conversations)
    missing = sorted(one for one in conversations if (turns, one) not in held)
    if missing:
        rows = lake.rows(_TURNS, [missing], snap=snap, objects={"turns": turns})
        found = {one: tuple(row for row in rows if row["conversation"] == one) for one in missing}
        for one, its in found.items():
            _READ.put((turns, one), its)
            held[(turns, one)] = its
    return [turn for its in held.values() for turn in its]


def turns_object(lake: Lake, point: Mapping[str, Any], snap: str | None) -> str | None:
    """Return the object with the turns of the dataset a point replayed; None when not bound."""
    if not bound(point):
        return None
    sql = "SELECT turns_object FROM {datasets} WHERE dataset = ? AND turns_object IS NOT NULL"
    for dataset in lake.rows(sql, [point["dataset"]], snap=snap):
        return str(dataset["turns_object"])
    return None
