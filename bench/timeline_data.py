"""Generated requests for timeline benchmarks and tests: agentic trees under closed load."""

from __future__ import annotations

from typing import Any

import numpy as np

NULL = int(np.iinfo(np.int64).min)


def generate(n: int, *, seed: int = 7, concurrency: int | None = None) -> dict[str, Any]:
    """Return `n` requests as the lake's columns, sorted by ordinal, both phases.

    Trees of one main stream and up to three sub-agents run in `concurrency` session slots; turns
    grow, half of the input is cached after the first turn, 1.5 % fail at once, 0.5 % are cancelled.
    """
    rng = np.random.default_rng(seed)
    slots = concurrency or max(8, min(512, n // 500))
    stream, turn = _streams(rng, n)
    ttft = rng.lognormal(-0.7, 0.9, n)
    osl = np.minimum(rng.lognormal(5.3, 1.1, n), 30_000).astype(np.int64) + 1
    decode = osl * rng.lognormal(-4.6, 0.35, n)
    wait = rng.gamma(2.0, 0.004, n)
    pause = rng.lognormal(-1.2, 1.0, n)
    status = rng.choice(3, n, p=[0.98, 0.015, 0.005])
    ttft, decode = np.where(status == 1, 0, ttft), np.where(status == 1, 0, decode)
    start = _starts(stream, slots, wait + ttft + decode + pause) + wait
    order = np.argsort(start, kind="stable")
    columns = _columns(rng, stream, turn, osl, status)
    ns = {
        "credit_ns": (start - wait) * 1e9,
        "start_ns": start * 1e9,
        "first_token_ns": np.where(status == 1, NULL, (start + ttft) * 1e9),
        "end_ns": (start + ttft + decode) * 1e9,
    }
    zero = int(np.quantile(start, 0.1) * 1e9)
    for key, values in ns.items():
        whole = values.astype(np.int64)
        columns[key] = np.where(values == NULL, NULL, whole - zero)
    columns["phase"] = np.where(columns["start_ns"] < 0, "warmup", "profiling").astype(object)
    out = {key: values[order] for key, values in columns.items()}
    return out | {"ordinal": np.arange(n)}


def _streams(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Return (stream, turn) of each request: streams of 1 to 120 turns, one after another."""
    lengths = np.minimum(rng.geometric(0.04, n) + 1, 120)
    ends = np.cumsum(lengths)
    stream = np.searchsorted(ends, np.arange(n), side="right")
    first = np.concatenate([[0], ends])[stream]
    return stream, np.arange(n) - first


def _starts(stream: Any, slots: int, span: Any) -> Any:
    """Return the second at which each request is issued: a stream follows its slot's last one."""
    before = np.concatenate([[0.0], np.cumsum(span)])[:-1]
    tree = stream // 4
    first_of_tree = np.searchsorted(tree, np.arange(tree[-1] + 1))
    first_of_stream = np.searchsorted(stream, np.arange(stream[-1] + 1))
    length = np.add.reduceat(span, first_of_tree)
    free, begin = np.zeros(slots), np.zeros(len(length))
    for t, seconds in enumerate(length):
        slot = int(free.argmin())
        begin[t] = free[slot]
        free[slot] += seconds * 0.6
    overlap = (stream % 4) * 1.5
    return begin[tree] + overlap + (before - before[first_of_stream][stream])


def _columns(rng: np.random.Generator, stream: Any, turn: Any, osl: Any, status: Any) -> Any:
    """Return everything but the times, in the order the streams were made."""
    n = len(stream)
    main = stream % 4 == 0
    root = stream // 4 * 4
    grown = np.cumsum(osl + rng.integers(20, 900, n))
    first = np.searchsorted(stream, np.arange(stream[-1] + 1))
    isl = 4_000 + grown - grown[first][stream]
    cached = np.where(turn == 0, 0, (isl * rng.uniform(0.85, 0.99, n)).astype(np.int64) // 64 * 64)
    names = np.array([f"trace_{i:04d}" for i in range(400)], dtype=object)
    agents = np.array([f"sa:agent_{i:03d}" for i in range(4)], dtype=object)
    return {
        "stream_id": stream,
        "root_id": root,
        "parent_id": np.where(main, None, root.astype(object)),
        "conversation": names[(root // 4) % 400],
        "agent": np.where(main, None, agents[stream % 4]),
        "turn": turn,
        "depth": np.where(main, 0, 1),
        "kind": np.where(main, "main", np.where(stream % 4 == 3, "aux", "subagent")).astype(object),
        "client_worker": np.array([f"worker_{i}" for i in range(8)], dtype=object)[stream % 8],
        "engine": np.array([f"engine_{i}" for i in range(4)], dtype=object)[rng.integers(0, 4, n)],
        "isl_tokens": isl,
        "osl_tokens": np.where(status == 1, NULL, osl),
        "cached_tokens": np.where(status == 1, NULL, cached),
        "status": np.array(["ok", "failed", "cancelled"], dtype=object)[status],
        "error_type": np.array([None, "http", "cancelled"], dtype=object)[status],
        "error_code": np.array([NULL, 500, 499])[status],
    }
