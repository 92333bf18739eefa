"""Files from rows: what is missing stays missing, and no cell is run."""

from __future__ import annotations

import csv as csv_reader
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.domain.columns import Column
from explorer.exports import tabular

COLUMNS = (
    Column("name", "str", ""),
    Column("n", "int", ""),
    Column("value", "float", ""),
    Column("ok", "bool", ""),
    Column("aliases", "strs", ""),
    Column("warnings", "json", ""),
)
ROWS = [
    {"name": "a", "n": 1, "value": 0.1, "ok": True, "aliases": ["x"], "warnings": [{"code": "c"}]},
    {"name": None, "n": None, "value": None, "ok": None, "aliases": [], "warnings": None},
    {"name": 'say "hi", 你好', "n": -5, "value": -1e-9, "ok": False, "aliases": None},
]


def test_csv_reads_back_with_missing_cells_empty():
    text = tabular.csv(tabular.table(ROWS, COLUMNS)).decode()
    header, *rows = csv_reader.reader(io.StringIO(text))
    assert header == [column.name for column in COLUMNS]
    assert rows[0] == ["a", "1", "0.1", "true", '["x"]', '[{"code": "c"}]']
    assert rows[1] == ["", "", "", "", "[]", ""]
    assert rows[2][0] == 'say "hi", 你好'
    assert (rows[2][1], float(rows[2][2])) == ("-5", -1e-9)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＠"])
def test_a_text_that_a_spreadsheet_would_run_is_quoted(start):
    table = tabular.table([{"name": f"{start}cmd|' /C calc'!A0"}], COLUMNS[:1])
    rows = list(csv_reader.reader(io.StringIO(tabular.csv(table).decode(), newline="")))
    assert rows[1] == [f"'{start}cmd|' /C calc'!A0"]


def test_parquet_and_arrow_hold_the_same_table():
    table = tabular.table(ROWS, COLUMNS)
    assert pq.read_table(io.BytesIO(tabular.parquet(table))).equals(table)
    assert pa.ipc.open_stream(tabular.arrow(table)).read_all().equals(table)


def test_no_rows_still_have_typed_columns():
    table = tabular.table([], COLUMNS)
    assert table.schema.field("value").type == pa.float64()
    rows = list(csv_reader.reader(io.StringIO(tabular.csv(table).decode())))
    assert rows == [[column.name for column in COLUMNS]]


def test_nested_objects_become_prefixed_columns():
    row = {"a": 1, "ref": {"dataset": "d", "turn": 3}, "none": None}
    assert tabular.flat(row) == {"a": 1, "ref_dataset": "d", "ref_turn": 3, "none": None}


@given(st.text(alphabet="'=+-@\t\r\n＝a1 ", max_size=6))
def test_what_guards_a_cell_comes_off_again(text: str):
    table = tabular.table([{"name": text}], COLUMNS[:1])
    rows = list(csv_reader.reader(io.StringIO(tabular.csv(table).decode(), newline="")))
    cell = rows[1][0] if len(rows) > 1 and rows[1] else ""
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))
    assert tabular.unguarded(cell) == text
