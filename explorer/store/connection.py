"""DuckDB, shut in: it reads the lake's folder and nothing else; one cursor per query."""

from __future__ import annotations

from pathlib import Path

import duckdb

from explorer.errors import LakeError

_LOCKED = {"enable_external_access": "false", "lock_configuration": "true"}


def connect(
    allowed: Path | None, threads: int = 2, memory_mb: int = 1024
) -> duckdb.DuckDBPyConnection:
    """Return an in-memory connection that may read below `allowed` only (None: nothing).

    The order of the settings matters; they are read back, and a difference raises LakeError.
    """
    connection = duckdb.connect(":memory:")
    connection.execute(f"SET threads = {int(threads)}")
    connection.execute(f"SET memory_limit = '{int(memory_mb)}MB'")
    connection.execute("SET temp_directory = ''")
    if allowed is not None:
        folder = str(allowed.resolve()).replace("'", "''")
        connection.execute(f"SET allowed_directories = ['{folder}/']")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    _read_back(connection)
    return connection


def _read_back(connection: duckdb.DuckDBPyConnection) -> None:
    for name, expected in _LOCKED.items():
        found = connection.execute("SELECT current_setting(?)::VARCHAR", [name]).fetchall()[0][0]
        if found != expected:
            raise LakeError(
                f"DuckDB setting {name}: expected {expected}, found {found}.",
                hint="Install the locked DuckDB version.",
            )
