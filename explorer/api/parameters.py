"""Query parameters of the API: declared once per route, read strictly, described in OpenAPI."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlencode

from explorer import tables
from explorer.domain import metrics, view_state
from explorer.domain.view_state import ViewState
from explorer.errors import UsageError
from explorer.exports import reproduce
from explorer.queries import paging
from explorer.queries.nearest import nearest

Kind = Literal["many", "one", "number", "integer", "integers", "flag", "text"]
_ALIASES = {alias: key.name for key in view_state.KEYS for alias in key.aliases}
FORMATS = ("json", "csv", "parquet", "arrow", *reproduce.FORMATS)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One query parameter; `choices` empty means any text. `view`: a key of the address too.

    `pattern` is a regular expression of further words beside the choices.
    """

    name: str
    kind: Kind
    default: Any = None
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    view: bool = False
    pattern: str = ""


def of_view(*names: str) -> tuple[Parameter, ...]:
    """Return parameters that are keys of the address (domain/view_state.py)."""
    keys = [view_state.BY_NAME[name] for name in names]
    return tuple(
        Parameter(
            key.name,
            key.kind,
            key.default,
            tuple(sorted(key.choices)),
            view=True,
            pattern=metrics.ACCURACIES if key.name in ("x", "y") else "",
        )
        for key in keys
    )


def own_numbers() -> tuple[Parameter, ...]:
    """Return `rate.<hw>` and `kw.<hw>` for the hardware of the price table."""
    return tuple(
        Parameter(f"{stem}.{hw}", "number", view=True)
        for stem in view_state.OWN_NUMBERS
        for hw in tables.prices() or {}
    )


PRICES = (*of_view("price"), *own_numbers())
PAGING = (
    Parameter("limit", "integer", paging.DEFAULT_LIMIT, low=1, high=paging.MAX_LIMIT),
    Parameter("cursor", "text"),
)
FORMAT = (Parameter("format", "one", "json", FORMATS),)
HEADER = (Parameter("header", "one", "0", ("0", "1")),)
"""Comment lines on top of a CSV that say where its rows come from."""
SNAP = of_view("snap")


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a call asks for: the view's keys as a state, the API's own ones by name.

    `pin` is the snapshot the reader named; the state's `snap` may come from a cursor. `base` is the
    server's address as the reader knows it, for texts that name it.
    """

    state: ViewState
    own: Mapping[str, Any] = field(default_factory=dict)
    pin: str | None = None
    base: str = ""

    def __getitem__(self, name: str) -> Any:
        return self.own[name]


def refused(code: str, message: str, hint: str) -> UsageError:
    """Return a 400 with a code of its own."""
    error = UsageError(message, hint=hint)
    error.code = code
    return error


def read(pairs: Iterable[tuple[str, str]], known: tuple[Parameter, ...]) -> Arguments:
    """Return the arguments of a query string; UsageError names the nearest known parameter."""
    given = _gathered(pairs, {parameter.name: parameter for parameter in known})
    own = {one.name: one.default for one in known if not one.view}
    of_state: list[tuple[str, str]] = []
    for parameter, text in given:
        if parameter.view:
            of_state.append((parameter.name, text))
        else:
            own[parameter.name] = _value(parameter, text)
    state = _state(of_state, known)
    return Arguments(state, own, state["snap"])


def _gathered(
    pairs: Iterable[tuple[str, str]], known: Mapping[str, Parameter]
) -> list[tuple[Parameter, str]]:
    """Return each parameter with its text; a repeated one is joined where several are allowed."""
    given: dict[str, tuple[Parameter, str]] = {}
    for raw, text in pairs:
        parameter = _known(raw, known)
        before = given.get(parameter.name)
        if before and parameter.kind not in ("many", "integers"):
            raise refused("bad_value", f"{raw} is given twice.", "Give it once.")
        given[parameter.name] = (parameter, f"{before[1]},{text}" if before else text)
    return list(given.values())


def _known(raw: str, known: Mapping[str, Parameter]) -> Parameter:
    """Return the parameter of a name, its old spellings and other hardware's rates included."""
    name = _ALIASES.get(raw, raw)
    if name in known:
        return known[name]
    if name.partition(".")[0] in view_state.OWN_NUMBERS and "price" in known:
        return Parameter(name, "number", view=True)
    plain = [one for one in known if "." not in one or "." in raw]
    raise refused("unknown_parameter", f"No parameter {raw!r} here.", nearest(raw, plain))


def _state(pairs: list[tuple[str, str]], known: tuple[Parameter, ...]) -> ViewState:
    state = view_state.parse(urlencode(pairs))
    for problem in state.problems:
        if problem.code == "bad_range":
            message = f"{problem.key}: the range {problem.value} does not end after it begins."
            raise refused("bad_value", message, "Give it the larger end last.")
        found = next((one for one in known if one.name == problem.key), None)
        raise _bad(found or Parameter(problem.key, "number"), problem.value)
    return state


def _bad(parameter: Parameter, text: str) -> UsageError:
    message = f"{parameter.name}={text[:80]} is no value of {parameter.name}."
    if parameter.choices:
        return refused("bad_value", message, nearest(text, parameter.choices))
    return refused("bad_value", message, f"Expected {_expected(parameter)}.")


def _expected(parameter: Parameter) -> str:
    if parameter.kind in ("integer", "integers") and parameter.high is not None:
        return f"a whole number from {parameter.low:g} to {parameter.high:g}"
    words = {
        "number": "a number",
        "integer": "a whole number",
        "integers": "whole numbers, joined by commas",
        "flag": "1 or 0",
        "many": "words joined by commas",
    }
    if parameter.name == "price":
        return "own, neocloud or rental, with @version if you like"
    if parameter.name == "where":
        return "ranges such as isl_tokens:1000..20000;ttft_s:5.."
    return words.get(parameter.kind, "some text")


def _value(parameter: Parameter, text: str) -> Any:
    """Return the value of one of the API's own parameters."""
    try:
        if parameter.kind == "integer":
            return _within(parameter, int(text))
        if parameter.kind == "integers":
            return tuple(_stored(int(part)) for part in text.split(",") if part)
        if parameter.kind == "number":
            return _within(parameter, float(text))
        if parameter.kind == "many":
            return _chosen(parameter, tuple(part for part in text.split(",") if part))
        return _chosen(parameter, (text,))[0]
    except (ValueError, OverflowError):  # more digits than a float holds
        raise _bad(parameter, text) from None


def _stored(number: int) -> int:
    """Return a number that a column can hold; ValueError for a longer one."""
    if not -(2**63) <= number < 2**63:
        raise ValueError
    return number


def _within(parameter: Parameter, number: float) -> float:
    low = -math.inf if parameter.low is None else parameter.low
    high = math.inf if parameter.high is None else parameter.high
    if not (math.isfinite(number) and low <= number <= high):
        raise ValueError
    return number


def _chosen(parameter: Parameter, words: tuple[str, ...]) -> tuple[str, ...]:
    for word in words:
        if not word or (parameter.choices and word not in parameter.choices):
            raise _bad(parameter, word)
    return words
