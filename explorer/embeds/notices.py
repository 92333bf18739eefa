"""What a reader must know of a point before reading its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.components.view import Words
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.queries.newer import newer

Point = Mapping[str, Any]


def of_point(lake: Lake, point: Point, state: ViewState, words: Words) -> list[str]:
    """Return cautions: not measured, measured elsewhere, cut short, invalid, measured again.

    All depend on the snapshot alone, so that a pinned picture never changes.
    """
    said = []
    if point["source"] in ("simulated", "mock"):
        said.append(words(f"frame.{point['source']}"))
    if point["source"] == "third_party":
        said.append(words("point.third_party"))
    if point["status"] in ("partial", "failed"):
        said.append(words(f"curves.status.{point['status']}"))
    if point["valid"] is False:
        said.append(words("curves.invalid"))
    if later := newer(lake, point, state["snap"]):
        said.append(words("embeds.superseded", date=later["date"], point=later["point_id"]))
    return said
