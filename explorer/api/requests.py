"""/points/{point_id}/requests."""

from __future__ import annotations

from collections.abc import Mapping

from explorer.api import schemas
from explorer.api.envelope import Answer
from explorer.api.parameters import PAGING, SNAP, Arguments, Parameter, of_view
from explorer.api.points import found
from explorer.api.route import Route, Schema
from explorer.domain.lake import Lake
from explorer.exports import tabular
from explorer.queries import requests
from explorer.queries.references import REFERENCE
from explorer.queries.requests import Wanted
from explorer.queries.window import of_state

_ALWAYS = ("ordinal", "kind", "phase", "status")
_EQUAL = (
    Parameter("status", "many", (), ("ok", "failed", "cancelled")),
    Parameter("kind", "many", (), ("main", "subagent", "aux")),
    Parameter("conversation", "many", ()),
    Parameter("agent", "many", ()),
    Parameter("turn", "integers", ()),
    Parameter("stream_id", "many", ()),
    Parameter("root_id", "many", ()),
    Parameter("client_worker", "many", ()),
    Parameter("request_id", "many", ()),
    Parameter("ordinal", "integers", ()),
)


def many(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Answer:
    """Return a point's requests; a point without records answers none and says so."""
    state = arguments.state
    point = found(lake, values, arguments)
    wanted = Wanted(
        window=of_state(state),
        equal={one.name: arguments[one.name] for one in _EQUAL if arguments[one.name]},
    )
    page = requests.many(
        lake,
        point,
        wanted,
        snap=state["snap"],
        sort=arguments["sort"],
        limit=arguments["limit"],
        cursor=arguments["cursor"],
    )
    return Answer(
        data=page.rows,
        snapshot=page.snapshot,
        state=state,
        next=page.next,
        extra={"reason": None if point["requests_object"] else "not_recorded"},
        table=lambda: tabular.table(
            (tabular.flat(row) for row in page.rows),
            (*requests.COLUMNS, *requests.REFERENCE_COLUMNS),
        ),
        sources=[point["source"]],
    )


def schema() -> Schema:
    """Return the schema of a request."""
    properties = schemas.columns(requests.COLUMNS, _ALWAYS)
    reference = schemas.record(
        {
            name: {"type": [kind, "null"]}
            for name, kind in zip(REFERENCE, ("string", "string", "string", "integer"), strict=True)
        }
    )
    properties["dataset_ref"] = {"anyOf": [reference, {"type": "null"}]}
    return schemas.record(properties)


ROUTES = (
    Route(
        name="requests",
        path="/points/{point_id}/requests",
        ask=many,
        schema=lambda: schemas.rows({"$ref": "#/components/schemas/Request"}),
        own=(
            *of_view("phase", "from", "to", "where", "engine_id"),
            *_EQUAL,
            *SNAP,
            Parameter("sort", "text"),
            *PAGING,
        ),
        tabular=True,
        meta={"reason": {"type": ["string", "null"]}},
    ),
)
