"""Measure ingest: seconds and peak memory of a first run, and the second as a share of it.

    python bench/ingest.py PATH…

Prints one JSON object. Memory is the sum of the largest resident sizes seen at once of the
command and its parsing processes, sampled every 20 ms.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_PAUSE_SECONDS = 0.02


def _resident_kb(pid: int) -> int:
    """Return the resident memory of a process and of all below it, in kB."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    own = next((line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")), "0")
    return int(own) + sum(_resident_kb(int(child)) for child in children)


def _run(paths: list[str], lake: str) -> tuple[float, int, dict[str, object]]:
    command = [sys.executable, "-m", "explorer.cli", "ingest", *paths, "--lake", lake, "--json"]
    started, peak = time.perf_counter(), 0
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out)
        while process.poll() is None:
            peak = max(peak, _resident_kb(process.pid))
            time.sleep(_PAUSE_SECONDS)
        seconds = time.perf_counter() - started
        out.seek(0)
        return seconds, peak, json.loads(out.read())


def main() -> None:
    paths = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        first, peak, report = _run(paths, folder + "/lake")
        second, _, again = _run(paths, folder + "/lake")
    print(
        json.dumps(
            {
                "first_s": round(first, 2),
                "second_s": round(second, 2),
                "second_to_first": round(second / first, 3),
                "peak_mb": peak // 1024,
                "points": report["points_written"],
                "written_by_second": again["points_written"],
            }
        )
    )


if __name__ == "__main__":
    main()
