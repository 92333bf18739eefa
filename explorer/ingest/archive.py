"""Zip archives: unpacked with caps on entries, sizes and ratio; names may not leave the folder."""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath

from explorer.ingest.opening import unusable

MAX_ENTRIES = 50_000
MAX_TOTAL_BYTES = 16 << 30
MAX_ENTRY_BYTES = 4 << 30
MAX_RATIO = 200
_RATIO_FROM = 16 << 20
_CHUNK = 1 << 20
MAGIC = b"PK\x03\x04"


def unpack(path: Path, folder: Path) -> int:
    """Unpack an archive below a folder and return how many files came out.

    Raises InputError: too_large beyond a cap, truncated for a damaged archive, unsafe_name for
    an entry that would leave the folder, encrypted for one with a password.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            _check(path, entries)
            for entry in entries:
                _write(path, archive, entry, folder)
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        raise unusable(path, "truncated", str(error)) from error
    return len(entries)


def _check(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    if len(entries) > MAX_ENTRIES:
        raise unusable(path, "too_large", f"{len(entries)} entries, at most {MAX_ENTRIES}")
    if any(entry.flag_bits & 1 for entry in entries):
        raise unusable(path, "encrypted", "entries need a password")
    total = sum(entry.file_size for entry in entries)
    if total > MAX_TOTAL_BYTES:
        raise unusable(path, "too_large", f"{total} bytes unpacked")
    for entry in entries:
        ratio = entry.file_size / max(entry.compress_size, 1)
        if entry.file_size > _RATIO_FROM and ratio > MAX_RATIO:
            raise unusable(path, "too_large", f"{entry.filename}: compressed {ratio:.0f} times")


def _write(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path) -> None:
    name = PurePosixPath(entry.filename.replace("\\", "/"))
    if name.is_absolute() or ".." in name.parts or ":" in entry.filename.partition("/")[0]:
        raise unusable(path, "unsafe_name", entry.filename)
    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    left = min(entry.file_size, MAX_ENTRY_BYTES)
    with archive.open(entry) as source, target.open("wb") as sink:
        while data := source.read(_CHUNK):
            left -= len(data)
            if left < 0:
                raise unusable(path, "too_large", f"{entry.filename}: larger than it declares")
            sink.write(data)
