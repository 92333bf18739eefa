"""Recompute a point's metrics from its requests, with the registry's own SQL."""

from __future__ import annotations

from functools import cache
from threading import Lock

import duckdb
import pyarrow as pa

from explorer.domain.metrics import request_metrics
from explorer.store.connection import connect
from explorer.store.metric_sql import statement

_LOCK = Lock()


@cache
def _connection() -> duckdb.DuckDBPyConnection:
    return connect(None, threads=1, memory_mb=512)


def measure(requests: pa.Table, phase: str = "profiling") -> dict[str, float | None]:
    """Return every requests metric of one phase: key → number, None where there is none.

    One thread, rows in ordinal order: the same table gives the same bits on every machine.
    """
    sql = statement(request_metrics(), "requests", "phase = $phase")
    with _LOCK:
        connection = _connection()
        connection.register("requests", requests)
        cursor = connection.execute(sql, {"phase": phase})
        names = [column[0] for column in cursor.description or ()]
        row = cursor.fetchall()[0]
        connection.unregister("requests")
    return dict(zip(names, row, strict=True))
