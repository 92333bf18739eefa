"""One catalogue of every string shown to people, in English and Chinese.

`text(lang, key, **params)` translates at the edge; inner layers return codes and arguments.
Catalogues are `i18n/<lang>/*.toml`, flat `key = "text"` with `{name}` places; both languages
have the same keys (a test checks it).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "zh")
_FOLDER = Path(__file__).parent


@cache
def catalogue(lang: str) -> Mapping[str, str]:
    """Return all strings of a language; a key defined in two files raises ValueError."""
    strings: dict[str, str] = {}
    for path in sorted((_FOLDER / lang).glob("*.toml")):
        part = _flat(tomllib.loads(path.read_text(encoding="utf-8")))
        if twice := sorted(strings.keys() & part.keys()):
            raise ValueError(f"{path.name}: defined elsewhere too: {', '.join(twice)}")
        strings.update(part)
    return strings


def _flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat


def text(lang: str, key: str, /, **params: Any) -> str:
    """Return a string in a language with its places filled; KeyError for an unknown key."""
    template = catalogue(lang)[key]
    return template.format(**params) if params else template


def has(lang: str, key: str) -> bool:
    """Tell whether a key exists."""
    return key in catalogue(lang)
