"""Server metrics as JSON (server_metrics_export.json): statistics, time slices when sliced.

`warmup_metrics` can overlap the profiling window and is never added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from explorer.ingest.numbers import finite, integer
from explorer.ingest.opening import load_json
from explorer.ingest.server_metric_names import WANTED
from explorer.ingest.server_metrics import Scrapes, Stream

_START = re.compile(rb'^\s*\{[^{}\[\]]*"summary"\s*:\s*\{\s*"endpoints_configured"')
"""A summary of the run holds the same words deeper, in its telemetry."""


def is_server_metrics(head: bytes) -> bool:
    """Say whether a file's first bytes are AIPerf's JSON export of server metrics."""
    return _START.search(head[:4096]) is not None


def read(path: Path) -> Scrapes:
    """Return totals and peaks, and samples where the file has time slices.

    A gauge's slice is one sample at its middle; a counter's slices are summed up at their ends.
    """
    document = load_json(path)
    if not isinstance(document, dict):
        return Scrapes("json", [])
    metrics = document.get("metrics")
    streams = list(_streams(metrics if isinstance(metrics, dict) else {}))
    return Scrapes("json", streams, False, _window(document.get("summary")))


def _window(summary: Any) -> tuple[int, int] | None:
    ranges = summary.get("phase_time_ranges") if isinstance(summary, dict) else None
    profiling = ranges.get("profiling") if isinstance(ranges, dict) else None
    if not isinstance(profiling, dict):
        return None
    start, end = integer(profiling.get("start_ns")), integer(profiling.get("end_ns"))
    return (start, end) if start and end else None


def _streams(metrics: dict[str, Any]) -> Iterator[Stream]:
    for name in sorted(WANTED & metrics.keys()):
        metric = metrics[name]
        for series in metric.get("series") or () if isinstance(metric, dict) else ():
            if isinstance(series, dict):
                yield _stream(name, series)


def _stream(name: str, series: dict[str, Any]) -> Stream:
    labels = {str(key): str(value) for key, value in (series.get("labels") or {}).items()}
    stats = series.get("stats") or {}
    stream = Stream(name, str(series.get("endpoint_url") or ""), labels)
    stream.total, stream.peak = finite(stats.get("total")), finite(stats.get("max"))
    slices = [part for part in series.get("timeslices") or () if isinstance(part, dict)]
    if stream.total is None:
        _levels(stream, slices)
    else:
        _steps(stream, slices)
    return stream


def _levels(stream: Stream, slices: list[dict[str, Any]]) -> None:
    for part in slices:
        start, end = integer(part.get("start_ns")), integer(part.get("end_ns"))
        value = finite(part.get("avg"))
        if start is not None and end is not None and value is not None:
            stream.times.append((start + end) // 2)
            stream.values.append(value)


def _steps(stream: Stream, slices: list[dict[str, Any]]) -> None:
    grown = 0.0
    for part in slices:
        start, end = integer(part.get("start_ns")), integer(part.get("end_ns"))
        value = finite(part.get("total"))
        if start is None or end is None or value is None:
            continue
        if not stream.times:
            stream.times.append(start)
            stream.values.append(0.0)
        grown += value
        stream.times.append(end)
        stream.values.append(grown)
