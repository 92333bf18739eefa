"""An answer as bytes: JSON, or the same rows as CSV, Parquet or Arrow; with its ETag."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

import pyarrow as pa

from explorer.api import envelope
from explorer.api.envelope import Answer
from explorer.exports import tabular

JSON = "application/json"
MIME: Mapping[str, str] = {
    "json": JSON,
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.stream",
}
DENSE = (MIME["parquet"], MIME["arrow"])
"""Types that are compressed inside, or read by machines beside the server."""
_WRITERS: Mapping[str, Callable[[pa.Table], bytes]] = {
    "csv": tabular.csv,
    "parquet": tabular.parquet,
    "arrow": tabular.arrow,
}


@dataclass(frozen=True, slots=True)
class Encoded:
    """An answer ready to send."""

    body: bytes
    mime: str
    etag: str
    snap: str | None
    next: str | None
    name: str | None


def encode(answer: Answer, format_: str | None, name: str) -> Encoded:
    """Return an answer in a format; `name` becomes the file's when it is no JSON."""
    format_ = format_ or "json"
    tabular_ = answer.table is not None and format_ in _WRITERS
    if answer.table and tabular_:
        body = _WRITERS[format_](answer.table())
    elif isinstance(answer.data, bytes):
        body = answer.data
    else:
        body = envelope.encode(envelope.envelope(answer))
    return Encoded(
        body=body,
        mime=MIME[format_] if tabular_ else answer.mime,
        etag=blake2b(body, digest_size=12).hexdigest(),
        snap=answer.snapshot.snap if answer.snapshot else None,
        next=answer.next,
        name=f"{name}.{format_}" if tabular_ else answer.file,
    )


def weight(encoded: Encoded) -> int:
    """Return how much memory an encoded answer takes, bytes."""
    return len(encoded.body) + 512
