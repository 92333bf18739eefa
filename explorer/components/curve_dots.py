"""What the dots of a crowd say: asked for when a reader comes near the chart, not before.

A chart of thousands is drawn from columns alone; the words of all its dots cost the server more
than the picture. So the chart names an address that has them (`data-dots`, addresses.dots), and
assets/curves.js makes the link of the dot that is pointed at or walked to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.components import names
from explorer.components.curve_picture import look, unmerged
from explorer.components.curve_tips import all_cautions, between, hrefs
from explorer.components.curves_shown import curves_shown
from explorer.components.view import Words
from explorer.domain import metrics
from explorer.domain.lake import Lake
from explorer.domain.units import number, plain
from explorer.domain.view_state import ViewState
from explorer.figures.curve_marks import Dots
from explorer.figures.curves_svg import dotted


def said_of_dots(lake: Lake, state: ViewState) -> dict[str, Any]:
    """Return ids, links and words of the dots of an address, in the order of the dots.

    `rows` are lines of fields by `;`: id, settings, x, y, TTFT, cautions. Settings and cautions are
    places in `texts`; `between` stands between the fields, `href` around an id.
    """
    words = Words(state)
    picture = curves_shown(lake, state, words).picture
    texts = _Texts()
    groups = dotted(picture.data, look(picture, unmerged(picture), {}))
    return {
        "href": hrefs(state),
        "between": between(picture.meta, words),
        "rows": "\n".join(
            row for group in groups for row in _rows(group, picture.meta, texts, words)
        ),
        "texts": texts.listed(),
    }


def _rows(group: Dots, meta: Mapping[str, Any], texts: _Texts, words: Words) -> list[str]:
    """Return a row per dot: id, settings, x, y, TTFT, cautions; texts by number."""
    points, places = group.points, group.places
    x_unit, y_unit = (metrics.by_key()[meta[axis]].unit for axis in ("x", "y"))
    return [
        f"{point_id};{settings};{plain(x, x_unit)};{plain(y, y_unit)};{number(ttft)};{cautions}"
        for point_id, settings, x, y, ttft, cautions in zip(
            points.column("point_id", places),
            map(texts.place, names.configurations(points, places, words)),
            points.column("x", places),
            points.column("y", places),
            points.column("ttft", places),
            map(texts.place, all_cautions(points, places, words)),
            strict=True,
        )
    ]


class _Texts:
    """Texts by number, each once."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def place(self, text: str) -> int:
        return self._places.setdefault(text, len(self._places))

    def listed(self) -> list[str]:
        return list(self._places)
