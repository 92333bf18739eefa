"""How a quantity of requests is distributed: log bins, percentiles, the average in flight."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from explorer.domain.answers import Distribution
from explorer.domain.lake import Lake
from explorer.queries.window import Window

COLUMNS = ("isl_tokens", "osl_tokens")
_FEWEST_BINS = 28
_PER_OCTAVE = (1, 2, 4, 8, 16, 32)


def log_edges(low: float, high: float) -> list[float]:
    """Return edges 2^(i/k) around low..high; k per octave so that some 30 to 60 bins cover them.

    >>> log_edges(1, 1)
    [0.9785720620877001, 1.0]
    """
    octaves = math.log2(high / low) if high > low else 0.0
    per = next((k for k in _PER_OCTAVE if octaves * k >= _FEWEST_BINS), _PER_OCTAVE[-1])
    first = math.ceil(math.log2(low) * per - 1e-9) - 1
    last = math.ceil(math.log2(high) * per - 1e-9)
    return [2.0 ** (index / per) for index in range(first, last + 1)]


_SUMMARY = """
SELECT count(*) AS n, min({value}) AS minimum, max({value}) AS maximum, avg({value}) AS mean,
  quantile_cont({value}::DOUBLE, [0.5, 0.9, 0.99]) AS ranks,
  sum({value} * e2el_s) / nullif(sum(e2el_s), 0) AS in_flight_mean
FROM {{requests}} WHERE {condition} AND status = 'ok' AND {value} > 0
"""
_BINS = """
SELECT histogram({value}::DOUBLE, $edges) AS bins
FROM {{requests}} WHERE {condition} AND status = 'ok' AND {value} > 0
"""


def distribution(
    lake: Lake, point: Mapping[str, Any], column: str, window: Window
) -> Distribution | None:
    """Return the distribution of a column over a window; None without requests in it."""
    if column not in COLUMNS:
        raise KeyError(column)
    if not point.get("requests_object"):
        return None
    condition, params = window.condition()
    objects = {"requests": point["requests_object"]}
    places = {"value": column, "condition": condition}
    summary = lake.rows(_SUMMARY.format(**places), params, objects=objects)[0]
    if not summary["n"]:
        return None
    edges = log_edges(summary["minimum"], summary["maximum"])
    sql = _BINS.format(**places)
    bins = lake.rows(sql, params | {"edges": edges[1:]}, objects=objects)[0]["bins"]
    ranks = dict(zip(("p50", "p90", "p99"), summary["ranks"], strict=True))
    return Distribution(
        edges=edges,
        counts=[int(bins.get(edge, 0)) for edge in edges[1:]],
        n=summary["n"],
        minimum=summary["minimum"],
        maximum=summary["maximum"],
        mean=summary["mean"],
        percentiles=ranks,
        in_flight_mean=summary["in_flight_mean"],
    )
