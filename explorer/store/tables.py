"""Table parts: rows to content-addressed Parquet and back, the same bytes for the same rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from explorer.domain.identity import canonical
from explorer.store.objects import object_path, put_table
from explorer.store.schema import TABLES, json_columns

_ONE_PART = 2_000
Row = dict[str, Any]


def read(lake: Path, table: str, parts: Iterable[str]) -> pa.Table:
    """Return a table from its parts; columns that an older part lacks are null."""
    schema = TABLES[table]
    tables = [_whole(pq.ParquetFile(object_path(lake, part)), schema) for part in parts]
    return pa.concat_tables(tables) if tables else schema.empty_table()


def _whole(file: pq.ParquetFile, schema: pa.Schema) -> pa.Table:
    """Return a part with all columns of the schema; `read_table` would import pandas for it."""
    with file:
        found = file.read()
    columns = [
        found[field.name].cast(field.type)
        if field.name in found.column_names
        else pa.nulls(found.num_rows, field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def read_rows(lake: Path, table: str, parts: Iterable[str]) -> list[Row]:
    """Return the rows of table parts, JSON columns decoded."""
    return [decode(table, row) for row in read(lake, table, parts).to_pylist()]


def decode(table: str, row: Row) -> Row:
    """Return a row with its JSON columns as values."""
    for name in json_columns(table):
        if isinstance(row.get(name), str):
            row[name] = json.loads(row[name])
    return row


def normal(table: str, row: Mapping[str, Any]) -> Row:
    """Return a row with exactly the table's columns, as it will read back from disk."""
    schema = TABLES[table]
    unknown = sorted(set(row) - set(schema.names))
    if unknown:
        raise KeyError(f"{table} has no column {', '.join(unknown)}")
    encode = set(json_columns(table))
    return {
        name: canonical(row[name]) if name in encode and row.get(name) is not None
        else row.get(name)
        for name in schema.names
    }  # fmt: skip


def write_parts(lake: Path, table: str, rows: pa.Table) -> tuple[str, ...]:
    """Write a table as parts sorted by key and return their hashes.

    Up to 2,000 rows are one part; more are split by the key's first character, so that a small
    change rewrites a small part.
    """
    if rows.num_rows == 0:
        return ()
    key = KEYS[table]
    rows = rows.sort_by([(name, "ascending") for name in key]).combine_chunks()
    if rows.num_rows <= _ONE_PART:
        return (put_table(lake, rows, table),)
    first = pc.utf8_slice_codeunits(rows[key[0]], 0, 1)
    groups = sorted(pc.unique(first).to_pylist())
    return tuple(put_table(lake, rows.filter(pc.equal(first, group)), table) for group in groups)


KEYS: dict[str, tuple[str, ...]] = {
    "points": ("point_id",),
    "datasets": ("dataset",),
    "conversations": ("dataset", "conversation"),
}


def merge(
    table: str, old: pa.Table, new: Iterable[Mapping[str, Any]], remove: Iterable[str]
) -> tuple[pa.Table, dict[str, list[str]]]:
    """Return old rows with new ones put over them, and which keys were added, changed, removed.

    `remove` names first key parts (a point id, a dataset). Rows equal in every column count as
    unchanged. Changes name keys joined by a slash.
    """
    news = {_key(table, row): row for row in (normal(table, row) for row in new)}
    at = [_key(table, row) for row in old.select(list(KEYS[table])).to_pylist()]
    gone, over = set(remove), [index for index, key in enumerate(at) if key in news]
    before = dict(
        zip((at[i] for i in over), old.take(pa.array(over, pa.int64())).to_pylist(), strict=True)
    )
    dropped = [key for key in at if key[0] in gone and key not in news]
    stay = [index for index, key in enumerate(at) if key not in news and key[0] not in gone]
    fresh = pa.Table.from_pylist(list(news.values()), schema=TABLES[table])
    changes = {
        "added": [key for key in news if key not in before],
        "changed": [key for key, row in before.items() if row != news[key]],
        "unchanged": [key for key, row in before.items() if row == news[key]],
        "removed": dropped,
    }
    named = {kind: sorted("/".join(key) for key in keys) for kind, keys in changes.items()}
    return pa.concat_tables([old.take(pa.array(stay, pa.int64())), fresh]), named


def _key(table: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in KEYS[table])
