"""A route of the API: its path, its parameters, what answers it, what it answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from explorer.api.envelope import Answer
from explorer.api.parameters import FORMAT, HEADER, Arguments, Parameter
from explorer.domain import view_state
from explorer.domain.addresses import API, segment
from explorer.domain.lake import Lake
from explorer.queries import money

Schema = dict[str, Any]
Ask = Callable[[Lake, Mapping[str, str], Arguments], Answer]
_FORM = ("format", "header", "layout")
"""The API's own parameters that choose a form of the rows, not rows."""
_PLACE = re.compile(r"\{(\w+)\}")
REST = "rest"
"""The name of the converter (api/blueprint.py) of places that may hold slashes."""


@dataclass(frozen=True, slots=True)
class Route:
    """One resource below /api/v1; `path` spells places as OpenAPI does: `/points/{point_id}`.

    `schema` describes `data`. `pure`: the answer depends on snapshot and arguments only, so it
    is kept, and immutable when pinned. `tabular` ones take `format=csv|parquet|arrow`. `bare`
    ones have no envelope, and may answer another `mime`. `also` adds content types that other
    formats answer. What is `packed` leaves compressed once per process and encoding. `silent` keys
    of the address change no row. Places of `rest` may hold slashes.
    """

    name: str
    path: str
    ask: Ask
    schema: Callable[[], Schema]
    own: tuple[Parameter, ...] = ()
    tabular: bool = False
    pure: bool = True
    bare: bool = False
    mime: str = "application/json"
    packed: bool = False
    also: Mapping[str, Schema] = field(default_factory=dict)
    meta: Mapping[str, Schema] = field(default_factory=dict)
    silent: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Every parameter, in the document's order."""
        return (*self.own, *FORMAT, *HEADER) if self.tabular else self.own

    @property
    def rule(self) -> str:
        """The path as Flask spells it; places of `rest` may hold slashes."""
        return _PLACE.sub(
            lambda match: f"<{REST}:{match[1]}>" if match[1] in self.rest else f"<{match[1]}>",
            self.path,
        )

    @property
    def places(self) -> tuple[str, ...]:
        """The names in the path."""
        return tuple(_PLACE.findall(self.path))

    def canonical(self, values: Mapping[str, str], arguments: Arguments) -> str:
        """Return the address that asks for the same rows for ever: snapshot and prices pinned.

        Defaults, the format and keys that change no row are left out.
        """
        names = {one.name for one in self.parameters}
        state = arguments.state.having(**dict.fromkeys(("lang", "theme", *self.silent)))
        if "price" not in names:
            state = state.having(price=None)
        else:
            basis = state["price"].partition("@")[0]
            state = state.having(price=f"{basis}@{money.version(state)}")
        own = [
            f"{one.name}={_text(arguments.own[one.name])}"
            for one in self.parameters
            if not one.view and one.name not in _FORM and arguments.own[one.name] != one.default
        ]
        parts = [part for part in (view_state.format(state), *own) if part]
        return API + self.address(values) + ("?" + "&".join(parts) if parts else "")

    def address(self, values: Mapping[str, str]) -> str:
        """Return the path with its places filled."""
        return _PLACE.sub(lambda match: segment(values[match[1]]), self.path)


def _text(value: Any) -> str:
    """Return one of the API's own values as an address spells it."""
    if isinstance(value, tuple):
        return ",".join(_text(one) for one in value)
    return quote(f"{value:g}" if isinstance(value, float) else str(value), safe="")
