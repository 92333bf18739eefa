"""Snapshots and refs: publishing is one swap of refs/current."""

from __future__ import annotations

import fcntl
import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from explorer.domain.identity import canonical
from explorer.domain.lake import Snapshot
from explorer.errors import ExpiredError, LakeError, NotFoundError, UsageError
from explorer.store.objects import write_atomically
from explorer.store.schema import SCHEMA_VERSION

SNAP_LENGTH = 16
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_HASH = re.compile(r"[0-9a-f]{16}")
_VIEW_ONLY = ("snap", "name", "kept")


def read_current(lake: Path) -> str | None:
    """Return the newest snapshot's hash; None in an empty lake."""
    try:
        return (lake / "refs" / "current").read_text().strip() or None
    except FileNotFoundError:
        return None


def load(lake: Path, snap: str) -> Snapshot:
    """Return a snapshot by hash or name.

    Raises ExpiredError (410) for one once published and since expired, NotFoundError for one
    never seen, LakeError for a schema this build does not read.
    """
    if not _is_there(lake, snap):  # a hash comes before a name that looks like one
        snap = _by_name(lake, snap) or snap
    if not _is_there(lake, snap):
        if _expired(lake, snap):
            raise ExpiredError(
                f"Snapshot {snap} has expired.", hint="Open the newest instead.", snap=snap
            )
        raise NotFoundError(
            f"No snapshot {snap!r} in this lake.", hint="List them with: explorer snapshots."
        )
    return _parse(lake, snap, json.loads(_path(lake, snap).read_text()))


def _path(lake: Path, snap: str) -> Path:
    return lake / "snapshots" / f"{snap}.json"


def _is_there(lake: Path, snap: str) -> bool:
    return bool(_HASH.fullmatch(snap)) and _path(lake, snap).exists()


def _expired(lake: Path, snap: str) -> bool:
    """Tell whether a hash or name is one of a snapshot that was taken away."""
    return bool(_NAME.fullmatch(snap)) and (lake / "refs" / "expired" / snap).exists()


def _by_name(lake: Path, name: str) -> str | None:
    if not _NAME.fullmatch(name):
        return None
    path = lake / "refs" / "names" / name
    return path.read_text().strip() if path.exists() else None


def _parse(lake: Path, snap: str, raw: dict[str, Any]) -> Snapshot:
    if raw["schema"] != SCHEMA_VERSION:
        raise LakeError(
            f"Snapshot {snap}: schema {raw['schema']}, this build reads {SCHEMA_VERSION}.",
            hint="Upgrade Explorer, or ingest again with this build.",
        )
    raw["tables"] = {name: tuple(parts) for name, parts in raw["tables"].items()}
    name = _names(lake).get(snap)
    kept = name is not None or (lake / "refs" / "kept" / snap).exists()
    return Snapshot(snap=snap, name=name, kept=kept, **raw)


def _names(lake: Path) -> dict[str, str]:
    folder = lake / "refs" / "names"
    if not folder.is_dir():
        return {}
    return {path.read_text().strip(): path.name for path in sorted(folder.iterdir())}


def every(lake: Path) -> list[Snapshot]:
    """Return all snapshots on the line of parents from the newest, then the rest by time."""
    found = {
        path.stem: load(lake, path.stem)
        for path in sorted((lake / "snapshots").glob("*.json"))
        if (lake / "snapshots").is_dir()
    }
    line: list[Snapshot] = []
    snap = read_current(lake)
    while snap and snap in found:
        line.append(found.pop(snap))
        snap = line[-1].parent
    return line + sorted(found.values(), key=lambda one: one.time, reverse=True)


def write(lake: Path, snapshot: Snapshot) -> Snapshot:
    """Write a snapshot file and return it under its hash; refs/current is not moved."""
    raw = {key: value for key, value in asdict(snapshot).items() if key not in _VIEW_ONLY}
    text = canonical(raw)
    snap = hashlib.sha256(text.encode()).hexdigest()[:SNAP_LENGTH]
    write_atomically(lake / "snapshots" / f"{snap}.json", text.encode())
    return replace(snapshot, snap=snap)


@contextmanager
def _locked(lake: Path) -> Iterator[None]:
    (lake / "refs").mkdir(parents=True, exist_ok=True)
    with (lake / "refs" / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def swap_current(lake: Path, expected: str | None, new: str) -> bool:
    """Move refs/current from `expected` to `new`; False when another writer was first."""
    with _locked(lake):
        if read_current(lake) != expected:
            return False
        write_atomically(lake / "refs" / "current", new.encode())
        return True


def give_name(lake: Path, snap: str, name: str) -> None:
    """Name a snapshot; a named one is kept until expired. A name never moves."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no snapshot name.",
            hint="Use small letters, digits, '.', '_' and '-', at most 64.",
        )
    if _HASH.fullmatch(name):
        raise UsageError(f"{name!r} looks like a snapshot's hash.", hint="Choose another.")
    if _expired(lake, name):
        raise UsageError(
            f"The name {name!r} was an expired snapshot's; links with it answer 410.",
            hint="Choose another.",
        )
    snapshot = load(lake, snap)
    taken = _by_name(lake, name)
    if taken and taken != snapshot.snap:
        raise UsageError(f"The name {name!r} is {taken}'s already.", hint="Choose another.")
    write_atomically(lake / "refs" / "names" / name, snapshot.snap.encode())


def keep(lake: Path, snap: str) -> None:
    """Keep a snapshot from being swept."""
    write_atomically(lake / "refs" / "kept" / load(lake, snap).snap, b"")


def expire(lake: Path, snap: str) -> None:
    """Take a snapshot away; its links answer 410, by hash and by name. The newest cannot expire."""
    snapshot = load(lake, snap)
    if snapshot.snap == read_current(lake):
        raise UsageError("The newest snapshot cannot expire.", hint="Ingest or remove first.")
    write_atomically(lake / "refs" / "expired" / snapshot.snap, b"")
    (lake / "snapshots" / f"{snapshot.snap}.json").unlink()
    (lake / "refs" / "kept" / snapshot.snap).unlink(missing_ok=True)
    if snapshot.name:
        write_atomically(lake / "refs" / "expired" / snapshot.name, snapshot.snap.encode())
        (lake / "refs" / "names" / snapshot.name).unlink(missing_ok=True)
