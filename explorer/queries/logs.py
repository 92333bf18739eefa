"""Lines kept of a point's server logs: searched, in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.domain.lake import Lake

MOST = 200


def lines(
    lake: Lake, point: Mapping[str, Any], search: str | None = None
) -> tuple[list[dict[str, Any]], int]:
    """Return at most 200 lines that contain the text, letters of any case, and how many match."""
    if not point.get("logs_object"):
        return [], 0
    objects = {"logs": point["logs_object"]}
    condition = "contains(lower(text), lower($search))" if search else "true"
    params = {"search": search} if search else {}
    count = f"SELECT count(*) AS n FROM {{logs}} WHERE {condition}"
    found = f"SELECT file, line, level, text FROM {{logs}} WHERE {condition} ORDER BY file, line"
    total = lake.rows(count, params, objects=objects)[0]["n"]
    return lake.rows(f"{found} LIMIT {MOST}", params, objects=objects), total
