"""Rows of the public InferenceX API (`benchmarks.json`): fixed sequences, one row a point."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from explorer.ingest.context import Context
from explorer.ingest.draft import Draft, Note
from explorer.ingest.inferencex_rows import fixed_metrics, whole_rates
from explorer.ingest.opening import load_json, unusable
from explorer.ingest.row_fields import Row, image_tag
from explorer.ingest.values import boolean, integer, mapping, positive, text

_ROLE = ("tp", "ep", "dp_attention", "num_workers")
_CELL = (
    *("hardware", "framework", "model", "precision", "spec_method", "disagg", "is_multinode"),
    *(f"{role}_{width}" for role in ("prefill", "decode") for width in _ROLE),
    *("num_prefill_gpu", "num_decode_gpu", "isl", "osl", "conc"),
)
_SPLIT_TOLERANCE = 0.02
_SUM_TOLERANCE = 1e-3


class ApiRows:
    """An array of API rows, alone or under `data` or `benchmarks`."""

    name = "inferencex-api"
    alone = True

    def sniff(self, path: Path, head: bytes) -> bool:
        """Return whether the file starts like API rows; evaluations carry a `task` instead."""
        keys = (b'"hardware"', b'"framework"', b'"spec_method"', b'"metrics"', b'"isl"')
        return all(key in head for key in keys) and b'"task"' not in head

    def read(self, path: Path, context: Context) -> Iterator[Draft]:
        """Yield a draft per row; raise InputError when there is none."""
        rows = rows_of(load_json(path))
        if not rows:
            raise unusable(path, "no_rows", "no object with hardware and metrics")
        source = context.source(path)
        for row in rows:
            made = api_draft(row)
            made.sources.append(source)
            yield made


def rows_of(document: Any) -> list[dict[str, Any]]:
    """Return the row objects of an API answer, enveloped or not."""
    if isinstance(document, dict):
        lists = [value for value in document.values() if isinstance(value, list)]
        document = lists[0] if lists else []
    rows = document if isinstance(document, list) else []
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("metrics"), dict)]


def api_draft(row: Row) -> Draft:
    """Return the draft of an API row: workflow run and cell are its identity."""
    cell = {key: row.get(key) for key in _CELL}
    run = text(row.get("run_url"))
    made = Draft(
        format=ApiRows.name,
        identity={"kind": "api_row", "run": run or text(row.get("date")), "cell": cell},
        fields=_fields(row, run),
    )
    made.metrics["concurrency"] = positive(row.get("conc"))
    values = mapping(row.get("metrics"))
    fixed_metrics(values, made)
    _gpus(made, row)
    whole_rates(made)
    _check_rates(made)
    if not made.metrics.get("total_tps_per_gpu"):
        made.warnings.append(Note("placeholder_row", {}))
    return made


def _fields(row: Row, run: str | None) -> dict[str, Any]:
    image = text(row.get("image"))
    disagg = bool(boolean(row.get("disagg")))
    return {
        "hw_raw": text(row.get("hardware")),
        "model_raw": text(row.get("model")),
        "engine_raw": text(row.get("framework")),
        "engine_version": image_tag(image),
        "precision": text(row.get("precision")),
        "spec": text(row.get("spec_method")),
        "mode": "disagg" if disagg else "agg",
        "nodes": None if boolean(row.get("is_multinode")) else 1,
        "scenario": "fixed",
        "isl": integer(row.get("isl")),
        "osl": integer(row.get("osl")),
        "date": text(row.get("date")),
        "image": image,
        "provenance_url": run,
        "run_id": _run_id(run),
        "itl_source": "row",
        "throughput_source": "row",
        **(_roles(row) if disagg else _widths(row)),
    }


def _run_id(url: str | None) -> str | None:
    """Return run and attempt of a workflow address: 27213443242/1."""
    if not url or "/runs/" not in url:
        return None
    run, _, attempt = url.partition("/runs/")[2].partition("/attempts/")
    return f"{run.strip('/')}/{attempt.strip('/') or 1}"


def _widths(row: Row) -> dict[str, Any]:
    return {
        "tp": integer(row.get("decode_tp")),
        "ep": integer(row.get("decode_ep")),
        "dp_attention": boolean(row.get("decode_dp_attention")),
    }


def _roles(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for role in ("prefill", "decode"):
        found[f"{role}_tp"] = integer(row.get(f"{role}_tp"))
        found[f"{role}_ep"] = integer(row.get(f"{role}_ep"))
        found[f"{role}_dp_attention"] = boolean(row.get(f"{role}_dp_attention"))
        found[f"{role}_workers"] = integer(row.get(f"{role}_num_workers")) or None
        found[f"{role}_gpus"] = integer(row.get(f"num_{role}_gpu"))
    return found


def _gpus(made: Draft, row: Row) -> None:
    """Set the GPU counts: tp when aggregated, both pools when not.

    Aggregated rows may store tp×ep as the pool and the same pool in both fields. Eight gb200
    rows hold the whole pool in both fields without workers: the throughputs tell the split.
    """
    fields = made.fields
    if fields["mode"] == "agg":
        fields["gpus"] = fields["tp"]
        return
    prefill, decode = fields["prefill_gpus"], fields["decode_gpus"]
    one_pool = prefill and prefill == decode and not boolean(row.get("is_multinode"))
    if one_pool and not (fields["prefill_workers"] or fields["decode_workers"]):
        _split_pool(made, prefill)
    elif prefill and decode:
        fields["gpus"] = prefill + decode


def _split_pool(made: Draft, pool: int) -> None:
    """Solve in·P + out·D = total·N with P + D = N; keep null where P is no whole number.

    The role widths of such rows are the pool's, not a worker's: they go.
    """
    total, given, taken = (
        made.metrics.get(f"{basis}_tps_per_gpu") or 0.0 for basis in ("total", "input", "output")
    )
    exact = pool * (total - taken) / (given - taken) if given != taken else 0.0
    prefill = round(exact)
    solved = 0 < prefill < pool and abs(exact - prefill) < _SPLIT_TOLERANCE
    made.fields |= {
        "gpus": pool,
        "prefill_gpus": prefill if solved else None,
        "decode_gpus": pool - prefill if solved else None,
        **{f"{role}_{width}": None for role in ("prefill", "decode") for width in ("tp", "ep")},
    }
    made.warnings.append(
        Note("gpu_split_solved" if solved else "gpu_split_unknown", {"gpus": pool})
    )


def _check_rates(made: Draft) -> None:
    """Warn when input and output do not add up to the total on the GPUs we counted."""
    rates = [made.metrics.get(f"{basis}_tps") for basis in ("total", "input", "output")]
    total, given, taken = rates
    if total and given and taken and abs(given + taken - total) > _SUM_TOLERANCE * total:
        gpus = made.fields["gpus"]
        params = {"gpus": gpus, "rates_say": gpus * (given + taken) / total}
        made.warnings.append(Note("gpu_count_mismatch", params))
