"""The numbers of a phase, a window or a brush, with the registry's own SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.domain.lake import Lake
from explorer.domain.metrics import by_key
from explorer.queries.window import Window
from explorer.store.metric_sql import statement

KEYS = (
    *(f"{rank}_ttft_s" for rank in ("mean", "p50", "p90", "p99")),
    *(f"{rank}_interactivity_tps" for rank in ("mean", "p50", "p90", "p99")),
    *(f"{rank}_e2e_interactivity_tps" for rank in ("mean", "p50", "p90", "p99")),
    *(f"{rank}_e2el_s" for rank in ("mean", "p50", "p90", "p99")),
    *(f"{rank}_itl_s" for rank in ("mean", "p50", "p90", "p99")),
    *(f"{rank}_queue_wait_s" for rank in ("mean", "p50", "p90", "p99")),
    *(f"{rank}_isl_tokens" for rank in ("mean", "p50", "p90", "p99")),
    *(f"{rank}_osl_tokens" for rank in ("mean", "p50", "p90", "p99")),
    "total_tps",
    "input_tps",
    "output_tps",
    "duration_s",
)
"""What the page states of a window."""

_COUNTS = """
SELECT count(*) AS requests, count(*) FILTER (WHERE status = 'ok') AS ok,
  count(*) FILTER (WHERE status = 'failed') AS failed,
  count(*) FILTER (WHERE status = 'cancelled') AS cancelled,
  sum(isl_tokens) FILTER (WHERE status = 'ok') AS isl_tokens,
  sum(osl_tokens) FILTER (WHERE status = 'ok') AS osl_tokens
FROM {{requests}} WHERE {condition}
"""


def stats(lake: Lake, point: Mapping[str, Any], window: Window) -> dict[str, Any] | None:
    """Return counts and metrics of the requests that start in a window; None without requests.

    Throughput per GPU follows where the GPUs are known.
    """
    if not point.get("requests_object"):
        return None
    condition, params = window.condition()
    objects = {"requests": point["requests_object"]}
    counts = lake.rows(_COUNTS.format(condition=condition), params, objects=objects)[0]
    metrics = [by_key()[key] for key in KEYS]
    numbers = lake.rows(statement(metrics, "{requests}", condition), params, objects=objects)[0]
    gpus = point.get("gpus")
    per_gpu = {
        f"{key}_per_gpu": numbers[key] / gpus if gpus and numbers[key] is not None else None
        for key in ("total_tps", "input_tps", "output_tps")
    }
    return counts | numbers | per_gpu
