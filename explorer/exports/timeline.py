"""A point's timeline as a packed file, made once per content, and the same file spelled out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.domain.lake import Lake
from explorer.figures.timeline_pack import VERSION, pack_timeline, unpack_timeline
from explorer.queries import timeline
from explorer.queries.window import Window
from explorer.store.cache import Memo

_PACKED: Memo[tuple[Any, ...], bytes] = Memo(128 << 20, len)
"""(requests object, layout, window, what else the header holds) → packed file."""
_DIRECTORY = ("request_planes", "stream_planes", "request_bytes", "significant_bits")
_TIMES = {"credit": "credit_s", "start": "start_s", "first": "first_token_s", "end": "end_s"}
_TOKENS = {"isl": "isl_tokens", "osl": "osl_tokens", "cached": "cached_tokens"}


def packed(lake: Lake, point: Mapping[str, Any], window: Window) -> bytes:
    """Return the packed timeline of the requests that start in a window (docs/timeline-format.md).

    The point needs request records.
    """
    about = timeline.about(lake, point)
    overflow = point["requests_overflow"] or 0
    key = (point["requests_object"], VERSION, window, overflow, repr(about))

    def pack() -> bytes:
        columns = timeline.columns(lake, point, window)
        return pack_timeline(columns, skipped_overflow=overflow, about=about)

    return _PACKED.get(key, pack)


def spelled_out(data: bytes) -> dict[str, Any]:
    """Return a packed timeline as plain values: names for codes, s after zero, null for missing.

    Times lie on the file's grid (`unit_ns`); /requests has the exact ones.
    """
    read = unpack_timeline(data)
    header = {name: value for name, value in read.header.items() if name not in _DIRECTORY}
    return {
        **header,
        "requests": _requests(read.requests, header),
        "streams": {
            "parent": _nullable(read.streams["parent"]),
            "conversation": _named(read.streams["conversation"], header["conversations"]),
            "agent": _named(read.streams["agent"], header["agents"]),
            "depth": read.streams["depth"].tolist(),
            "kind": _named(read.streams["kind"], header["kinds"]),
        },
    }


def _requests(columns: Mapping[str, Any], header: Mapping[str, Any]) -> dict[str, list[Any]]:
    origin, unit = header["origin_ns"], header["unit_ns"]
    return {
        "ordinal": columns["ordinal"].tolist(),
        "stream": columns["stream"].tolist(),
        "turn": columns["turn"].tolist(),
        "phase": _named(columns["phase"], header["phases"]),
        "status": _named(columns["status"], header["statuses"]),
        "error": _named(columns["error"], header["errors"]),
        "client_worker": _named(columns["worker"], header["workers"]),
        "engine": _named(columns["engine"], header["engines"]),
        **{out: _seconds(columns[name], origin, unit) for name, out in _TIMES.items()},
        **{out: _nullable(columns[name]) for name, out in _TOKENS.items()},
    }


def _seconds(units: Any, origin: int, unit: int) -> list[float | None]:
    seconds = (units * unit + origin) / 1e9
    return [None if u < 0 else s for u, s in zip(units.tolist(), seconds.tolist(), strict=True)]


def _nullable(values: Any) -> list[int | None]:
    return [None if value < 0 else value for value in values.tolist()]


def _named(codes: Any, names: list[Any]) -> list[Any]:
    table = np.empty(len(names) + 1, dtype=object)
    table[: len(names)] = names
    return table[codes].tolist()
