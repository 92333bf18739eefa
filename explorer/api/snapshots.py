"""/snapshots and what changed from one to another."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from explorer.api import schemas
from explorer.api.envelope import Answer
from explorer.api.parameters import PAGING, Arguments, Parameter
from explorer.api.route import Route, Schema
from explorer.domain import addresses
from explorer.domain.columns import POINT_COLUMNS, Column
from explorer.domain.lake import Lake, Snapshot
from explorer.domain.view_state import ViewState
from explorer.exports import tabular
from explorer.queries import snapshot_changes, snapshots
from explorer.queries.snapshot_changes import Change, Changes


def many(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Answer:
    """Return the published states of the lake, newest first."""
    rows, newest, following = snapshots.many(
        lake, limit=arguments["limit"], cursor=arguments["cursor"]
    )
    return Answer(
        data=rows,
        snapshot=newest,
        next=following,
        table=lambda: tabular.table(rows, snapshots.COLUMNS),
    )


def changed(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Answer:
    """Return the points that differ from another snapshot, by id."""
    found = snapshot_changes.changes(lake, values["snap"], arguments["since"])
    kinds = arguments["change"] or snapshot_changes.KINDS
    rows, following = snapshot_changes.page(found, kinds, arguments["limit"], arguments["cursor"])
    data = [_change(row, found) for row in rows]
    since = {"since": found.since.snap} if found.since else {}
    return Answer(
        data=data,
        snapshot=found.until,
        next=following,
        extra={"since": found.since.snap if found.since else None, "counts": found.counts},
        table=lambda: tabular.table(
            ({**row, "fields": json.dumps(row["fields"], default=str)} for row in data), _CHANGE
        ),
        used={"snap": found.until.snap, **since},
    )


def _change(row: Change, found: Changes) -> dict[str, Any]:
    """Return a change with the point's pages, pinned on both sides."""

    def pinned(snapshot: Snapshot | None, there: bool) -> str | None:
        if snapshot is None or not there:
            return None
        return addresses.point(row.point_id, ViewState().having(snap=snapshot.snap))

    return {
        "point_id": row.point_id,
        "change": row.kind,
        **{name: row.facts[name] for name in snapshot_changes.NAMED},
        "page_before": pinned(found.since, row.kind != "added"),
        "page_after": pinned(found.until, row.kind != "removed"),
        "fields": [{"key": f.key, "before": f.before, "after": f.after} for f in row.fields],
    }


_BY_NAME = {column.name: column for column in POINT_COLUMNS} | {
    "concurrency": Column("concurrency", "float", "sessions (or requests) in flight")
}
_CHANGE = (
    _BY_NAME["point_id"],
    Column("change", "str", "added, changed or removed"),
    *(_BY_NAME[name] for name in snapshot_changes.NAMED),
    Column("page_before", "str", "its page in the earlier snapshot"),
    Column("page_after", "str", "its page in the later snapshot"),
    Column("fields", "json", "values that differ: key, before, after"),
)
_FIELD = {"key": {"type": "string"}, "before": {}, "after": {}}


def _change_schema() -> Schema:
    properties = schemas.columns(_CHANGE, ("point_id", "change"))
    fields = schemas.rows(schemas.record(_FIELD))
    return schemas.rows(schemas.record({**properties, "fields": fields}))


_OPTIONAL = ("name", "parent")
_ALWAYS = [column.name for column in snapshots.COLUMNS if column.name not in _OPTIONAL]
ROUTES = (
    Route(
        name="snapshots",
        path="/snapshots",
        ask=many,
        schema=lambda: schemas.rows(schemas.record(schemas.columns(snapshots.COLUMNS, _ALWAYS))),
        own=PAGING,
        tabular=True,
        pure=False,
    ),
    Route(
        name="snapshot_changes",
        path="/snapshots/{snap}/changes",
        ask=changed,
        schema=_change_schema,
        own=(
            Parameter("since", "text"),
            Parameter("change", "many", (), snapshot_changes.KINDS),
            *PAGING,
        ),
        tabular=True,
        pure=False,
        meta={
            "since": {"type": ["string", "null"]},
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
    ),
)
