"""AIPerf's request export (profile_export.jsonl): one request a line, into Arrow.

Both phases, every dialect from 2025 to 0.13. `inter_chunk_latency`, most of the bytes, is
skipped by the parser. Lines that cannot be read are counted and named, the rest is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from explorer.errors import InputError
from explorer.ingest import conversation_id
from explorer.ingest.draft import Note
from explorer.ingest.mask import first_line
from explorer.ingest.numbers import finite, integer, nanoseconds, seconds, text
from explorer.ingest.opening import lines
from explorer.ingest.request_table import RAW, Stream, finish

CANCELLED_CODE = 499
_BATCH = 20_000


class _Metadata(msgspec.Struct, gc=False):
    x_request_id: Any = None
    x_correlation_id: Any = None
    root_correlation_id: Any = None
    parent_correlation_id: Any = None
    conversation_id: Any = None
    source_trace_id: Any = None
    source_outer_idx: Any = None
    source_inner_idx: Any = None
    source_kind: Any = None
    turn_index: Any = None
    agent_depth: Any = None
    worker_id: Any = None
    benchmark_phase: Any = None
    credit_phase: Any = None
    phase_kind: Any = None
    credit_issued_ns: Any = None
    request_start_ns: Any = None
    request_end_ns: Any = None
    timestamp_ns: Any = None
    was_cancelled: Any = None
    context_overflow_skip: Any = None


class _Metrics(msgspec.Struct, gc=False):
    time_to_first_token: Any = None
    ttft: Any = None
    request_latency: Any = None
    inter_token_latency: Any = None
    full_response_inter_token_latency: Any = None
    input_sequence_length: Any = None
    error_isl: Any = None
    output_sequence_length: Any = None
    usage_prompt_cache_read_tokens: Any = None
    min_request_timestamp: Any = None
    max_response_timestamp: Any = None


class _Record(msgspec.Struct, gc=False):
    metadata: _Metadata
    metrics: _Metrics | None = None
    error: Any = None


_DECODER = msgspec.json.Decoder(_Record)


@dataclass(slots=True)
class RequestLog:
    """The requests of one run. `table` has exactly REQUEST_COLUMNS, times after `zero_ns`.

    `overflow_skips` are records of prompts that were never sent, kept out of the table;
    `overflow_failures` are sent ones that the server refused for their length.
    """

    table: pa.Table
    zero_ns: int | None
    itl_source: str | None
    overflow_skips: int
    overflow_failures: int
    notes: list[Note]


_STARTS_LIKE = re.compile(
    rb'\s*\{\s*"metadata"\s*:\s*\{[^{}]*"x_(?:request|correlation)_id"[^{}]*\}\s*,'
    rb'\s*"(?:metrics|error|trace_data)"'
)


def is_request_export(head: bytes) -> bool:
    """Say whether a file's first bytes are a request export; the raw export's are not.

    A line can be longer than the bytes given: then its beginning decides.
    """
    line = head.split(b"\n", 1)[0]
    try:
        found = json.loads(line)
    except ValueError:
        return _STARTS_LIKE.match(line) is not None
    if not isinstance(found, dict) or not isinstance(found.get("metadata"), dict):
        return False
    named = {"x_request_id", "x_correlation_id"} & found["metadata"].keys()
    return bool(named) and ("metrics" in found or "error" in found) and "responses" not in found


def read_requests(path: Path) -> RequestLog:
    """Return the requests of a file, sorted, on one clock; counts and notes beside them.

    Raises InputError when the file cannot be opened. A file without one readable record gives
    an empty table and a note.
    """
    reading = _Reading(path.name)
    batches = list(reading.batches(path))
    table = pa.Table.from_batches(batches, schema=RAW)
    finished = finish(table, reading.streams)
    return RequestLog(
        finished.table,
        finished.zero_ns,
        finished.itl_source,
        reading.overflow_skips,
        reading.overflow_failures,
        reading.noted(),
    )


class _Reading:
    """One pass over one file: rows out, counts and complaints kept."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.streams: dict[str, Stream] = {}
        self.overflow_skips = 0
        self.overflow_failures = 0
        self.rows = 0
        self.broken: InputError | None = None
        self.bad: list[tuple[int, str]] = []
        self.odd: list[int] = []
        self.last = 0
        self.unknown_units: set[str] = set()
        self.no_start = 0

    def batches(self, path: Path) -> Iterator[pa.RecordBatch]:
        rows: list[dict[str, Any]] = []
        for line in self._lines(path):
            if not line.strip():
                continue
            record = self._record(line)
            if record is None:
                continue
            row = self._row(record)
            if row is not None:
                rows.append(row)
            if len(rows) >= _BATCH:
                yield pa.RecordBatch.from_pylist(rows, schema=RAW)
                rows = []
        if rows:
            yield pa.RecordBatch.from_pylist(rows, schema=RAW)

    def _lines(self, path: Path) -> Iterator[bytes]:
        """Yield lines; a packed file that breaks off keeps what was read before."""
        try:
            for self.last, line in enumerate(lines(path), 1):
                yield line
        except InputError as error:
            if not self.rows:
                raise
            self.broken = error

    def _record(self, line: bytes) -> _Record | None:
        try:
            return _DECODER.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return self._lenient(line)

    def _lenient(self, line: bytes) -> _Record | None:
        """Read what the strict parser refuses: NaN, Infinity, 1e400, bytes that are no UTF-8."""
        try:
            record = msgspec.convert(json.loads(line.decode("utf-8", "replace")), _Record)
        except (ValueError, RecursionError, msgspec.MsgspecError) as error:
            self.bad.append((self.last, str(error)[:120]))
            return None
        self.odd.append(self.last)
        return record

    def _row(self, record: _Record) -> dict[str, Any] | None:
        meta, metrics = record.metadata, record.metrics or _Metrics()
        if meta.context_overflow_skip is True:
            self.overflow_skips += 1
            return None
        row = {**self._identity(meta), **self._latency(metrics), **self._clock(meta, metrics)}
        row |= self._tokens(metrics)
        row |= self._outcome(meta, record.error, row["phase"])
        self.rows += 1
        if row["start_ns"] is None:
            self.no_start += 1
            return None
        if row["ttft_s"] is not None:
            row["first_token_ns"] = row["start_ns"] + round(row["ttft_s"] * 1e9)
        return row

    def _identity(self, meta: _Metadata) -> dict[str, Any]:
        ref = conversation_id.parse(text(meta.conversation_id), text(meta.source_trace_id))
        request, stream = text(meta.x_request_id), text(meta.x_correlation_id)
        stream = stream or request
        parent, root = text(meta.parent_correlation_id), text(meta.root_correlation_id)
        depth = integer(meta.agent_depth)
        if stream:
            self.streams.setdefault(stream, Stream(parent, root))
        label = meta.benchmark_phase or meta.phase_kind or meta.credit_phase
        return {
            "request_id": request,
            "stream_id": stream,
            "parent_id": parent,
            "conversation": ref.conversation,
            "agent": ref.agent,
            "kind": "subagent" if ref.kind == "main" and depth else ref.kind,
            "turn": integer(meta.turn_index),
            "depth": depth,
            "phase": "warmup" if "warm" in str(label).lower() else "profiling",
            "client_worker": text(meta.worker_id),
            "source_outer_idx": integer(meta.source_outer_idx),
            "source_inner_idx": integer(meta.source_inner_idx),
            "source_kind": text(meta.source_kind),
        }

    def _latency(self, metrics: _Metrics) -> dict[str, Any]:
        return {
            "ttft_s": self._seconds(metrics.time_to_first_token or metrics.ttft),
            "e2el_s": self._seconds(metrics.request_latency),
            "full_itl_s": self._seconds(metrics.full_response_inter_token_latency),
            "plain_itl_s": self._seconds(metrics.inter_token_latency),
        }

    def _seconds(self, metric: Any) -> float | None:
        if not isinstance(metric, dict):
            return None
        number = seconds(metric.get("value"), metric.get("unit"))
        if number is None and finite(metric.get("value")) is not None:
            self.unknown_units.add(str(metric.get("unit"))[:40])
        return number

    def _tokens(self, metrics: _Metrics) -> dict[str, Any]:
        length = metrics.input_sequence_length or metrics.error_isl
        return {
            "isl_tokens": self._whole(length),
            "osl_tokens": self._whole(metrics.output_sequence_length),
            "cached_tokens": self._whole(metrics.usage_prompt_cache_read_tokens),
        }

    def _whole(self, metric: Any) -> int | None:
        """Return a token count; one beyond 64 bits is missing and its line is noted."""
        stated = metric.get("value") if isinstance(metric, dict) else None
        found = integer(stated)
        if found is None and isinstance(stated, int):
            self.odd.append(self.last)
        return found

    def _clock(self, meta: _Metadata, metrics: _Metrics) -> dict[str, Any]:
        """Return absolute ns; the 2025 dialect keeps start and end among the metrics."""
        start = integer(meta.request_start_ns)
        if start is None:
            start = nanoseconds(metrics.min_request_timestamp) or integer(meta.timestamp_ns)
        end = integer(meta.request_end_ns)
        if end is None:
            end = nanoseconds(metrics.max_response_timestamp)
        if end is None and start is not None:
            end = start + round((self._seconds(metrics.request_latency) or 0) * 1e9)
        return {"credit_ns": integer(meta.credit_issued_ns), "start_ns": start, "end_ns": end}

    def _outcome(self, meta: _Metadata, error: Any, phase: str) -> dict[str, Any]:
        kind, code, message = _error(error)
        cancelled = meta.was_cancelled is True or code == CANCELLED_CODE
        failed = error is not None and error != {}
        status = "cancelled" if cancelled else "failed" if failed else "ok"
        if phase == "profiling" and status == "failed":
            self.overflow_failures += is_context_overflow(code, message)
        line = first_line(message) if message else None
        return {"status": status, "error_type": kind, "error_code": code, "error_line": line}

    def noted(self) -> list[Note]:
        """Return the complaints: how many, and where the first one is."""
        notes = []
        if self.bad and self.bad[-1][0] == self.last:
            line, reason = self.bad.pop()
            notes.append(Note("truncated_last_line", self._at(line, reason=reason)))
        if self.bad:
            line, reason = self.bad[0]
            notes.append(Note("bad_lines", self._at(line, reason=reason, n=len(self.bad))))
        if self.odd:
            where = {"file": self.file, "n": len(self.odd), "first": f"line {self.odd[0]}"}
            notes.append(Note("non_finite_numbers", where))
        if self.broken is not None:
            reason = self.broken.params.get("reason", self.broken.code)
            notes.append(Note("file_broken_off", self._at(self.last, reason=reason)))
        if self.unknown_units:
            notes.append(
                Note("unknown_unit", {"file": self.file, "units": sorted(self.unknown_units)})
            )
        if self.no_start:
            notes.append(Note("requests_without_start", {"file": self.file, "n": self.no_start}))
        if not self.rows:
            notes.append(Note("no_requests_in_file", {"file": self.file}))
        return notes

    def _at(self, line: int, **params: Any) -> dict[str, Any]:
        return {"file": self.file, "line": line, **params}


def _error(error: Any) -> tuple[str | None, int | None, str | None]:
    """Return type, code and message of an error in any of its shapes."""
    if isinstance(error, dict):
        return text(error.get("type")), integer(error.get("code")), text(error.get("message"))
    return (None, None, text(error)) if isinstance(error, str) else (None, None, None)


def is_context_overflow(code: int | None, message: str | None) -> bool:
    """Say whether a failure is the server's refusal of a prompt beyond its context length."""
    words = (message or "").lower()
    return code in (400, 413, None) and ("context length" in words or "context_length" in words)
