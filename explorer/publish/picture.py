"""A view's picture as a file: SVG that needs nothing around it, or PNG with the product's fonts."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from explorer.domain import addresses, view_state
from explorer.domain.lake import Lake
from explorer.errors import UsageError
from explorer.exports.png import png
from explorer.links.drawn import drawing

_KINDS = {"conversation": "flame"}
"""Kind of export → kind of embed, where their names differ."""


def picture(
    lake: Lake, name: str, values: Mapping[str, str], query: Mapping[str, str], format_: str
) -> bytes:
    """Return the picture of `curve`, `timeline` or `conversation` as svg or png.

    UsageError for a key that is none; NotFoundError where there is nothing to draw.
    """
    state = view_state.parse(urlencode({**query, **_named(name, values)}))
    if state.problems:
        first = state.problems[0]
        raise UsageError(f"{first.key}={first.value}: {first.code}.", hint="See docs/addresses.md.")
    svg = drawing(lake, _KINDS.get(name, name), state)
    return png(svg) if format_ == "png" else svg.encode()


def _named(name: str, values: Mapping[str, str]) -> dict[str, str]:
    if name == "conversation":
        return {"a": addresses.conversation_key(values["slug"], values["conversation_id"])}
    return {"point": values["point_id"]} if name == "timeline" else {}
