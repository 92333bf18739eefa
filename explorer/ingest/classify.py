"""What a file is, by its first bytes: a format's, an archive, unusable, or none of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from explorer.errors import InputError
from explorer.ingest import archive, opening
from explorer.ingest.formats import reader_of

_DATA_ENDINGS = (".json", ".jsonl", ".csv", ".parquet", ".zip", ".gz", ".zst", ".ndjson")
_JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
_JSON_STARTS = (b"{", b"[", b"")


def classify(path: Path) -> dict[str, Any]:
    """Return `{"reader": name}`, `{"archive": True}`, `{"reason", "detail"}`, or nothing.

    A name counts in one case only: an empty or damaged file is worth a word when it is called
    like data.
    """
    data = path.name.lower().endswith(_DATA_ENDINGS)
    try:
        if path.stat().st_size == 0:
            return {"reason": "zero_bytes"} if data else {}
        return _by_head(path, opening.head(path))
    except InputError as error:
        detail = error.params.get("detail", "")
        return {"reason": error.params["reason"], "detail": detail} if data else {}
    except OSError as error:
        return {"reason": "unreadable", "detail": error.strerror or ""}


def _by_head(path: Path, head: bytes) -> dict[str, Any]:
    if head.startswith(archive.MAGIC):
        return {"archive": True}
    if reader := reader_of(path, head):
        return {"reader": reader.name}
    is_json = path.name.lower().endswith(_JSON_ENDINGS)
    if is_json and head.lstrip()[:1] not in _JSON_STARTS:
        return {"reason": "not_json", "detail": "starts with neither { nor ["}
    return {}
