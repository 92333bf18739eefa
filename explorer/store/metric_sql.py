"""Metric SQL: one statement that measures requests, whole or within a window."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.domain.metrics import Metric

_FRAME = """
WITH kept AS (
  SELECT * FROM {relation} WHERE {condition} AND status = 'ok'
), span AS (
  SELECT min(end_ns) AS first_ns, (max(end_ns) - min(end_ns)) // 1000000000 AS whole FROM kept
), counted AS (
  SELECT (end_ns - first_ns) // 1000000000 AS second, count(*) AS n FROM kept, span GROUP BY ALL
), seconds AS (
  SELECT coalesce(n, 0) AS n
  FROM (SELECT unnest(range(whole)) AS second FROM span) LEFT JOIN counted USING (second)
)
SELECT {columns}
"""


def statement(metrics: Sequence[Metric], relation: str, condition: str = "true") -> str:
    """Return SQL that measures `relation` (REQUEST_COLUMNS): one row, a column per metric key.

    Kept requests are those with status ok that meet `condition`; `seconds` are the whole
    one-second windows from first to last completion.
    """
    kept = [f'{metric.sql} AS "{metric.key}"' for metric in metrics if metric.over == "kept"]
    each = [f'{metric.sql} AS "{metric.key}"' for metric in metrics if metric.over == "seconds"]
    parts = [("kept", kept), ("seconds", each)]
    columns = "* FROM " + ", ".join(
        f"(SELECT {', '.join(expressions)} FROM {source})"
        for source, expressions in parts
        if expressions
    )
    return _FRAME.format(relation=relation, condition=condition, columns=columns)
