"""Parts of one measurement to one row of the points table: keys, labels, status, numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from explorer.domain import naming, parallelism
from explorer.domain.columns import POINT_COLUMNS
from explorer.domain.identity import canonical, revision
from explorer.domain.metrics import BASES, stored_keys
from explorer.ingest import combine
from explorer.ingest.manifest import Part
from explorer.ingest.names import names

ENOUGH_OF_PLANNED = 0.9
_GPU_TOLERANCE = 0.005
_COLUMNS = frozenset(column.name for column in POINT_COLUMNS)
_TIERS = ("gpu", "cpu", "external", "overall")
Warned = list[dict[str, Any]]


@dataclass(slots=True)
class Surroundings:
    """What a point's row needs from outside its parts.

    `datasets` maps the slugs in the lake to their conversations' ids; `accuracy` answers
    (config, shape) with values per task and whether the shape is the evaluated one; `unknown`
    counts names no table has.
    """

    datasets: Mapping[str, frozenset[str]] = field(default_factory=dict)
    accuracy: Any = None
    unknown: dict[str, Counter[str]] = field(default_factory=dict)


def point_row(parts: list[Part], around: Surroundings) -> dict[str, Any]:
    """Return the point's row; `parts` are in order of rank, the first gives the id."""
    raw, metrics = combine.fields_of(parts), combine.metrics_of(parts)
    warnings: Warned = combine.warnings_of(parts)
    row = {key: value for key, value in raw.items() if key in _COLUMNS}
    row |= _named(raw, warnings, around)
    row |= _shaped(row)
    row["source"] = raw.get("source") or _source(row)
    _per_gpu(parts, row, metrics, warnings)
    _success(row, metrics)
    row |= _judged(row, metrics, warnings)
    _dataset(row, parts, around)
    row["date"] = row.get("date") or _day(row.get("clock_zero_ns"))
    row["accuracy"] = _accuracy(row, warnings, around)
    warnings += combine.differences(parts, metrics)
    row |= _joined(parts)
    row["warnings"] = _distinct(warnings)
    kept = {key: metrics.get(key) for key in stored_keys()}
    counted = {key: value for key, value in row.items() if key.startswith("requests_")}
    return {**row, **kept, "revision": revision({**kept, **counted})}


def _named(raw: Mapping[str, Any], warnings: Warned, around: Surroundings) -> dict[str, Any]:
    """Return the names' keys; unknown spellings pass through, counted and warned of."""
    table = names()
    found = {
        "hw": table.hardware(raw.get("hw_raw")),
        "engine": table.word("engine", raw.get("engine_raw")),
        "model": table.model(raw.get("model") or raw.get("model_raw")),
        "precision": table.word("precision", raw.get("precision")),
        "spec": table.word("spec", raw.get("spec")),
        "kv_offload": table.word("kv_offload", raw.get("kv_offload")),
        "kv_offload_backend": table.word("kv_offload_backend", raw.get("kv_offload_backend")),
    }
    for kind, (key, known) in found.items():
        if not known and key is not None:
            around.unknown.setdefault(kind, Counter())[key] += 1
            warnings.append({"code": "unknown_name", "params": {"kind": kind, "name": key}})
    return {kind: key for kind, (key, _) in found.items()}


def _shaped(row: Mapping[str, Any]) -> dict[str, Any]:
    mode = row.get("mode") or "agg"
    shaped = {**row, "mode": mode}
    backend = row.get("kv_offload_backend") if row.get("kv_offload") not in (None, "none") else None
    return {
        "mode": mode,
        "kv_offload_backend": backend,
        "parallelism": parallelism.label(shaped),
        "gpus": row.get("gpus") or parallelism.gpus(shaped),
        "workload": row.get("workload")
        or naming.workload(row.get("isl"), row.get("osl"))
        or names().dataset(row.get("dataset_raw")),
    }


def _source(row: Mapping[str, Any]) -> str:
    """Return measured, or mock where hardware, model or engine is a mock's."""
    model, engine = str(row.get("model") or ""), str(row.get("engine") or "")
    mock = row.get("hw") in names().mocks or model.startswith("mock") or engine.startswith("mock")
    return "mock" if mock else "measured"


def _per_gpu(
    parts: list[Part], row: Mapping[str, Any], metrics: dict[str, float | None], warnings: Warned
) -> None:
    """Divide recomputed rates by all GPUs; check a row's own rates against the count."""
    gpus = row.get("gpus")
    if combine.measured_part(parts) is not None:
        for basis in BASES:
            rate = metrics.get(f"{basis}_tps")
            metrics[f"{basis}_tps_per_gpu"] = rate / gpus if rate is not None and gpus else None
        return
    if gpus and row.get("scenario") != "fixed":
        for basis in BASES:
            rate = metrics.get(f"{basis}_tps")
            if rate is not None and metrics.get(f"{basis}_tps_per_gpu") is None:
                metrics[f"{basis}_tps_per_gpu"] = rate / gpus
    rate, each = metrics.get("total_tps"), metrics.get("total_tps_per_gpu")
    if gpus and rate and each and abs(rate / each - gpus) > _GPU_TOLERANCE * gpus:
        params = {"gpus": gpus, "rates_say": rate / each}
        warnings.append({"code": "gpu_count_mismatch", "params": params})


def _success(row: dict[str, Any], metrics: dict[str, float | None]) -> None:
    total, ok = row.get("requests_total"), row.get("requests_ok")
    metrics["success_ratio"] = ok / total if total and ok is not None else None
    if ok == 0:
        for tier in _TIERS:
            metrics[f"{tier}_cache_hit_ratio"] = None


def _judged(
    row: Mapping[str, Any], metrics: Mapping[str, float | None], warnings: Warned
) -> dict[str, Any]:
    """Return the status: from the requests first, then from the window against the plan."""
    ok = row.get("requests_ok")
    if ok == 0 or (ok is None and metrics.get("mean_e2el_s") is None):
        return {"status": "failed"}
    planned = row.get("planned_duration_s")
    covered = metrics.get("duration_s") or row.get("wall_duration_s")
    short = bool(planned and covered and covered < ENOUGH_OF_PLANNED * planned)
    if short:
        params = {"planned_s": planned, "covered_s": covered}
        warnings.append({"code": "short_window", "params": params})
    return {"status": "partial" if short or row.get("interrupted") else "ok"}


def _dataset(row: dict[str, Any], parts: list[Part], around: Surroundings) -> None:
    """Bind the point to the dataset of its declared name, else the only one that fits its requests.

    A dataset fits when it has every conversation that was replayed; else the reason is kept.
    """
    raw, slug = row.get("dataset_raw"), names().dataset(row.get("dataset_raw"))
    replayed = frozenset(one for part in parts for one in part.get("conversations") or ())
    fitting = sorted(name for name, ids in around.datasets.items() if replayed and replayed <= ids)
    bound = slug if slug in around.datasets else fitting[0] if len(fitting) == 1 else None
    row["dataset"], row["dataset_unbound"] = bound, None
    if bound is None and len(fitting) > 1:
        row["dataset_unbound"] = f"dataset_ambiguous:{','.join(fitting)}"
    elif bound is None and raw:
        row["dataset_unbound"] = f"dataset_not_ingested:{raw}"
    elif bound is None and row.get("scenario") == "agentic":
        row["dataset_unbound"] = "dataset_not_declared"


def _day(zero_ns: int | None) -> str | None:
    if zero_ns is None:
        return None
    return datetime.fromtimestamp(zero_ns // 1_000_000_000, UTC).date().isoformat()


def config_key(row: Mapping[str, Any]) -> str | None:
    """Return what evaluations are joined by: model, hardware, engine, precision, spec."""
    keys = [row.get(key) for key in ("model", "hw", "engine", "precision")]
    return canonical([*keys, row.get("spec") or "none"]) if all(keys) else None


def shape_key(row: Mapping[str, Any]) -> str:
    """Return the parallelism an evaluation is for: decode's where disaggregated."""
    role = "decode_" if row.get("mode") == "disagg" else ""
    widths = [row.get(f"{role}{key}") for key in ("tp", "ep")]
    return canonical([*(width or 1 for width in widths), bool(row.get(f"{role}dp_attention"))])


def _accuracy(
    row: Mapping[str, Any], warnings: Warned, around: Surroundings
) -> dict[str, float] | None:
    config = config_key(row)
    if config is None or around.accuracy is None or row["source"] != "measured":
        return None
    values, exact = around.accuracy(config, shape_key(row))
    if values and not exact:
        warnings.append({"code": "accuracy_of_other_parallelism", "params": {}})
    return values or None


def _joined(parts: list[Part]) -> dict[str, Any]:
    """Return id, aliases, sources, objects and changelog of all parts."""
    first: Part = parts[0]
    sources: dict[str, dict[str, Any]] = {}
    for part in sorted(parts, key=lambda part: [one["path"] for one in part["sources"]]):
        for source in part["sources"]:
            sources.setdefault(source["sha256"], source)
    ids = {part["part"] for part in parts} | {one for p in parts for one in p.get("aliases", ())}
    objects: dict[str, str] = {}
    for part in parts:
        objects = {**part["objects"], **objects}
    return {
        "point_id": first["part"],
        "format": first["format"],
        "aliases": sorted(ids - {first["part"]}) or None,
        "sources": sorted(sources.values(), key=lambda one: (one["path"], one["sha256"])),
        **{f"{kind}_object": objects.get(kind) for kind in ("requests", "series", "gpu", "logs")},
        "changelog": _distinct(one for part in parts for one in part.get("changelog") or ())
        or None,
    }


def _distinct(items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({canonical(item): item for item in items}.values())
