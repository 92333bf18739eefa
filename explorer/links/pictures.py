"""What a card shows of a view: the picture of the embed that shows the same, and a few numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import unescape
from urllib.parse import urlsplit

from explorer.components import compare_heads, names
from explorer.components.curve_history import chart as life_chart
from explorer.components.curve_history import is_asked, is_known
from explorer.components.curve_picture import chart
from explorer.components.curves_shown import curves_shown
from explorer.components.point_numbers import duration
from explorer.components.view import Words
from explorer.domain import addresses, metrics, view_state
from explorer.domain.lake import Lake
from explorer.domain.units import number, percent
from explorer.domain.view_state import ViewState
from explorer.embeds.kinds import BY_NAME
from explorer.exports.cards import Picture, room
from explorer.exports.standalone import Margin
from explorer.figures.compare_charts import COLOURS
from explorer.figures.context_growth import context_growth
from explorer.figures.flame_svg import flame_svg
from explorer.links import comparisons
from explorer.queries import compare, conversations, datasets, money, points
from explorer.queries.history import history

_SVG = re.compile(r"<svg\b|</svg>")
_TITLE = re.compile(r"<title[^>]*>([^<]*)</title>")
_CURVES = Margin(42, 12, 50, 62)
_CHART = Margin(42, 12, 30, 52)
_LANES = Margin(48, 6, 30, 118)
_GROWTH = Margin(24, 6, 8, 6)
_FEW = 14
"""Turns up to which a conversation is a flame graph, with more a line of its growth."""
_KEYS = ("p90_ttft_s", "p90_interactivity_tps", "total_tps_per_gpu", "overall_cache_hit_ratio")
_COMPARED = {
    "/compare/timelines": comparisons.timelines,
    "/compare/conversations": comparisons.conversations,
}


@dataclass(frozen=True, slots=True)
class Subject:
    """A card's pictures and numbers, where the view has any; `title` says more than the page's."""

    pictures: Sequence[Picture] = ()
    figures: Sequence[tuple[str, str, str]] = ()
    title: str = ""


def subject(lake: Lake, path: str, state: ViewState, title: str, subtitle: str) -> Subject:
    """Return what a card shows of a page's (unquoted) path; nothing where words are all."""
    if path == "/":
        return Subject(_some(_curves(lake, state, title, subtitle)))
    if named := addresses.conversation_of(path):
        return Subject(_some(_conversation(lake, *named, state)))
    if draw := _COMPARED.get(path):
        return Subject(draw(lake, state, room(title, subtitle)[1]))
    return replace(_of_embed(lake, path, state), figures=_numbers(lake, path, state))


def _some(picture: Picture | None) -> Sequence[Picture]:
    return () if picture is None else (picture,)


def _curves(lake: Lake, state: ViewState, title: str, subtitle: str) -> Picture | None:
    words = Words(state)
    high = max(int(room(title, subtitle)[1] - _CURVES.top - _CURVES.bottom), 80)
    if is_asked(state):
        found = history(lake, money.dated(lake, state))
        return Picture(life_chart(found, words, high), _CURVES) if is_known(found) else None
    shown = curves_shown(lake, state, words)
    return Picture(chart(shown.picture, high), _CURVES) if shown.picture.data else None


def _conversation(lake: Lake, slug: str, id_: str, state: ViewState) -> Picture:
    """Return a short conversation's flame graph; of a long one how its context grows."""
    turns, words = conversations.one(lake, slug, id_, state["snap"]).turns, Words(state)
    if len(turns) <= _FEW:
        return Picture(flame_svg(turns, say=words), _GROWTH, "", "flame")
    return Picture(context_growth(turns, say=words), _GROWTH, words("conversation.growth"))


def _of_embed(lake: Lake, path: str, state: ViewState) -> Subject:
    """Return the first picture of the embed that shows what the page shows."""
    address = addresses.embed_of(path, state)
    parts = urlsplit(address or "")
    kind = BY_NAME.get(parts.path.rpartition("/")[2])
    if kind is None:
        return Subject()
    size = "medium" if kind.name == "point" else "large"
    asked = view_state.parse(parts.query).having(size=size).only((*kind.keys, "size"))
    if not all(asked[name] for name in kind.needs):
        return Subject()
    drawn = kind.draw(lake, asked)
    compared = kind.name == "compare"
    picture = _picture(drawn.body, kind.name, _compared(lake, state) if compared else ())
    return Subject(_some(picture), title=drawn.title if compared else "")


def _picture(body: str, kind: str, legend: Sequence[tuple[str, str]]) -> Picture | None:
    markup = first_svg(body)
    if not markup:
        return None
    found = _TITLE.search(markup)
    title = unescape(found[1]) if found else ""
    margin = _LANES if kind == "timeline" else _CHART
    return Picture(markup, margin, title, f"{kind} point conversation flame", legend)


def _compared(lake: Lake, state: ViewState) -> list[tuple[str, str]]:
    """Return the points of a comparison by their colours' classes."""
    chosen, _ = compare.choose(lake, state)
    labels = compare_heads.labels(chosen, Words(state))
    return [(f"c-{colour}", label) for colour, label in zip(COLOURS, labels, strict=False)]


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


def _numbers(lake: Lake, path: str, state: ViewState) -> list[tuple[str, str, str]]:
    """Return the numbers one looks for first, on pages of a point and of datasets."""
    words = Words(state)
    if path.startswith("/datasets"):
        return _counts(lake, path, state, words)
    if not path.startswith("/points/") or path.count("/") > 2:
        return []
    point_id = path.removeprefix("/points/")
    prices = money.dated(lake, state).only(("price", "rate", "kw"))
    point = points.one(lake, point_id, state["snap"], prices)
    return [
        (names.metric(key, words), *_written(key, point[key], words))
        for key in _KEYS
        if point.get(key) is not None
    ]


def _counts(lake: Lake, path: str, state: ViewState, words: Words) -> list[tuple[str, str, str]]:
    slug = path.removeprefix("/datasets").removeprefix("/")
    snap = state["snap"]
    rows = [datasets.one(lake, slug, snap)] if slug else datasets.many(lake, snap).rows
    names_of = ("conversations", "turns", "subagents", "requests")
    sums = {name: sum(row[name] or 0 for row in rows) for name in names_of}
    return [(words(f"datasets.{name}"), f"{n:,}", "") for name, n in sums.items()]


def _written(key: str, value: float, words: Words) -> tuple[str, str]:
    """Return a metric's value and unit."""
    metric = metrics.by_key()[key]
    if metric.unit == "ratio":
        return percent(value), ""
    return duration(value) if metric.unit == "s" else (number(value), names.unit(metric, words))
