"""The HTML that puts an embed into an article."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

HEIGHTS: Mapping[str, int] = {
    "curve": 800,
    "point": 740,
    "timeline": 640,
    "flame": 780,
    "compare": 900,
    "table": 640,
}
"""Height in px that shows an embed of a kind whole at 800 px width; long ones scroll."""
WIDTH = 800
_ALLOWED = "allow-scripts allow-popups allow-popups-to-escape-sandbox"


def kind_of(address: str) -> str:
    """Return the kind of an embed's address."""
    return address.partition("?")[0].rpartition("/")[2]


def iframe(url: str, title: str, width: int | str = "100%", height: int | None = None) -> str:
    """Return the iframe of an embed's whole address; `height` is its kind's unless given."""
    tall = HEIGHTS[kind_of(url)] if height is None else height
    return (
        f'<iframe src="{escape(url)}" title="{escape(title)}" width="{width}" height="{tall}" '
        f'style="border:0;max-width:100%" loading="lazy" sandbox="{_ALLOWED}"></iframe>'
    )
