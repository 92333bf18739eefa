"""Points beside one another: their numbers as ratios with intervals, and where time goes.

The first point named is the base. Intervals are of a bootstrap whose blocks are conversations,
drawn for each point on its own (queries/bootstrap.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.domain.difference import Spent
from explorer.domain.lake import Lake
from explorer.domain.metrics import Metric, by_key
from explorer.domain.view_state import ViewState
from explorer.errors import NotFoundError
from explorer.queries import bootstrap, money, points, series, window_stats
from explorer.queries.request_columns import Columns, columns, started
from explorer.queries.window import Window

SIDES = ("a", "b", "c", "d")
METRICS = (
    "p50_ttft_s",
    "p90_ttft_s",
    "p99_ttft_s",
    "p50_interactivity_tps",
    "p90_interactivity_tps",
    "p50_e2e_interactivity_tps",
    "p90_e2e_interactivity_tps",
    "p50_e2el_s",
    "p90_e2el_s",
    "total_tps_per_gpu",
    "input_tps_per_gpu",
    "output_tps_per_gpu",
    "total_tps",
    "usd_per_mtok_total",
    "tps_per_mw_total",
    "measured_power_w",
    "measured_j_per_tok_total",
    "overall_cache_hit_ratio",
    "theoretical_cache_hit_ratio",
    "peak_kv_usage_ratio",
    "kv_pool_tokens",
    "spec_acceptance_length",
    "mean_isl_tokens",
    "mean_osl_tokens",
    "p90_queue_wait_s",
    "success_ratio",
    "duration_s",
)
"""What the page compares, in order; a metric that no point has is left out."""
FEWEST_PAIRS = 10
"""Turns that two points must share before their means over them say anything."""

Point = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Chosen:
    """One side of a comparison: its key in the address and its point."""

    key: str
    point: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A key of the address that names no point, or (`twice`) one named before."""

    key: str
    point_id: str
    code: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A metric of one point; `ratio` is to the base, `low` and `high` its 95 % interval.

    `why` says why there is no interval: base, no_value, no_requests, one_block, no_samples,
    not_requests, window.
    """

    value: float | None
    ratio: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Turns that two points both replayed: how many, and the means of each over them."""

    n: int
    base: Spent
    other: Spent


def choose(lake: Lake, state: ViewState) -> tuple[list[Chosen], list[Unknown]]:
    """Return the points an address names, in the order of its keys, and what names none."""
    chosen: list[Chosen] = []
    unknown: list[Unknown] = []
    prices = money.dated(lake, state).only(("price", "rate", "kw"))
    for key in SIDES:
        if not state[key]:
            continue
        try:
            point = points.one(lake, state[key], state["snap"], prices)
        except NotFoundError:
            unknown.append(Unknown(key, state[key], "unknown"))
            continue
        if any(one.point["point_id"] == point["point_id"] for one in chosen):
            unknown.append(Unknown(key, state[key], "twice"))
        else:
            chosen.append(Chosen(key, point))
    return chosen, unknown


def table(
    lake: Lake, chosen: Sequence[Chosen], window: Window, keys: Sequence[str] = METRICS
) -> dict[str, list[Cell]]:
    """Return metric → a cell per point; over a window only what requests tell, no intervals."""
    whole = window == window.whole()
    numbers = [_numbers(lake, one.point, window) for one in chosen]
    if whole:
        _draw_all(lake, [one.point for one in chosen])
    found = {}
    for key in keys:
        values = [row.get(key) for row in numbers]
        if any(value is not None for value in values):
            found[key] = list(_cells(lake, chosen, by_key()[key], values, whole))
    return found


def _draw_all(lake: Lake, compared: Sequence[Point]) -> None:
    """Make the draws of every metric, two at a time: arrays are worked on without a lock."""
    objects = [one["requests_object"] for one in compared if one["requests_object"]]
    drawn = [by_key()[key] for key in METRICS if bootstrap.supported(by_key()[key])]
    if len(objects) < 2:
        return
    with ThreadPoolExecutor(2) as pool:
        tasks = [(name, metric) for metric in drawn for name in objects]
        for _ in pool.map(lambda task: bootstrap.factors_of(lake, *task), tasks):
            pass


def _numbers(lake: Lake, point: Point, window: Window) -> Mapping[str, Any]:
    if window == window.whole():
        return point
    return window_stats.stats(lake, point, window) or {}


def _cells(
    lake: Lake,
    chosen: Sequence[Chosen],
    metric: Metric,
    values: Sequence[float | None],
    whole: bool,
) -> Iterator[Cell]:
    base = chosen[0].point
    for index, (one, value) in enumerate(zip(chosen, values, strict=True)):
        ratio = _ratio(values[0], value)
        if index == 0 or ratio is None:
            yield Cell(value, ratio, why="base" if index == 0 else "no_value")
        elif not whole:
            yield Cell(value, ratio, why="window")
        else:
            yield _drawn(lake, base, one.point, metric, value, ratio)


def _ratio(base: float | None, value: float | None) -> float | None:
    if base is None or value is None or base == 0:
        return None
    return value / base


def _drawn(
    lake: Lake, base: Point, point: Point, metric: Metric, value: float | None, ratio: float
) -> Cell:
    """Return a cell with the interval of its ratio, or with why there is none."""
    if not bootstrap.supported(metric):
        return Cell(value, ratio, why="not_requests")
    names = [one["requests_object"] for one in (base, point)]
    if not all(names):
        return Cell(value, ratio, why="no_requests")
    factors = [bootstrap.factors_of(lake, name, metric) for name in names]
    if factors[0] is None or factors[1] is None:
        few = any(blocks(lake, name) < 2 for name in names)
        return Cell(value, ratio, why="one_block" if few else "no_samples")
    drawn = [ratio * b / a for a, b in zip(factors[0], factors[1], strict=True) if a]
    drawn = [one for one in drawn if math.isfinite(one)]
    if len(drawn) < bootstrap.DRAWS * 9 // 10:
        return Cell(value, ratio, why="no_samples")
    return Cell(value, ratio, *bootstrap.interval(drawn))


_BLOCKS = """
SELECT count(DISTINCT root_id) AS n FROM {requests} WHERE phase = 'profiling' AND status = 'ok'
"""


def blocks(lake: Lake, name: str) -> int:
    """Return how many conversations a requests object's kept requests belong to."""
    return int(lake.rows(_BLOCKS, objects={"requests": name})[0]["n"])


def spent(lake: Lake, point: Point, window: Window) -> Spent | None:
    """Return what a point's requests take on average; None without latencies.

    From ok requests with TTFT and E2EL; from the row's own means where there are no requests.
    """
    found = columns(lake, point, window)
    if not found:
        return _stated(point) if window == window.whole() else None
    kept = _timed(found) & started(found, window)
    if not kept.any():
        return None
    return Spent(
        ttft_s=float(found["ttft_s"][kept].mean()),
        decode_s=float((found["e2el_s"] - found["ttft_s"])[kept].mean()),
        steps=_mean(np.maximum(found["osl_tokens"][kept] - 1, 0)),
        queue_s=_queue(lake, point, window, found),
        isl_tokens=_mean(found["isl_tokens"][kept]),
        hit_ratio=_hits(lake, point, window),
        requests=int(kept.sum()),
        client_wait_s=point.get("mean_queue_wait_s"),
    )


def _timed(found: Columns) -> np.ndarray:
    """Tell which ok requests have both latencies."""
    ttft, e2el = found["ttft_s"], found["e2el_s"]
    known = np.isfinite(ttft) & np.isfinite(e2el) & (found["ok"] > 0)
    return known & (ttft > 0) & (e2el >= ttft)


def _mean(values: np.ndarray) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else None


def _stated(point: Point) -> Spent | None:
    ttft, e2el = point.get("mean_ttft_s"), point.get("mean_e2el_s")
    if ttft is None or e2el is None or e2el < ttft:
        return None
    osl = point.get("mean_osl_tokens")
    return Spent(
        ttft_s=ttft,
        decode_s=e2el - ttft,
        steps=None if osl is None else max(osl - 1, 0.0),
        isl_tokens=point.get("mean_isl_tokens"),
        hit_ratio=point.get("overall_cache_hit_ratio"),
        client_wait_s=point.get("mean_queue_wait_s"),
    )


def _queue(lake: Lake, point: Point, window: Window, found: Columns) -> float | None:
    """Return s a request waits in the server: mean waiting ÷ requests started per s (Little).

    None where the server's queue was not recorded. At most the mean TTFT: preempted requests
    wait again after their first token.
    """
    timed = series.collect(lake, point, window)
    rows = [row for row in timed.of("requests_waiting") if row["engine"] is None]
    start = found["start_s"]
    arrived = int(((start >= timed.from_s) & (start <= timed.to_s)).sum())
    if not rows or not arrived:
        return None
    waiting = _mean(rows[0]["value"])
    if waiting is None:
        return None
    kept = _timed(found) & started(found, window)
    most = float(found["ttft_s"][kept].mean())
    return min(waiting * (timed.to_s - timed.from_s) / arrived, most)


_CACHED = """
SELECT sum(cached_tokens) / nullif(sum(isl_tokens), 0) AS ratio,
  count(cached_tokens) = count(*) AS complete
FROM {{requests}} WHERE {condition} AND status = 'ok'
"""


def _hits(lake: Lake, point: Point, window: Window) -> float | None:
    """Return the share of prompt tokens from cache: the server's own, else the requests'."""
    if window == window.whole() and point.get("overall_cache_hit_ratio") is not None:
        return float(point["overall_cache_hit_ratio"])
    condition, params = window.condition()
    sql = _CACHED.format(condition=condition)
    row = lake.rows(sql, params, objects={"requests": point["requests_object"]})[0]
    return float(row["ratio"]) if row["complete"] and row["ratio"] is not None else None


_PAIRS = """
WITH one AS (SELECT conversation, agent, turn, count(*) AS n, {columns}
  FROM {{a}} WHERE {condition} GROUP BY ALL HAVING n = 1),
two AS (SELECT conversation, agent, turn, count(*) AS n, {columns}
  FROM {{b}} WHERE {condition} GROUP BY ALL HAVING n = 1)
SELECT count(*) AS n, avg(one.ttft_s) AS a_ttft_s, avg(two.ttft_s) AS b_ttft_s,
  avg(one.e2el_s) AS a_e2el_s, avg(two.e2el_s) AS b_e2el_s
FROM one JOIN two ON one.conversation = two.conversation AND one.turn = two.turn
  AND one.agent IS NOT DISTINCT FROM two.agent
"""
_PAIR_COLUMNS = "any_value(ttft_s) AS ttft_s, any_value(e2el_s) AS e2el_s"
_PAIR_KEPT = (
    "phase = 'profiling' AND status = 'ok' AND ttft_s > 0 AND e2el_s >= ttft_s "
    "AND conversation IS NOT NULL"
)


def pairs(lake: Lake, base: Point, point: Point) -> Pairs | None:
    """Return the means over the turns that both points replayed once; None with fewer than ten.

    Turns are the same where both replayed one dataset: conversation, agent and turn agree.
    """
    names = {"a": base.get("requests_object"), "b": point.get("requests_object")}
    same = base.get("dataset_raw") and base["dataset_raw"] == point.get("dataset_raw")
    if not all(names.values()) or not same:
        return None
    sql = _PAIRS.format(columns=_PAIR_COLUMNS, condition=_PAIR_KEPT)
    row = lake.rows(sql, objects={name: str(value) for name, value in names.items()})[0]
    if row["n"] < FEWEST_PAIRS:
        return None
    sides = (
        Spent(row[f"{side}_ttft_s"], row[f"{side}_e2el_s"] - row[f"{side}_ttft_s"])
        for side in ("a", "b")
    )
    return Pairs(row["n"], *sides)
