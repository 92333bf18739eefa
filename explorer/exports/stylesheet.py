"""The product's stylesheets, computed without a browser: what an element of a picture looks like.

Pictures carry classes; files that stand alone carry plain attributes instead. Knows what the
pictures use: selectors, custom properties, `color-mix` in oklab and srgb. Media rules are left
out: light and dark are chosen by `data-theme` on the root, the rest is for screens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import cssselect2
import tinycss2

from explorer.exports.colour_mix import mix
from explorer.exports.scripts import ASSETS

SHEETS = ("tokens", "layout", "series", "point", "conversations", "compare", "embed")
Declared = Mapping[str, str]
_VAR = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,((?:[^()]|\([^()]*\))*))?\)")
_DEPTH = 8


@cache
def _matcher() -> cssselect2.Matcher:
    """Return every rule of the sheets that a picture can meet."""
    matcher = cssselect2.Matcher()
    for name in SHEETS:
        text = (ASSETS / f"{name}.css").read_text(encoding="utf-8")
        for selector, declared in _rules(text):
            matcher.add_selector(selector, declared)
    return matcher


def _rules(text: str) -> Iterator[tuple[Any, Declared]]:
    for node in tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True):
        if node.type == "qualified-rule":
            yield from _rule(node, "")


def _rule(node: Any, outer: str) -> Iterator[tuple[Any, Declared]]:
    """Yield a rule's selectors with what they declare, then the rules nested in it."""
    prelude = f"{outer} {tinycss2.serialize(node.prelude).strip()}".strip()
    inside = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
    declared = {
        one.lower_name: tinycss2.serialize(one.value).strip()
        for one in inside
        if one.type == "declaration"
    }
    for selector in _selectors(prelude) if declared else ():
        yield selector, declared
    for one in inside:
        if one.type == "qualified-rule":
            yield from _rule(one, prelude)


def _selectors(prelude: str) -> list[Any]:
    """Return a rule's selectors; none for what only browsers know (`::-webkit-…`)."""
    try:
        compiled: list[Any] = cssselect2.compile_selector_list(prelude)
    except cssselect2.SelectorError:
        return []
    return compiled


def declared(element: cssselect2.ElementWrapper) -> dict[str, str]:
    """Return property → text that the rules matching an element give it, in cascade order."""
    found: dict[str, str] = {}
    matches = _matcher().match(element)
    for _, _, pseudo, declarations in sorted(matches, key=lambda match: match[:2]):
        if pseudo is None:
            found.update(declarations)
    return found


def resolved(text: str, known: Mapping[str, str]) -> str:
    """Return a value with its variables and colour mixtures worked out; "" where one is unset."""
    for _ in range(_DEPTH):
        if "var(" not in text:
            return mix(text)
        text = _VAR.sub(lambda found: known.get(found[1], (found[2] or "").strip()), text)
    return ""
