"""Curves recomputed in plain Python from stored rows: no SQL of ours, no numpy, no shared code."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
Pair = tuple[float, float]


def beats(one: Pair, other: Pair) -> bool:
    """Tell whether a pair is at least as good on both (higher is better) and better on one."""
    return one[0] >= other[0] and one[1] >= other[1] and one != other


def frontier(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs that none beats, by x; every pair against every other."""
    return sorted(one for one in pairs if not any(beats(other, one) for other in pairs))


def cost(row: Row, rates: Mapping[str, float]) -> float:
    """Return $ per M tokens from throughput per GPU and $ per GPU-hour."""
    return rates[row["hw"]] / (row["total_tps_per_gpu"] * 3600 / 1e6)


def cheapest(rows: Sequence[Row], rates: Mapping[str, float], ttft_max: float) -> list[str]:
    """Return the ids of complete runs within p90 TTFT, cheapest first, ties to the faster."""
    within = [row for row in rows if row["status"] == "ok" and row["p90_ttft_s"] <= ttft_max]
    ordered = sorted(
        within,
        key=lambda row: (cost(row, rates), -row["p90_interactivity_tps"], row["point_id"]),
    )
    return [row["point_id"] for row in ordered]


def fastest(rows: Sequence[Row], rates: Mapping[str, float], ttft_max: float) -> list[str]:
    """Return the ids within p90 TTFT that none beats on speed and cost, fastest first."""
    within = [row for row in rows if row["status"] == "ok" and row["p90_ttft_s"] <= ttft_max]
    pairs = {row["point_id"]: (row["p90_interactivity_tps"], -cost(row, rates)) for row in within}
    won = [
        name
        for name, pair in pairs.items()
        if not any(beats(other, pair) for other in pairs.values())
    ]
    return sorted(won, key=lambda name: -pairs[name][0])


def height(line: Sequence[Pair], x: float) -> float | None:
    """Return y on straight segments at x; None outside."""
    for (x0, y0), (x1, y1) in itertools.pairwise(line):
        if x0 <= x <= x1:
            return y0 if x == x0 else y1 if x == x1 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return None


def area(line: Sequence[Pair], low: float, high: float) -> float:
    """Return the area under straight segments, piece by piece."""
    total = 0.0
    for (x0, y0), (x1, y1) in itertools.pairwise(line):
        a, b = max(x0, low), min(x1, high)
        if a < b:
            slope = (y1 - y0) / (x1 - x0)
            total += (b - a) * ((y0 + slope * (a - x0)) + (y0 + slope * (b - x0))) / 2
    return total


def bucket(line: Sequence[Pair], low: float, high: float, last: bool) -> float | None:
    """Return the best y of the vertices in [low, high), the end included in the last."""
    inside = [y for x, y in line if low <= x < high or (last and x == high)]
    return max(inside) if inside else None


def leaders(lines: Mapping[str, Sequence[Pair]], steps: int = 4001) -> dict[str, list[float]]:
    """Return, by name, the x of a fine grid at which it is highest among two or more lines."""
    low = min(line[0][0] for line in lines.values())
    high = max(line[-1][0] for line in lines.values())
    found: dict[str, list[float]] = {name: [] for name in lines}
    for step in range(steps):
        x = low + (high - low) * step / (steps - 1)
        known = {name: y for name, line in lines.items() if (y := height(line, x)) is not None}
        if len(known) > 1:
            found[max(known, key=lambda name: known[name])].append(x)
    return found


def percentile(values: Sequence[float], share: float) -> float:
    """Return the linearly interpolated percentile at rank (n − 1)·share."""
    ordered = sorted(values)
    rank = (len(ordered) - 1) * share
    low = math.floor(rank)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (rank - low)


def redrawn(requests: Sequence[Row], seed: str, draws: int) -> tuple[list[float], list[float]]:
    """Return per draw (p90 interactivity, tokens) over those of the whole run.

    Whole replays (`root_id`) are drawn with replacement, as many as there were.
    """
    blocks: dict[str, list[Row]] = {}
    for request in requests:
        blocks.setdefault(request["root_id"], []).append(request)
    names = sorted(blocks)
    dice = random.Random(seed)
    itl = percentile([r["itl_s"] for r in requests if r["itl_s"]], 0.9)
    tokens = sum(r["isl_tokens"] + r["osl_tokens"] for r in requests)
    speeds, sums = [], []
    for _ in range(draws):
        chosen = dice.choices(range(len(names)), k=len(names))
        taken = [r for index in chosen for r in blocks[names[index]]]
        speeds.append(itl / percentile([r["itl_s"] for r in taken if r["itl_s"]], 0.9))
        sums.append(sum(r["isl_tokens"] + r["osl_tokens"] for r in taken) / tokens)
    return speeds, sums


def band(
    points: Sequence[tuple[Pair, tuple[Sequence[float], Sequence[float]] | None]],
    stops: Sequence[float],
    draws: int,
) -> list[tuple[float, float] | None]:
    """Return the 95 % interval of the frontier at each stop; None where under 90 % reach it."""
    seen: list[list[float]] = [[] for _ in stops]
    for draw in range(draws):
        pairs = [
            pair if drawn is None else (pair[0] * drawn[0][draw], pair[1] * drawn[1][draw])
            for pair, drawn in points
        ]
        line = frontier(pairs)
        for values, stop in zip(seen, stops, strict=True):
            y = line[0][1] if len(line) == 1 and line[0][0] == stop else height(line, stop)
            if y is not None:
                values.append(y)
    found: list[tuple[float, float] | None] = []
    for values in seen:
        values.sort()
        last = len(values) - 1
        enough = len(values) >= draws * 0.9
        found.append((values[last * 25 // 999], values[last * 974 // 999]) if enough else None)
    return found
