"""A route of the API: its path, its parameters, what answers it, what it answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from explorer.api.envelope import Answer
from explorer.api.parameters import FORMAT, Arguments, Parameter
from explorer.domain.lake import Lake

Schema = dict[str, Any]
Ask = Callable[[Lake, Mapping[str, str], Arguments], Answer]
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Route:
    """One resource below /api/v1; `path` spells places as OpenAPI does: `/points/{point_id}`.

    `schema` describes `data`. `pure`: the answer depends on snapshot and arguments only, so it
    is kept, and immutable when pinned. `tabular` ones take `format=csv|parquet|arrow`. `bare`
    ones have no envelope, and may answer another `mime`. `also` adds content types that other
    formats answer. What is `packed` leaves compressed once per process and encoding.
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

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Every parameter, in the document's order."""
        return (*self.own, *FORMAT) if self.tabular else self.own

    @property
    def rule(self) -> str:
        """The path as Flask spells it."""
        return _PLACE.sub(r"<\1>", self.path)

    @property
    def places(self) -> tuple[str, ...]:
        """The names in the path."""
        return tuple(_PLACE.findall(self.path))

    def address(self, values: Mapping[str, str]) -> str:
        """Return the path with its places filled."""
        return _PLACE.sub(lambda match: values[match[1]], self.path)
