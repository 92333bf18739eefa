"""Files to units: each is offered to the formats once; a unit is a file and what is near it."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from explorer.ingest import meta
from explorer.ingest.formats import Reader, named
from explorer.ingest.manifest import unit_key
from explorer.ingest.scan import Found

Verdict = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Skip:
    """A file or folder that was recognised and could not be used."""

    path: str
    reason: str
    detail: str = ""


@dataclass(slots=True)
class Sorted:
    """Every file by what it is: a unit's own file, an archive, a completion, a skip, the rest."""

    units: list[Unit] = field(default_factory=list)
    archives: list[Found] = field(default_factory=list)
    completions: list[Found] = field(default_factory=list)
    skips: dict[Found, Skip] = field(default_factory=dict)
    rest: list[Found] = field(default_factory=list)


@dataclass
class Unit:
    """One file for one reader, with the files near it; the file itself comes first."""

    found: Found
    reader: Reader
    near: list[Found]

    @cached_property
    def hashes(self) -> dict[str, Found]:
        """Return SHA-256 → file of everything near; equal files count once."""
        found: dict[str, Found] = {}
        for one in self.near:
            found.setdefault(_sha256(one.path), one)
        return found

    @property
    def key(self) -> str:
        """Return the unit's key in the manifest, the same under any PATH."""
        here = self.found.path.parent
        own = "/".join(self.found.path.parts[-2:])
        near = [(os.path.relpath(one.path, here), digest) for digest, one in self.hashes.items()]
        return unit_key(self.reader.name, own, near)

    def task(self, lake: Path) -> dict[str, Any]:
        """Return the task for a parsing process."""
        return {
            "reader": self.reader.name,
            "path": str(self.found.path),
            "root": str(self.found.root),
            "near": [str(one.path) for one in self.near],
            "lake": str(lake),
            "bytes": sum(one.path.stat().st_size for one in self.near),
        }


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sort_files(files: Iterable[Found], verdicts: Mapping[str, Verdict]) -> Sorted:
    """Return every file in its place; `verdicts` say by path what its content is."""
    done = Sorted()
    readers: dict[Found, Reader] = {}
    for found in files:
        verdict = verdicts.get(str(found.path), {})
        if found.path.name == meta.FILE:
            done.completions.append(found)
        elif "reason" in verdict:
            done.skips[found] = Skip(found.shown, verdict["reason"], verdict.get("detail", ""))
        elif verdict.get("archive"):
            done.archives.append(found)
        elif "reader" in verdict:
            readers[found] = named(verdict["reader"])
        else:
            done.rest.append(found)
    done.units = _units(readers, done.rest)
    return done


def _units(readers: Mapping[Found, Reader], rest: Iterable[Found]) -> list[Unit]:
    """Return units with their surroundings.

    Near a file lie its folder's files; for an artifact of an AgentX download also the files of
    the folder above, where no result lies, and those of its server logs.
    """
    folders, artifacts = _by_place([*readers, *rest])
    results = {(found.root, found.folder) for found in readers}
    units, taken = [], set()
    for found, reader in readers.items():
        place = (found.root, found.folder)
        if getattr(reader, "per_folder", False):
            if (place, reader.name) in taken:
                continue
            taken.add((place, reader.name))
        near = [one for one in folders[place] if one != found]
        if getattr(reader, "alone", False):
            near = []
        else:
            near += _above(found, folders, results)
            near += [one for one in artifacts.get(found.artifact, ()) if one not in near]
        units.append(Unit(found, reader, [found, *(one for one in near if one != found)]))
    return units


def _by_place(files: Iterable[Found]) -> tuple[dict[Any, list[Found]], dict[Any, list[Found]]]:
    """Return files by folder, and the log files of each artifact."""
    folders: dict[Any, list[Found]] = defaultdict(list)
    artifacts: dict[Any, list[Found]] = defaultdict(list)
    for found in sorted(files):
        folders[found.root, found.folder].append(found)
        if (place := found.artifact) and found.path.suffix == ".log":
            artifacts[place].append(found)
    return folders, artifacts


def _above(
    found: Found, folders: Mapping[Any, list[Found]], results: set[tuple[Path, str]]
) -> list[Found]:
    if not found.folder:
        return []
    above = (found.root, found.folder.rpartition("/")[0])
    return [] if above in results else list(folders.get(above, ()))
