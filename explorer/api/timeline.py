"""/points/{point_id}/timeline."""

from __future__ import annotations

from collections.abc import Mapping

from explorer.api import schemas
from explorer.api.envelope import Answer
from explorer.api.parameters import HEADER, SNAP, Arguments, Parameter, of_view
from explorer.api.points import found
from explorer.api.route import Route, Schema
from explorer.domain.lake import Lake
from explorer.exports.timeline import spelled_out
from explorer.exports.timeline_files import FORMATS, Asked, file_of
from explorer.figures.timeline_pack import VERSION
from explorer.queries.window import of_state


def one(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Answer:
    """Return a point's timeline: packed, spelled out, or as a file for another tool."""
    state = arguments.state
    point = found(lake, values, arguments)
    header = arguments["header"] == "1"
    asked = Asked(
        lake, point, of_state(state), state["snap"], state["lang"], header, arguments.base
    )
    format_ = arguments["format"]
    data, name = file_of(asked, "packed" if format_ == "json" else format_)
    snapshot = lake.snapshot(state["snap"])
    if format_ == "json":
        return Answer(data=spelled_out(data), snapshot=snapshot, state=state)
    return Answer(
        data=data,
        snapshot=snapshot,
        bare=True,
        mime=FORMATS[format_].mime,
        file=None if FORMATS[format_].inline else name,
    )


def schema() -> Schema:
    """Return the schema of a timeline spelled out; the header may carry more keys."""
    lists: Schema = {"type": "object", "additionalProperties": {"type": "array"}}
    integer: Schema = {"type": "integer"}
    properties = {
        "n": integer,
        "origin_ns": integer,
        "unit_ns": integer,
        "counts": {"type": "object", "additionalProperties": integer},
        "about": {"type": "object"},
        "requests": lists,
        "streams": lists,
    }
    return schemas.record(properties) | {"additionalProperties": True}


_BINARY: Schema = {"type": "string", "format": "binary"}
ROUTES = (
    Route(
        name="timeline",
        path="/points/{point_id}/timeline",
        ask=one,
        schema=lambda: _BINARY,
        own=(
            *of_view("phase", "from", "to"),
            Parameter("layout", "integer", VERSION, low=VERSION, high=VERSION),
            *of_view("lang"),
            *SNAP,
            Parameter("format", "one", "packed", ("packed", "json", *list(FORMATS)[1:])),
            *HEADER,
        ),
        bare=True,
        mime=FORMATS["packed"].mime,
        packed=True,
        also={
            "application/json": schemas.record({"data": schema(), "meta": {"type": "object"}}),
            **{one.mime.partition(";")[0]: _BINARY for one in list(FORMATS.values())[1:]},
        },
    ),
)
