"""/curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from explorer.api import schemas
from explorer.api.envelope import Answer
from explorer.api.parameters import PRICES, SNAP, Arguments, of_view
from explorer.api.route import Route, Schema
from explorer.domain import metrics, view_state
from explorer.domain.columns import POINT_COLUMNS, Column
from explorer.domain.lake import Lake
from explorer.domain.view_state import FILTERS
from explorer.exports import tabular
from explorer.queries import curves

_BY_NAME = {column.name: column for column in POINT_COLUMNS}
_OF_CURVE = (
    Column("curve_id", "str", "model, hardware, engine and what splits them"),
    Column("label", "str", "how the legend names it"),
    _BY_NAME["model"],
    _BY_NAME["hw"],
    _BY_NAME["engine"],
)
_OF_POINT = (
    _BY_NAME["point_id"],
    Column("x", "float", "value of meta.x"),
    Column("y", "float", "value of meta.y"),
    Column("on_frontier", "bool", "no point of the curve beats it on both axes"),
    Column("eligible", "bool", "whole, and within the limits: may stand on the frontier"),
    Column("concurrency", "float", "sessions (or requests) in flight"),
    *(
        _BY_NAME[name]
        for name in ("parallelism", "kv_offload", "spec", "mode", "precision", "status", "valid")
    ),
)
_VIEW_ONLY = curves.PICTURE
"""Keys of the page's address that change no number, so that its query works here as it is."""


def many(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Answer:
    """Return the merged curves of a view."""
    found = curves.curves(lake, arguments.state)
    return Answer(
        data=[{**curve, "points": curve["points"].rows()} for curve in found["data"]],
        snapshot=lake.snapshot(arguments.state["snap"]),
        state=view_state.parse(found["meta"]["state"]),
        extra=found["meta"],
        table=lambda: _table(found["data"]),
        sources=[curve["source"] for curve in found["data"]],
        units=_units(found["meta"]),
        kind="curves",
        figures=found["meta"],
    )


def _units(meta: Mapping[str, Any]) -> dict[str, str]:
    """Return the units of the columns x and y."""
    return {axis: metrics.by_key()[meta[axis]].unit for axis in ("x", "y")}


def _table(data: list[dict[str, Any]]) -> pa.Table:
    """Return one row a point, its curve's names first."""
    names = [column.name for column in _OF_CURVE]
    rows = (
        {**{name: curve[name] for name in names}, **point}
        for curve in data
        for point in curve["points"]
    )
    return tabular.table(rows, (*_OF_CURVE, *_OF_POINT))


def schema() -> Schema:
    """Return the schema of a curve; curves and points may carry more keys than these."""
    point = schemas.record(schemas.columns(_OF_POINT, ("point_id", "x", "y", "on_frontier")))
    curve = schemas.record(
        {
            **schemas.columns(_OF_CURVE, ("curve_id", "label")),
            "split": {"type": "object"},
            "points": schemas.rows({**point, "additionalProperties": True}),
        }
    )
    return {**curve, "additionalProperties": True}


_TEXT: Schema = {"type": "string"}
ROUTES = (
    Route(
        name="curves",
        path="/curves",
        ask=many,
        schema=lambda: schemas.rows({"$ref": "#/components/schemas/Curve"}),
        own=(
            *of_view(*FILTERS, "x", "y", "stat", "split", "frontier"),
            *of_view(*curves.LIMITS, "limit_stat", "limit", "valid", "partial", "accuracy_min"),
            *of_view("date", "runs"),
            *PRICES,
            *SNAP,
            *of_view(*_VIEW_ONLY),
        ),
        tabular=True,
        silent=_VIEW_ONLY,
        meta={
            "x": _TEXT,
            "y": _TEXT,
            "stat": _TEXT,
            "directions": {"type": "object"},
            "policy": _TEXT,
            "eligible": {"type": "integer"},
            "dropped": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
    ),
)
