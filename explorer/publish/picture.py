"""A view's picture as a file: SVG that needs nothing around it, or PNG with the product's fonts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from urllib.parse import urlencode

from explorer import i18n
from explorer.components.curve_picture import chart
from explorer.components.curves_shown import curves_shown
from explorer.components.view import Words
from explorer.domain import view_state
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.errors import NotFoundError, UsageError
from explorer.exports.png import png
from explorer.exports.standalone import Sheet, standalone
from explorer.figures.flame_svg import flame_svg
from explorer.queries import conversations


def picture(
    lake: Lake, name: str, values: Mapping[str, str], query: Mapping[str, str], format_: str
) -> bytes:
    """Return the picture of `curve` or `conversation` as svg or png.

    UsageError for a key that is none; NotFoundError where there is nothing to draw.
    """
    state = view_state.parse(urlencode(query))
    if state.problems:
        first = state.problems[0]
        raise UsageError(f"{first.key}={first.value}: {first.code}.", hint="See docs/addresses.md.")
    svg = _curves(lake, state) if name == "curve" else _flame(lake, values, state)
    return png(svg) if format_ == "png" else svg.encode()


def _curves(lake: Lake, state: ViewState) -> str:
    words = Words(state)
    shown = curves_shown(lake, state, words)
    if not shown.picture.data:
        raise NotFoundError("These filters leave no point.", hint="Leave one of them out.")
    return standalone(chart(shown.picture), _sheet(lake, state, shown.heading))


def _sheet(lake: Lake, state: ViewState, title: str) -> Sheet:
    snapshot = lake.snapshot(state["snap"])
    words = Words(state)
    note = words("exports.note", snapshot=snapshot.snap, date=snapshot.time[:10])
    theme = "dark" if state["theme"] == "dark" else "light"
    return Sheet(theme=theme, title=title, note=note)


def _flame(lake: Lake, values: Mapping[str, str], state: ViewState) -> str:
    found = conversations.one(lake, values["slug"], values["conversation_id"], state["snap"])
    return flame_svg(found.turns, say=partial(i18n.text, state["lang"]), standalone=True)
