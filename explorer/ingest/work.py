"""One unit of work inside a parsing process: a file in, small records out.

Tables become objects of the lake here, and requests are measured here; only small values leave.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from explorer.domain.identity import point_id
from explorer.ingest.archive import unpack
from explorer.ingest.classify import classify
from explorer.ingest.context import Context
from explorer.ingest.counts import conversations, counts
from explorer.ingest.datasets import DatasetDraft
from explorer.ingest.draft import Draft
from explorer.ingest.facts import Accuracy, Change
from explorer.ingest.formats import named
from explorer.store.measure import measure
from explorer.store.objects import put_table

Record = dict[str, Any]
Task = dict[str, Any]


def perform(task: Task) -> Iterator[Record]:
    """Yield the records of a task, then `{"skips": [...]}`.

    A task is `{"classify": files}`, `{"unpack": file, "to": folder}` or
    `{"reader", "path", "root", "near", "lake"}`.
    """
    if "classify" in task:
        for path in task["classify"]:
            yield {"path": path, **classify(Path(path))}
        return
    if "unpack" in task:
        unpack(Path(task["unpack"]), Path(task["to"]))
        return
    context = Context(Path(task["root"]), tuple(Path(path) for path in task["near"]))
    lake = Path(task["lake"])
    for item in named(task["reader"]).read(Path(task["path"]), context):
        yield record(item, lake)
    yield {"kind": "skips", "skips": context.skips}


def record(item: Any, lake: Path) -> Record:
    """Return what a reader yielded as a small value; its tables are objects of the lake then."""
    if isinstance(item, Draft):
        return _point(item, lake)
    if isinstance(item, DatasetDraft):
        return _dataset(item, lake)
    kinds = {Accuracy: "accuracy", Change: "change"}
    return {"kind": kinds.get(type(item), "known"), **asdict(item)}


def _point(draft: Draft, lake: Path) -> Record:
    requests = draft.requests
    return {
        "kind": "point",
        "part": point_id(draft.identity),
        "format": draft.format,
        "fields": draft.fields,
        "metrics": {key: value for key, value in draft.metrics.items() if value is not None},
        "stated": draft.stated,
        "warnings": [asdict(note) for note in draft.warnings],
        "sources": [asdict(source) for source in draft.sources],
        "objects": _objects(draft, lake),
        "measured": None if requests is None else measure(requests),
        "counts": None if requests is None else counts(requests),
        "conversations": [] if requests is None else conversations(requests),
    }


def _objects(draft: Draft, lake: Path) -> dict[str, str]:
    tables: dict[str, pa.Table | None] = {
        "requests": draft.requests,
        "series": draft.series,
        "gpu": draft.gpu,
        "logs": draft.logs,
    }
    return {
        kind: put_table(lake, table, kind)
        for kind, table in tables.items()
        if table is not None and table.num_rows
    }


def _dataset(draft: DatasetDraft, lake: Path) -> Record:
    sources = [asdict(source) for source in draft.sources]
    turns = put_table(lake, draft.turns, "turns")
    return {
        "kind": "dataset",
        "fields": {**draft.fields, "turns_object": turns},
        "conversations": draft.conversations,
        "warnings": [asdict(note) for note in draft.warnings],
        "sources": sources,
    }
