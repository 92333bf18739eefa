"""Tables people edit: hardware, engines, models, spellings, prices; TOML in, plain values out."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """Return a table as plain values; names are the files beside this one, without `.toml`."""
    return tomllib.loads((files(__package__) / f"{name}.toml").read_text(encoding="utf-8"))


def price_version() -> str:
    """Return the newest price table's version."""
    return str(table("prices")["newest"])


def prices(version: str | None = None) -> dict[str, dict[str, float]] | None:
    """Return hardware → {own, neocloud, rental in $/GPU-hour, kw all-in per GPU}.

    None when the version is unknown; a rate that a hardware lacks is absent.
    """
    found = table("prices")["versions"].get(version or price_version())
    return dict(found["hw"]) if found else None


def label(name: str, key: str) -> str | None:
    """Return how people write a key of `hardware`, `engines`, `models` or `datasets`."""
    rows = table(name)
    rows = rows["models"] if name == "models" else rows
    return rows[key]["label"] if key in rows else None
