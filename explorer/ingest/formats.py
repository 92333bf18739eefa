"""Every format this build reads, in the order a file's head is offered to them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from explorer.ingest.aiperf import AiperfRun, RequestsWithoutSummary
from explorer.ingest.context import Context
from explorer.ingest.evaluations import Evaluations
from explorer.ingest.inferencex_api import ApiRows
from explorer.ingest.inferencex_rows import AggregateRows
from explorer.ingest.provenance import Changelog, Provenance, WorkflowInfo
from explorer.ingest.site_csv import SiteCsv
from explorer.ingest.traces import MooncakeTraces, WekaTraces


class Reader(Protocol):
    """One format: knows its files by content and turns one into points or facts.

    A reader may also say `alone = True` (it opens no file but its own) or `per_folder = True`
    (the first of its files in a folder stands for all of them).
    """

    @property
    def name(self) -> str:
        """Return the format's name, as reports and points show it."""

    def sniff(self, path: Path, head: bytes) -> bool:
        """Return whether this file is one of the format's; `head` is its first 64 KB as UTF-8."""

    def read(self, path: Path, context: Context) -> Iterator[Any]:
        """Yield Draft, DatasetDraft, Accuracy, Change or Known; raise InputError when unusable."""


FORMATS: tuple[Reader, ...] = (
    AiperfRun(),
    RequestsWithoutSummary(),
    AggregateRows(),
    ApiRows(),
    Evaluations(),
    SiteCsv(),
    Changelog(),
    WorkflowInfo(),
    WekaTraces(),
    MooncakeTraces(),
    Provenance(),
)


def reader_of(path: Path, head: bytes) -> Reader | None:
    """Return the first format that knows the file."""
    return next((reader for reader in FORMATS if reader.sniff(path, head)), None)


def named(name: str) -> Reader:
    """Return the format of that name."""
    return next(reader for reader in FORMATS if reader.name == name)
