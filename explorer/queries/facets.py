"""What each filter could be set to, with counts under the other filters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from explorer.domain import view_state
from explorer.domain.lake import Lake
from explorer.domain.metrics import ACCURACY, is_accuracy
from explorer.domain.view_state import ViewState
from explorer.queries.filters import COLUMNS, NARROWING, Chosen
from explorer.queries.point_table import Mask, PointTable, point_table, scores
from explorer.store.cache import Memo

_FOUND: Memo[tuple[str, ...], Any] = Memo(1_024)
"""(snapshot, question, filters) → its answer: axes, limits and the picture change none."""
T = TypeVar("T")
Ask = Callable[[PointTable, Chosen], T]


def _once(lake: Lake, state: ViewState, question: str, ask: Ask[T]) -> T:
    key = (lake.snapshot(state["snap"]).snap, question, view_state.format(state.only(NARROWING)))

    def answer() -> T:
        table = point_table(lake, state["snap"])
        return ask(table, Chosen(table, state))

    found: T = _FOUND.get(key, answer)
    return found


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a filter and how many points it would leave."""

    value: str
    points: int


def facets(lake: Lake, state: ViewState, names: Sequence[str]) -> dict[str, list[Choice]]:
    """Return each filter's values, most points first, counted under all other filters."""

    def ask(table: PointTable, chosen: Chosen) -> dict[str, list[Choice]]:
        found = {name: _counted(table, COLUMNS[name], chosen.mask(name)) for name in names}
        return {
            name: sorted(choices, key=lambda one: (-one.points, one.value))
            for name, choices in found.items()
        }

    return _once(lake, state, f"facets {names}", ask)


def _counted(table: PointTable, column: str, mask: Mask) -> list[Choice]:
    """Return each value of a column among some rows with its count, values ascending."""
    codes = table.codes(column)
    counts = np.bincount(codes.codes[mask] + 1, minlength=len(codes.values) + 1)[1:].tolist()
    return [Choice(str(value), n) for value, n in zip(codes.values, counts, strict=True) if n]


QUICK: tuple[tuple[str, Callable[[PointTable], tuple[Mask, Mask]]], ...] = (
    ("valid", lambda table: _parted(table, "valid", {False})),
    ("partial", lambda table: (_is(table, "status", {"partial"}),) * 2),
    ("offload", lambda table: _parted(table, "kv_offload", _on(table, "kv_offload"))),
    ("spec", lambda table: _parted(table, "spec", _on(table, "spec"))),
    ("mode", lambda table: (_is(table, "mode", {"agg"}), _is(table, "mode", _other_modes(table)))),
)
"""Key → rows that its quick filter leaves (or lets in), and rows of which one must exist."""


def _is(table: PointTable, name: str, values: set[Any]) -> Mask:
    return table.codes(name).among(values)


def _on(table: PointTable, name: str) -> set[Any]:
    return set(table.codes(name).values) - {"none"}


def _other_modes(table: PointTable) -> set[Any]:
    return set(table.codes("mode").values) - {"agg"}


def _parted(table: PointTable, name: str, out: set[Any]) -> tuple[Mask, Mask]:
    gone = _is(table, name, out)
    return ~gone, gone


def quick(lake: Lake, state: ViewState) -> dict[str, int]:
    """Return how many points each quick filter would leave; those that change nothing are absent.

    Counted under all other filters. `partial` counts the partial runs that it would let in.
    """
    return _once(lake, state, "quick", _quick)


def _quick(table: PointTable, chosen: Chosen) -> dict[str, int]:
    whole = ~_is(table, "status", {"failed"})
    found = {}
    for name, rows in QUICK:
        leaves, needs = rows(table)
        among = chosen.mask(name) & whole
        if (among & needs).any() and (n := int((among & leaves).sum())):
            found[name] = n
    return found


def accuracies(lake: Lake, state: ViewState) -> int:
    """Return how many points of a view have an evaluation beside their speed."""
    return _once(
        lake,
        state,
        "accuracies",
        lambda table, chosen: int(
            (chosen.mask("accuracy_min") & (table.codes("accuracy").codes >= 0)).sum()
        ),
    )


def tasks(lake: Lake, state: ViewState) -> list[str]:
    """Return the tasks on which points of a view were evaluated, by name."""
    return _once(lake, state, "tasks", _tasks)


def _tasks(table: PointTable, chosen: Chosen) -> list[str]:
    column = table.codes("accuracy")
    among = np.unique(column.codes[chosen.mask("accuracy_min")])
    found = {task for code in among.tolist() if code >= 0 for task in scores(column.values[code])}
    return sorted(task for task in found if is_accuracy(f"{ACCURACY}{task}"))


def dates(lake: Lake, state: ViewState) -> list[Choice]:
    """Return the days that brought points of a view, newest first."""
    return _once(
        lake,
        state,
        "dates",
        lambda table, chosen: _counted(table, "date", chosen.mask("date"))[::-1],
    )
