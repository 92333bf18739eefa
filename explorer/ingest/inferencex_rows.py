"""InferenceX aggregate rows: fixed sequences, and the files that hold rows of any kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from explorer.domain.metrics import BASES, interactivity
from explorer.errors import InputError
from explorer.ingest.agentx import agentic_draft, is_agentic
from explorer.ingest.context import Context
from explorer.ingest.draft import Draft, Note
from explorer.ingest.opening import load_json, unusable
from explorer.ingest.recover import recover
from explorer.ingest.row_fields import FULL_DECIMALS, Row, draft, keep_positive
from explorer.ingest.values import integer, positive

_STATISTICS = {
    "mean": "mean",
    "median": "p50",
    "p75": "p75",
    "p90": "p90",
    "p95": "p95",
    "p99": "p99",
    "p99.9": "p999",
    "std": "std",
}
_LATENCY = {"ttft": "ttft_s", "tpot": "tpot_s", "itl": "itl_s", "e2el": "e2el_s"}
_RATES = {
    "tput_per_gpu": "total_tps_per_gpu",
    "input_tput_per_gpu": "input_tps_per_gpu",
    "output_tput_per_gpu": "output_tps_per_gpu",
}
_POWER = {
    "avg_power_w": "measured_power_w",
    "joules_per_total_token": "measured_j_per_tok_total",
    "joules_per_output_token": "measured_j_per_tok_output",
}
_COMPARED = ("ttft_s", "tpot_s", "e2el_s")


class AggregateRows:
    """One row, or an array of rows (`agg_bmk.json`), agentic and fixed mixed."""

    name = "agg-rows"
    alone = True

    def sniff(self, path: Path, head: bytes) -> bool:
        """Return whether the file starts like InferenceX rows: conc, framework, model prefix."""
        return head.lstrip()[:1] in (b"{", b"[") and all(key in head for key in _MARKS)

    def read(self, path: Path, context: Context) -> Iterator[Draft]:
        """Yield a draft per row; raise InputError when none is usable."""
        document = load_json(path)
        rows = document if isinstance(document, list) else [document]
        found = [row for row in rows if isinstance(row, dict) and _is_row(row)]
        if not found:
            raise unusable(path, "no_rows", "no object with conc and framework")
        source = context.source(path)
        for row in found:
            try:
                made = row_draft(*recover(row, path))
            except InputError as error:
                context.skip(error)
                continue
            made.sources.append(source)
            yield made


_MARKS = (b'"conc"', b'"framework"', b'"infmax_model_prefix"')


def _is_row(row: Row) -> bool:
    return "conc" in row and "framework" in row


def row_draft(row: Row, notes: Sequence[Note] = ()) -> Draft:
    """Return the draft of one row of any dialect."""
    made = agentic_draft(row) if is_agentic(row) else fixed_draft(row)
    made.warnings.extend(notes)
    return made


def fixed_draft(row: Row) -> Draft:
    """Return the draft of a fixed-sequence row."""
    made = draft(row, "inferencex-fixed")
    made.fields |= {
        "scenario": "fixed",
        "isl": integer(row.get("isl")),
        "osl": integer(row.get("osl")),
    }
    fixed_metrics(row, made)
    whole_rates(made)
    return made


def fixed_metrics(values: Mapping[str, Any], made: Draft) -> None:
    """Put the flat metrics of a fixed-sequence row into the draft; speed comes from TPOT.

    Stored interactivity is 1/TPOT of the same statistic, its std a reciprocal of a std: both are
    left. ITL is per chunk there, so only TTFT, TPOT and E2EL are compared with requests; p99.9 is
    not: the field's aggregator takes a sample for it where ours interpolates.
    """
    found = {
        f"{stat}_{key}": values[f"{raw}_{name}"]
        for raw, stat in _STATISTICS.items()
        for name, key in _LATENCY.items()
        if values.get(f"{raw}_{name}") is not None
    }
    found |= {key: values[raw] for raw, key in _RATES.items() if values.get(raw) is not None}
    keep_positive(made, found, None)
    for key, value in made.metrics.items():
        statistic, _, quantity = key.partition("_")
        if value is not None and quantity in _COMPARED and statistic != "p999":
            made.stated[key] = (value, FULL_DECIMALS)
    made.metrics |= {key: positive(values.get(raw)) for raw, key in _POWER.items()}
    for stat in _STATISTICS.values():
        if stat != "std":
            speed = interactivity(made.metrics.get(f"{stat}_tpot_s"))
            made.metrics[f"{stat}_interactivity_tps"] = speed
    made.fields["interactivity_source"] = "tpot"


def whole_rates(made: Draft) -> None:
    """Derive the deployment's rates from per-GPU ones and each basis's own denominator."""
    disagg = made.fields.get("mode") == "disagg"
    roles = {"input": "prefill_gpus", "output": "decode_gpus"} if disagg else {}
    for basis in BASES:
        count = made.fields.get(roles.get(basis, "gpus"))
        rate = made.metrics.get(f"{basis}_tps_per_gpu")
        made.metrics[f"{basis}_tps"] = rate * count if rate and count else None
