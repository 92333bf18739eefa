"""Which turn of the dataset each request replays, by the entry that its record names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

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
"""
_READ: Memo[str, pa.Table] = Memo(64_000_000, lambda table: table.nbytes)
"""Turns object → what names its entries: 64 MB at most."""


def references(
    lake: Lake, point: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], snap: str | None
) -> list[Row | None]:
    """Return {dataset, conversation, agent, turn} of each row that has ENTRY's columns.

    Null unless the run is bound and the dataset has the conversation; agent and turn are null
    when the record names no entry. A request's own turn counts its stream, not the dataset's.
    """
    turns = _turns(lake, point, snap) if any(row["conversation"] for row in rows) else None
    if turns is None:
        return [None] * len(rows)
    turns = _among(turns, "conversation", rows)
    known = set(turns["conversation"].unique().to_pylist())
    for name in ENTRY[1:]:
        turns = _among(turns, name, rows)
    entry = itemgetter(*ENTRY)
    at = {entry(turn): turn for turn in turns.to_pylist()}
    return [
        {
            "dataset": point["dataset"],
            "conversation": row["conversation"],
            **{name: at.get(entry(row), {}).get(name) for name in PLACE},
        }
        if row["conversation"] in known
        else None
        for row in rows
    ]


def _among(turns: pa.Table, name: str, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return the turns whose column has a value that some row has, null among them."""
    wanted = pa.array({row[name] for row in rows}, turns.schema.field(name).type)
    return turns.filter(pc.is_in(turns[name], value_set=wanted))


def _turns(lake: Lake, point: Mapping[str, Any], snap: str | None) -> pa.Table | None:
    name = turns_object(lake, point, snap)
    if name is None:
        return None
    return _READ.get(name, lambda: lake.arrow(_TURNS, snap=snap, objects={"turns": name}))


def turns_object(lake: Lake, point: Mapping[str, Any], snap: str | None) -> str | None:
    """Return the object with the turns of the dataset a point replayed; None when not bound."""
    if not bound(point):
        return None
    sql = "SELECT turns_object FROM {datasets} WHERE dataset = ? AND turns_object IS NOT NULL"
    for dataset in lake.rows(sql, [point["dataset"]], snap=snap):
        return str(dataset["turns_object"])
    return None
