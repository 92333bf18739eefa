"""Pages of datasets and conversations: CPU time of the server's first answer, and bytes.

    python bench/dataset_pages.py LAKE [--json OUT]

Asks a lake's largest dataset and its longest conversation, each in a process of its own so that
nothing is remembered, then once more. Baseline: the list of datasets in the same process.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from explorer.app import create_app  # noqa: E402
from explorer.domain import addresses  # noqa: E402
from explorer.settings import Settings  # noqa: E402
from explorer.store.lake import open_lake  # noqa: E402

LARGEST = "SELECT dataset, requests FROM {datasets} ORDER BY requests DESC LIMIT 1"
LONGEST = """
SELECT dataset, conversation, requests FROM {conversations} ORDER BY requests DESC LIMIT 1
"""


def pages(lake: Path) -> dict[str, tuple[str, int]]:
    """Return name → (address, requests on it)."""
    opened = open_lake(lake)
    (largest,), (longest,) = opened.rows(LARGEST), opened.rows(LONGEST)
    slug, id_ = longest["dataset"], longest["conversation"]
    return {
        "dataset": (addresses.dataset(largest["dataset"]), largest["requests"]),
        "conversation": (addresses.conversation(slug, id_), longest["requests"]),
        "unfolded": (addresses.conversation(slug, id_) + "?open=dag", longest["requests"]),
    }


def ask(lake: Path, address: str) -> dict[str, float]:
    """Return CPU and wall ms of the first and the second answer, and their bytes."""
    client = create_app(Settings(lake=lake)).test_client()
    client.get(addresses.datasets())
    baseline, _ = _timed(client, addresses.datasets() + "?theme=dark")
    first, size = _timed(client, address)
    again, _ = _timed(client, f"{address}{'&' if '?' in address else '?'}theme=dark")
    return {
        "bytes": size,
        "list_cpu_ms": baseline["cpu_ms"],
        **{f"first_{key}": value for key, value in first.items()},
        **{f"again_{key}": value for key, value in again.items()},
        "ratio": first["cpu_ms"] / baseline["cpu_ms"],
    }


def _timed(client: Any, address: str) -> tuple[dict[str, float], int]:
    wall, cpu = time.perf_counter(), time.process_time()
    answer = client.get(address)
    assert answer.status_code == 200, address
    spent = {
        "cpu_ms": (time.process_time() - cpu) * 1e3,
        "wall_ms": (time.perf_counter() - wall) * 1e3,
    }
    return spent, len(answer.data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lake", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result: dict[str, Any] = {}
    for name, (address, requests) in pages(options.lake).items():
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            result[name] = {"requests": requests, **pool.apply(ask, (options.lake, address))}
    print(json.dumps(result, indent=1))
    if options.json:
        options.json.write_text(json.dumps(result))


if __name__ == "__main__":
    main()
