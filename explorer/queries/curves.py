"""Merged Pareto curves: which points an address shows, and which of them win."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from explorer.domain import metrics, view_state
from explorer.domain.frontier import eligible, frontier
from explorer.domain.lake import Lake
from explorer.domain.metrics import Metric
from explorer.domain.view_state import ViewState
from explorer.errors import UsageError
from explorer.queries import money
from explorer.queries.defaults import effective
from explorer.queries.filters import conditions
from explorer.store.cache import Memo

Row = dict[str, Any]
_CONFIGURATION = (
    "model, hw, engine, precision, spec, mode, parallelism, gpus, concurrency, scenario, workload, "
    "dataset_raw, kv_offload, kv_offload_backend, source, prefill_workers, decode_workers"
)
_COLUMNS = (
    "point_id, model, hw, hw_raw, engine, precision, spec, mode, parallelism, gpus, concurrency, "
    "scenario, workload, dataset, dataset_raw, harness, harness_version, source, kv_offload, "
    "kv_offload_backend, status, valid, date, run_id, requests_ok, requests_total, "
    "coalesce(cpu_cache_hit_ratio, external_cache_hit_ratio) AS tier_ratio, "
    "regexp_matches(warnings, $careful) AS careful"
)
CAREFUL = ("short_window", "requests_differ_from_summary", "gpus_mismatch", "no_request_succeeded")
"""Warnings that touch a point's numbers: such a mark says so."""
_SQL = """
WITH price(hw, rate, kw) AS {price}
SELECT {columns}, ({x})::DOUBLE AS x, ({y})::DOUBLE AS y, ({e2e})::DOUBLE AS e2e,
  ({ttft})::DOUBLE AS ttft, {limits},
  row_number() OVER (
    PARTITION BY {configuration}{apart}
    ORDER BY status = 'failed', date DESC NULLS LAST, point_id) AS age
FROM {{points}} AS points LEFT JOIN price USING (hw)
WHERE {condition} ORDER BY point_id
"""
PICTURE = (
    "scale", "label", "unmerge", "hide", "at", "base", "bands", "x_from", "x_to", "y_from", "y_to",
    "rows", "sort", "view", "point", "lang", "theme",
)  # fmt: skip
"""Keys that change the picture and no number of it."""
_FOUND: Memo[tuple[str, ...], dict[str, Any]] = Memo(
    60_000, lambda found: 10 + sum(len(curve["points"]) for curve in found["data"])
)
"""(snapshot, pin, numbers asked for, price version) → curves; weighed in points."""
LIMITS = {
    "ttft_max": ("ttft_s", "lower"),
    "speed_min": ("interactivity_tps", "higher"),
    "e2e_min": ("e2e_interactivity_tps", "higher"),
    "cost_max": ("usd_per_mtok_total", "lower"),
}
_SPLIT_COLUMNS = {
    "precision": "precision",
    "spec": "spec",
    "mode": "mode",
    "offload": "kv_offload",
    "parallelism": "parallelism",
    "date": "date",
    "run": "run_id",
}
_IN_TIME = ("date", "run")
_NEVER_MERGED = ("scenario", "workload", "dataset_raw", "harness_minor", "source")


def axis(state: ViewState, name: str) -> Metric:
    """Return the metric of axis `x` or `y`; UsageError when its statistic does not exist."""
    key = metrics.axis_key(state[name], state["stat"])
    if key is None:
        raise UsageError(f"{name}={state[name]} has no statistic {state['stat']}.")
    return metrics.by_key()[key]


def curves(lake: Lake, state: ViewState) -> dict[str, Any]:
    """Return the curves of an address: `data` and `meta` as in the API contract.

    One curve per model × hardware × engine and per what is never merged; `split` adds more.
    Points that failed, miss a limit or lack a value leave and are counted in `meta.dropped`.
    What is returned is shared between callers: read it, never change it.
    """
    state = effective(lake, state)
    asked = view_state.format(state.having(**dict.fromkeys(PICTURE)))
    key = (lake.snapshot(state["snap"]).snap, state["snap"] or "", asked, money.version(state))
    found = _FOUND.get(key, lambda: _asked(lake, state))
    return {**found, "meta": {**found["meta"], "state": view_state.format(state)}}


def _asked(lake: Lake, state: ViewState) -> dict[str, Any]:
    x, y = axis(state, "x"), axis(state, "y")
    rows = _rows(lake, state, x, y)
    fallback = _whole_deployment(rows, y)
    if fallback:
        y = fallback
        rows = _rows(lake, state, x, y)
    kept, dropped = _keep(rows, state, x, y)
    data = [_curve(key, members, state, x, y) for key, members in _grouped(kept, state).items()]
    data.sort(key=lambda curve: (-len(curve["points"]), curve["curve_id"]))
    meta = {
        "x": x.key,
        "y": y.key,
        "stat": state["stat"],
        "directions": {"x": x.direction, "y": y.direction},
        "policy": state["frontier"],
        "eligible": sum(point["eligible"] for curve in data for point in curve["points"]),
        "dropped": dict(sorted(dropped.items())),
        "whole_deployment": fallback is not None,
        "snap": state["snap"],
        "price": {"version": money.version(state), "basis": state["price"].partition("@")[0]},
    }
    return {"data": data, "meta": meta}


def _rows(lake: Lake, state: ViewState, x: Metric, y: Metric) -> list[Row]:
    condition, params = conditions(state)
    price, price_params = money.rates_sql(state)
    stat = state["limit_stat"]
    limits = ", ".join(
        f"({_sql(quantity, stat)})::DOUBLE AS {name}" for name, (quantity, _) in LIMITS.items()
    )
    sql = _SQL.format(
        price=price,
        condition=condition,
        configuration=_CONFIGURATION,
        apart="".join(f", {_SPLIT_COLUMNS[name]}" for name in _IN_TIME if name in state["split"]),
        columns=_COLUMNS.replace("$careful", f"'{'|'.join(CAREFUL)}'"),
        x=_expression(x),
        y=_expression(y),
        e2e=_sql("e2e_interactivity_tps", state["stat"]),
        ttft=_sql("ttft_s", state["stat"]),
        limits=limits,
    )
    return lake.rows(sql, [*price_params, *params], snap=state["snap"])


def _expression(metric: Metric) -> str:
    return metric.key if metric.stored else metric.sql


def _sql(quantity: str, stat: str) -> str:
    key = metrics.axis_key(quantity, stat)
    return _expression(metrics.by_key()[key]) if key else "NULL"


def _whole_deployment(rows: Sequence[Row], y: Metric) -> Metric | None:
    """Return the whole-deployment metric when no point knows its GPUs."""
    if not rows or not y.key.endswith("_per_gpu") or any(row["gpus"] for row in rows):
        return None
    if any(row["y"] is not None for row in rows):
        return None
    return metrics.by_key()[y.key.removesuffix("_per_gpu")]


def _keep(
    rows: list[Row], state: ViewState, x: Metric, y: Metric
) -> tuple[list[Row], Counter[str]]:
    kept: list[Row] = []
    dropped: Counter[str] = Counter()
    for row in rows:
        row["misses"] = [name for name in LIMITS if _missed(row, state, name)]
        reason = _reason(row, state, x, y)
        if reason:
            dropped[reason] += 1
        else:
            row["eligible"] = row["status"] == "ok" or (state["partial"] and not row["misses"])
            row["eligible"] = row["eligible"] and not row["misses"]
            kept.append(row)
    return kept, dropped


def _reason(row: Row, state: ViewState, x: Metric, y: Metric) -> str | None:
    """Return why a row is not drawn, as a code; None when it is."""
    if row["status"] == "failed":
        return "failed"
    if row["age"] > 1 and state["runs"] == "newest":
        return "older_run"
    for name, metric in (("x", x), ("y", y)):
        if row[name] is None:
            unpriced = metric.group in ("cost", "power") and not metric.stored
            return f"no_{name}_price" if unpriced and row["gpus"] else f"no_{name}"
    if not eligible((row["x"], row["y"]), x.positive, y.positive):
        return "not_positive"
    return "limit" if row["misses"] and state["limit"] == "drop" else None


def _missed(row: Row, state: ViewState, name: str) -> bool:
    bound, value = state[name], row[name]
    if bound is None:
        return False
    if value is None:
        return True
    return value > bound if LIMITS[name][1] == "lower" else value < bound


def _grouped(rows: Sequence[Row], state: ViewState) -> dict[tuple[Any, ...], list[Row]]:
    """Return rows by curve: the merge key, what is never merged, and the reader's splits."""
    for row in rows:
        version = row["harness_version"]
        row["harness_minor"] = ".".join(version.split(".")[:2]) if version else None
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["model"], row["hw"] or row["hw_raw"], row["engine"]), []).append(row)
    split = [_SPLIT_COLUMNS[name] for name in state["split"]]
    parted: dict[tuple[Any, ...], list[Row]] = {}
    for key, members in groups.items():
        apart = [name for name in _NEVER_MERGED if len(_known(members, name)) > 1]
        for row in members:
            extra = tuple((name, row[name]) for name in (*apart, *split))
            parted.setdefault((*key, extra), []).append(row)
    return parted


def _known(rows: Sequence[Row], name: str) -> set[Any]:
    """Return the values known of a column; an unknown one joins the only known."""
    return {row[name] for row in rows if row[name] is not None}


def _curve(
    key: tuple[Any, ...], rows: list[Row], state: ViewState, x: Metric, y: Metric
) -> dict[str, Any]:
    model, hw, engine, extra = key
    won = _winners(rows, state, x, y)
    rows.sort(key=lambda row: (row["x"], row["y"], row["point_id"]))
    parts = [str(part) for part in (model, hw, engine, *(value for _, value in extra))]
    parts = [part.replace(",", "_") for part in parts]  # ids stand in lists of the address
    return {
        "curve_id": "~".join(parts),
        "label": " · ".join(part for part in parts if part != "None"),
        "model": model,
        "hw": hw,
        "engine": engine,
        "split": dict(extra),
        "precisions": sorted(_known(rows, "precision")),
        "source": rows[0]["source"],
        "points": [_point(row, row["point_id"] in won) for row in rows],
    }


def _winners(rows: list[Row], state: ViewState, x: Metric, y: Metric) -> set[str]:
    """Return the ids on the frontier under the address's policy."""
    able = [row for row in rows if row["eligible"]]
    if state["frontier"] == "all":
        return {row["point_id"] for row in able}
    if state["frontier"] == "e2e":
        pairs = [(row["e2e"], row["y"]) for row in able]
        return {able[index]["point_id"] for index in frontier(pairs, "higher", y.direction)}
    pairs = [(row["x"], row["y"]) for row in able]
    return {able[index]["point_id"] for index in frontier(pairs, x.direction, y.direction)}


_POINT_KEYS = (
    "point_id", "x", "y", "concurrency", "parallelism", "kv_offload", "kv_offload_backend", "spec",
    "mode", "precision", "status", "valid", "eligible", "misses", "ttft", "date", "run_id", "gpus",
    "requests_ok", "requests_total", "tier_ratio", "careful",
)  # fmt: skip


def _point(row: Row, on_frontier: bool) -> Row:
    at_limit = {name: row[name] for name in LIMITS}
    named = {name: row[name] for name in _POINT_KEYS}
    return {**named, "at_limit": at_limit, "on_frontier": on_frontier}
