"""The row samples and one way to read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from explorer.ingest.context import Context
from explorer.ingest.draft import Draft
from explorer.ingest.inferencex_rows import AggregateRows

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
ROWS, API, CSV, INVALID = (SAMPLES / name for name in ("rows", "api", "csv", "invalid"))
FLAT = ROWS / "flat" / "bmk_agentic_kimik2.5_tp4_conc4_fp4_vllm_conc4_b200-dgxc_01" / "row.json"
NESTED = ROWS / "nested" / "row.json"
FIXED = ROWS / "fixed" / "agg.json"


def drafts(path: Path, reader: Any = None) -> list[Draft]:
    """Return the drafts of a file, read by its reader."""
    return list((reader or AggregateRows()).read(path, Context(path.parent)))


def draft(path: Path, reader: Any = None) -> Draft:
    return drafts(path, reader)[0]


def changed(path: Path, to: Path, **values: Any) -> Path:
    """Write a sample row with some values changed and return its path."""
    row = json.loads(path.read_text()) | values
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(json.dumps(row))
    return to
