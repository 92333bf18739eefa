"""/snapshots."""

from __future__ import annotations

from collections.abc import Mapping

from explorer.api import schemas
from explorer.api.envelope import Answer
from explorer.api.parameters import PAGING, Arguments
from explorer.api.route import Route
from explorer.domain.lake import Lake
from explorer.exports import tabular
from explorer.queries import snapshots


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
)
