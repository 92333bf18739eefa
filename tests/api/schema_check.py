"""The part of JSON Schema that the document uses, checked without a library."""

from __future__ import annotations

from typing import Any

TYPES = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


def problems(
    value: Any, schema: dict[str, Any], document: dict[str, Any], at: str = "$"
) -> list[str]:
    """Return what in a value breaks its schema, each with its place."""
    if reference := schema.get("$ref"):
        schema = document["components"]["schemas"][reference.rsplit("/", 1)[-1]]
    if choices := schema.get("anyOf"):
        found = [problems(value, choice, document, at) for choice in choices]
        return min(found, key=len)
    if "type" in schema and not _typed(value, schema["type"]):
        return [f"{at}: {value!r} is no {schema['type']}"]
    if isinstance(value, list):
        inner = schema.get("items", {})
        return [
            p for i, one in enumerate(value) for p in problems(one, inner, document, f"{at}[{i}]")
        ]
    if not isinstance(value, dict):
        return []
    properties = schema.get("properties", {})
    missing = [f"{at}.{name}: missing" for name in schema.get("required", ()) if name not in value]
    extra = [f"{at}.{name}: not in the schema" for name in value if name not in properties]
    if schema.get("additionalProperties") is not False:
        extra = []
    inside = [
        p
        for name, one in value.items()
        if name in properties
        for p in problems(one, properties[name], document, f"{at}.{name}")
    ]
    return missing + extra + inside


def _typed(value: Any, types: str | list[str]) -> bool:
    names = [types] if isinstance(types, str) else types
    if isinstance(value, bool):
        return "boolean" in names
    return any(isinstance(value, TYPES[name]) for name in names)
