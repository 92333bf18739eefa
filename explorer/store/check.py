"""Verify a lake: hashes, references, schema; sweep what no snapshot names any more."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from explorer.errors import ExplorerError
from explorer.store import snapshots, tables
from explorer.store.objects import HASH_LENGTH
from explorer.store.schema import TABLES

DAY_S = 86_400
_LEFTOVER = ".tmp-"


@dataclass(slots=True)
class Health:
    """What a check found; `sound` when nothing is damaged, missing or unreadable."""

    objects: int = 0
    snapshots: int = 0
    damaged: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)
    swept: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        return not (self.damaged or self.missing or self.unreadable)


def check(lake: Path, repair: bool = False, now: float | None = None) -> Health:
    """Return the lake's health: every object's hash, every reference of every snapshot.

    With `repair`, orphans (objects that no snapshot names, files of broken-off writes) older than
    a day are deleted; damage is only reported, since nothing can restore it but a new ingest.
    """
    health = Health()
    named = _named(lake, health)
    present = {path.stem: path for path in (lake / "objects").glob("*.parquet")}
    health.objects = len(present)
    for name, path in sorted(present.items()):
        if hashlib.sha256(path.read_bytes()).hexdigest()[:HASH_LENGTH] != name:
            health.damaged.append(name)
    health.missing = sorted(named - set(present))
    loose = [present[name] for name in sorted(set(present) - named)]
    loose += sorted(path for path in lake.rglob(f"{_LEFTOVER}*") if path.is_file())
    health.orphans = [path.name for path in loose]
    if repair:
        _sweep(loose, health, time.time() if now is None else now)
    return health


def _named(lake: Path, health: Health) -> set[str]:
    """Return every object that a snapshot names, directly or from a row of its tables."""
    named: set[str] = set()
    parts: set[tuple[str, str]] = set()
    for path in sorted((lake / "snapshots").glob("*.json")):
        health.snapshots += 1
        try:
            snapshot = snapshots.load(lake, path.stem)
        except (ExplorerError, ValueError, KeyError, TypeError) as error:
            health.unreadable.append(f"{path.stem}: {error}")
            continue
        parts |= {(table, part) for table, those in snapshot.tables.items() for part in those}
    for table, part in sorted(parts):
        named.add(part)
        try:
            named.update(_objects(lake, table, part))
        except (OSError, pa.ArrowInvalid):
            continue  # missing or damaged: its name or its hash says so
    return named


def _objects(lake: Path, table: str, part: str) -> Iterator[str]:
    columns = [name for name in TABLES[table].names if name.endswith("_object")]
    found = tables.read(lake, table, [part])
    for name in columns:
        yield from pc.unique(found[name].drop_null()).to_pylist()


def _sweep(loose: list[Path], health: Health, now: float) -> None:
    for path in loose:
        if now - path.stat().st_mtime > DAY_S:
            path.unlink()
            health.swept.append(path.name)
