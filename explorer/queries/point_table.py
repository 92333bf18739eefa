"""The points of a snapshot as columns in memory: what filters, facets and curves count over.

A view asks the same few thousand rows again and again with other filters, axes and limits; held
as columns, each such question costs some array operations instead of a statement. Read once per
process and snapshot, in the order of point ids.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from explorer.domain.lake import Lake
from explorer.domain.metrics import ACCURACY, is_accuracy
from explorer.store.cache import Memo

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

HARNESS_MINOR = "harness_minor"
HARDWARE = "hw_or_raw"
LOWEST_ACCURACY = "lowest_accuracy"
"""Columns made here: the harness's version up to its minor part; the hardware's key, else as the
file spells it; the lowest accuracy among a point's evaluations."""


@dataclass(frozen=True, slots=True)
class Codes:
    """A column as numbers: `codes[row]` is a place in `values`, which ascend; −1 is missing."""

    codes: Ints
    values: Sequence[Any]

    def among(self, wanted: set[Any]) -> Mask:
        """Return which rows hold one of some values; a missing value is none of them."""
        return self.where([value in wanted for value in self.values], missing=False)

    def where(self, holds: Sequence[bool], missing: bool) -> Mask:
        """Return which rows hold, from whether each value does."""
        found: Mask = np.array([*holds, missing], dtype=bool)[self.codes]
        return found

    def at(self, row: int) -> Any:
        """Return a row's value; None where it is missing."""
        code = self.codes[row]
        return None if code < 0 else self.values[code]


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column of numbers; where it is not `known` its value is NaN."""

    values: Floats
    known: Mask

    def listed(self, rows: Ints) -> list[float | None]:
        """Return the values of some rows, missing ones as None."""
        values: list[float | None] = self.values[rows].tolist()
        if self.known[rows].all():
            return values
        known = self.known[rows].tolist()
        return [value if there else None for value, there in zip(values, known, strict=True)]


class PointTable:
    """Columns of one snapshot's points, each made at its first use; row i is `ids[i]`."""

    def __init__(self, rows: pa.Table) -> None:
        self.rows = rows.combine_chunks()
        self.ids: list[str] = self.rows["point_id"].to_pylist()
        self.place = {point_id: index for index, point_id in enumerate(self.ids)}
        self._columns: dict[str, npt.NDArray[np.object_]] = {}
        self._codes: dict[str, Codes] = {}
        self._numbers: dict[str, Numbers] = {}
        self._groups: dict[tuple[str, ...], Ints] = {}
        self._facts: dict[tuple[tuple[str, ...], tuple[str, ...]], list[dict[str, Any]]] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def codes(self, name: str) -> Codes:
        """Return a column of texts, numbers or flags as codes."""
        if name not in self._codes:
            self._codes[name] = _coded(self._texts(name))
        return self._codes[name]

    def column(self, name: str) -> npt.NDArray[np.object_]:
        """Return a column as it is stored, to take the values of some rows from."""
        if name not in self._columns:
            values = self._texts(name)
            self._columns[name] = np.fromiter(values, dtype=object, count=len(values))
        return self._columns[name]

    def _texts(self, name: str) -> list[Any]:
        """Return a column's values, stored or made."""
        if name == HARNESS_MINOR:
            return [_minor(version) for version in self._texts("harness_version")]
        if name == HARDWARE:
            both = zip(self._texts("hw"), self._texts("hw_raw"), strict=True)
            return [hw or raw for hw, raw in both]
        found: list[Any] = self.rows[name].to_pylist()
        return found

    def numbers(self, name: str) -> Numbers:
        """Return a column of numbers."""
        if name not in self._numbers:
            if name == LOWEST_ACCURACY:
                lowest = [_lowest(text) for text in self._texts("accuracy")]
                column = pa.array(lowest, pa.float64())
            elif is_accuracy(name):
                task = name.removeprefix(ACCURACY)
                column = pa.array(
                    [scores(t).get(task) for t in self._texts("accuracy")], pa.float64()
                )
            else:
                column = self.rows[name]
            self._numbers[name] = as_numbers(column)
        return self._numbers[name]

    def group(self, names: tuple[str, ...]) -> Ints:
        """Return a number per row, equal where all of some columns are; it tells no order."""
        if names not in self._groups:
            found = np.zeros(len(self), dtype=np.int64)
            for name in names:
                column = self.codes(name)
                mixed = found * (len(column.values) + 1) + column.codes + 1
                found = np.unique(mixed, return_inverse=True)[1].astype(np.int64)
            self._groups[names] = found
        return self._groups[names]

    def facts(self, names: tuple[str, ...], blank: tuple[str, ...] = ()) -> list[dict[str, Any]]:
        """Return per row some columns by name; shared between callers: copy, never change them.

        `blank` are keys without a value yet: a copy is filled in without growing.
        """
        if (names, blank) not in self._facts:
            columns = [self._texts(name) for name in names]
            rest = dict.fromkeys(blank)
            self._facts[names, blank] = [
                dict(zip(names, row, strict=True)) | rest for row in zip(*columns, strict=True)
            ]
        return self._facts[names, blank]

    def taken(self, ids: Sequence[str]) -> list[dict[str, Any]]:
        """Return the whole stored rows of some points, in their order."""
        places = [self.place[point_id] for point_id in ids]
        if len(places) == 1:  # a card: a tenth of what taking one row of all columns costs
            named = zip(self.rows.column_names, self.rows.columns, strict=True)
            return [{name: column[places[0]].as_py() for name, column in named}]
        found: list[dict[str, Any]] = self.rows.take(pa.array(places, pa.int64())).to_pylist()
        return found


def as_numbers(column: pa.ChunkedArray | pa.Array) -> Numbers:
    """Return an Arrow column as floats, missing as NaN."""
    floats = column.cast(pa.float64())
    known = np.asarray(floats.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
    return Numbers(np.asarray(floats.to_numpy(zero_copy_only=False), dtype=np.float64), known)


def _coded(values: list[Any]) -> Codes:
    known = sorted({value for value in values if value is not None})
    place = {value: index for index, value in enumerate(known)}
    codes = [-1 if value is None else place[value] for value in values]
    return Codes(np.array(codes, dtype=np.int64), known)


def _minor(version: str | None) -> str | None:
    return ".".join(version.split(".")[:2]) if version else None


def scores(accuracy: str | None) -> dict[str, float]:
    """Return the evaluations of a point by task, from their JSON."""
    found = json.loads(accuracy) if accuracy else {}
    return {task: float(one) for task, one in found.items() if isinstance(one, (int, float))}


def _lowest(accuracy: str | None) -> float | None:
    return min(scores(accuracy).values(), default=None)


_TABLES: Memo[str, PointTable] = Memo(400_000_000, lambda table: table.rows.nbytes)
"""Snapshot → its points: 400 MB at most."""


def point_table(lake: Lake, snap: str | None = None) -> PointTable:
    """Return the points of a snapshot (hash or name; the newest without one) as columns."""
    snapshot = lake.snapshot(snap).snap
    return _TABLES.get(
        snapshot,
        lambda: PointTable(lake.arrow("SELECT * FROM {points} ORDER BY point_id", snap=snapshot)),
    )
