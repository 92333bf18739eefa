"""An independent recomputation of a comparison of two points, in plain Python.

Reads the request exports themselves; shares no code with the product. Expanded lists, sorted
samples, `random.Random`: slow and readable.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.oracle import requests

Record = dict[str, Any]
LOW, HIGH = 25, 974


def roots(records: list[Record]) -> dict[str, str]:
    """Return stream → root, following parents where the export names no root."""
    parents = {
        r["metadata"]["x_correlation_id"]: r["metadata"].get("parent_correlation_id")
        for r in records
    }
    found = {}
    for record in records:
        at = stream = record["metadata"]["x_correlation_id"]
        while parents.get(at):
            at = parents[at]
        found[stream] = record["metadata"].get("root_correlation_id") or at
    return found


def spent(records: list[Record], hit_ratio: float | None) -> dict[str, float]:
    """Return the means that a request's time is made of."""
    ok = requests.kept(records)
    pairs = [
        (requests.value(r, "time_to_first_token"), requests.value(r, "request_latency")) for r in ok
    ]
    isl = [requests.value(r, "input_sequence_length") or 0 for r in ok]
    osl = [requests.value(r, "output_sequence_length") or 0 for r in ok]
    n = len(ok)
    ttft = math.fsum(t for t, _ in pairs) / n
    decode = math.fsum(e - t for t, e in pairs) / n
    steps = math.fsum(max(tokens - 1, 0) for tokens in osl) / n
    found = {"requests": n, "ttft_s": ttft, "decode_s": decode, "steps": steps}
    found["step_s"] = decode / steps
    if hit_ratio is not None:
        found["uncached_tokens"] = math.fsum(isl) / n * (1 - hit_ratio)
    return found


def matched(a: list[Record], b: list[Record]) -> dict[str, float]:
    """Return the means over the turns that both replayed, each once."""
    one, two = _turns(a), _turns(b)
    keys = one.keys() & two.keys()
    found = {"n": float(len(keys))}
    for name, side in (("a", one), ("b", two)):
        ttft = [requests.value(side[key], "time_to_first_token") for key in keys]
        e2el = [requests.value(side[key], "request_latency") for key in keys]
        found[f"{name}_ttft_s"] = math.fsum(ttft) / len(keys)
        found[f"{name}_e2el_s"] = math.fsum(e2el) / len(keys)
    return found


def _turns(records: list[Record]) -> dict[tuple[str, int], Record]:
    ok = requests.kept(records)
    key = lambda r: (r["metadata"]["conversation_id"], r["metadata"]["turn_index"])  # noqa: E731
    times = Counter(key(r) for r in ok)
    return {key(r): r for r in ok if times[key(r)] == 1}


Statistic = Callable[[list[Record]], float]


def interval(
    sides: list[tuple[list[Record], str]], statistic: Statistic, draws: int
) -> tuple[float, float]:
    """Return the 95 % interval of b's statistic over a's; (records, seed) a side.

    Whole conversations are drawn with replacement, each side on its own.
    """
    (a, b) = (_redrawn(records, seed, statistic, draws) for records, seed in sides)
    ratios = sorted(two / one for one, two in zip(a, b, strict=True))
    return ratios[LOW], ratios[HIGH]


def _redrawn(records: list[Record], seed: str, statistic: Statistic, draws: int) -> list[float]:
    of = roots(records)
    blocks: dict[str, list[Record]] = {}
    for record in requests.kept(records):
        blocks.setdefault(of[record["metadata"]["x_correlation_id"]], []).append(record)
    names = sorted(blocks)
    dice = random.Random(seed)
    return [
        statistic([r for name in dice.choices(names, k=len(names)) for r in blocks[name]])
        for _ in range(draws)
    ]
