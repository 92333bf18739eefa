"""Content-addressed objects: immutable Parquet files named by the hash of their bytes."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from explorer.errors import LakeError
from explorer.store.schema import GPU, LOGS, REQUESTS, SERIES

HASH_LENGTH = 40
SCHEMAS: dict[str, pa.Schema] = {"requests": REQUESTS, "series": SERIES, "gpu": GPU, "logs": LOGS}
_DELTA = ("credit_ns", "start_ns", "first_token_ns", "end_ns", "t_ns", "ordinal", "line")
_ROW_GROUP = 122_880


def object_path(lake: Path, name: str) -> Path:
    """Return where an object lies; the name is its hash."""
    if not name.isalnum():
        raise LakeError(f"Object name {name!r} is not a hash.", hint="Run explorer check.")
    return lake / "objects" / f"{name}.parquet"


def put_table(lake: Path, table: pa.Table, kind: str) -> str:
    """Write a table as an immutable object and return its hash; the same table is one object.

    `kind` picks the schema the table is cast to (`requests`, `series`, `gpu`, `logs`); other
    kinds keep their own. Temporary file, fsync, rename: a kill leaves no half object.
    """
    if schema := SCHEMAS.get(kind):
        table = table.select(schema.names).cast(schema)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **_options(table.schema))
    return put_bytes(lake, sink.getvalue().to_pybytes())


def put_bytes(lake: Path, data: bytes) -> str:
    """Write Parquet bytes under their hash and return it."""
    name = hashlib.sha256(data).hexdigest()[:HASH_LENGTH]
    path = object_path(lake, name)
    if not path.exists():
        write_atomically(path, data)
    return name


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that readers see all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".tmp-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _options(schema: pa.Schema) -> dict[str, object]:
    """Return writer options: zstd, dictionaries on strings only, deltas on sorted integers."""
    strings = [field.name for field in schema if pa.types.is_string(field.type)]
    delta = {name: "DELTA_BINARY_PACKED" for name in _DELTA if name in schema.names}
    return {
        "compression": "zstd",
        "compression_level": 6,
        "use_dictionary": strings or False,
        "column_encoding": delta or None,
        "row_group_size": _ROW_GROUP,
        "write_statistics": True,
        "store_schema": False,
    }
