"""The address is the state: every query key, once, with its kind, default and old spellings.

`parse(format(state)) == state` for every state; unknown keys and bad values are reported, never
fatal; an empty text is none. The version rises when a key's meaning changes; old spellings stay
as aliases for ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import parse_qsl, quote

from explorer.domain import ranges
from explorer.domain.metrics import by_key, is_accuracy, quantities

VIEW_STATE_VERSION = 1

Kind = Literal["many", "one", "number", "flag", "text"]
_AXES = frozenset((*by_key(), *quantities()))
_LARGEST = 1e15
"""Beyond what any key measures; larger ones leave the range of what is computed from them."""
_HARDWARE = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


@dataclass(frozen=True, slots=True)
class Key:
    """One query key; `choices` empty means any text."""

    name: str
    kind: Kind
    default: Any = None
    choices: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()


def _one(name: str, default: str, *choices: str, aliases: tuple[str, ...] = ()) -> Key:
    return Key(name, "one", default, frozenset((default, *choices)), aliases)


def _many(name: str, *choices: str, aliases: tuple[str, ...] = ()) -> Key:
    return Key(name, "many", (), frozenset(choices), aliases)


FILTERS = (
    "model",
    "scenario",
    "workload",
    "dataset",
    "hw",
    "engine",
    "precision",
    "spec",
    "mode",
    "offload",
    "conc",
    "source",
    "run",
)
SPLITS = ("precision", "spec", "mode", "offload", "parallelism", "date", "run")
STATS = ("mean", "p50", "p75", "p90", "p95", "p99")

KEYS: tuple[Key, ...] = (
    *(Key(name, "many", ()) for name in FILTERS),
    Key("x", "one", "interactivity_tps", _AXES),
    Key("y", "one", "total_tps_per_gpu", _AXES),
    _one("stat", "p90", *STATS),
    _many("split", *SPLITS),
    _one("frontier", "plain", "e2e", "all"),
    Key("ttft_max", "number"),
    Key("speed_min", "number"),
    Key("e2e_min", "number"),
    Key("cost_max", "number"),
    _one("limit_stat", "p90", *STATS),
    _one("limit", "drop", "mark"),
    Key("valid", "flag", False),
    Key("partial", "flag", False),
    Key("accuracy_min", "number"),
    Key("price", "text", "own"),
    _one("scale", "lin", "logx", "logy", "log"),
    _one("label", "conc", "shape", "none"),
    Key("date", "text"),
    _one("runs", "newest", "all"),
    Key("unmerge", "text"),
    Key("hide", "many", ()),
    Key("at", "number"),
    Key("base", "text"),
    Key("bands", "flag", False),
    Key("x_from", "number"),
    Key("x_to", "number"),
    Key("y_from", "number"),
    Key("y_to", "number"),
    _one("rows", "top", "all"),
    Key("point", "text"),
    Key("snap", "text"),
    _one("lang", "en", "zh"),
    _one("theme", "auto", "light", "dark"),
    _one("phase", "profiling", "warmup", "all"),
    Key("engine_id", "text"),
    Key("from", "number"),
    Key("to", "number"),
    Key("where", "text"),
    Key("by", "one", None, frozenset(("conversation", "worker", "slot", "engine"))),
    Key("color", "text"),
    Key("q", "text", aliases=("search",)),
    Key("req", "text"),
    Key("range", "text"),
    Key("open", "many", ()),
    Key("a", "text"),
    Key("b", "text"),
    Key("c", "text"),
    Key("d", "text"),
    Key("turn", "text"),
    Key("agent", "text"),
    Key("view", "text"),
    Key("sort", "text"),
    Key("title", "text"),
    Key("caption", "text"),
    _one("size", "medium", "small", "large"),
    Key("check", "flag", False),
)
"""In canonical order. `rate.<hw>` and `kw.<hw>` (numbers) follow these.

Without `by` a timeline has lanes by conversation, by session slot where nearly every stream has
one request. `range` is `a..b` in s; two timelines on a page write `a:…;b:…`. `where` is
domain/ranges.py's: `isl_tokens:1000..20000;ttft_s:5..`.
"""

BY_NAME: Mapping[str, Key] = {key.name: key for key in KEYS}
_PLACE = {key.name: place for place, key in enumerate(KEYS)}
_ALIASES = {alias: key.name for key in KEYS for alias in key.aliases}
OWN_NUMBERS = ("rate", "kw")
_ENDS = (("x_from", "x_to"), ("y_from", "y_to"), ("from", "to"))
_SPAN = re.compile(r"(?:[a-z]:)?(-?[0-9.]+(?:e-?[0-9]+)?)\.\.(-?[0-9.]+(?:e-?[0-9]+)?)")
_PRICE = re.compile(r"(own|neocloud|rental)(@[A-Za-z0-9._-]{1,32})?")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in an address that was not understood: a code and the words found."""

    code: Literal["unknown_key", "bad_value", "bad_range"]
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class ViewState:
    """What an address says; holds only what differs from the defaults."""

    values: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    def __getitem__(self, name: str) -> Any:
        if name in self.values:
            return self.values[name]
        if name in OWN_NUMBERS:
            return {}
        return BY_NAME[name].default

    def having(self, **changes: Any) -> ViewState:
        """Return a state with keys set; None, empty and default values leave the address."""
        names = {name.rstrip("_"): value for name, value in changes.items()}
        kept = {name: value for name, value in self.values.items() if name not in names}
        return ViewState(kept | _tidy(names), self.problems)

    def only(self, names: Iterable[str]) -> ViewState:
        """Return a state with these keys and no others."""
        names = set(names)
        return ViewState({key: value for key, value in self.values.items() if key in names})

    def toggled(self, name: str, value: str) -> ViewState:
        """Return a state with one value of a several-valued key switched."""
        now = set(self[name])
        now.symmetric_difference_update({value})
        return self.having(**{name: tuple(now)})


def _tidy(values: Mapping[str, Any]) -> dict[str, Any]:
    tidy: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, (list, set, tuple, frozenset)):
            parts = (part for item in value for part in item.split(","))
            value = tuple(sorted({part for part in parts if part}))
        default = {} if name in OWN_NUMBERS else BY_NAME[name].default
        if value is not None and value != default:
            tidy[name] = value
    return tidy


def parse(query: str) -> ViewState:
    """Return the state of a query string (with or without `?`), with what was not understood."""
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for raw, text in parse_qsl(query.lstrip("?"), keep_blank_values=True):
        name = _ALIASES.get(raw, raw)
        stem, _, hardware = name.partition(".")
        if stem in OWN_NUMBERS and _HARDWARE.fullmatch(hardware):
            number = _number(text)
            if not text:
                continue
            if number is None:
                problems.append(Problem("bad_value", raw, text))
            else:
                values.setdefault(stem, {})[hardware] = number
        elif name not in BY_NAME:
            problems.append(Problem("unknown_key", raw, text))
        elif not text and BY_NAME[name].kind in ("text", "number"):
            continue
        else:
            value = _value(BY_NAME[name], text)
            if value is None:
                problems.append(Problem("bad_value", raw, text))
            else:
                values[name] = value
    problems += _without_backward(values)
    return ViewState(_tidy(values), tuple(problems))


def _without_backward(values: dict[str, Any]) -> Iterator[Problem]:
    """Take ranges that end where or before they begin out of values, and say which."""
    for begin, end in _ENDS:
        low, high = values.get(begin), values.get(end)
        if low is not None and high is not None and low >= high:
            del values[begin], values[end]
            yield Problem("bad_range", end, f"{_decimal(low)}..{_decimal(high)}")


def _value(key: Key, text: str) -> Any:
    """Return a key's value from its text; None when it is not one."""
    if key.kind == "many":
        parts = tuple(sorted({part for part in text.split(",") if part}))
        return parts if not key.choices or key.choices.issuperset(parts) else None
    if key.kind == "number":
        return _number(text)
    if key.kind == "flag":
        return {"1": True, "0": False, "true": True, "false": False}.get(text)
    if key.name == "date":
        return text if _is_day(text) else None
    if key.name == "price":
        return text if _PRICE.fullmatch(text) else None
    if key.choices is _AXES and is_accuracy(text):
        return text
    if key.name == "where":
        return text if ranges.parse(text) else None
    if key.name == "range":
        return text if all(map(_is_span, text.split(";"))) else None
    if key.choices:
        return text if text in key.choices else None
    return text or None


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_span(text: str) -> bool:
    """Tell whether a text is `a..b` in s, a before b, perhaps with its timeline: `b:1..2.5`."""
    found = _SPAN.fullmatch(text)
    if found is None:
        return False
    low, high = _number(found[1]), _number(found[2])
    return low is not None and high is not None and low < high


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) <= _LARGEST else None


def renamed(query: str) -> str:
    """Return a query string with the keys that were once called otherwise by their names of today.

    Nothing else changes; where both spellings are given the later one counts, as in `parse`.
    """
    parts = (part.partition("=") for part in query.split("&"))
    return "&".join(f"{_ALIASES.get(key, key)}{equals}{text}" for key, equals, text in parts)


def format(state: ViewState) -> str:
    """Return the canonical query string: registry order, defaults left out, no `?`."""
    names = sorted((name for name in state.values if name in _PLACE), key=_PLACE.__getitem__)
    parts = [_part(name, state.values[name]) for name in names]
    for stem in OWN_NUMBERS:
        for hardware, number in sorted(state[stem].items()):
            parts.append(f"{stem}.{hardware}={_decimal(number)}")
    return "&".join(parts)


@lru_cache(maxsize=4_096)
def _part(name: str, value: Any) -> str:
    """Return `key=value`; a page writes the same few of them into hundreds of addresses."""
    return f"{name}={_text(BY_NAME[name], value)}"


def _text(key: Key, value: Any) -> str:
    if key.kind == "many":
        return ",".join(quote(part, safe="") for part in value)
    if key.kind == "number":
        return _decimal(value)
    if key.kind == "flag":
        return "1" if value else "0"
    return quote(value, safe="@:/")


def _decimal(number: float) -> str:
    whole = number == int(number) and abs(number) < 1e15
    return repr(int(number)) if whole else repr(number).replace("+", "")
