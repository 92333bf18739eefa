"""What a reader may know beside its file: the PATH it was found under, and the files around it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from explorer.errors import InputError
from explorer.ingest.draft import SourceFile


@dataclass(frozen=True, slots=True)
class Context:
    """The surroundings of one unit.

    `root` is the PATH given to ingest (a folder, or the folder of a single file). `near` are the
    files that may belong to the unit, in sorted order, the unit's own file first: its folder's,
    for an AgentX artifact also the parent folder's and its server logs'. Their hashes are the
    unit's cache key, so a reader opens no other file. `skips` gathers what a reader left out of
    a file it otherwise understood.
    """

    root: Path
    near: tuple[Path, ...] = field(default_factory=tuple)
    skips: list[tuple[str, str]] = field(default_factory=list)

    def skip(self, error: InputError) -> None:
        """Note a part of the file that is unusable, as (reason, detail)."""
        self.skips.append((error.params["reason"], error.params.get("detail", "")))

    def relative(self, path: Path) -> str:
        """Return the path as sources name it: relative to the root, with forward slashes."""
        return path.relative_to(self.root).as_posix()

    def source(self, path: Path) -> SourceFile:
        """Return a file as a source: relative path, SHA-256 and size of its bytes on disk."""
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return SourceFile(self.relative(path), digest, path.stat().st_size)
