"""Pack a point's requests into binary planes that a browser draws, and unpack them again.

About 12 bytes a request once compressed; identifiers stay behind and are asked for by ordinal.
The layout is docs/timeline-format.md; the reader in the browser is assets/timeline/format.mjs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from explorer.figures.timeline_planes import (
    Ints,
    from_log_linear,
    nullable,
    read_planes,
    to_log_linear,
    unzigzag,
    write_planes,
    zigzag,
)
from explorer.figures.timeline_streams import KINDS, stream_table

MAGIC = b"XTLN"
VERSION = 1
UNIT_NS = 10_000
SIGNIFICANT_BITS = 14
NULL = int(np.iinfo(np.int64).min)
"""Stands for a missing integer in the columns given to `pack_timeline`."""

STATUSES = ("ok", "failed", "cancelled")
PHASES = ("profiling", "warmup")


@dataclass(frozen=True, slots=True)
class Timeline:
    """What a packed timeline holds: header, one array a request column, one a stream column.

    Times are units of `header["unit_ns"]` after `header["origin_ns"]`; nulls are -1.
    """

    header: dict[str, Any]
    requests: dict[str, Ints]
    streams: dict[str, Ints]


def pack_timeline(
    columns: Mapping[str, Any],
    *,
    skipped_overflow: int = 0,
    about: Mapping[str, Any] | None = None,
) -> bytes:
    """Return the packed timeline of a point's requests: all of them, or a phase or window.

    `columns`: the lake's request columns (domain/columns.py) as arrays of one length, sorted by
    ordinal; times in ns after the point's clock zero; integers use NULL, texts None where
    missing. `skipped_overflow`: requests that left no record. `about`: what else the header
    says of the point. Raises ValueError when ordinals do not rise from 0 or more, or a record
    has no start.
    """
    n = len(columns["start_ns"])
    ordinals: Ints = np.asarray(columns["ordinal"], dtype=np.int64)
    ordinal = ordinals - np.concatenate([[-1], ordinals[:-1]]) - 1
    if n and int(ordinal.min()) < 0:
        raise ValueError("requests must be sorted by ordinal, each once")
    table = stream_table(columns)
    origin, unit = _clock(columns)
    planes = _times(columns, origin, unit) | _facts(columns, table.of_request)
    errors, planes["error"] = _errors(columns)
    workers, planes["worker"] = _sticky(columns["client_worker"], table.of_request)
    engines, planes["engine"] = _sticky(columns["engine"], table.of_request)
    planes["ordinal"] = ordinal
    request_dir, request_body = write_planes(planes)
    stream_dir, stream_body = write_planes(table.planes())
    header = {
        "n": n,
        "streams": len(table.kind),
        "origin_ns": origin,
        "unit_ns": unit,
        "significant_bits": SIGNIFICANT_BITS,
        "counts": _counts(columns) | {"skipped_overflow": skipped_overflow},
        "statuses": STATUSES,
        "phases": PHASES,
        "kinds": KINDS,
        "conversations": table.conversations,
        "agents": table.agents,
        "workers": workers,
        "engines": engines,
        "errors": errors,
        "about": dict(about or {}),
        "request_planes": request_dir,
        "stream_planes": stream_dir,
    }
    return _frame(header, request_body, stream_body)


def unpack_timeline(data: bytes) -> Timeline:
    """Return what `pack_timeline` stored; raises ValueError on another magic or version."""
    if data[:4] != MAGIC:
        raise ValueError("not a packed timeline: the first four bytes are not XTLN")
    version, length = np.frombuffer(data, "<u4", 2, 4).tolist()
    if version != VERSION:
        raise ValueError(f"packed timeline of version {version}, this build reads {VERSION}")
    header = json.loads(data[12 : 12 + length])
    body = data[12 + length :]
    raw = read_planes(header["request_planes"], body)
    streams = read_planes(header["stream_planes"], body[header["request_bytes"] :])
    for name in ("parent", "conversation", "agent"):
        streams[name] = streams[name] - 1
    return Timeline(header, _requests(raw, header["significant_bits"]), streams)


def _clock(columns: Mapping[str, Any]) -> tuple[int, int]:
    """Return (origin, unit) in ns: a grid that holds zero and fits all times in 31 bits."""
    start, end, credit = (columns[k] for k in ("start_ns", "end_ns", "credit_ns"))
    if len(start) == 0:
        return 0, UNIT_NS
    if int(start.min()) == NULL:
        raise ValueError("every request needs start_ns")
    known = credit[credit != NULL]
    low = min(int(start.min()), int(known.min()) if len(known) else 0, 0)
    high = max(int(start.max()), int(end.max()), int(columns["first_token_ns"].max()))
    unit = UNIT_NS
    while (high - low) // unit >= 2**31 - 2:
        unit *= 10
    return low // unit * unit, unit


def _times(columns: Mapping[str, Any], origin: int, unit: int) -> dict[str, Ints]:
    """Return start, wait, ttft and rest as planes; null where one end is unknown."""
    start, credit, first, end = (
        np.asarray(columns[key], dtype=np.int64)
        for key in ("start_ns", "credit_ns", "first_token_ns", "end_ns")
    )
    grid = {key: (values - origin) // unit for key, values in _known(start, credit, first, end)}
    has_first = (first != NULL) & (first >= start)
    body = np.where(has_first, grid["first"], grid["start"])
    spans = {
        "wait": (grid["start"] - np.minimum(grid["credit"], grid["start"]), credit != NULL),
        "ttft": (grid["first"] - grid["start"], has_first),
        "rest": (np.maximum(grid["end"], body) - body, end != NULL),
    }
    planes = {"start": np.diff(grid["start"], prepend=0)}
    for name, (span, known) in spans.items():
        codes = to_log_linear(np.where(known, span, 0), SIGNIFICANT_BITS)
        planes[name] = nullable(codes, known)
    return planes


def _known(start: Ints, credit: Ints, first: Ints, end: Ints) -> list[tuple[str, Ints]]:
    """Return the four times with unknown ones set to the start, so that differences are 0."""
    named = (("start", start), ("credit", credit), ("first", first), ("end", end))
    return [(name, np.where(values == NULL, start, values)) for name, values in named]


def _facts(columns: Mapping[str, Any], stream: Ints) -> dict[str, Ints]:
    """Return tokens, turn, stream and flags as planes, predicted from the stream's last request."""
    isl, osl, cached, turn = (
        np.asarray(columns[key], dtype=np.int64)
        for key in ("isl_tokens", "osl_tokens", "cached_tokens", "turn")
    )
    zero = [np.where(values == NULL, 0, values) for values in (isl, osl, cached, turn)]
    before = _previous(stream, zero[0] + zero[1], 0)
    status = _positions(columns["status"], STATUSES)
    phase = _positions(columns["phase"], PHASES)
    has_cached = (cached != NULL) & (isl != NULL)
    return {
        "isl": nullable(zigzag(zero[0] - before), isl != NULL),
        "osl": nullable(zero[1], osl != NULL),
        "uncached": nullable(zigzag(zero[0] - zero[2]), has_cached),
        "stream": stream,
        "turn": zigzag(zero[3] - _previous(stream, zero[3], -1) - 1),
        "flags": status | (phase << 2),
    }


def _previous(stream: Ints, values: Ints, first: int) -> Ints:
    """Return each request's value of the same stream's previous request, `first` at its first."""
    order = np.argsort(stream, kind="stable")
    shifted = np.concatenate([[first], values[order][:-1]]) if len(order) else values
    new = np.concatenate([[True], np.diff(stream[order]) != 0]) if len(order) else order
    out = np.empty_like(values)
    out[order] = np.where(new, first, shifted)
    return out


def _positions(values: Any, names: tuple[str, ...]) -> Ints:
    """Return each text's position in `names`; raises ValueError on another text."""
    codes, found = pd.factorize(np.asarray(values, dtype=object))
    return np.array([names.index(name) for name in found], dtype=np.int64)[codes]


def _sticky(values: Any, stream: Ints) -> tuple[list[str], Ints]:
    """Return (sorted names, step of position + 1 since the stream's last request), 0 = missing."""
    codes, names = pd.factorize(np.asarray(values, dtype=object), sort=True)
    position = codes.astype(np.int64) + 1
    return [str(name) for name in names], zigzag(position - _previous(stream, position, 0))


def _errors(columns: Mapping[str, Any]) -> tuple[list[dict[str, Any]], Ints]:
    """Return ([{type, code}], position + 1 of each request's), 0 without an error."""
    kinds, types = pd.factorize(np.asarray(columns["error_type"], dtype=object))
    code = np.asarray(columns["error_code"], dtype=np.int64)
    has = (kinds >= 0) | (code != NULL)
    pairs = pd.MultiIndex.from_arrays([kinds, code])
    rows, unique = pd.factorize(pairs[has])
    out = np.zeros(len(code), dtype=np.int64)
    out[has] = rows + 1
    named = [
        {"type": str(types[k]) if k >= 0 else None, "code": int(c) if c != NULL else None}
        for k, c in unique
    ]
    return named, out


def _counts(columns: Mapping[str, Any]) -> dict[str, int]:
    """Return requests by phase and status: `profiling_ok`, `warmup_failed` …"""
    status = _positions(columns["status"], STATUSES)
    phase = _positions(columns["phase"], PHASES)
    return {
        f"{phase_name}_{status_name}": int(np.count_nonzero((phase == p) & (status == s)))
        for p, phase_name in enumerate(PHASES)
        for s, status_name in enumerate(STATUSES)
    }


def _frame(header: dict[str, Any], requests: bytes, streams: bytes) -> bytes:
    """Return magic, version, header length, header and bodies."""
    header["request_bytes"] = len(requests)
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    sizes = np.array([VERSION, len(text)], dtype="<u4").tobytes()
    return MAGIC + sizes + text + requests + streams


def _requests(raw: dict[str, Ints], bits: int) -> dict[str, Ints]:
    """Return the request columns of the stored planes: absolute times, tokens, indices."""
    spans = {k: from_log_linear(np.maximum(raw[k] - 1, 0), bits) for k in ("wait", "ttft", "rest")}
    out = {name: raw[name] - 1 for name in ("osl", "error")}
    out["stream"] = raw["stream"]
    out["ordinal"] = np.cumsum(raw["ordinal"] + 1) - 1
    out["start"] = np.cumsum(raw["start"])
    out["credit"] = np.where(raw["wait"] > 0, out["start"] - spans["wait"], -1)
    out["first"] = np.where(raw["ttft"] > 0, out["start"] + spans["ttft"], -1)
    body = np.where(raw["ttft"] > 0, out["first"], out["start"])
    out["end"] = np.where(raw["rest"] > 0, body + spans["rest"], -1)
    out["isl"] = _unpredict_isl(raw)
    out["turn"] = _walk(raw["stream"], unzigzag(raw["turn"]) + 1, -1)
    out["worker"] = _walk(raw["stream"], unzigzag(raw["worker"]), 0) - 1
    out["engine"] = _walk(raw["stream"], unzigzag(raw["engine"]), 0) - 1
    uncached = unzigzag(np.maximum(raw["uncached"] - 1, 0))
    out["cached"] = np.where(raw["uncached"] > 0, out["isl"] - uncached, -1)
    out["status"], out["phase"] = raw["flags"] & 3, raw["flags"] >> 2
    return out


def _walk(stream: Ints, steps: Ints, first: int) -> Ints:
    """Return the running sum of steps within each stream, begun at `first`."""
    order = np.argsort(stream, kind="stable")
    total = np.cumsum(steps[order])
    new = np.concatenate([[True], np.diff(stream[order]) != 0]) if len(order) else order
    start = np.flatnonzero(new)
    before = np.repeat(total[start] - steps[order][start], np.diff(np.append(start, len(order))))
    out = np.empty_like(steps)
    out[order] = total - before + first
    return out


def _unpredict_isl(raw: dict[str, Ints]) -> Ints:
    """Return ISL, -1 where null, by walking each stream from its first request on."""
    carried = [0] * (int(raw["stream"].max(initial=-1)) + 1)
    isl = np.full(len(raw["isl"]), -1, dtype=np.int64)
    steps = unzigzag(np.maximum(raw["isl"] - 1, 0))
    for i, stream in enumerate(raw["stream"].tolist()):
        if raw["isl"][i]:
            isl[i] = carried[stream] + steps[i]
        carried[stream] = max(int(isl[i]), 0) + max(int(raw["osl"][i]) - 1, 0)
    return isl
