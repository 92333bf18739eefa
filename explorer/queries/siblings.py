"""The other points of the same series: parallelism × offload by concurrency."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.domain.lake import Lake
from explorer.domain.metrics import stored_keys

SAME = (
    "model",
    "hw",
    "engine",
    "precision",
    "spec",
    "mode",
    "scenario",
    "workload",
    "dataset",
    "harness",
    "source",
)
"""Fields in which siblings agree; parallelism, offload and concurrency vary."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows (parallelism, offload, backend) × concurrencies; a cell is a point or None."""

    rows: list[tuple[str, str, str]]
    concurrencies: list[int]
    cells: Mapping[tuple[tuple[str, str, str], int], dict[str, Any]]
    previous: str | None
    following: str | None


def matrix(lake: Lake, point: Mapping[str, Any], metric: str, snap: str | None = None) -> Matrix:
    """Return the point's series as a matrix with one stored metric per cell.

    Where several runs measured a cell, the point itself, then its own run's, then the newest
    stands there. Previous and next go through the rows in order.
    """
    points = _chosen(_siblings(lake, point, metric, snap), point)
    cells = {(_row(one), int(one["concurrency"])): one for one in points}
    order = sorted(cells)
    here = next((at for at in order if cells[at]["point_id"] == point["point_id"]), None)
    index = order.index(here) if here else -1
    return Matrix(
        rows=sorted({row for row, _ in cells}),
        concurrencies=sorted({concurrency for _, concurrency in cells}),
        cells=cells,
        previous=cells[order[index - 1]]["point_id"] if index > 0 else None,
        following=cells[order[index + 1]]["point_id"] if 0 <= index < len(order) - 1 else None,
    )


def _siblings(
    lake: Lake, point: Mapping[str, Any], metric: str, snap: str | None
) -> list[dict[str, Any]]:
    same = " AND ".join(f"{name} IS NOT DISTINCT FROM ${name}" for name in SAME)
    value = metric if metric in stored_keys() else "NULL"
    sql = (
        "SELECT point_id, run_id, date, status, valid, parallelism, kv_offload, "
        f"kv_offload_backend, concurrency, {value} AS value "
        f"FROM {{points}} WHERE {same} AND concurrency IS NOT NULL "
        "ORDER BY date NULLS FIRST, point_id"
    )
    return lake.rows(sql, {name: point.get(name) for name in SAME}, snap=snap)


def _chosen(points: Sequence[dict[str, Any]], point: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return one point per cell; later ones in the list, the run's own and itself win."""
    ranked = sorted(
        points,
        key=lambda one: (
            one["point_id"] == point["point_id"],
            one["run_id"] is not None and one["run_id"] == point.get("run_id"),
        ),
    )
    return list({(_row(one), one["concurrency"]): one for one in ranked}.values())


def _row(one: Mapping[str, Any]) -> tuple[str, str, str]:
    offload = one["kv_offload"] or ""
    return (
        one["parallelism"] or "",
        "" if offload == "none" else offload,
        (one["kv_offload_backend"] or ""),
    )


def candidates(
    lake: Lake, point: Mapping[str, Any], snap: str | None = None
) -> list[dict[str, Any]]:
    """Return the point's siblings, the most alike first: one setting apart, then two, …

    The same sessions come before others, and those before the nearest number of sessions.
    """
    found = matrix(lake, point, "total_tps_per_gpu", snap).cells.values()
    others = [one for one in found if one["point_id"] != point["point_id"]]
    return sorted(others, key=lambda one: (*_apart(one, point), one["point_id"]))


def _apart(one: Mapping[str, Any], point: Mapping[str, Any]) -> tuple[int, bool, float]:
    """Return in how many settings two points differ, in parallelism too?, how far in sessions."""
    shape, offload = (a != b for a, b in zip(_row(one)[:2], _row(point)[:2], strict=True))
    here = point.get("concurrency") or one["concurrency"]
    far = abs(math.log(max(one["concurrency"], 1) / max(here, 1)))
    return shape + offload + (far > 0), shape, far
