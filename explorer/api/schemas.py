"""JSON schemas of what the API answers, from the domain's columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from explorer.domain.columns import Column

Schema = dict[str, Any]
_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
WARNINGS: Schema = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"code": {"type": "string"}, "params": {"type": "object"}},
        "required": ["code"],
    },
}


def column(one: Column, required: bool = False) -> Schema:
    """Return the schema of a column; missing is null unless required."""
    if one.type == "strs":
        return {"type": "array", "items": {"type": "string"}, "description": one.meaning}
    if one.type == "json":
        return {"description": one.meaning}
    kind = _TYPES[one.type]
    return {"type": kind if required else [kind, "null"], "description": one.meaning}


def columns(some: Iterable[Column], required: Iterable[str] = ()) -> dict[str, Schema]:
    """Return the properties of a row of columns."""
    needed = set(required)
    return {one.name: column(one, one.name in needed) for one in some}


def record(properties: dict[str, Schema]) -> Schema:
    """Return an object that always has all of these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def rows(item: Schema) -> Schema:
    """Return an array of one kind of item."""
    return {"type": "array", "items": item}
