"""The InferenceX site's CSV download, both unit dialects."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from explorer.ingest.context import Context
from explorer.ingest.draft import Draft
from explorer.ingest.inferencex_rows import fixed_metrics, whole_rates
from explorer.ingest.opening import read_text, unusable
from explorer.ingest.row_fields import row_hash
from explorer.ingest.values import boolean, integer, number, positive, text

_RATES = {
    "Throughput/GPU (tok/s)": "tput_per_gpu",
    "Input Throughput/GPU (tok/s)": "input_tput_per_gpu",
    "Output Throughput/GPU (tok/s)": "output_tput_per_gpu",
}
_QUANTITIES = {"TTFT": "ttft", "TPOT": "tpot", "ITL": "itl", "E2E Latency": "e2el"}
_LATENCY = re.compile(r"(Mean|Median|P\d+(?:\.\d+)?|Std) (TTFT|TPOT|ITL|E2E Latency) \((ms|s)\)")
_SECONDS_BELOW = 0.5
_IDENTITY = (
    "Model",
    "ISL",
    "OSL",
    "Hardware",
    "Framework",
    "Precision",
    "TP",
    "Concurrency",
    "Date",
)


class SiteCsv:
    """Comment lines, a header with units, one row a point."""

    name = "inferencex-csv"
    alone = True

    def sniff(self, path: Path, head: bytes) -> bool:
        """Return whether a header line names hardware key, framework and throughput per GPU."""
        return all(key in head for key in (b"Hardware Key", b"Framework", b"Throughput/GPU"))

    def read(self, path: Path, context: Context) -> Iterator[Draft]:
        """Yield a draft per row; raise InputError when there is none."""
        lines = [line for line in read_text(path).splitlines() if not line.startswith("#")]
        rows = list(csv.DictReader(line for line in lines if line.strip()))
        if not rows:
            raise unusable(path, "no_rows", "a header without rows")
        source, scale = context.source(path), 1.0 if _is_seconds(rows) else 1e-3
        for row in rows:
            made = csv_draft(row, scale)
            made.sources.append(source)
            yield made


def _is_seconds(rows: list[dict[str, str]]) -> bool:
    """Return whether "(ms)" columns hold seconds: a TPOT under 0.5 ms gives it away."""
    tpots = [positive(row.get("Mean TPOT (ms)") or row.get("Median TPOT (ms)")) for row in rows]
    known = [value for value in tpots if value is not None]
    return bool(known) and min(known) < _SECONDS_BELOW


def csv_draft(row: dict[str, str], ms: float) -> Draft:
    """Return the draft of a CSV row; `ms` is the factor of "(ms)" columns to seconds."""
    spelt = {key: row.get(key) for key in _IDENTITY}
    made = Draft(
        format=SiteCsv.name,
        identity={"kind": "site_csv", **spelt, "row": row_hash(row)},
        fields=_fields(row),
    )
    made.metrics["concurrency"] = positive(row.get("Concurrency"))
    fixed_metrics({**_latencies(row, ms), **_rates(row)}, made)
    whole_rates(made)
    return made


def _latencies(row: dict[str, str], ms: float) -> dict[str, Any]:
    found = {}
    for column, cell in row.items():
        matched = _LATENCY.fullmatch(column or "")
        value = number(cell)
        if matched and value is not None:
            factor = ms if matched[3] == "ms" else 1.0
            found[f"{matched[1].lower()}_{_QUANTITIES[matched[2]]}"] = value * factor
    return found


def _rates(row: dict[str, str]) -> dict[str, Any]:
    found = {raw: number(row.get(column)) for column, raw in _RATES.items()}
    return {raw: value for raw, value in found.items() if value is not None}


def _fields(row: dict[str, str]) -> dict[str, Any]:
    disagg = bool(boolean(row.get("Disaggregated")))
    prefill, decode = integer(row.get("Num Prefill GPUs")), integer(row.get("Num Decode GPUs"))
    tp = integer(row.get("TP"))
    pools = {"prefill_gpus": prefill, "decode_gpus": decode}
    both = prefill + decode if prefill and decode else None
    widths = {
        "tp": tp,
        "ep": integer(row.get("EP")),
        "dp_attention": boolean(row.get("DP Attention")),
    }
    return {
        "hw_raw": text(row.get("Hardware")),
        "model_raw": text(row.get("Model")),
        "engine_raw": text(row.get("Framework")),
        "precision": text(row.get("Precision")),
        "spec": text(row.get("Spec Decoding")),
        "mode": "disagg" if disagg else "agg",
        "nodes": None if boolean(row.get("Is Multinode")) else 1,
        "gpus": both if disagg else tp,
        "scenario": "fixed",
        "isl": integer(row.get("ISL")),
        "osl": integer(row.get("OSL")),
        "date": text(row.get("Date")),
        "itl_source": "row",
        "throughput_source": "row",
        **(pools if disagg else widths),
    }
