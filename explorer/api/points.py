"""/points and /points/{point_id}."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from explorer.api import schemas
from explorer.api.envelope import Answer, Moved
from explorer.api.parameters import PAGING, PRICES, SNAP, Arguments, Parameter, of_view
from explorer.api.route import Route, Schema
from explorer.domain import metrics
from explorer.domain.columns import POINT_COLUMNS, Column
from explorer.domain.lake import Lake
from explorer.domain.view_state import FILTERS
from explorer.exports import tabular
from explorer.queries import points
from explorer.queries.curves import LIMITS

_BY_NAME = {column.name: column for column in POINT_COLUMNS}
_ROLES = [f"{role}_{name}" for role in points.ROLES for name in points.ROLE_FIELDS]
_CHANGED = {"prefill", "decode", "concurrency"}
TABLE_COLUMNS: tuple[Column, ...] = (
    *(_BY_NAME[name] for name in points.FLAT if name not in _CHANGED),
    *(_BY_NAME[name] for name in _ROLES),
    *(Column(metric.key, "float", metric.formula) for metric in metrics.METRICS),
)


def many(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Answer:
    """Return the points that the filters leave."""
    page = points.many(
        lake,
        arguments.state,
        sort=arguments["sort"],
        limit=arguments["limit"],
        cursor=arguments["cursor"],
    )
    return Answer(
        data=[points.payload(row, arguments.pin) for row in page.rows],
        snapshot=page.snapshot,
        state=arguments.state,
        next=page.next,
        table=lambda: table(page.rows),
        sources=[row["source"] for row in page.rows],
    )


def one(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Answer:
    """Return one point; an older id moves to the newest."""
    row = found(lake, values, arguments)
    return Answer(
        data=points.payload(row, arguments.pin),
        snapshot=lake.snapshot(arguments.state["snap"]),
        state=arguments.state,
        table=lambda: table([row]),
        sources=[row["source"]],
    )


def found(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> dict[str, Any]:
    """Return the row of the path's point; Moved when the path holds an older id."""
    state = arguments.state
    row = points.one(lake, values["point_id"], state["snap"], state)
    if row["redirected_from"]:
        raise Moved({**values, "point_id": row["point_id"]})
    return row


def table(rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Return points as a table: the flat point's keys, roles prefixed, then all metrics."""
    return tabular.table(rows, TABLE_COLUMNS)


def schema() -> Schema:
    """Return the schema of the flat point."""
    always = ("point_id", "source", "status")
    properties: dict[str, Schema] = {
        name: schemas.column(_BY_NAME[name], name in always)
        for name in points.FLAT
        if name not in _CHANGED
    }
    number: Schema = {"type": ["number", "null"]}
    keys = [metric.key for metric in metrics.METRICS]
    formulas = {metric.key: metric.formula for metric in metrics.METRICS}
    roles = {
        role: schemas.record(
            {name: schemas.column(_BY_NAME[f"{role}_{name}"]) for name in points.ROLE_FIELDS}
        )
        for role in points.ROLES
    }
    text: Schema = {"type": ["string", "null"]}
    flags = (*points.OBJECTS, "conversations")
    links = ("self", "page", "timeline", "requests", "series")
    properties = {
        **properties,
        **roles,
        "concurrency": number,
        "warnings": schemas.WARNINGS,
        "errors": {"type": "array", "items": {"type": "object"}},
        "price": schemas.record({"rate": number, "kw": number}),
        "metrics": schemas.record({key: {**number, "description": formulas[key]} for key in keys}),
        "has": schemas.record({name: {"type": "boolean"} for name in flags}),
        "links": schemas.record(dict.fromkeys(links, text)),
    }
    return schemas.record(properties)


ROUTES = (
    Route(
        name="points",
        path="/points",
        ask=many,
        schema=lambda: schemas.rows({"$ref": "#/components/schemas/Point"}),
        own=(
            *of_view(*FILTERS, "date", "valid", "accuracy_min", *LIMITS, "limit_stat"),
            *PRICES,
            *SNAP,
            Parameter("sort", "text"),
            *PAGING,
        ),
        tabular=True,
    ),
    Route(
        name="point",
        path="/points/{point_id}",
        ask=one,
        schema=lambda: {"$ref": "#/components/schemas/Point"},
        own=(*PRICES, *SNAP),
        tabular=True,
    ),
)
