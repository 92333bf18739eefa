"""The OpenAPI 3.1 document, made from the routes themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from explorer import __version__, i18n
from explorer.api import curves, datasets, points, requests, series
from explorer.api.formats import MIME
from explorer.api.parameters import FORMATS, Parameter
from explorer.api.route import Route, Schema
from explorer.domain.addresses import API

OPENAPI = "3.1.0"
_SCHEMAS: Mapping[str, Callable[[], Schema]] = {
    "Conversation": datasets.conversation_schema,
    "Curve": curves.schema,
    "Dataset": datasets.dataset_schema,
    "Point": points.schema,
    "Request": requests.schema,
    "Series": series.schema,
}
_ERRORS = ("400", "404", "410", "503")


def document(routes: Iterable[Route], lang: str = "en") -> dict[str, Any]:
    """Return the document of these routes, described in a language."""
    return {
        "openapi": OPENAPI,
        "info": {
            "title": i18n.text(lang, "api.title"),
            "version": __version__,
            "description": i18n.text(lang, "api.description"),
        },
        "paths": {API + route.path: {"get": _operation(route, lang)} for route in routes},
        "components": {
            "schemas": {**{name: make() for name, make in _SCHEMAS.items()}, "Error": _error()}
        },
    }


def _operation(route: Route, lang: str) -> dict[str, Any]:
    return {
        "operationId": route.name,
        "summary": i18n.text(lang, f"api.route.{route.name}"),
        "parameters": [_place(name, lang) for name in route.places]
        + [_parameter(parameter, lang) for parameter in route.parameters],
        "responses": {
            "200": {"description": i18n.text(lang, "api.ok"), "content": _content(route)},
            **({"308": {"description": i18n.text(lang, "api.moved")}} if route.places else {}),
            "304": {"description": i18n.text(lang, "api.unchanged")},
            **{code: _failed(code, lang) for code in _ERRORS},
        },
    }


def _place(name: str, lang: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": i18n.text(lang, f"api.parameter.{name}"),
        "schema": {"type": "string"},
    }


def _parameter(parameter: Parameter, lang: str) -> dict[str, Any]:
    stem, _, hardware = parameter.name.partition(".")
    described: dict[str, Any] = {
        "name": parameter.name,
        "in": "query",
        "description": i18n.text(lang, f"api.parameter.{stem}", hw=hardware),
        "schema": _schema(parameter),
    }
    if parameter.kind in ("many", "integers"):
        described |= {"style": "form", "explode": False}
    return described


def _schema(parameter: Parameter) -> Schema:
    if parameter.kind == "integers":
        return {"type": "array", "items": {"type": "integer"}}
    if parameter.kind == "flag":
        return {"type": "string", "enum": ["0", "1", "true", "false"], "default": "0"}
    word: Schema = {"type": "string", "minLength": 1}
    if parameter.choices:
        word = {"type": "string", "enum": list(parameter.choices)}
    if parameter.pattern:
        word = {"anyOf": [word, {"type": "string", "pattern": parameter.pattern}]}
    if parameter.kind == "many":
        return {"type": "array", "items": word}
    if parameter.kind in ("number", "integer"):
        bounds = {"minimum": parameter.low, "maximum": parameter.high}
        word = {"type": parameter.kind} | {k: v for k, v in bounds.items() if v is not None}
    return word if parameter.default is None else {**word, "default": parameter.default}


def _content(route: Route) -> dict[str, Any]:
    content: dict[str, Any] = {route.mime: {"schema": _answer(route)}}
    if route.tabular:
        binary = {"type": "string", "format": "binary"}
        for name in FORMATS[1:]:
            content[MIME[name].partition(";")[0]] = {"schema": binary}
    return content | {mime: {"schema": schema} for mime, schema in route.also.items()}


def _answer(route: Route) -> Schema:
    """Return the schema of a route's document: the envelope around its data."""
    if route.bare:
        return route.schema()
    text: Schema = {"type": ["string", "null"]}
    fixed = {
        "snapshot": text,
        "metric_version": {"type": "integer"},
        "price_version": {"type": "string"},
        "next": text,
        "provenance": {"type": "object"},
    }
    meta = {"type": "object", "properties": {**route.meta, **fixed}, "required": [*fixed]}
    return {
        "type": "object",
        "properties": {"data": route.schema(), "meta": meta},
        "required": ["data", "meta"],
    }


def _failed(code: str, lang: str) -> dict[str, Any]:
    return {
        "description": i18n.text(lang, f"api.error.{code}"),
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }


def _error() -> Schema:
    inner = {
        "type": "object",
        "properties": {
            "code": {"type": "string"},
            "message": {"type": "string"},
            "hint": {"type": ["string", "null"]},
        },
        "required": ["code", "message", "hint"],
    }
    return {"type": "object", "properties": {"error": inner}, "required": ["error"]}
