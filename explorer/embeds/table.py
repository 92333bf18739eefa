"""The table embed: the points of a curves view, the best first, and how many are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from explorer.components.curve_picture import counts
from explorer.components.curve_table import curve_table, ordered
from explorer.components.curves_shown import curves_shown
from explorer.components.markup import to_html
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.embeds.curve import newest, title
from explorer.embeds.document import Embed, inside

Curve = Mapping[str, Any]
MOST = {"small": 8, "medium": 20, "large": 60}


def draw(lake: Lake, state: ViewState) -> Embed:
    """Return the first points of a curves view: those on the frontier before all others."""
    words = Words(state)
    shown = curves_shown(lake, inside(state), words)
    data, meta = shown.picture.data, shown.picture.meta
    most = None if state["rows"] == "all" else MOST[state["size"]]
    kept, left = first(data, state["sort"], most)
    dropped = {**meta["dropped"], **({"rows_left": left} if left else {})}
    return Embed(
        title=title(shown, words),
        caption=shown.heading,
        about=shown.subtitle,
        body=to_html(curve_table(kept, meta, inside(state), words)),
        page=addresses.curves(inside(state)),
        counted=counts(kept, {**meta, "dropped": dropped}, words),
        newest=newest(data),
    )


def first(curves: Sequence[Curve], sort: str | None, most: int | None) -> tuple[list[Curve], int]:
    """Return curves with their first points in the order of a column, and how many are left out.

    Points on a frontier come first, as in the table itself; None keeps all.
    """
    won, rest = ordered(curves, sort).parted()
    rows = [point["point_id"] for part in (won, rest) for _, point in part.read()]
    ids = set(rows[:most])
    kept = [
        {**curve, "points": [point for point in curve["points"] if point["point_id"] in ids]}
        for curve in curves
    ]
    return [curve for curve in kept if curve["points"]], len(rows) - len(ids)
