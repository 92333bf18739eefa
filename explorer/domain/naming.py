"""Names as files spell them to keys: one spelling in, (key, known) out.

An unknown spelling passes through in lower case with `known` False, so that a new GPU or engine
still plots; the caller counts and reports it. The spellings come from tables, handed in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_SEPARATORS = re.compile(r"[\s_]+")
_CLUSTER = re.compile(r"^cluster:")
_UNSAFE = re.compile(r"[^a-z0-9.]+")
Named = tuple[str | None, bool]


def folded(raw: Any) -> str:
    """Return a spelling as it is compared: lower case, spaces and underscores as hyphens."""
    return _SEPARATORS.sub("-", str(raw).strip().lower())


@dataclass(frozen=True, slots=True)
class Names:
    """Vocabularies of names: kind → folded spelling → key.

    Kinds: hardware, engine, model, dataset, precision, spec, kv_offload, kv_offload_backend.
    `quantisations` are suffixes a model's name may carry; `mocks` hardware that is no product.
    """

    spellings: Mapping[str, Mapping[str, str]]
    quantisations: tuple[str, ...] = ()
    mocks: frozenset[str] = field(default_factory=frozenset)

    def hardware(self, raw: str | None) -> Named:
        """Return the hardware key; `cluster:` and a site's suffix fall away (b200-dgxc: b200)."""
        if not raw or not str(raw).strip():
            return None, True
        text = _CLUSTER.sub("", folded(raw))
        words = f"-{text}-"
        listed = self.spellings["hardware"].items()
        found = [key for spelling, key in listed if f"-{spelling}-" in words]
        return (max(found, key=len), True) if found else (text, False)

    def model(self, raw: str | None) -> Named:
        """Return the model key of a short key, a repository name or a path on disk."""
        if not raw or not str(raw).strip():
            return None, True
        text = folded(str(raw).rstrip("/").rsplit("/", 1)[-1])
        bare = self._without_quantisation(text)
        for candidate in (text, bare):
            if key := self.spellings["model"].get(candidate):
                return key, True
        return bare, False

    def _without_quantisation(self, text: str) -> str:
        for suffix in self.quantisations:
            if text.endswith(suffix):
                return text.removesuffix(suffix)
        return text

    def word(self, kind: str, raw: Any) -> Named:
        """Return the key of any other kind; null for null."""
        if raw is None:
            return None, True
        text = folded(raw)
        if key := self.spellings[kind].get(text):
            return key, True
        return (text, False) if text else (None, True)

    def dataset(self, raw: str | None) -> str | None:
        """Return the slug of a trace set: a listed spelling's, else the name's own."""
        if not raw or not str(raw).strip():
            return None
        listed = self.spellings["dataset"].get(folded(raw))
        return listed or slug(str(raw).rstrip("/").rsplit("/", 1)[-1])


def slug(text: str) -> str | None:
    """Return lower-case letters, digits, dots and single hyphens; null when nothing is left."""
    return _UNSAFE.sub("-", text.strip().lower()).strip("-.") or None


def workload(isl: int | None, osl: int | None) -> str | None:
    """Return the short name of a fixed shape.

    >>> workload(8192, 1024), workload(1024, 1024), workload(512, 64)
    ('8k1k', '1k1k', '512-64')
    """
    if not isl or not osl:
        return None
    if isl % 1024 == 0 and osl % 1024 == 0:
        return f"{isl // 1024}k{osl // 1024}k"
    return f"{isl}-{osl}"
