"""The kinds of embed: one line each, with the keys of the address that it understands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from explorer.domain.lake import Lake
from explorer.domain.view_state import FILTERS, OWN_NUMBERS, ViewState
from explorer.embeds import compare, curve, flame, point, table, timeline
from explorer.embeds.document import OWN_KEYS, Embed

_EVERY = ("snap", "lang", "theme", *OWN_KEYS)
_PRICES = ("price", *OWN_NUMBERS)
_CURVES = (
    *FILTERS, "x", "y", "stat", "split", "frontier", "ttft_max", "speed_min", "e2e_min",
    "cost_max", "accuracy_min", "limit_stat", "limit", "valid", "partial", "date", "runs", "hide",
)  # fmt: skip
_PICTURE = (
    "scale", "label", "unmerge", "at", "base", "bands", "x_from", "x_to", "y_from", "y_to", "point",
)  # fmt: skip


_WINDOW = ("phase", "from", "to", "engine_id", "where")
Draw = Callable[[Lake, ViewState], Embed]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of embed: what draws it, its keys, those it cannot do without, its stylesheets."""

    name: str
    draw: Draw
    keys: tuple[str, ...]
    needs: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()


def _kind(
    name: str, draw: Draw, keys: tuple[str, ...], needs: tuple[str, ...] = (), *sheets: str
) -> Kind:
    return Kind(name, draw, (*_EVERY, *keys), needs, sheets)


KINDS: tuple[Kind, ...] = (
    _kind("curve", curve.draw, (*_PRICES, *_CURVES, *_PICTURE), (), "series"),
    _kind("point", point.draw, (*_PRICES, "point", *_WINDOW), ("point",), "point"),
    _kind(
        "timeline",
        timeline.draw,
        ("point", *_WINDOW, "by", "color", "req"),
        ("point",),
        "series",
    ),
    _kind("flame", flame.draw, ("a", "turn", "agent", "phase"), ("a",), "conversations"),
    _kind(
        "compare",
        compare.draw,
        (*_PRICES, "a", "b", "c", "d", "from", "to"),
        ("a", "b"),
        "point",
        "compare",
    ),
    _kind("table", table.draw, (*_PRICES, *_CURVES, "rows", "sort"), (), "series"),
)
BY_NAME = {kind.name: kind for kind in KINDS}
