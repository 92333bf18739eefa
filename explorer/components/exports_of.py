"""Which files each page offers: the API addresses of the rows that it shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.components.curve_legend import API_KEYS
from explorer.components.view import Export
from explorer.domain import addresses
from explorer.domain.view_state import ViewState

Point = Mapping[str, Any]
_ROWS = "limit=1000"
_DRAWN = ("x", "y", "stat", "split", "frontier", "limit", "partial", "runs")
"""Keys that say how curves are drawn from points."""


def of_curves(state: ViewState, shown: ViewState) -> tuple[Export, ...]:
    """Return the files of the curves page; `shown` is the address with its defaults written out."""
    asked = state.only(API_KEYS)
    numbers = shown.only([name for name in API_KEYS if name not in _DRAWN])
    return (
        Export("curves", addresses.api_curves(asked)),
        Export("points", _with(addresses.api_points(numbers), _ROWS)),
    )


def of_point(point: Point, state: ViewState, name: str = "") -> tuple[Export, ...]:
    """Return the files of a point: itself, its requests of the phase, its series in the window."""
    point_id = point["point_id"]
    prices = state.only(("snap", "price", "rate", "kw"))
    itself = addresses.with_query(addresses.api_point(point_id), prices)
    made = [Export("point", itself, name)]
    if point["requests_object"]:
        made += of_timeline(point, state, name)
    if point["requests_object"] or point["series_object"]:
        window = state.only(("snap", "phase", "from", "to", "where", "engine_id"))
        series = addresses.with_query(addresses.api_point(point_id, "series"), window)
        made.append(Export("series", series, name))
    return tuple(made)


def of_timeline(point: Point, state: ViewState, name: str = "") -> tuple[Export, ...]:
    """Return the files of a timeline: all its requests of the phase and window."""
    if not point["requests_object"]:
        return ()
    window = state.only(("snap", "phase", "from", "to"))
    address = addresses.with_query(addresses.api_point(point["point_id"], "timeline"), window)
    return (Export("requests", address, name),)


def of_turns(slug: str, conversation: str, state: ViewState, name: str = "") -> tuple[Export, ...]:
    """Return the files of a conversation: its turns."""
    address = addresses.api_conversation(slug, conversation)
    return (Export("turns", addresses.with_query(address, state.only(("snap",))), name),)


def of_dataset(slug: str, state: ViewState) -> tuple[Export, ...]:
    """Return the files of a dataset: itself and its conversations, as far as one answer goes."""
    pin = state.only(("snap",))
    found = addresses.with_query(addresses.api_conversations(slug), state.only(("snap", "q")))
    return (
        Export("dataset", addresses.with_query(addresses.api_dataset(slug), pin)),
        Export("conversations", _with(found, _ROWS)),
    )


def of_datasets(state: ViewState) -> tuple[Export, ...]:
    """Return the files of the list of datasets."""
    address = addresses.with_query(addresses.api_datasets(), state.only(("snap",)))
    return (Export("datasets", _with(address, _ROWS)),)


def _with(address: str, part: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{part}"
