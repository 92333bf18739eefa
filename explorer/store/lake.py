"""The lake on a local disk: SQL over one snapshot, a cursor per query, safe across forks."""

from __future__ import annotations

import os
import re
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import duckdb
import pyarrow as pa

from explorer.domain.lake import Objects, Snapshot
from explorer.errors import LakeError
from explorer.store import snapshots
from explorer.store.connection import connect
from explorer.store.objects import object_path
from explorer.store.schema import TABLES

_LOADED = 8
_PLACE = re.compile(r"\{(\w+)\}")
Params = Sequence[Any] | Mapping[str, Any]


class LocalLake:
    """Implements the domain's Lake over a folder; see domain/lake.py for the promises."""

    def __init__(self, folder: Path, threads: int = 2, memory_mb: int = 1024) -> None:
        self.folder = folder
        self._threads, self._memory_mb = threads, memory_mb
        self._lock = Lock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._loaded: OrderedDict[str, dict[str, str]] = OrderedDict()
        self._readers: Counter[str] = Counter()
        self._snapshots: dict[str, Snapshot] = {}
        self._ref = str(folder / "refs" / "current")
        self._seen: tuple[tuple[int, ...], str | None] = ((), None)

    def snapshot(self, snap: str | None = None) -> Snapshot:
        """Return the snapshot of a hash or name; the newest without one (refs/current is read)."""
        current = self._current()
        if snap is not None and snap != current:
            return snapshots.load(self.folder, snap)
        if current is None:
            raise LakeError(
                f"{self.folder} holds no results yet.",
                hint="Run: explorer ingest PATH --lake DIR, or explorer demo.",
            )
        found = self._snapshots.get(current) or snapshots.load(self.folder, current)
        self._snapshots = {current: found}
        return found

    def _current(self) -> str | None:
        """Return the newest snapshot's hash; refs/current is read again when it was replaced."""
        try:
            stat = os.stat(self._ref)
        except FileNotFoundError:
            return None
        sign = (stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size)
        if self._seen[0] != sign:
            self._seen = (sign, snapshots.read_current(self.folder))
        return self._seen[1]

    def snapshots(self) -> list[Snapshot]:
        """Return every snapshot that still exists, newest first."""
        return snapshots.every(self.folder)

    def rows(
        self,
        sql: str,
        params: Params = (),
        *,
        snap: str | None = None,
        objects: Objects | None = None,
    ) -> list[dict[str, Any]]:
        """Return the answer as dictionaries, missing values as None."""
        with self._text(sql, snap, objects) as text:
            cursor = self._open().cursor().execute(text, params or None)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def arrow(
        self,
        sql: str,
        params: Params = (),
        *,
        snap: str | None = None,
        objects: Objects | None = None,
    ) -> pa.Table:
        """Return the answer as an Arrow table."""
        with self._text(sql, snap, objects) as text:
            return self._open().cursor().sql(text, params=params or None).to_arrow_table()

    @contextmanager
    def _text(self, sql: str, snap: str | None, objects: Objects | None) -> Iterator[str]:
        """Give SQL with the names of tables and files in its places; the tables stay meanwhile."""
        files = {name: self._reader(item) for name, item in (objects or {}).items()}
        snapshot = self.snapshot(snap)
        places = {**self._take(snapshot), **files}
        try:
            yield _PLACE.sub(lambda match: places[match[1]], sql)
        finally:
            with self._lock:
                self._readers[snapshot.snap] -= 1

    def _reader(self, item: str | Sequence[str]) -> str:
        """Return the table function of an object, or of several: one scan is far below many."""
        if isinstance(item, str):
            return f"read_parquet('{self._quoted(item)}')"
        names = ", ".join(f"'{self._quoted(one)}'" for one in item)
        return f"read_parquet([{names}], union_by_name = true, filename = true)"

    def _quoted(self, item: str) -> str:
        path = object_path(self.folder, item)
        if not path.exists():
            raise LakeError(
                f"Object {item} is missing from {self.folder}.", hint="Run: explorer check."
            )
        return str(path.resolve()).replace("'", "''")

    def _open(self) -> duckdb.DuckDBPyConnection:
        """Return the connection, made at the first query: one inherited over fork would hang."""
        with self._lock:
            if self._connection is None:
                self._connection = connect(self.folder, self._threads, self._memory_mb)
            return self._connection

    def _take(self, snapshot: Snapshot) -> dict[str, str]:
        """Return the names of a snapshot's tables, loaded at first use, and count a reader."""
        connection = self._open()
        with self._lock:
            if snapshot.snap not in self._loaded:
                self._loaded[snapshot.snap] = self._load(connection.cursor(), snapshot)
                self._forget(connection.cursor())
            self._loaded.move_to_end(snapshot.snap)
            self._readers[snapshot.snap] += 1
            return self._loaded[snapshot.snap]

    def _load(self, cursor: duckdb.DuckDBPyConnection, snapshot: Snapshot) -> dict[str, str]:
        """Make the snapshot's tables; columns that an older part lacks are null."""
        names = {}
        for table, schema in TABLES.items():
            names[table] = f"{table}_{snapshot.snap}"
            cursor.register("columns_of_table", schema.empty_table())
            source = "FROM columns_of_table"
            if parts := [self._quoted(part) for part in snapshot.tables.get(table, ())]:
                files = ", ".join(f"'{part}'" for part in parts)
                source += f" UNION ALL BY NAME FROM read_parquet([{files}], union_by_name = true)"
            cursor.execute(f"CREATE OR REPLACE TABLE {names[table]} AS {source}")
        return names

    def _forget(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Drop the tables of the least used snapshots beyond the eighth that nobody reads now."""
        unread = [snap for snap in list(self._loaded)[:-1] if not self._readers[snap]]
        for snap in unread[: max(0, len(self._loaded) - _LOADED)]:
            for name in self._loaded.pop(snap).values():
                cursor.execute(f"DROP TABLE IF EXISTS {name}")


def open_lake(folder: Path, threads: int = 2, memory_mb: int = 1024) -> LocalLake:
    """Return the lake in a folder; it may still be empty."""
    return LocalLake(folder, threads, memory_mb)
