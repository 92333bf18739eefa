"""What files say of points without being a point: accuracy, changelog entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Accuracy:
    """One evaluation of a configuration; names are as the file spells them.

    `fields` holds hw_raw, model_raw, engine_raw, precision, spec, tp, ep, dp_attention. `when`
    orders evaluations of one configuration: the latest counts.
    """

    fields: dict[str, Any]
    task: str
    value: float
    when: str


@dataclass(frozen=True, slots=True)
class Change:
    """One changelog entry for configurations whose name starts with one of `config_keys`.

    `run` limits it to a workflow run; without one it holds for points of the same download.
    """

    text: str
    date: str | None
    config_keys: tuple[str, ...] = ()
    run: str | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """A file that belongs to a benchmark and adds nothing of its own (a summary table)."""

    what: str
