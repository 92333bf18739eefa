"""An independent recomputation of a WEKA trace in plain Python: slow, literal, no shared code."""

from __future__ import annotations

import json
from pathlib import Path


def load(path: Path) -> dict:
    return json.loads(path.read_text())


def requests_in_list_order(trace: dict) -> list[tuple[dict, int, int | None, float]]:
    """(request, outer, inner, absolute start in seconds), inner times in either dialect."""
    found = []
    for outer, entry in enumerate(trace["requests"]):
        if entry.get("type") != "subagent":
            found.append((entry, outer, None, entry["t"]))
            continue
        relative = any(request["t"] < entry["t"] for request in entry["requests"])
        for inner, request in enumerate(entry["requests"]):
            start = entry["t"] + request["t"] if relative else request["t"]
            found.append((request, outer, inner, start))
    return found


def leading(blocks: list[int], seen: set[int]) -> int:
    count = 0
    for block in blocks:
        if block not in seen:
            break
        count += 1
    return count


def list_order_hits(trace: dict) -> list[int]:
    parent: set[int] = set()
    hits = []
    for entry in trace["requests"]:
        if entry.get("type") == "subagent":
            copy = set(parent)
            for request in entry["requests"]:
                hits.append(leading(request["hash_ids"], copy))
                copy |= set(request["hash_ids"])
        else:
            hits.append(leading(entry["hash_ids"], parent))
            parent |= set(entry["hash_ids"])
    return hits


def time_order_hits(trace: dict) -> list[int]:
    flat = requests_in_list_order(trace)
    seen: set[int] = set()
    hits = [0] * len(flat)
    for place in sorted(range(len(flat)), key=lambda place: (flat[place][3], place)):
        blocks = flat[place][0]["hash_ids"]
        hits[place] = leading(blocks, seen)
        seen |= set(blocks)
    return hits


def turns(trace: dict) -> list[dict]:
    """Per request in list order: input, cached, uncached, output, time-order cached tokens."""
    size = trace.get("block_size", 64)
    return [
        {
            "isl_tokens": request["in"],
            "cached_tokens": min(request["in"], size * hits),
            "uncached_tokens": request["in"] - min(request["in"], size * hits),
            "osl_tokens": request["out"],
            "time_order_cached_tokens": min(request["in"], size * later),
            "source_outer_idx": outer,
            "source_inner_idx": inner,
        }
        for (request, outer, inner, _), hits, later in zip(
            requests_in_list_order(trace),
            list_order_hits(trace),
            time_order_hits(trace),
            strict=True,
        )
    ]


def links(trace: dict) -> dict[str, tuple[int | None, int | None]]:
    """agent → (spawning main turn, joined main turn), by start times alone."""
    mains = [entry["t"] for entry in trace["requests"] if entry.get("type") != "subagent"]
    found = {}
    for entry in trace["requests"]:
        if entry.get("type") == "subagent":
            end = entry["t"] + entry["duration_ms"] / 1000
            before = [turn for turn, start in enumerate(mains) if start <= entry["t"]]
            after = [turn for turn, start in enumerate(mains) if start >= end]
            found[entry["agent_id"]] = (before[-1], after[0] if after else None)
    return found


def block_hit_percent(trace: dict, hits: list[int]) -> float:
    blocks = sum(len(request["hash_ids"]) for request, *_ in requests_in_list_order(trace))
    return 100 * sum(hits) / blocks
