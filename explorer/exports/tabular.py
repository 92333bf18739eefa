"""Tables as files: CSV that no spreadsheet runs, Parquet, Arrow; from rows of known columns."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.ipc as pa_ipc
import pyarrow.parquet as pq

from explorer.domain.columns import Column
from explorer.store.schema import arrow_schema

_FORMULA = r"^('*[=+\-@\t\r\n＝＋－＠])"
"""What makes a spreadsheet run a cell: OWASP's list, full-width forms included.

Apostrophes in front of one count as well, so that the guard can be taken away again.
"""
_GUARDED = r"^'('*[=+\-@\t\r\n＝＋－＠])"


def flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return a row with nested objects as `outer_inner` columns; lists stay as they are."""
    out: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            out.update(flat(value, f"{prefix}{name}_"))
        else:
            out[prefix + name] = value
    return out


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[Column]) -> pa.Table:
    """Return rows as an Arrow table with exactly these columns; `json` ones become JSON text."""
    encode = {column.name for column in columns if column.type == "json"}
    plain = [
        {
            column.name: _json(row.get(column.name)) if column.name in encode
            else row.get(column.name)
            for column in columns
        }
        for row in rows
    ]  # fmt: skip
    return described(pa.Table.from_pylist(plain, schema=arrow_schema(columns)), columns)


def described(data: pa.Table, columns: Iterable[Column]) -> pa.Table:
    """Return a table with what each column means in its field's metadata."""
    meanings = {column.name: column.meaning for column in columns if column.meaning}
    fields = [
        one.with_metadata({"meaning": meanings[one.name]}) if one.name in meanings else one
        for one in data.schema
    ]
    return data.cast(pa.schema(fields))


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)


def csv(data: pa.Table) -> bytes:
    """Return UTF-8 CSV with a header; missing is an empty cell, lists are JSON text.

    A text cell that a spreadsheet would run as a formula gets an apostrophe in front; `unguarded`
    takes it away again. Text cells are quoted, so a `#` inside one starts no comment.
    """
    names = data.schema.names
    safe = pa.table({name: _safe(data[name]) for name in names})
    sink = io.BytesIO()
    options = pa_csv.WriteOptions(quoting_style="needed", quoting_header="needed")
    pa_csv.write_csv(safe, sink, options)
    return sink.getvalue()


def _safe(values: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_list(values.type):
        values = pa.chunked_array([pa.array([_json(v) for v in values.to_pylist()], pa.string())])
    if pa.types.is_string(values.type):
        return pc.replace_substring_regex(values, _FORMULA, r"'\1")
    return values


def unguarded(text: str) -> str:
    """Return a text cell of such a CSV as it was: one guarding apostrophe less.

    >>> unguarded("'=1+1"), unguarded("''=1"), unguarded("'s")
    ('=1+1', "'=1", "'s")
    """
    return re.sub(_GUARDED, r"\1", text)


def parquet(data: pa.Table) -> bytes:
    """Return the table as one Parquet file, zstd."""
    sink = io.BytesIO()
    pq.write_table(data, sink, compression="zstd")
    return sink.getvalue()


def arrow(data: pa.Table) -> bytes:
    """Return the table as an Arrow IPC stream; the same rows are the same bytes.

    A copy by position zeroes what lies under nulls: DuckDB leaves there whatever memory held.
    """
    data = data.take(pa.array(range(data.num_rows), pa.int64()))
    sink = io.BytesIO()
    with pa_ipc.new_stream(sink, data.schema) as writer:
        writer.write_table(data)
    return sink.getvalue()
