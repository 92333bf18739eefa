"""Point ids and revisions: names from content, equal on every machine and in every order."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

ID_LENGTH = 12


def canonical(value: Any) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces, floats by repr."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def point_id(identity: Mapping[str, Any]) -> str:
    """Return the first 12 characters of lower-case base32(SHA-256 of the raw identity).

    `identity` holds the tool's own run id and cell key where the files have one, else the
    identity fields as the file spells them. Paths, times of ingest, order, normalised names and
    metrics never enter.
    """
    digest = hashlib.sha256(canonical(identity).encode()).digest()
    return base64.b32encode(digest).decode().lower()[:ID_LENGTH]


def revision(numbers: Mapping[str, Any]) -> str:
    """Return a 16-character hash of numbers, insensitive to the 13th significant digit."""
    rounded = {key: _rounded(value) for key, value in numbers.items() if value is not None}
    return hashlib.sha256(canonical(rounded).encode()).hexdigest()[:16]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.12g}" if math.isfinite(value) else None
    return value
