"""Raw latency samples over time, folded into cells of time × log value: none is dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.domain.answers import Cells
from explorer.domain.lake import Lake
from explorer.queries.window import Window

COLUMNS = {
    "ttft_s": "ttft_s",
    "e2el_s": "e2el_s",
    "interactivity_tps": "1 / nullif(itl_s, 0)",
}
ACROSS, UP = 200, 60


_CELLS = """
WITH kept AS (
  SELECT first_token_ns / 1e9 AS t_s, {value} AS value FROM {{requests}}
  WHERE {condition} AND status = 'ok' AND first_token_ns IS NOT NULL
), usable AS (
  SELECT t_s, value, ln(value) AS high FROM kept WHERE isfinite(value) AND value > 0
), frame AS (
  SELECT min(t_s) AS t0, nullif(max(t_s) - min(t_s), 0) AS wide,
    min(high) AS h0, nullif(max(high) - min(high), 0) AS tall FROM usable
)
SELECT avg(t_s) AS t_s, exp(avg(high)) AS value, count(*)::BIGINT AS n FROM usable, frame
GROUP BY coalesce(floor((t_s - t0) / wide * {across}), 0),
  coalesce(floor((high - h0) / tall * {up}), 0)
ORDER BY 1, 2
"""


def cells(lake: Lake, point: Mapping[str, Any], column: str, window: Window) -> Cells | None:
    """Return the samples of a column at their first token's time; None without any.

    At most 201 × 61 cells; a cell's value is the geometric mean of its samples.
    """
    if not point.get("requests_object"):
        return None
    condition, params = window.condition()
    sql = _CELLS.format(value=COLUMNS[column], condition=condition, across=ACROSS, up=UP)
    table = lake.arrow(sql, params, objects={"requests": point["requests_object"]})
    if table.num_rows == 0:
        return None
    return Cells(*(table[name].to_pylist() for name in ("t_s", "value", "n")))
