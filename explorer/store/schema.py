"""Arrow schemas of every table and object, and the schema's version."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from explorer.domain.columns import (
    GPU_COLUMNS,
    LOG_COLUMNS,
    POINT_COLUMNS,
    REQUEST_COLUMNS,
    SERIES_COLUMNS,
    Column,
)
from explorer.domain.metrics import stored_keys
from explorer.domain.turns import CONVERSATION_COLUMNS, DATASET_COLUMNS

SCHEMA_VERSION = 1

_TYPES: dict[str, pa.DataType] = {
    "str": pa.string(),
    "int": pa.int64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "strs": pa.list_(pa.string()),
    "json": pa.string(),
}


def arrow_schema(columns: Iterable[Column]) -> pa.Schema:
    """Return the Arrow schema of domain columns; every column is nullable."""
    return pa.schema([pa.field(column.name, _TYPES[column.type]) for column in columns])


REQUESTS = arrow_schema(REQUEST_COLUMNS)
SERIES = arrow_schema(SERIES_COLUMNS)
GPU = arrow_schema(GPU_COLUMNS)
LOGS = arrow_schema(LOG_COLUMNS)
POINTS = pa.schema(
    [*arrow_schema(POINT_COLUMNS), *(pa.field(key, pa.float64()) for key in stored_keys())]
)

TABLES: dict[str, pa.Schema] = {
    "points": POINTS,
    "datasets": arrow_schema(DATASET_COLUMNS),
    "conversations": arrow_schema(CONVERSATION_COLUMNS),
}
_TABLE_COLUMNS = {
    "points": POINT_COLUMNS,
    "datasets": DATASET_COLUMNS,
    "conversations": CONVERSATION_COLUMNS,
}


def json_columns(table: str) -> tuple[str, ...]:
    """Return the columns of a table that hold JSON text."""
    return tuple(column.name for column in _TABLE_COLUMNS[table] if column.type == "json")
