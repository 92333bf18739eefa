"""An answer as bytes: JSON, its rows as a file, or how to have them again; with its ETag."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

import pyarrow as pa

from explorer.api import envelope
from explorer.api.envelope import Answer
from explorer.exports import reproduce, tabular
from explorer.exports.provenance import Provenance, comment, stamped
from explorer.exports.reproduce import Subject

JSON = "application/json"
MIME: Mapping[str, str] = {
    "json": JSON,
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.stream",
    **{name: one.mime for name, one in reproduce.FORMATS.items()},
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


@dataclass(frozen=True, slots=True)
class Wanted:
    """The form asked for: a format of MIME, comment lines on top of a CSV, the server's address."""

    format: str = "json"
    header: bool = False
    base: str = ""


def encode(answer: Answer, wanted: Wanted, name: str, of: Provenance) -> Encoded:
    """Return an answer in a format; `name` becomes the file's when it is no JSON."""
    body, mime, file = _body(answer, wanted, name, of)
    return Encoded(
        body=body,
        mime=mime,
        etag=blake2b(body, digest_size=12).hexdigest(),
        snap=answer.snapshot.snap if answer.snapshot else None,
        next=answer.next,
        name=file,
    )


def _body(
    answer: Answer, wanted: Wanted, name: str, of: Provenance
) -> tuple[bytes, str, str | None]:
    """Return bytes, their type and the name of their file, if they are one."""
    format_ = wanted.format
    if answer.table and format_ in _WRITERS:
        table = stamped(answer.table(), of)
        top = comment(of, table) if wanted.header and format_ == "csv" else b""
        return top + _WRITERS[format_](table), MIME[format_], f"{name}.{format_}"
    if answer.table and (how := reproduce.FORMATS.get(format_)):
        columns = tuple(answer.table().column_names)
        subject = Subject(of, name, columns, wanted.base, answer.kind, answer.figures)
        file = None if how.inline else f"{name}.{how.ending}"
        return how.make(subject).encode(), how.mime, file
    if isinstance(answer.data, bytes):
        return answer.data, answer.mime, answer.file
    return envelope.encode(envelope.envelope(answer, of)), answer.mime, answer.file


def weight(encoded: Encoded) -> int:
    """Return how much memory an encoded answer takes, bytes."""
    return len(encoded.body) + 512
