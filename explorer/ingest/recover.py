"""Rows with blank names: what the artifact's folder says, where it can be read one way only."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from explorer.errors import InputError
from explorer.ingest.draft import Note
from explorer.ingest.names import names
from explorer.ingest.opening import unusable
from explorer.ingest.row_fields import Row

_NEEDED = ("hw", "framework", "precision")
_WORD = re.compile(r"[^A-Za-z0-9.-]+")


def recover(row: Row, path: Path) -> tuple[Row, list[Note]]:
    """Return the row with blank hw, framework, precision filled from its folder, and a note each.

    Raises InputError `incomplete_row` when a blank name cannot be told.
    """
    blank = [key for key in _NEEDED if not str(row.get(key) or "").strip()]
    if not blank:
        return row, []
    found = {key: _from_names(key, path) for key in blank}
    missing = sorted(key for key, value in found.items() if value is None)
    if missing:
        raise _incomplete(path, missing)
    notes = [Note("recovered_from_name", {"field": key, "value": found[key]}) for key in blank]
    return {**row, **found}, notes


def _incomplete(path: Path, missing: list[str]) -> InputError:
    return unusable(path, "incomplete_row", f"blank {', '.join(missing)}; the name says none")


def _from_names(key: str, path: Path) -> str | None:
    """Return the only known value among the words of the file's and folder's names."""
    words = [word for part in (path.parent.name, path.stem) for word in _WORD.split(part)]
    known = {value for word in words if word for value in [_known(key, word)] if value}
    return known.pop() if len(known) == 1 else None


def _known(key: str, word: str) -> Any:
    kinds = {"framework": "engine", "precision": "precision"}
    named = names().hardware(word) if key == "hw" else names().word(kinds[key], word)
    return named[0] if named[1] else None
