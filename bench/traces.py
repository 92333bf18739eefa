"""Reading WEKA traces: time against parsing the same bytes with the standard library, and memory.

    python bench/traces.py FOLDER [--traces 739] [--megabytes 460] [--json OUT]

Repeats the traces of FOLDER under new ids until there are as many and as large as asked, then
reads them into turns in a process of its own. Baseline: `json.loads` of the same files.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from explorer.ingest.context import Context  # noqa: E402
from explorer.ingest.traces import WekaTraces  # noqa: E402


def repeat(folder: Path, out: Path, traces: int, megabytes: float) -> int:
    """Write `traces` files, picking sizes so that their sum nears `megabytes`; return bytes."""
    samples = sorted((path.read_bytes() for path in folder.glob("*.json")), key=len)
    written = 0
    for number in range(traces):
        wanted = (megabytes * 1e6 - written) / (traces - number)
        larger = [data for data in samples if len(data) >= wanted]
        data = larger[0] if larger and number % 2 else samples[number % len(samples)]
        value = json.loads(data)
        text = json.dumps(value | {"id": f"trace_{number:04d}"}).encode()
        (out / f"trace_{number:04d}.json").write_bytes(text)
        written += len(text)
    return written


def read_all(folder: str) -> int:
    """Read the folder as the ingest does; return its requests."""
    files = tuple(sorted(Path(folder).glob("*.json")))
    (draft,) = WekaTraces().read(files[0], Context(Path(folder), files))
    return int(draft.turns.num_rows)


def parse_all(folder: str) -> int:
    """Parse the same files with the standard library."""
    return sum(bool(json.loads(path.read_bytes())) for path in Path(folder).glob("*.json"))


def alone(work: Callable[[str], int], folder: str) -> dict[str, float]:
    """Run work in a fresh process; return seconds of its CPU and wall time, and peak MB."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (work, folder))


def _measured(work: Callable[[str], int], folder: str) -> dict[str, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    count = work(folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds, used = time.perf_counter() - wall, time.process_time() - cpu
    return {"count": count, "seconds": seconds, "cpu_seconds": used, "peak_mb": peak}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--traces", type=int, default=739)
    parser.add_argument("--megabytes", type=float, default=460)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        size = repeat(options.folder, Path(name), options.traces, options.megabytes)
        result: dict[str, Any] = {"traces": options.traces, "megabytes": size / 1e6}
        result["json.loads"] = alone(parse_all, name)
        result["read"] = alone(read_all, name)
    result["ratio_cpu"] = result["read"]["cpu_seconds"] / result["json.loads"]["cpu_seconds"]
    print(json.dumps(result, indent=1))
    if options.json:
        options.json.write_text(json.dumps(result))


if __name__ == "__main__":
    main()
