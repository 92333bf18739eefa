"""Server metrics as CSV (server_metrics_export.csv): totals only, one table per metric type."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from explorer.ingest.numbers import finite
from explorer.ingest.opening import read_text
from explorer.ingest.server_metric_names import CACHE_CONFIG, WANTED
from explorer.ingest.server_metrics import Scrapes, Stream

_OWN = frozenset(
    [
        "Endpoint",
        "Type",
        "Metric",
        "Unit",
        "Description",
        "avg",
        "min",
        "max",
        "std",
        "total",
        "rate",
        "rate_avg",
        "rate_min",
        "rate_max",
        "rate_std",
        "p1",
        "p5",
        "p10",
        "p25",
        "p50",
        "p75",
        "p90",
        "p95",
        "p99",
    ]
)


def is_server_metrics(head: bytes) -> bool:
    """Say whether a file's first bytes are AIPerf's CSV export of server metrics."""
    return head.startswith((b"# AIPerf Server Metrics", b"Endpoint,Type,Metric,"))


def read(path: Path) -> Scrapes:
    """Return totals of counters, peaks of gauges and the labels of info metrics."""
    streams: list[Stream] = []
    for table in _tables(read_text(path).splitlines()):
        rows = list(csv.reader(table))
        if len(rows) > 1 and rows[0][:2] == ["Endpoint", "Type"]:
            streams += _series(rows)
        elif len(rows) > 1 and rows[0][:4] == ["Endpoint", "Metric", "Key", "Value"]:
            streams += _infos(rows[1:])
    return Scrapes("csv", streams)


def _tables(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the lines of each table; a new header starts one, with or without a blank line."""
    table: list[str] = []
    for line in lines:
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("Endpoint,") and table:
            yield table
            table = []
        table.append(line)
    if table:
        yield table


def _series(rows: list[list[str]]) -> Iterator[Stream]:
    header = rows[0]
    for row in rows[1:]:
        cells = dict(zip(header, row, strict=False))
        if cells.get("Metric") not in WANTED or cells.get("Type") == "histogram":
            continue
        labels = {key: value for key, value in cells.items() if key not in _OWN and value}
        stream = Stream(cells["Metric"], cells["Endpoint"], labels)
        stream.total = _number(cells.get("total"))
        stream.peak = _number(cells.get("max"))
        yield stream


def _infos(rows: list[list[str]]) -> Iterator[Stream]:
    """Yield one stream per engine: a key seen again begins the next engine's labels."""
    labels: dict[str, str] = {}
    endpoint = ""
    for row in rows:
        if len(row) < 4 or row[1] != CACHE_CONFIG:
            continue
        if row[2] in labels:
            yield Stream(CACHE_CONFIG, endpoint, labels)
            labels = {}
        endpoint = row[0]
        labels[row[2]] = row[3]
    if labels:
        yield Stream(CACHE_CONFIG, endpoint, labels)


def _number(text: str | None) -> float | None:
    try:
        return finite(float(text)) if text else None
    except ValueError:
        return None
