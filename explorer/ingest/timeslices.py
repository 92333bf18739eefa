"""The load generator's time slices: throughput over time when no server series exists.

Sparse (a slice without a completion is not written), and the last slice is partial.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from explorer.ingest.numbers import finite, integer
from explorer.ingest.opening import load_json
from explorer.ingest.server_metrics import Key

_SERIES = {"input_token_throughput": "prompt_tps", "output_token_throughput": "generation_tps"}


def is_timeslices(head: bytes) -> bool:
    """Say whether a file's first bytes are AIPerf's time slices."""
    return head.lstrip()[:40].replace(b" ", b"").replace(b"\n", b"").startswith(b'{"timeslices":')


def read(path: Path) -> dict[Key, tuple[list[int], list[float]]]:
    """Return samples at the slices' middles in absolute ns, for the whole deployment."""
    document = load_json(path)
    slices = document.get("timeslices") if isinstance(document, dict) else None
    samples: dict[Key, tuple[list[int], list[float]]] = {}
    for part in slices or ():
        for tag, name in _SERIES.items():
            time, value = _sample(part, tag)
            if time is not None and value is not None:
                times, values = samples.setdefault(Key(name, None, None), ([], []))
                times.append(time)
                values.append(value)
    return samples


def _sample(part: Any, tag: str) -> tuple[int | None, float | None]:
    metric = part.get(tag) if isinstance(part, dict) else None
    if not isinstance(metric, dict):
        return None, None
    start, end = integer(part.get("start_ns")), integer(part.get("end_ns"))
    if start is None or end is None:
        return None, None
    return (start + end) // 2, finite(metric.get("avg"))
