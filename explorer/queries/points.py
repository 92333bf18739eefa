"""Points: one by id or alias, many by filters, and THE flat point that the contract names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from explorer.domain import addresses, metrics, view_state
from explorer.domain.columns import POINT_COLUMNS, Column
from explorer.domain.lake import Lake, Snapshot
from explorer.domain.view_state import ViewState
from explorer.errors import NotFoundError, UsageError
from explorer.queries import money, paging
from explorer.queries.curves import LIMITS
from explorer.queries.filters import conditions
from explorer.queries.nearest import nearest
from explorer.queries.paging import Order, Page
from explorer.queries.point_table import point_table
from explorer.queries.priced import number_columns
from explorer.store.cache import Memo
from explorer.store.tables import decode

Row = dict[str, Any]
_ROWS: Memo[tuple[str, str], Row] = Memo(4_096)
"""(snapshot, point id or alias) → stored row, decoded."""

_PRICED = """
WITH price(hw, rate, kw) AS {price}
SELECT {columns} FROM {{points}} AS points LEFT JOIN price USING (hw)
WHERE {condition}
"""
_ALIASED = """
SELECT point_id FROM {points} WHERE list_contains(aliases, ?) ORDER BY point_id LIMIT 1
"""
FLAT = (
    "point_id", "revision", "aliases", "run_id", "source", "format", "status", "valid",
    "invalid_reasons", "date", "model", "model_raw", "hw", "hw_raw", "engine", "engine_raw",
    "engine_version", "precision", "spec", "mode", "nodes", "gpus", "tp", "pp", "ep",
    "dp_attention", "dcp", "pcp", "prefill", "decode", "parallelism", "concurrency", "scenario",
    "workload", "isl", "osl", "dataset", "dataset_raw", "dataset_unbound", "harness",
    "harness_version", "kv_offload", "kv_offload_backend", "kv_offload_backend_version",
    "allocated_dram_gb", "kv_transfer", "router", "image", "commit", "provenance_url",
    "planned_duration_s", "wall_duration_s", "interrupted", "itl_source", "interactivity_source",
    "cache_source", "series_source", "throughput_source", "accuracy", "changelog", "sources",
    "config", "warnings", "requests_total", "requests_ok", "requests_failed",
    "requests_cancelled", "requests_overflow", "requests_warmup", "errors",
)  # fmt: skip
"""Keys of the flat point in order; `price`, `metrics`, `has` and `links` follow these."""

ROLES = ("prefill", "decode")
ROLE_FIELDS = ("tp", "ep", "dp_attention", "workers", "gpus")
OBJECTS = ("requests", "series", "gpu", "logs")
_APART = ("snap", "price", *view_state.OWN_NUMBERS)
"""Keys that a cursor's question holds in another form: its snapshot, the prices' version."""
LISTS = ("aliases", "invalid_reasons", "warnings", "errors")
"""Keys that are an empty list, never null."""


@cache
def columns() -> Mapping[str, Column]:
    """Return every sortable column of a point by name: facts and all metrics, derived included."""
    facts = {one.name: one for one in POINT_COLUMNS if one.type in ("str", "int", "float", "bool")}
    hidden = [name for name in facts if name.endswith("_object")]
    numbers = {
        metric.key: Column(metric.key, "float", metric.formula) for metric in metrics.METRICS
    }
    return {name: one for name, one in {**facts, **numbers}.items() if name not in hidden}


def expression(name: str) -> str:
    """Return the SQL of a sortable column; `rate` and `kw` are in scope."""
    metric = metrics.by_key().get(name)
    return metric.sql if metric and not metric.stored else name


def one(lake: Lake, point_id: str, snap: str | None = None, state: ViewState | None = None) -> Row:
    """Return a point's row: JSON columns as values, derived metrics at the state's prices.

    Follows aliases: `redirected_from` is the alias asked for, else None. Values are shared
    between callers: read them, never change them. NotFoundError for an id of no point.
    """
    snapshot = lake.snapshot(snap)
    row = _ROWS.get((snapshot.snap, point_id), lambda: _find(lake, point_id, snapshot))
    return row | _derived(lake, snapshot, [row["point_id"]], state or ViewState())[0]


def _find(lake: Lake, point_id: str, snapshot: Snapshot) -> Row:
    if point_id in point_table(lake, snapshot.snap).place:
        return _read(lake, [point_id], snapshot)[0] | {"redirected_from": None}
    for known in lake.rows(_ALIASED, [point_id], snap=snapshot.snap):
        return _read(lake, [known["point_id"]], snapshot)[0] | {"redirected_from": point_id}
    raise NotFoundError(
        f"No point {point_id!r} in snapshot {snapshot.snap}.",
        hint="List them with /api/v1/points; a removed point is still in the older snapshots.",
    )


def _read(lake: Lake, ids: list[str], snapshot: Snapshot) -> list[Row]:
    return [_finite(decode("points", row)) for row in point_table(lake, snapshot.snap).taken(ids)]


def _derived(lake: Lake, snapshot: Snapshot, ids: list[str], state: ViewState) -> list[Row]:
    """Return rate, power and the metrics derived from them, per point."""
    table, rates = point_table(lake, snapshot.snap), money.rates(state)
    keys = {metric.key: metric.key for metric in metrics.METRICS if not metric.stored}
    columns = number_columns(lake, table, state.having(snap=snapshot.snap), keys)
    places = np.array([table.place[point_id] for point_id in ids], dtype=np.int64)
    listed = [columns[key].listed(places) for key in keys]
    hardware = table.codes("hw")
    return [
        _finite(dict(zip(("price_rate", "price_kw", *keys), (*price, *numbers), strict=True)))
        for price, *numbers in zip(
            (rates.get(hardware.at(place), (None, None)) for place in places.tolist()),
            *listed,
            strict=True,
        )
    ]


def _finite(row: Row) -> Row:
    """Return a row without NaN and infinities: what is no number is missing."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in row.items()
    }


def order(sort: str | None) -> Order:
    """Return the order of `sort` (a column or metric, `-` before it descends), else by point id."""
    tie = columns()["point_id"]
    if not sort or sort == "point_id":
        return Order(tie)
    name = sort.removeprefix("-")
    if name not in columns():
        raise UsageError(f"sort={sort}: no such key.", hint=nearest(name, columns()))
    return Order(tie, expression(name), columns()[name].type, sort.startswith("-"))


def many(
    lake: Lake,
    state: ViewState,
    *,
    sort: str | None = None,
    limit: int = paging.DEFAULT_LIMIT,
    cursor: str | None = None,
) -> Page:
    """Return a page of the rows that a state's filters and limits leave, as `one` gives them.

    By point id unless `sort`; a point without a value that a limit needs is left out.
    """
    by = order(sort)
    asked = _asked(state, sort)
    at = paging.start(cursor, by, asked)
    snapshot = paging.snapshot_of(lake, at, state["snap"])
    found = _ids(lake, state, by, at, limit + 1, snapshot)
    kept, following = paging.cut(found, limit, snapshot, asked, by.tie.name)
    rows = _rows(lake, [row["point_id"] for row in kept], snapshot, state)
    return Page(rows, snapshot, following)


def parts(lake: Lake, snap: str) -> list[str]:
    """Return the cursors of every page after the first of all points of a named snapshot."""
    snapshot = lake.snapshot(snap)
    if snapshot.points <= paging.MAX_LIMIT:
        return []
    asked = _asked(money.dated(lake, ViewState().having(snap=snap)), None)
    return paging.parts(lake, "{points}", [], "point_id", snapshot, asked)


def _asked(state: ViewState, sort: str | None) -> str:
    rest = ViewState({key: value for key, value in state.values.items() if key not in _APART})
    return paging.question("points", sort, view_state.format(rest), money.asked(state))


def _ids(
    lake: Lake,
    state: ViewState,
    by: Order,
    at: paging.Position | None,
    n: int,
    snapshot: Snapshot,
) -> list[Row]:
    price, params = money.rates_sql(state)
    parts = [conditions(state), _limits(state), paging.after(by, at)]
    sql = _PRICED.format(
        price=price,
        columns=f"point_id, {by.value} AS sort_value",
        condition=" AND ".join(condition for condition, _ in parts),
    )
    values = [value for _, part in parts for value in part]
    sql += f"ORDER BY {by.sql} LIMIT {int(n)}"
    return lake.rows(sql, [*params, *values], snap=snapshot.snap)


def _limits(state: ViewState) -> tuple[str, list[Any]]:
    """Return the joint limits of a state as a condition; a missing value meets none."""
    parts, params = ["true"], []
    for name, (quantity, better) in LIMITS.items():
        if state[name] is None:
            continue
        key = metrics.axis_key(quantity, state["limit_stat"])
        within = "<=" if better == "lower" else ">="
        parts.append(f"({expression(key) if key else 'NULL'}) {within} ?")
        params.append(state[name])
    return " AND ".join(parts), params


def _rows(lake: Lake, ids: Iterable[str], snapshot: Snapshot, state: ViewState) -> list[Row]:
    """Return the rows of ids in their order, reading together those not at hand."""
    keys = {(snapshot.snap, point_id): point_id for point_id in ids}
    held = _ROWS.held(keys)
    if missing := [point_id for key, point_id in keys.items() if key not in held]:
        for row in _read(lake, missing, snapshot):
            key = (snapshot.snap, row["point_id"])
            held[key] = row | {"redirected_from": None}
            _ROWS.put(key, held[key])
    derived = _derived(lake, snapshot, list(keys.values()), state)
    return [held[key] | numbers for key, numbers in zip(keys, derived, strict=True)]


def payload(point: Mapping[str, Any], snap: str | None = None) -> Row:
    """Return the contract's flat point from a row of `one` or `many`; links carry a pin on."""
    flat: Row = {name: point.get(name) for name in FLAT}
    flat.update({name: flat[name] or [] for name in LISTS})
    flat.update({role: {f: point.get(f"{role}_{f}") for f in ROLE_FIELDS} for role in ROLES})
    flat["concurrency"] = _whole(point.get("concurrency"))
    flat["price"] = {"rate": point.get("price_rate"), "kw": point.get("price_kw")}
    flat["metrics"] = {metric.key: point.get(metric.key) for metric in metrics.METRICS}
    flat["has"] = {name: bool(point.get(f"{name}_object")) for name in OBJECTS}
    flat["has"]["conversations"] = flat["has"]["requests"] and bound(point)
    flat["links"] = links(point, snap)
    return flat


def _whole(number: float | None) -> float | int | None:
    return int(number) if number is not None and number == int(number) else number


def bound(point: Mapping[str, Any]) -> bool:
    """Tell whether a point's run is bound to an ingested dataset."""
    return bool(point.get("dataset")) and not point.get("dataset_unbound")


def links(point: Mapping[str, Any], snap: str | None = None) -> dict[str, str | None]:
    """Return the addresses of a point; null for what it does not have, or nothing serves yet."""
    state = ViewState().having(snap=snap)
    point_id = point["point_id"]

    def api(part: str, has: Any = True) -> str | None:
        return addresses.with_query(addresses.api_point(point_id, part), state) if has else None

    recorded = point.get("requests_object")
    return {
        "self": api(""),
        "page": addresses.point(point_id, state),
        "timeline": api("timeline", recorded),
        "requests": api("requests", recorded),
        "series": api("series", recorded or point.get("series_object")),
    }
