"""The kinds of embed: one line each, with the keys of the address that it understands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from explorer.domain.lake import Lake
from explorer.domain.view_state import FILTERS, OWN_NUMBERS, ViewState
from explorer.embeds import curve
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


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of embed: what draws it, its keys, those it cannot do without, its stylesheets."""

    name: str
    draw: Callable[[Lake, ViewState], Embed]
    keys: tuple[str, ...]
    needs: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()


KINDS: tuple[Kind, ...] = (
    Kind("curve", curve.draw, (*_EVERY, *_PRICES, *_CURVES, *_PICTURE), (), ("series",)),
)
BY_NAME = {kind.name: kind for kind in KINDS}
