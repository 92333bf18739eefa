"""A plain file server ignores a query; this small script reads it and goes to the view it names.

The same address serves with and without a server: `/e/v1/curve?model=…` is the folder
`e/v1/curve/`, whose page is the first view and whose script replaces it by the one asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from urllib.parse import parse_qsl

from explorer.domain import view_state
from explorer.domain.view_state import ViewState
from explorer.publish.views import Wanted

IGNORED = ("snap", "check")
LOOKS = ("lang", "theme")
WORDS = ("title", "caption", "size")
"""Keys of an embed's frame: without them its picture is the same."""
_SCRIPT = """(() => {
const site = %s;
const one = (name) => Object.hasOwn(site.alias, name) ? site.alias[name] : name;
const spelled = (name, text) => {
  const parts = () => [...new Set(text.split(",").filter(Boolean))];
  if (site.many.includes(name)) return parts().sort().join(",");
  return site.numbers.includes(name.split(".")[0]) && text !== "" ? String(Number(text)) : text;
};
const key = (left) => {
  const pairs = [];
  for (const [raw, text] of new URLSearchParams(location.search)) {
    const name = one(raw);
    const value = spelled(name, text);
    if (value === "" || left.includes(name) || site.defaults[name] === value) continue;
    if (site.known.length && !site.known.includes(name.split(".")[0])) continue;
    pairs.push(name + "=" + value);
  }
  return pairs.sort().join("&");
};
if (!location.search) return;
for (const left of site.tries) {
  const found = site.views[key(left)];
  if (found === undefined) continue;
  if (found) location.replace(found + location.search + location.hash);
  return;
}
if (site.missing) location.replace(site.missing);
})();"""


def key(state: ViewState, left: Iterable[str] = ()) -> str:
    """Return what the script works out of a query: decoded pairs, sorted, some keys left out."""
    gone = {*IGNORED, *left}
    pairs = []
    for name, text in parse_qsl(view_state.format(state)):
        if name not in gone:
            pairs.append(f"{name}={_number(text) if _is_number(name) else text}")
    return "&".join(sorted(pairs))


def _is_number(name: str) -> bool:
    return name.partition(".")[0] in _numbers()


def _number(text: str) -> str:
    """Return a number as JavaScript writes it: 1e-07 is 1e-7."""
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}e{'+' * (int(exponent) > 0)}{int(exponent)}" if mark else text


def _numbers() -> list[str]:
    named = [one.name for one in view_state.KEYS if one.kind == "number"]
    return [*named, *view_state.OWN_NUMBERS]


def script(views: Iterable[tuple[Wanted, str]], missing: str, known: Iterable[str] = ()) -> str:
    """Return the script of a folder; `views` are with their places from it, empty for itself.

    `known` keys alone count (all do without); `missing` is where an unknown view leads.
    """
    table: dict[str, str] = {}
    for one, way in views:
        for left in ((), WORDS, (*WORDS, "theme"), (*WORDS, *LOOKS)):
            table.setdefault(key(one.state, left), way)
    keys = view_state.KEYS
    facts = {
        "views": table,
        "missing": missing,
        "known": list(known),
        "tries": [[*IGNORED, *left] for left in ((), WORDS, (*WORDS, "theme"), (*WORDS, *LOOKS))],
        "many": [one.name for one in keys if one.kind == "many"],
        "numbers": _numbers(),
        "alias": {alias: one.name for one in keys for alias in one.aliases},
        "defaults": {one.name: _default(one.default) for one in keys if _default(one.default)},
    }
    text = json.dumps(facts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return _SCRIPT % text.replace("<", "\\u003c")


def _default(value: object) -> str:
    """Return a default as an address would spell it; empty where there is none."""
    if value is False:
        return "0"
    return value if isinstance(value, str) else ""
