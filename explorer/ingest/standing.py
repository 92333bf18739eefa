"""What stands in the lake before an ingest: points, their aliases, datasets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from explorer.domain.columns import POINT_COLUMNS
from explorer.domain.metrics import request_metrics, stored_keys
from explorer.ingest.manifest import Manifest, Part
from explorer.store import snapshots, tables

_FIELDS = tuple(column.name for column in POINT_COLUMNS)
_NEEDED = ["point_id", "aliases", "dataset_raw", "requests_object"]
_NO_FIELDS = frozenset(
    ["point_id", "revision", "aliases", "format", "status", "warnings", "sources", "accuracy"]
)


class Standing:
    """The newest snapshot's points by every id they answer to."""

    def __init__(self, lake: Path, manifest: Manifest) -> None:
        current = snapshots.read_current(lake)
        snapshot = snapshots.load(lake, current) if current else None
        parts = snapshot.tables if snapshot else {}
        table = tables.read(lake, "points", parts.get("points", ()))
        self._rows = {row["point_id"]: row for row in table.select(_NEEDED).to_pylist()}
        self._point = {
            name: row["point_id"]
            for row in self._rows.values()
            for name in (row["point_id"], *(row["aliases"] or ()))
        }
        self.datasets = conversations_by_dataset(
            tables.read(lake, "datasets", parts.get("datasets", ()))["dataset"].to_pylist(),
            tables.read(lake, "conversations", parts.get("conversations", ()))
            .select(["dataset", "conversation"])
            .to_pylist(),
        )
        self.manifest = manifest
        _seed(table, self._rows.keys() - manifest.known_parts(), manifest)

    def point_of(self, part: str) -> str | None:
        """Return the id of the point that a part belongs to; None when no point stands."""
        return self._point.get(part)

    def points_of(self, row: dict[str, Any]) -> set[str]:
        """Return the ids of standing points that a new row takes the place of."""
        names = (row["point_id"], *(row["aliases"] or ()))
        return {self._point[name] for name in names if name in self._point}

    def parts_of(self, part: str) -> dict[str, Part]:
        """Return all known parts of the point that a part belongs to."""
        row = self._rows[self._point[part]]
        return self.manifest.parts([row["point_id"], *(row["aliases"] or ())])

    def to_rebind(self, datasets: Mapping[str, frozenset[str]]) -> set[str]:
        """Return points that other datasets than before may be bound to.

        That is every point with requests or a declared name, once a dataset is new or has other
        conversations.
        """
        if datasets == self.datasets:
            return set()
        return {
            point
            for point, row in self._rows.items()
            if row["requests_object"] or row["dataset_raw"]
        }


def conversations_by_dataset(
    datasets: Iterable[str], conversations: Iterable[Mapping[str, Any]]
) -> dict[str, frozenset[str]]:
    """Return the conversations' ids of each dataset; a stream without conversations has none."""
    found: dict[str, set[str]] = {dataset: set() for dataset in datasets}
    for row in conversations:
        found.setdefault(row["dataset"], set()).add(row["conversation"])
    return {dataset: frozenset(ids) for dataset, ids in found.items()}


def _seed(table: pa.Table, unknown: set[str], manifest: Manifest) -> None:
    """Let points stand in for their own parts where the manifest was lost."""
    if unknown:
        lost = table.filter(pc.is_in(table["point_id"], pa.array(sorted(unknown))))
        manifest.put_parts(_part(tables.decode("points", row)) for row in lost.to_pylist())


def _part(row: dict[str, Any]) -> Part:
    metrics = {key: row[key] for key in stored_keys() if row.get(key) is not None}
    own = {metric.key for metric in request_metrics()}
    requests = row["requests_object"] is not None
    fields = {k: row[k] for k in _FIELDS if k not in _NO_FIELDS and row.get(k) is not None}
    objects = {kind: row[f"{kind}_object"] for kind in ("requests", "series", "gpu", "logs")}
    counted = ("total", "ok", "failed", "cancelled", "warmup")
    return {
        "part": row["point_id"],
        "kind": "point",
        "format": row["format"],
        "fields": fields,
        "metrics": metrics,
        "stated": {},
        "warnings": row["warnings"] or [],
        "sources": row["sources"] or [],
        "objects": {kind: name for kind, name in objects.items() if name},
        "measured": {key: row[key] for key in own} if requests else None,
        "counts": {
            **{f"requests_{name}": row[f"requests_{name}"] for name in counted},
            "errors": row["errors"] or [],
        }
        if requests
        else None,
        "aliases": row["aliases"] or [],
        "changelog": row["changelog"] or [],
        "meta": {},
        "artifact": None,
        "ttft_s": row["mean_ttft_s"],
        "config": None,
    }
