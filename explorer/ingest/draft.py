"""What a reader hands to the pipeline: one measured point, in the file's own words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa


@dataclass(slots=True)
class Note:
    """A warning on a point or a skip of a file: a code and its arguments, no prose."""

    code: str
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class SourceFile:
    """A file the point came from; `path` is relative to the PATH given to ingest."""

    path: str
    sha256: str
    bytes: int


@dataclass(slots=True)
class Draft:
    """One point before names are normalised and before rows meet their runs.

    `identity`: raw identity (see domain/identity.py); its point_id is the draft's own.
    `fields`: columns of POINT_COLUMNS with raw spellings (`hw_raw`, `model_raw`, `engine_raw`).
    `metrics`: registry keys → value, as the file states them (a row's, a summary's).
    `stated`: a row's own aggregates to compare with a recomputation: key → (value, decimals).
    Tables have exactly the columns of domain/columns.py, times relative to `clock_zero_ns`.
    """

    format: str
    identity: dict[str, Any]
    fields: dict[str, Any]
    metrics: dict[str, float | None] = field(default_factory=dict)
    stated: dict[str, tuple[float, int]] = field(default_factory=dict)
    requests: pa.Table | None = None
    series: pa.Table | None = None
    gpu: pa.Table | None = None
    logs: pa.Table | None = None
    warnings: list[Note] = field(default_factory=list)
    sources: list[SourceFile] = field(default_factory=list)
