"""Accuracy evaluations of the public InferenceX API (`evaluations.json`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from explorer.ingest.context import Context
from explorer.ingest.facts import Accuracy
from explorer.ingest.inferencex_api import rows_of
from explorer.ingest.opening import load_json, unusable
from explorer.ingest.row_fields import Row
from explorer.ingest.values import boolean, integer, mapping, number, text

_SCORES = ("score", "em_strict", "em_flexible", "acc", "accuracy", "exact_match")


class Evaluations:
    """An array of evaluations: configuration, task, metrics."""

    name = "inferencex-evaluations"
    alone = True

    def sniff(self, path: Path, head: bytes) -> bool:
        """Return whether the file starts like evaluations."""
        return all(key in head for key in (b'"hardware"', b'"framework"', b'"task"', b'"metrics"'))

    def read(self, path: Path, context: Context) -> Iterator[Accuracy]:
        """Yield one accuracy per evaluation that has a score; raise InputError without any."""
        found = [one for row in rows_of(load_json(path)) for one in [_accuracy(row)] if one]
        if not found:
            raise unusable(path, "no_rows", "no evaluation with a score")
        yield from found


def _accuracy(row: Row) -> Accuracy | None:
    metrics, task = mapping(row.get("metrics")), text(row.get("task"))
    scores = [number(metrics.get(key)) for key in _SCORES]
    score = next((value for value in scores if value is not None), None)
    if score is None or task is None:
        return None
    fields = {
        "hw_raw": text(row.get("hardware")),
        "model_raw": text(row.get("model")),
        "engine_raw": text(row.get("framework")),
        "precision": text(row.get("precision")),
        "spec": text(row.get("spec_method")),
        "tp": integer(row.get("decode_tp")),
        "ep": integer(row.get("decode_ep")),
        "dp_attention": boolean(row.get("decode_dp_attention")),
    }
    when = f"{text(row.get('timestamp')) or text(row.get('date')) or ''} {row.get('id', '')}"
    return Accuracy(fields, task, score, when)
