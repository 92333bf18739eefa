"""Walking PATHs: every file once, in one order on every machine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from explorer.errors import UsageError

_NEVER = {".git", ".venv", "__pycache__", "node_modules"}
_ROW_FOLDER = "bmk_"
_ARTIFACT = ("bmk_agentic_", "server_logs_agentic_", "agentic_", "bmk_", "server_logs_")


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """One file: `rel` names it in sources, `shown` in reports, `root` is the PATH it lies under.

    Files of an unpacked archive lie under a temporary root; the archive is a folder to the names.
    """

    rel: str
    path: Path
    root: Path
    shown: str

    @property
    def folder(self) -> str:
        """Return the folder's name relative to the root; "" at the root itself."""
        return self.rel.rpartition("/")[0]

    @property
    def artifact(self) -> tuple[str, str] | None:
        """Return (download, name) of the AgentX artifact in whose folder the file lies.

        `bmk_agentic_S`, `agentic_S` and `server_logs_S` are one artifact S of their download.
        Folders above the PATH count for nothing, the PATH's own name does.
        """
        folders = [self.root.name, *self.rel.split("/")[:-1]]
        for index in range(len(folders) - 1, -1, -1):
            for prefix in _ARTIFACT:
                if folders[index].startswith(prefix):
                    download = self.root.parent.joinpath(*folders[:index])
                    return str(download), folders[index].removeprefix(prefix)
        return None

    @property
    def is_row(self) -> bool:
        """Return whether the file lies where a download keeps its aggregate rows."""
        return self.path.parent.name.startswith(_ROW_FOLDER)


def walk(paths: Iterable[Path], lake: Path) -> list[Found]:
    """Return every regular file below the paths, sorted by relative name, each once.

    The lake itself, version control and virtual environments are left out. Raises UsageError
    for a path that does not exist.
    """
    files: dict[Path, Found] = {}
    for path in sorted(paths, key=lambda one: (len(one.resolve().parts), str(one))):
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder.", hint="Check the PATH.")
        for found in _below(path, lake.resolve()):
            files.setdefault(found.path, found)
    return sorted(files.values())


def unpacked(folder: Path, archive: Found) -> list[Found]:
    """Return the files of an unpacked archive, named as if the archive were a folder."""
    names = [(path, path.relative_to(folder).as_posix()) for path in _files(folder, None)]
    return sorted(
        Found(f"{archive.rel}/{name}", path, folder, f"{archive.shown}/{name}")
        for path, name in names
    )


def _below(path: Path, lake: Path) -> Iterator[Found]:
    full = path.resolve()
    if not full.is_dir():
        yield Found(full.name, full, full.parent, str(path))
        return
    for file in _files(full, lake):
        rel = file.relative_to(full).as_posix()
        yield Found(rel, file, full, str(path / rel))


def _files(folder: Path, lake: Path | None) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):
        at = Path(here)
        folders[:] = sorted(name for name in folders if name not in _NEVER and at / name != lake)
        for name in sorted(names):
            file = at / name
            if file.is_file():
                yield file
