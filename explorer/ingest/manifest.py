"""What earlier ingests of a lake read: units by content, parts of points, facts about points.

A derived cache in `<lake>/ingest.sqlite`, safe to delete: units are then read again, and points
stand in for their own parts.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import explorer
from explorer.domain.identity import canonical

FILE = "ingest.sqlite"
_WAIT_SECONDS = 60
_CODE = ("domain", "ingest", "store", "tables")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS units (key TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS scans (key TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS parts (
  part TEXT PRIMARY KEY, concurrency REAL, ttft_s REAL, artifact TEXT, config TEXT,
  body TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS parts_by_numbers ON parts (concurrency, ttft_s);
CREATE INDEX IF NOT EXISTS parts_by_artifact ON parts (artifact);
CREATE INDEX IF NOT EXISTS parts_by_config ON parts (config);
CREATE TABLE IF NOT EXISTS accuracy (
  config TEXT, shape TEXT, task TEXT, moment TEXT, value REAL,
  PRIMARY KEY (config, shape, task, moment)
) WITHOUT ROWID;
"""
Part = dict[str, Any]


@cache
def code_version() -> str:
    """Return a hash of the code that turns files into parts."""
    digest, package = hashlib.sha256(), Path(explorer.__file__).parent
    for folder in _CODE:
        for file in sorted((package / folder).glob("*.*")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


class Manifest:
    """The cache of one lake; use as a context manager, which closes it.

    Each call is a transaction of its own, so that ingests beside one another wait for moments.
    """

    def __init__(self, lake: Path) -> None:
        lake.mkdir(parents=True, exist_ok=True)
        self._db = _opened(lake / FILE)

    def __enter__(self) -> Manifest:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def scan(self, key: str) -> dict[str, Any] | None:
        """Return what the files of an unchanged listing are; None for a listing never seen."""
        row = self._db.execute("SELECT body FROM scans WHERE key = ?", [key]).fetchone()
        return json.loads(row[0]) if row else None

    def put_scan(self, key: str, body: Mapping[str, Any]) -> None:
        """Keep what the files of a listing are."""
        self._db.execute("REPLACE INTO scans VALUES (?, ?)", [key, json.dumps(body)])

    def unit(self, key: str) -> dict[str, Any] | None:
        """Return what reading a unit of this content gave; None when it was never read."""
        row = self._db.execute("SELECT body FROM units WHERE key = ?", [key]).fetchone()
        return json.loads(row[0]) if row else None

    def put_unit(self, key: str, body: Mapping[str, Any]) -> None:
        """Keep what reading a unit gave."""
        self._db.execute("REPLACE INTO units VALUES (?, ?)", [key, json.dumps(body)])

    def put_parts(self, parts: Iterable[Part]) -> None:
        """Keep parts under their ids, with what they are found by."""
        rows = [
            (
                part["part"],
                part["metrics"].get("concurrency"),
                part["ttft_s"],
                part.get("artifact"),
                part["config"],
                json.dumps(part),
            )
            for part in parts
        ]
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("REPLACE INTO parts VALUES (?, ?, ?, ?, ?, ?)", rows)
        self._db.execute("COMMIT")

    def parts(self, ids: Iterable[str]) -> dict[str, Part]:
        """Return the known ones of these parts."""
        found = {}
        for part in ids:
            row = self._db.execute("SELECT body FROM parts WHERE part = ?", [part]).fetchone()
            if row:
                found[part] = json.loads(row[0])
        return found

    def known_parts(self) -> set[str]:
        """Return the ids of all parts."""
        return {row[0] for row in self._db.execute("SELECT part FROM parts")}

    def near(self, concurrency: float | None, low: float, high: float) -> Iterator[Part]:
        """Yield parts of one concurrency whose mean TTFT lies between two values, by id."""
        sql = (
            "SELECT body FROM parts WHERE concurrency IS ? AND ttft_s BETWEEN ? AND ? ORDER BY part"
        )
        for row in self._db.execute(sql, [concurrency, low, high]).fetchall():
            yield json.loads(row[0])

    def of_artifact(self, artifact: str) -> Iterator[Part]:
        """Yield parts that came from artifacts of one name, by id."""
        sql = "SELECT body FROM parts WHERE artifact = ? ORDER BY part"
        for row in self._db.execute(sql, [artifact]).fetchall():
            yield json.loads(row[0])

    def of_configs(self, configs: Iterable[str]) -> set[str]:
        """Return the ids of parts of these configurations."""
        sql = "SELECT part FROM parts WHERE config = ?"
        return {row[0] for key in configs for row in self._db.execute(sql, [key]).fetchall()}

    def put_accuracy(self, config: str, shape: str, task: str, moment: str, value: float) -> None:
        """Keep an evaluation."""
        sql = "REPLACE INTO accuracy VALUES (?, ?, ?, ?, ?)"
        self._db.execute(sql, [config, shape, task, moment, value])

    def accuracy(self, config: str, shape: str) -> tuple[dict[str, float], bool]:
        """Return the latest value per task, and whether the parallelism is the evaluated one.

        Evaluations of the same shape count first; without any, those of the configuration.
        """
        sql = "SELECT task, value FROM accuracy WHERE config = ? {} ORDER BY moment, shape"
        exact = self._db.execute(sql.format("AND shape = ?"), [config, shape]).fetchall()
        if exact:
            return dict(exact), True
        return dict(self._db.execute(sql.format(""), [config]).fetchall()), False


def _opened(file: Path) -> sqlite3.Connection:
    """Open the cache; a damaged one is put aside, since everything in it can be read again."""
    try:
        return _connected(file)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise
        file.unlink()
        return _connected(file)


def _connected(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_WAIT_SECONDS, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = OFF")
        connection.executescript(_SCHEMA)
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def scan_key(files: Iterable[tuple[str, int, int]]) -> str:
    """Return the key of a listing: code, and (path, bytes, modification ns) of every file."""
    return hashlib.sha256(canonical([code_version(), sorted(files)]).encode()).hexdigest()


def unit_key(reader: str, name: str, near: Iterable[tuple[str, str]]) -> str:
    """Return the key of a unit: code, format, the file's own name, its surroundings' content.

    `near` holds (name relative to the unit, SHA-256).
    """
    text = canonical([code_version(), reader, name, sorted(near)])
    return hashlib.sha256(text.encode()).hexdigest()
