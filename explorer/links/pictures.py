"""What a card shows of a view: the picture of the embed that shows the same, and a few numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from explorer.components import names
from explorer.components.curve_history import is_asked
from explorer.components.curve_picture import chart
from explorer.components.curves_shown import curves_shown
from explorer.components.view import Words
from explorer.domain import addresses, metrics, view_state
from explorer.domain.lake import Lake
from explorer.domain.units import number, percent
from explorer.domain.view_state import ViewState
from explorer.embeds.kinds import BY_NAME
from explorer.exports.cards import Picture, room
from explorer.exports.standalone import Margin
from explorer.queries import points

_SVG = re.compile(r"<svg\b|</svg>")
_CURVES = Margin(34, 12, 50, 62)
_CHART = Margin(22, 12, 30, 52)
_KEYS = ("p90_ttft_s", "p90_interactivity_tps", "total_tps_per_gpu", "overall_cache_hit_ratio")


@dataclass(frozen=True, slots=True)
class Subject:
    """A card's picture and numbers, where the view has any."""

    picture: Picture | None = None
    figures: Sequence[tuple[str, str]] = ()


def subject(lake: Lake, path: str, state: ViewState, title: str, subtitle: str) -> Subject:
    """Return what a card shows of a page's (unquoted) path; nothing where words are all."""
    if path == "/":
        return Subject(_curves(lake, state, title, subtitle))
    figures = _numbers(lake, path, state)
    return Subject(_of_embed(lake, path, state), figures)


def _curves(lake: Lake, state: ViewState, title: str, subtitle: str) -> Picture | None:
    if is_asked(state):
        return None
    shown = curves_shown(lake, state, Words(state))
    if not shown.picture.data:
        return None
    high = room(title, subtitle)[1] - _CURVES.top - _CURVES.bottom
    return Picture(chart(shown.picture, max(int(high), 80)), _CURVES)


def _of_embed(lake: Lake, path: str, state: ViewState) -> Picture | None:
    """Return the first picture of the embed that shows what the page shows."""
    address = addresses.embed_of(path, state)
    if address is None:
        return None
    parts = urlsplit(address)
    kind = BY_NAME.get(parts.path.rpartition("/")[2])
    if kind is None:
        return None
    asked = view_state.parse(parts.query).having(size="small").only((*kind.keys, "size"))
    markup = first_svg(kind.draw(lake, asked).body)
    return Picture(markup, _CHART, f"{kind.name} point conversation flame") if markup else None


def first_svg(body: str) -> str:
    """Return the first whole `<svg>` with a class in HTML; empty where there is none."""
    start = body.find('<svg class="')
    if start < 0:
        return ""
    depth = 0
    for tag in _SVG.finditer(body, start):
        depth += -1 if tag[0] == "</svg>" else 1
        if depth == 0:
            return body[start : tag.end()]
    return ""


def _numbers(lake: Lake, path: str, state: ViewState) -> list[tuple[str, str]]:
    """Return the numbers one looks for first, on a point's page."""
    if not path.startswith("/points/") or path.count("/") > 2:
        return []
    words = Words(state)
    point_id = path.removeprefix("/points/")
    point = points.one(lake, point_id, state["snap"], state.only(("price", "rate", "kw")))
    return [
        (names.metric(key, words), _written(key, point[key], words))
        for key in _KEYS
        if point.get(key) is not None
    ]


def _written(key: str, value: float, words: Words) -> str:
    metric = metrics.by_key()[key]
    if metric.unit == "ratio":
        return percent(value)
    return f"{number(value)} {names.unit(metric, words)}"
