"""The AIPerf samples and one way to read them."""

from __future__ import annotations

import shutil
from pathlib import Path

from explorer.ingest.aiperf import AiperfRun
from explorer.ingest.context import Context
from explorer.ingest.draft import Draft

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
AIPERF = SAMPLES / "aiperf"
ZERO = 1_800_000_000_000_000_001
"""Start of the first profiling record of the sample v013; not representable as a double."""


def read_run(summary: Path, *more: Path) -> Draft:
    """Return the draft of a run; `more` are files near it in other folders."""
    near = (summary, *sorted(p for p in summary.parent.iterdir() if p != summary), *more)
    root = Path(*summary.parts[:2]) if more else summary.parent
    return next(AiperfRun().read(summary, Context(root, near)))


def sample(name: str = "v013") -> Draft:
    return read_run(AIPERF / name / "profile_export_aiperf.json")


def copy_of(name: str, to: Path) -> Path:
    """Return a copy of a sample folder that a test may damage."""
    return Path(shutil.copytree(AIPERF / name, to / name))
