"""Build and ingest a size of the demo corpus once; print what came of it as one JSON object.

    python bench/demo_huge.py [--size huge] [--lake DIR]

The baseline is the build alone: ``ingest_to_build`` is the ratio of processor seconds.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from explorer.demo.build import demo
from explorer.demo.plan import SIZES


def _processor_seconds() -> float:
    parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in parts)


class Totals:
    """Sums the reports of the batches and the processor seconds between them."""

    def __init__(self) -> None:
        self.counts = {"points": 0, "requests": 0, "conversations": 0, "skipped": 0, "batches": 0}
        self.build_s = self.ingest_s = 0.0
        self._last = _processor_seconds()

    def hear(self, code: str, args: dict[str, Any]) -> None:
        now = _processor_seconds()
        spent, self._last = now - self._last, now
        if code != "ingested":
            self.build_s += spent
            return
        self.ingest_s += spent
        report = args["report"]
        self.counts["points"] += report.points_written
        self.counts["requests"] += report.requests_written
        self.counts["conversations"] += report.conversations_written
        self.counts["skipped"] += len(report.skipped)
        self.counts["batches"] += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="huge")
    parser.add_argument("--lake", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        lake = given.lake or Path(scratch, "lake")
        totals, started = Totals(), time.monotonic()
        demo(lake, given.size, totals.hear, workers=1)
        size = sum(path.stat().st_size for path in lake.rglob("*") if path.is_file())
        ratio = totals.ingest_s / totals.build_s
        print(
            json.dumps(
                {
                    "size": given.size,
                    **totals.counts,
                    "lake_bytes": size,
                    "bytes_per_request": round(size / max(1, totals.counts["requests"]), 1),
                    "build_processor_s": round(totals.build_s, 1),
                    "ingest_processor_s": round(totals.ingest_s, 1),
                    "ingest_to_build": round(ratio, 2),
                    "wall_s": round(time.monotonic() - started, 1),
                }
            )
        )


if __name__ == "__main__":
    main()
