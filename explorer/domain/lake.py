"""The lake as pages, API and embeds see it: named snapshots that answer SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One published state of the lake; `snap` is its hash, `name` a name given to it."""

    snap: str
    time: str
    parent: str | None
    schema: int
    metric_version: int
    price_version: str
    tables: Mapping[str, tuple[str, ...]]
    points: int = 0
    requests: int = 0
    conversations: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    note: str = ""
    name: str | None = None
    kept: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)


Objects = Mapping[str, str | Sequence[str]]
"""Name in SQL → hash of an object, or hashes of several of one kind."""


class Lake(Protocol):
    """Answers SQL over one snapshot.

    In SQL `{points}`, `{datasets}`, `{conversations}` stand for the snapshot's tables and
    `{name}` for an object given in `objects` by its hash, or for several one after the other,
    whose rows then have their `filename`; values are always parameters (`?` or `$name`).
    """

    def snapshot(self, snap: str | None = None) -> Snapshot:
        """Return the snapshot of a hash or name; the newest without one."""

    def snapshots(self) -> list[Snapshot]:
        """Return every snapshot that still exists, newest first."""

    def rows(
        self,
        sql: str,
        params: Sequence[Any] | Mapping[str, Any] = (),
        *,
        snap: str | None = None,
        objects: Objects | None = None,
    ) -> list[dict[str, Any]]:
        """Return the answer as dictionaries, missing values as None."""

    def arrow(
        self,
        sql: str,
        params: Sequence[Any] | Mapping[str, Any] = (),
        *,
        snap: str | None = None,
        objects: Objects | None = None,
    ) -> pa.Table:
        """Return the answer as an Arrow table."""
