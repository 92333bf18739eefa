"""The points of a curve: columns for a picture, and a dict each once somebody reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, overload

import numpy as np
import numpy.typing as npt

Point = Mapping[str, Any]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


class Source(Protocol):
    """What points are read from: whole, or one thing of each; `places` are theirs in the curve."""

    def rows(self, places: Ints) -> list[dict[str, Any]]:
        """Return a dict per place."""
        ...

    def column(self, name: str, places: Ints) -> list[Any]:
        """Return what the dicts hold under a name, or under a limit's name in `at_limit`."""
        ...


class CurvePoints(Sequence[Point]):
    """A sequence of points whose dicts are made at first reading: a chart of thousands needs none.

    `x`, `y` are floats; `won` (on the frontier), `able` (may be on it), `ringed` (ran with KV
    offload), `partial`, `doubtful` (carries a caution) and `served` (the share that its tier served
    is known) are flags, all in the order of the points. `ids` are point ids.
    """

    def __init__(
        self,
        ids: list[str],
        axes: tuple[Floats, Floats],
        flags: tuple[Mask, ...],
        source: Source,
    ) -> None:
        self.ids = ids
        self.x, self.y = axes
        self.won, self.able, self.ringed, self.partial, self.doubtful, self.served = flags
        self._source = source
        self._rows: list[dict[str, Any]] | None = None
        self._vertices: list[tuple[float, float]] | None = None

    @classmethod
    def of(cls, points: Sequence[Point]) -> CurvePoints:
        """Return points that are dicts already as such a sequence."""
        if isinstance(points, cls):
            return points
        rows = [dict(point) for point in points]
        x, y = (np.array([row[name] for row in rows], dtype=np.float64) for name in ("x", "y"))
        won, able, ringed, partial, doubtful, served = (
            np.array([holds(row) for row in rows], dtype=bool) for holds in _FLAGS
        )
        flags = (won, able, ringed, partial, doubtful, served)
        made = cls([row["point_id"] for row in rows], (x, y), flags, _Dicts(rows))
        made._rows = rows
        return made

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, place: int) -> Point: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Point]: ...
    def __getitem__(self, place: int | slice) -> Point | Sequence[Point]:
        return self.rows()[place]

    def __iter__(self) -> Iterator[Point]:
        return iter(self.rows())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Iterable) and self.rows() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def rows(self) -> list[dict[str, Any]]:
        """Return a dict per point; shared between callers: read them, never change them."""
        if self._rows is None:
            self._rows = self._source.rows(self.places())
        return self._rows

    def some(self, places: Ints) -> list[dict[str, Any]]:
        """Return the dicts of some places, without making the others."""
        if self._rows is None:
            return self._source.rows(places)
        return [self._rows[place] for place in places.tolist()]

    def places(self) -> Ints:
        """Return the places of all points."""
        return np.arange(len(self), dtype=np.int64)

    def column(self, name: str, places: Ints | None = None) -> list[Any]:
        """Return one thing of every point, or of those at some places, without making dicts.

        `name` is a key of their dicts, or of `at_limit` in them.
        """
        return self._source.column(name, self.places() if places is None else places)

    def winners(self) -> list[dict[str, Any]]:
        """Return the points on the frontier."""
        return self.some(np.flatnonzero(self.won))

    def vertices(self) -> list[tuple[float, float]]:
        """Return (x, y) of the points on the frontier, in their order; shared between callers."""
        if self._vertices is None:
            x, y = self.x[self.won].tolist(), self.y[self.won].tolist()
            self._vertices = list(zip(x, y, strict=True))
        return self._vertices


class _Dicts:
    """Points that are dicts already."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows

    def rows(self, places: Ints) -> list[dict[str, Any]]:
        return [self._rows[place] for place in places.tolist()]

    def column(self, name: str, places: Ints) -> list[Any]:
        return [
            row[name] if name in row else row["at_limit"].get(name) for row in self.rows(places)
        ]


def offloaded(point: Point) -> bool:
    """Tell whether a point ran with KV offload."""
    return (point["kv_offload"] or "none") != "none"


def cautious(point: Point) -> bool:
    """Tell whether a point carries a caution: invalid by its harness, or a warning."""
    return point["valid"] is False or bool(point.get("careful"))


_FLAGS: tuple[Callable[[Point], bool], ...] = (
    lambda point: point["on_frontier"],
    lambda point: point["eligible"],
    offloaded,
    lambda point: point.get("status") == "partial",
    cautious,
    lambda point: point.get("tier_ratio") is not None,
)
