"""Whether a point has been measured again since: the newest later run of its configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.domain.lake import Lake
from explorer.queries.curves import CONFIGURATION

_SAME = " AND ".join(f"{name} IS NOT DISTINCT FROM ${name}" for name in CONFIGURATION)
_NEWER = f"""
SELECT point_id, date FROM {{points}} WHERE {_SAME} AND date > $date AND status <> 'failed'
ORDER BY date DESC, point_id LIMIT 1
"""


def newer(lake: Lake, point: Mapping[str, Any], snap: str | None = None) -> dict[str, Any] | None:
    """Return point_id and date of the newest later run of a point's configuration, in a snapshot.

    None where there is none, or the point is not dated. A failed run replaces nothing.
    """
    if point["date"] is None:
        return None
    params = {name: point[name] for name in (*CONFIGURATION, "date")}
    found = lake.rows(_NEWER, params, snap=snap)
    return found[0] if found else None
