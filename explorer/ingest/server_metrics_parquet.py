"""Server metrics as Parquet (server_metrics_export.parquet): profiling only, counters as deltas.

Label columns differ between runs; histograms repeat one row per bucket and are not read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from explorer.ingest.numbers import finite, integer
from explorer.ingest.opening import unusable
from explorer.ingest.server_metric_names import WANTED
from explorer.ingest.server_metrics import Scrapes, Stream

MAGIC = b"PAR1"
_OWN = frozenset(
    [
        "endpoint_url",
        "metric_name",
        "metric_type",
        "unit",
        "description",
        "timestamp_ns",
        "value",
        "sum",
        "count",
        "bucket_le",
        "bucket_count",
    ]
)
_NEEDED = ("endpoint_url", "metric_name", "timestamp_ns", "value")


def is_server_metrics(path: Path) -> bool:
    """Say whether a Parquet file is AIPerf's export of server metrics."""
    try:
        return set(_NEEDED) <= set(pq.read_schema(path).names)
    except (pa.ArrowException, OSError):
        return False


def read(path: Path) -> Scrapes:
    """Return every kept metric's samples and the profiling window.

    Raises InputError when the file is no whole Parquet file.
    """
    try:
        names = pq.read_schema(path).names
        labels = [name for name in names if name not in _OWN]
        wanted = [("metric_name", "in", sorted(WANTED))]
        table = pq.read_table(path, columns=[*_NEEDED, *labels], filters=wanted)
    except (pa.ArrowException, OSError) as error:
        raise unusable(path, "truncated", str(error)[:200]) from error
    streams: dict[tuple[Any, ...], Stream] = {}
    for row in table.sort_by("timestamp_ns").to_pylist():
        _add(streams, row, labels)
    return Scrapes("parquet", list(streams.values()), False, _window(table.schema.metadata))


def _add(streams: dict[tuple[Any, ...], Stream], row: dict[str, Any], labels: list[str]) -> None:
    value, time = finite(row["value"]), integer(row["timestamp_ns"])
    if value is None or time is None:
        return
    own = {label: str(row[label]) for label in labels if row[label] is not None}
    key = (row["metric_name"], row["endpoint_url"], *sorted(own.items()))
    stream = streams.get(key)
    if stream is None:
        stream = streams[key] = Stream(row["metric_name"], row["endpoint_url"] or "", own)
    stream.times.append(time)
    stream.values.append(value)


def _window(metadata: dict[bytes, bytes] | None) -> tuple[int, int] | None:
    stated = metadata or {}
    start = integer(stated.get(b"aiperf.time_filter_start_ns", b"").decode())
    end = integer(stated.get(b"aiperf.time_filter_end_ns", b"").decode())
    return (start, end) if start and end else None
