"""A folder that appears whole: written beside its place, hashed, then renamed."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from explorer.errors import UsageError

MANIFEST = "manifest.json"
FORMAT = "explorer-site"
VERSION = 1


class Folder:
    """Collects the files of a site; a name is written once."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._files: dict[str, tuple[int, str]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._files

    def add(self, name: str, data: bytes) -> None:
        """Write a file of the site; ValueError when the name is taken by other bytes."""
        hashed = hashlib.sha256(data).hexdigest()
        if name in self._files:
            if self._files[name][1] != hashed:
                raise ValueError(f"{name} would be written twice with different content.")
            return
        path = self._place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        self._files[name] = (len(data), hashed)

    def sizes(self) -> dict[str, int]:
        """Return the bytes of each file by name."""
        return {name: size for name, (size, _) in sorted(self._files.items())}

    def close(self, facts: Mapping[str, Any]) -> None:
        """Write the manifest: what the site is, then every other file with bytes and SHA-256."""
        files = [
            {"path": name, "bytes": size, "sha256": hashed}
            for name, (size, hashed) in sorted(self._files.items())
        ]
        document = {"format": FORMAT, "version": VERSION, **facts, "files": files}
        text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
        self.add(MANIFEST, text.encode())


@contextmanager
def replaced(place: Path) -> Iterator[Folder]:
    """Give a folder to fill, and put it in its place when all went well.

    What stood there before stays until then. UsageError when something else than a site does.
    """
    _refuse_others(place)
    part = place.with_name(f".{place.name}.part")
    old = place.with_name(f".{place.name}.old")
    try:
        for left in (part, old):
            shutil.rmtree(left, ignore_errors=True)
        part.mkdir(parents=True)
        yield Folder(part)
        _swap(part, place, old)
    except OSError as error:
        raise UsageError(f"{place}: {error.strerror or error}.", hint="Name a folder.") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _swap(part: Path, place: Path, old: Path) -> None:
    """Put a filled folder in its place; what stood there comes back when that fails."""
    if place.exists():
        place.rename(old)
    try:
        part.rename(place)
    except OSError:
        if old.exists():
            old.rename(place)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _refuse_others(place: Path) -> None:
    if not place.exists() or (place.is_dir() and not any(place.iterdir())):
        return
    try:
        known = json.loads((place / MANIFEST).read_text())["format"] == FORMAT
    except (OSError, ValueError, KeyError, TypeError):
        known = False
    if not known:
        raise UsageError(
            f"{place} is there already and no site of ours.", hint="Name a new or empty folder."
        )
