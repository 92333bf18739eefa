"""Which files belong to an AIPerf run, told by content; and which summaries are shadows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from explorer.errors import InputError
from explorer.ingest import (
    gpu_telemetry,
    server_metrics_csv,
    server_metrics_json,
    server_metrics_jsonl,
    server_metrics_parquet,
    timeslices,
)
from explorer.ingest.aiperf_requests import is_request_export
from explorer.ingest.aiperf_summary import cell, is_summary, parse
from explorer.ingest.command_hints import program
from explorer.ingest.opening import head, load_json, read_text
from explorer.ingest.server_log import is_server_log

_SMALL = 256 << 10
_MANIFEST = "phase_manifest.json"

Check = Callable[[bytes], bool]
_KINDS: tuple[tuple[str, Check], ...] = (
    ("requests", is_request_export),
    ("jsonl", server_metrics_jsonl.is_scrapes),
    ("gpu", gpu_telemetry.is_telemetry),
    ("json", server_metrics_json.is_server_metrics),
    ("csv", server_metrics_csv.is_server_metrics),
    ("timeslices", timeslices.is_timeslices),
)


@dataclass(slots=True)
class RunFiles:
    """The files of one run; `server_metrics` by format: jsonl, parquet, json, csv."""

    requests: Path | None = None
    gpu: Path | None = None
    timeslices: Path | None = None
    server_metrics: dict[str, Path] = field(default_factory=dict)
    commands: dict[Path, str] = field(default_factory=dict)
    logs: list[Path] = field(default_factory=list)

    def all(self) -> list[Path]:
        single = [self.requests, self.gpu, self.timeslices]
        found = [path for path in single if path is not None]
        return [*found, *self.server_metrics.values(), *self.commands, *self.logs]


def gather(summary: Path, near: Iterable[Path]) -> RunFiles:
    """Return the run's files among those near its summary.

    Exports lie in the summary's folder; with several summaries there, a file belongs to the one
    whose name its own begins with. Commands and server logs may lie beside.
    """
    files = RunFiles()
    beside = [path for path in near if path != summary and path.is_file()]
    rivals = _rival_names(summary, beside)
    for path in beside:
        kind = kind_of(path)
        if kind == "command":
            files.commands[path] = read_text(path, _SMALL)
        elif kind == "log":
            files.logs.append(path)
        elif kind and path.parent == summary.parent and _is_nearest(path, summary.name, rivals):
            _put(files, kind, path)
    return files


def _put(files: RunFiles, kind: str, path: Path) -> None:
    if kind in ("requests", "gpu", "timeslices"):
        if getattr(files, kind) is None:
            setattr(files, kind, path)
    else:
        files.server_metrics.setdefault(kind, path)


def kind_of(path: Path) -> str | None:
    """Return what a file near a run is, by its first bytes; null for what no run needs."""
    try:
        start = head(path)
    except (InputError, OSError):
        return None
    if start.startswith(server_metrics_parquet.MAGIC):
        return "parquet" if server_metrics_parquet.is_server_metrics(path) else None
    for kind, check in _KINDS:
        if check(start):
            return kind
    if path.stat().st_size <= _SMALL and _is_command(start):
        return "command"
    return "log" if is_server_log(start) else None


def _is_command(start: bytes) -> bool:
    """Say whether a text is one command line, perhaps continued over lines."""
    text = start.decode("utf-8", "replace").strip()
    lines = text.replace("\\\n", " ").splitlines()
    return len(lines) == 1 and program(text[:4096]) is not None


def _rival_names(summary: Path, beside: Iterable[Path]) -> list[str]:
    return [
        path.name
        for path in beside
        if path.parent == summary.parent and path.suffix == ".json" and is_summary_file(path)
    ]


def _is_nearest(path: Path, own: str, rivals: list[str]) -> bool:
    """Say whether a file's name begins with its summary's own, or at least more of it."""

    def score(name: str) -> tuple[bool, int]:
        stem = name.rpartition(".")[0]
        pairs = zip(path.name, stem, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return shared == len(stem), shared

    return all(score(own) >= score(rival) for rival in rivals)


def may_be_summary(start: bytes) -> bool:
    """Say, from its first bytes, whether a JSON file can be a summary; cheap, may be wrong."""
    if start.lstrip()[:1] != b"{" or timeslices.is_timeslices(start):
        return False
    if server_metrics_json.is_server_metrics(start):
        return False
    marks = (b'"aiperf_version"', b'"request_throughput"', b'"request_latency"', b'"records"')
    return any(mark in start for mark in marks)


def is_summary_file(path: Path) -> bool:
    """Say whether a file is a run's summary, shadows included."""
    document = _loaded(path)
    return document is not None and is_summary(document)


def _loaded(path: Path) -> Any:
    try:
        return load_json(path) if may_be_summary(head(path)) else None
    except (InputError, OSError):
        return None


def is_shadow(path: Path, document: Mapping[str, Any]) -> bool:
    """Say whether a summary repeats a part of a run that lies above it.

    A phase's summary carries the run's own id and cell; the run's manifest names it.
    """
    for above in list(path.parents)[1:4]:
        if _named_in_manifest(path, above) or _is_repeated(document, path, above):
            return True
    return False


def _named_in_manifest(path: Path, folder: Path) -> bool:
    manifest = folder / _MANIFEST
    if not manifest.is_file():
        return False
    try:
        phases = load_json(manifest).get("phases")
    except (InputError, AttributeError):
        return False
    own = path.relative_to(folder).as_posix()
    return any(
        phase.get("metrics_json") == own for phase in phases or () if isinstance(phase, dict)
    )


def _is_repeated(document: Mapping[str, Any], path: Path, folder: Path) -> bool:
    own = parse(document)
    if own.benchmark_id is None:
        return False
    quoted = f'"{own.benchmark_id}"'.encode()
    for other in sorted(folder.glob("*.json")):
        if other == path or other.stat().st_size > (64 << 20) or quoted not in head(other):
            continue
        found = _loaded(other)
        if found is None or not is_summary(found):
            continue
        theirs = parse(found)
        if theirs.benchmark_id == own.benchmark_id and cell(theirs) == cell(own):
            return True
    return False
