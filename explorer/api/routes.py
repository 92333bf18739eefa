"""Every route of the API, in the document's order: routes and document are this one list."""

from __future__ import annotations

from collections.abc import Mapping

from explorer.api import curves, datasets, openapi, points, requests, series, snapshots, timeline
from explorer.api.envelope import Answer
from explorer.api.parameters import Arguments, of_view
from explorer.api.route import Route
from explorer.domain.lake import Lake


def _document(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Answer:
    """Return the OpenAPI document."""
    return Answer(openapi.document(ROUTES, arguments.state["lang"]), bare=True)


ROUTES: tuple[Route, ...] = (
    *curves.ROUTES,
    *points.ROUTES,
    *requests.ROUTES,
    *series.ROUTES,
    *timeline.ROUTES,
    *datasets.ROUTES,
    *snapshots.ROUTES,
    Route(
        name="openapi",
        path="/openapi.json",
        ask=_document,
        schema=lambda: {"type": "object"},
        own=of_view("lang"),
        pure=False,
        bare=True,
    ),
)
