"""What all aggregate rows say of their deployment, whichever dialect: row → point fields."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from explorer.domain import parallelism
from explorer.domain.identity import canonical
from explorer.ingest.draft import Draft, Note
from explorer.ingest.values import boolean, integer, mapping, number, positive, text

Row = Mapping[str, Any]
FULL_DECIMALS = 12
"""Decimals of a row that stores floats whole: a relative tolerance decides."""
_IDENTITY = (
    *("hw", "framework", "model", "precision", "spec_decoding", "disagg", "scenario_type"),
    *("tp", "pp", "ep", "dp_attention", "isl", "osl", "conc", "image"),
    *("offloading", "kv_offloading", "recipe_fingerprint"),
)
_BACKENDS = {"lmcache", "hicache", "mooncake", "simple"}


def identity(row: Row) -> dict[str, Any]:
    """Return the raw identity of a row without a run id: its fields as spelt, and its hash."""
    spelt = {key: row[key] for key in _IDENTITY if row.get(key) is not None}
    return {"kind": "agg_row", **spelt, "row": row_hash(row)}


def row_hash(row: Row) -> str:
    """Return a hash of a row's whole content."""
    return hashlib.sha256(canonical(dict(row)).encode()).hexdigest()[:32]


def draft(row: Row, format_: str) -> Draft:
    """Return a draft with every field but the dialect's own metrics."""
    fields = {**names(row), **shape(row), **offload(row)}
    fields["gpus"] = gpus(fields, row)
    fields["image"] = text(row.get("image"))
    fields["engine_version"] = image_tag(fields["image"])
    fields["itl_source"], fields["throughput_source"] = "row", "row"
    made = Draft(format=format_, identity=identity(row), fields=fields)
    made.metrics["concurrency"] = positive(row.get("conc"))
    return made


def names(row: Row) -> dict[str, Any]:
    """Return names as the row spells them; `model` holds the short key where there is one."""
    return {
        "hw_raw": text(row.get("hw")),
        "model_raw": text(row.get("model")),
        "model": text(row.get("infmax_model_prefix")),
        "engine_raw": text(row.get("framework")),
        "precision": text(row.get("precision")),
        "spec": text(row.get("spec_decoding")),
        "router": text(row.get("router")),
        "kv_transfer": text(row.get("kv_transfer") or row.get("kv_transfer_backend")),
        "commit": text(row.get("commit") or row.get("git_sha")),
    }


def shape(row: Row) -> dict[str, Any]:
    """Return mode, node count and the widths of parallelism, per role where disaggregated."""
    found: dict[str, Any] = {
        "mode": "disagg" if boolean(row.get("disagg")) else "agg",
        "nodes": integer(row.get("num_nodes")) or (None if boolean(row.get("is_multinode")) else 1),
        "dcp": integer(row.get("dcp_size")),
        "pcp": integer(row.get("pcp_size")),
        "tp": integer(row.get("tp")),
        "pp": integer(row.get("pp")),
        "ep": integer(row.get("ep")),
        "dp_attention": boolean(row.get("dp_attention")),
    }
    if found["mode"] == "disagg":
        for role in ("prefill", "decode"):
            found |= _role(row, role)
    return found


def _role(row: Row, role: str) -> dict[str, Any]:
    def one(name: str) -> Any:
        return row.get(f"{role}_{name}")

    tp, workers = integer(one("tp")), integer(one("num_workers") or one("workers")) or None
    stated = integer(row.get(f"num_{role}_gpu")) or integer(one("gpus"))
    widths = (integer(one("pp")) or 1) * (integer(one("pcp_size")) or 1)
    return {
        f"{role}_tp": tp,
        f"{role}_ep": integer(one("ep")),
        f"{role}_dp_attention": boolean(one("dp_attention")),
        f"{role}_workers": workers,
        f"{role}_gpus": stated or (workers * tp * widths if workers and tp else None),
    }


def gpus(fields: Row, row: Row) -> int | None:
    """Return all GPUs: the deployment's shape, else what the row says outright."""
    return parallelism.gpus(fields) or integer(row.get("num_gpus")) or None


def image_tag(image: str | None) -> str | None:
    """Return an image's tag, its digest cut off."""
    if not image or ":" not in image.rsplit("/", 1)[-1]:
        return None
    return image.rsplit("/", 1)[-1].split("@")[0].partition(":")[2] or None


def offload(row: Row) -> dict[str, Any]:
    """Return KV offload of either dialect; a backend may be "", null, a name or {name, version}."""
    kind = text(row.get("kv_offloading"))
    flat = text(row.get("offloading"))
    backend = row.get("kv_offload_backend")
    name = text(mapping(backend).get("name")) or text(backend)
    if flat and flat.lower() in _BACKENDS:
        kind, name = kind or "dram", name or flat
    return {
        "kv_offload": kind or flat,
        "kv_offload_backend": None if (kind or flat) in (None, "none") else name,
        "kv_offload_backend_version": text(mapping(backend).get("version")),
        "allocated_dram_gb": number(row.get("allocated_cpu_dram_gb")),
    }


def keep_positive(made: Draft, values: Mapping[str, Any], decimals: int | None) -> None:
    """Put latencies, speeds and rates into the draft; zeros become null and are named.

    With `decimals` they are also what the row states, to compare with its requests.
    """
    zeros = sorted(key for key, value in values.items() if number(value) == 0)
    for key, value in values.items():
        found = positive(value)
        made.metrics[key] = found
        if found is not None and decimals is not None:
            made.stated[key] = (found, decimals)
    if zeros:
        made.warnings.append(Note("zero_is_missing", {"keys": zeros}))
