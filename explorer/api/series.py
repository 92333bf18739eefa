"""/points/{point_id}/series."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from explorer.api import schemas
from explorer.api.envelope import Answer
from explorer.api.parameters import SNAP, Arguments, Parameter, of_view, refused
from explorer.api.points import found
from explorer.api.route import Route, Schema
from explorer.domain.columns import Column
from explorer.domain.lake import Lake
from explorer.exports import tabular
from explorer.queries import series
from explorer.queries.nearest import nearest
from explorer.queries.window import of_state

_MAX_BUDGET = 10_000
_FACTS = (
    Column("name", "str", "the series"),
    Column("engine", "str", "one KV pool; null: the whole deployment"),
    Column("role", "str", "prefill, decode or null"),
    Column("unit", "str", "unit of the values"),
    Column("source", "str", "which of the run's files it comes from"),
)
_SAMPLE = (
    Column("t_s", "float", "s after the point's zero"),
    Column("value", "float", "in the series' unit; null is a gap"),
)


def many(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Answer:
    """Return a point's series over a window, and why a series asked for is missing."""
    state = arguments.state
    point = found(lake, values, arguments)
    for name in arguments["names"]:
        if not series.known(name):
            raise refused("bad_value", f"No series {name!r}.", nearest(name, series.NAMES))
    names, budget = arguments["names"] or series.NAMES, arguments["budget"]
    timed = series.collect(lake, point, of_state(state), budget)
    rows = [
        row | {"t_s": _plain(row["t_s"].tolist()), "value": _plain(row["value"].tolist())}
        for name in dict.fromkeys(names)
        for row in timed.of(name)
    ]
    return Answer(
        data=rows,
        snapshot=lake.snapshot(state["snap"]),
        state=state,
        extra={"missing": {name: why for name in names if (why := timed.reason(name))}},
        table=lambda: _table(rows),
        sources=[point["source"]],
        units={"value": "(unit)"},
    )


def _plain(numbers: list[float]) -> list[float | None]:
    return [number if math.isfinite(number) else None for number in numbers]


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    """Return one row a sample."""
    samples = (
        {**row, "t_s": t_s, "value": value}
        for row in rows
        for t_s, value in zip(row["t_s"], row["value"], strict=True)
    )
    return tabular.table(samples, (*_FACTS, *_SAMPLE))


def schema() -> Schema:
    """Return the schema of a series."""
    numbers = {
        one.name: {
            "type": "array",
            "items": {"type": ["number", "null"]},
            "description": one.meaning,
        }
        for one in _SAMPLE
    }
    return schemas.record({**schemas.columns(_FACTS, ("name", "unit", "source")), **numbers})


ROUTES = (
    Route(
        name="series",
        path="/points/{point_id}/series",
        ask=many,
        schema=lambda: schemas.rows({"$ref": "#/components/schemas/Series"}),
        own=(
            Parameter("names", "many", ()),
            *of_view("from", "to", "where"),
            Parameter("budget", "integer", series.DEFAULT_BUDGET, low=2, high=_MAX_BUDGET),
            *of_view("phase", "engine_id"),
            *SNAP,
        ),
        tabular=True,
        meta={"missing": {"type": "object", "additionalProperties": {"type": "string"}}},
    ),
)
