"""What an ingest has read so far: parts by id, facts, datasets; each file used at most counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from explorer.ingest import pair
from explorer.ingest.manifest import Manifest, Part
from explorer.ingest.names import names
from explorer.ingest.normalize import config_key, shape_key
from explorer.ingest.scan import Found
from explorer.ingest.standing import Standing
from explorer.ingest.units import Skip, Unit
from explorer.store.objects import object_path

Place = tuple[Path, str]


@dataclass(slots=True)
class Gathered:
    """Records of all units, copies made one."""

    parts: dict[str, Part] = field(default_factory=dict)
    places: dict[str, list[Found]] = field(default_factory=dict)
    datasets: list[dict[str, Any]] = field(default_factory=list)
    accuracy: list[dict[str, Any]] = field(default_factory=list)
    changes: list[tuple[Found, dict[str, Any]]] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    warnings: list[dict[str, Any]] = field(default_factory=list)
    used: set[Found] = field(default_factory=set)
    unusable: set[Found] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)

    def use(self, found: Found) -> None:
        """Count a file as read."""
        self.used.add(found)

    def objects_exist(self, body: Mapping[str, Any], lake: Path) -> bool:
        """Return whether the lake still has every object that a remembered unit wrote."""
        hashes = [name for one in body["records"] for name in _objects(one)]
        return all(object_path(lake, name).exists() for name in hashes)

    def take(self, unit: Unit, body: Mapping[str, Any]) -> None:
        """Take what reading a unit gave; its sources get the names this ingest knows them by."""
        self.skips += [Skip(unit.found.shown, reason, detail) for reason, detail in body["skips"]]
        if body["failed"]:
            self.unusable.add(unit.found)
        else:
            self.use(unit.found)
        for record in body["records"]:
            self._sources(unit, record)
            getattr(self, f"_take_{record['kind']}")(unit, record)

    def _sources(self, unit: Unit, record: dict[str, Any]) -> None:
        known = unit.hashes
        for source in record.get("sources", ()):
            if found := known.get(source["sha256"]):
                source["path"] = found.rel
                self.use(found)

    def _take_point(self, unit: Unit, record: Part) -> None:
        part = record["part"]
        self.places.setdefault(part, []).append(unit.found)
        earlier = self.parts.get(part)
        if earlier is None:
            self.parts[part] = record
            return
        best = min(earlier, record, key=_richness)
        sources = {
            one["sha256"]: one for one in _by_path([*record["sources"], *earlier["sources"]])
        }
        self.parts[part] = {**best, "sources": _by_path(sources.values())}

    def _take_dataset(self, unit: Unit, record: dict[str, Any]) -> None:
        slug = record["fields"]["dataset"]
        record["fields"]["sources"] = record["sources"]
        self.warnings += [{"point_id": None, "dataset": slug, **one} for one in record["warnings"]]
        self.datasets = [one for one in self.datasets if one["fields"]["dataset"] != slug]
        self.datasets.append(record)

    def _take_accuracy(self, unit: Unit, record: dict[str, Any]) -> None:
        self.accuracy.append(record)

    def _take_change(self, unit: Unit, record: dict[str, Any]) -> None:
        self.changes.append((unit.found, record))

    def _take_known(self, unit: Unit, record: dict[str, Any]) -> None:
        """A known file adds nothing but that it was read."""

    def results(self) -> dict[str, int]:
        """Return how many different results each format stated."""
        return dict(sorted(Counter(part["format"] for part in self.parts.values()).items()))

    def settle(
        self,
        manifest: Manifest,
        standing: Standing,
        given: Mapping[str, Any],
        completions: Mapping[Place, Mapping[str, Any]],
    ) -> None:
        """Complete the parts with what users and changelogs say and keep them in the manifest."""
        earlier = manifest.parts(self.parts)
        for part, record in self.parts.items():
            places = self.places[part]
            said = {**_completion(places, completions), **given}
            record["meta"] = said or earlier.get(part, {}).get("meta", {})
            _place(record, places)
            _index(record)
            changes = _changes(record, places, self.changes)
            record["changelog"] = changes or earlier.get(part, {}).get("changelog", [])
            _keep_paths(record, earlier.get(part))
        manifest.put_parts(self.parts.values())
        self.touched = set(self.parts) | self._evaluated(manifest, standing)

    def _evaluated(self, manifest: Manifest, standing: Standing) -> set[str]:
        """Keep evaluations; return parts of the standing points they are about."""
        configs = set()
        for one in self.accuracy:
            row = _keys(one["fields"])
            if config := config_key(row):
                shape = shape_key(row)
                manifest.put_accuracy(config, shape, one["task"], one["when"], one["value"])
                configs.add(config)
        return {part for part in manifest.of_configs(configs) if standing.point_of(part)}


def _objects(record: Mapping[str, Any]) -> list[str]:
    """Return the hashes of the objects that a record names."""
    if record["kind"] == "dataset":
        return [record["fields"]["turns_object"]]
    return list(record.get("objects", {}).values())


def _richness(record: Part) -> tuple[bool, list[str]]:
    return (record["measured"] is None, [one["path"] for one in record["sources"]])


def _by_path(sources: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(sources, key=lambda one: (one["path"], one["sha256"]), reverse=True)[::-1]


def _completion(
    places: list[Found], completions: Mapping[Place, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return what `explorer.toml` files above say, the nearest one last."""
    said: dict[str, Any] = {}
    for found in places:
        parts = found.folder.split("/") if found.folder else []
        for depth in range(len(parts) + 1):
            said |= completions.get((found.root, "/".join(parts[:depth])), {})
    return said


def _place(record: Part, places: list[Found]) -> None:
    found = sorted({place[1] for one in places if (place := one.artifact)})
    record["artifact"] = found[0] if found else None


def _index(record: Part) -> None:
    """Set what the manifest finds a part by: its mean TTFT and its configuration."""
    record["ttft_s"] = pair.numbers(record).get("mean_ttft_s")
    record["config"] = config_key(_keys({**record["fields"], **record["meta"]}))


def _keys(fields: Mapping[str, Any]) -> dict[str, Any]:
    table = names()
    return {
        **fields,
        "hw": table.hardware(fields.get("hw_raw"))[0],
        "model": table.model(fields.get("model") or fields.get("model_raw"))[0],
        "engine": table.word("engine", fields.get("engine_raw"))[0],
        "precision": table.word("precision", fields.get("precision"))[0],
        "spec": table.word("spec", fields.get("spec"))[0],
    }


def _changes(
    record: Part, places: list[Found], changes: list[tuple[Found, dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Return changelog entries about a part: of its workflow run, else of its download."""
    row = _keys(record["fields"])
    cell = f"{row.get('model')}-{row.get('precision')}-{row.get('hw')}-{row.get('engine')}"
    run = str(row.get("run_id") or "").partition("/")[0]
    return [
        {"date": change["date"], "text": change["text"]}
        for found, change in changes
        if _about(change, cell)
        and (change["run"] == run if change["run"] else _beside(found, places))
    ]


def _about(change: Mapping[str, Any], cell: str) -> bool:
    keys = change["config_keys"]
    return not keys or any(key == cell or key.startswith(f"{cell}-") for key in keys)


def _beside(found: Found, places: list[Found]) -> bool:
    """Return whether a changelog lies in the same download as one of the places."""
    download = str(found.path.parent.parent)
    return any(place[0] == download for one in places if (place := one.artifact))


def _keep_paths(record: Part, earlier: Part | None) -> None:
    """Keep the names sources had before: another PATH to the same bytes changes no point."""
    before = {one["sha256"]: one["path"] for one in (earlier or {}).get("sources", ())}
    for source in record["sources"]:
        source["path"] = before.get(source["sha256"], source["path"])
    record["sources"] = _by_path(record["sources"])
