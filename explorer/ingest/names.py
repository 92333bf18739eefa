"""The tables' spellings as the domain's Names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from explorer.domain.naming import Names, folded
from explorer.tables import table


@cache
def names() -> Names:
    """Return every vocabulary the tables hold."""
    models = table("models")
    words = {kind: _words(rows.items()) for kind, rows in table("aliases").items()}
    return Names(
        spellings={
            "hardware": _rows(table("hardware")),
            "engine": _rows(table("engines")),
            "model": _rows(models["models"]),
            "dataset": _rows(table("datasets")),
            "precision": _words(table("precisions")["match"].items()),
            **words,
        },
        quantisations=tuple(models["quantisation_suffixes"]),
        mocks=frozenset(key for key, row in table("hardware").items() if row.get("mock")),
    )


def _rows(rows: Mapping[str, Any]) -> dict[str, str]:
    return _words((key, row.get("match", ())) for key, row in rows.items())


def _words(items: Iterable[tuple[str, Iterable[str]]]) -> dict[str, str]:
    return {folded(text): key for key, texts in items for text in (key, *texts) if text}
