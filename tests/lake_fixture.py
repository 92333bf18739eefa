"""A small synthetic lake, the same on every machine: eight points, two snapshots, one alias.

`build(folder)` writes it through the store's own doors. `Sample.ids` names its points by what
they are for; see NAMES. Numbers of points with requests come from their requests.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from explorer.domain import identity
from explorer.domain.metrics import stored_keys
from explorer.domain.turns import TURN_COLUMNS
from explorer.store import objects, snapshots
from explorer.store.lake import LocalLake, open_lake
from explorer.store.measure import measure
from explorer.store.schema import GPU, REQUESTS, SERIES, arrow_schema
from explorer.store.writer import publish

SECOND = 1_000_000_000
ZERO_NS = 1_780_000_000 * SECOND
PRICE_VERSION = "2026-07"
NAMES = {
    "low": "agentic on b200, concurrency 2, requests, series and GPU telemetry",
    "high": "at concurrency 8, KV offload to DRAM, failures, bound to the dataset `sample-set`",
    "other": "agentic on mi355x, an aggregate row only; `other-alias` is its older id",
    "split": "fixed sequence 8k1k on gb200, disaggregated",
    "crashed": "every request failed: no metrics",
    "unpriced": "hardware that no table knows",
    "mock": "a mock server's run without hardware",
    "gone": "in the first snapshot only",
}
ALIAS = "other-alias"
FIRST_NAME = "first"
DATASET = "sample-set"
TURNS, BLOCK = 15, 64
"""Turns of each of the dataset's conversations, and tokens of a block."""
FIRST_TURN = 2
"""The dataset's turn that a stream's turn 0 replays: streams start inside the conversation."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The lake, its folder, ids by name, and its two snapshots (`first` has the name `first`)."""

    folder: Path
    lake: LocalLake
    ids: dict[str, str]
    first: str
    newest: str

    def places(self, name: str = "high") -> dict[str, str]:
        """Return what fills the places of any route of the API, for one of the points."""
        return {
            "point_id": self.ids[name],
            "slug": DATASET,
            "conversation_id": "conv-0",
            "snap": self.newest,
        }

    def embeds(self) -> dict[str, str]:
        """Return an address of each kind of embed."""
        ids = self.ids
        return {
            "curve": "/e/v1/curve?model=kimik2.5",
            "point": f"/e/v1/point?point={ids['high']}",
            "timeline": f"/e/v1/timeline?point={ids['high']}",
            "flame": f"/e/v1/flame?a={DATASET}/conv-1@{ids['high']}&turn=4",
            "compare": f"/e/v1/compare?a={ids['low']}&b={ids['high']}",
            "table": "/e/v1/table?model=kimik2.5",
        }


def point_id(name: str) -> str:
    """Return the id of a point or alias of the sample."""
    return identity.point_id({"sample": name})


def build(folder: Path) -> Sample:
    """Write the sample lake and return it."""
    rows = {row.pop("name"): row for row in _rows(folder)}
    ids = {name: point_id(name) for name in [*rows, ALIAS]}
    early = [rows[name] for name in ("low", "other", "gone")]
    traces = {"datasets": [_dataset(folder)], "conversations": _conversations()}
    first = publish(
        folder, points=early, **traces, price_version=PRICE_VERSION, note="first"
    ).snapshot
    assert first is not None
    snapshots.give_name(folder, first.snap, FIRST_NAME)
    late = [row for name, row in rows.items() if name not in ("low", "other", "gone")]
    newest = publish(
        folder,
        points=late,
        remove=[ids["gone"]],
        **traces,
        price_version=PRICE_VERSION,
    )
    assert newest.snapshot is not None
    return Sample(folder, open_lake(folder), ids, first.snap, newest.snapshot.snap)


def _rows(folder: Path) -> list[dict[str, Any]]:
    return [
        _agentic(folder, "low", 2, telemetry=True),
        _agentic(
            folder, "high", 8, kv_offload="dram", kv_offload_backend="lmcache",
            dataset=DATASET, dataset_raw=DATASET,
        ),
        _row("other", hw="mi355x", aliases=[point_id(ALIAS)], metrics=_summary(0.8, 900.0, 4)),
        _row(
            "split", hw="gb200", model="dsr1", engine="dynamo-trt", precision="fp4", spec="mtp",
            mode="disagg", nodes=5, gpus=20, parallelism="1xDEP8+1xDEP12", scenario="fixed",
            workload="8k1k", isl=8192, osl=1024, prefill_workers=1, prefill_gpus=8, prefill_ep=8,
            decode_workers=1, decode_gpus=12, decode_ep=12, source="third_party",
            metrics=_summary(2.5, 20_000.0, 64), date="2026-06-02",
        ),
        _row(
            "crashed", concurrency=32, status="failed", requests_ok=0, requests_total=32,
            requests_failed=32, errors=[{"type": "HTTPError", "code": 500, "n": 32}],
        ),
        _row("unpriced", hw="mi999x", metrics=_summary(1.2, 700.0, 4)),
        _row("mock", hw=None, gpus=None, source="mock", metrics=_summary(0.1, 0.0, 4)),
        _row("gone", metrics=_summary(0.9, 500.0, 3)),
    ]  # fmt: skip


def _row(name: str, metrics: dict[str, float] | None = None, **fields: Any) -> dict[str, Any]:
    base = {
        "name": name, "point_id": point_id(name), "aliases": [], "run_id": f"run-{name}",
        "source": "measured", "format": "sample", "status": "ok", "valid": True,
        "date": "2026-05-20", "model": "kimik2.5", "model_raw": "Kimi-K2.5", "hw": "b200",
        "engine": "vllm", "engine_version": "0.21.0", "precision": "fp4", "spec": "none",
        "mode": "agg", "nodes": 1, "gpus": 4, "tp": 4, "parallelism": "TP4",
        "scenario": "agentic", "workload": "coding", "harness": "aiperf",
        "harness_version": "0.13.0", "kv_offload": "none", "warnings": [], "errors": [],
        "image": "=cmd|' /C calc'!A0",
    }  # fmt: skip
    numbers = {key: value for key, value in (metrics or {}).items() if key in stored_keys()}
    row = {**base, **numbers, **fields}
    row["hw_raw"] = row["hw"]
    return row | {"revision": identity.revision(numbers)}


def _summary(ttft_s: float, total_tps: float, concurrency: float) -> dict[str, float]:
    """Return what an aggregate row states: no p99.9, no requests."""
    numbers = {"concurrency": concurrency, "duration_s": 600.0}
    for factor, statistic in ((0.9, "mean"), (0.8, "p50"), (1.0, "p90"), (1.6, "p99")):
        numbers[f"{statistic}_ttft_s"] = ttft_s * factor
        numbers[f"{statistic}_itl_s"] = 0.02 * factor
        numbers[f"{statistic}_interactivity_tps"] = 1 / (0.02 * factor)
    for basis, share in (("total", 1.0), ("input", 0.9), ("output", 0.1)):
        numbers[f"{basis}_tps"] = total_tps * share
        numbers[f"{basis}_tps_per_gpu"] = total_tps * share / 4
    return numbers


def _agentic(
    folder: Path, name: str, concurrency: int, telemetry: bool = False, **fields: Any
) -> dict[str, Any]:
    requests = request_table(concurrency)
    numbers = {key: value for key, value in measure(requests).items() if value is not None}
    numbers |= {f"{b}_tps_per_gpu": numbers[f"{b}_tps"] / 4 for b in ("total", "input", "output")}
    status = requests["status"].to_pylist()
    phases = requests["phase"].to_pylist()
    counted = [s for s, phase in zip(status, phases, strict=True) if phase == "profiling"]
    made = {
        "requests_object": objects.put_table(folder, requests, "requests"),
        "series_object": objects.put_table(folder, series_table(), "series"),
        "gpu_object": objects.put_table(folder, gpu_table(), "gpu") if telemetry else None,
        "requests_total": len(counted),
        "requests_ok": counted.count("ok"),
        "requests_failed": counted.count("failed"),
        "requests_cancelled": counted.count("cancelled"),
        "requests_overflow": 1,
        "requests_warmup": len(phases) - len(counted),
        "clock_zero_ns": ZERO_NS,
        "series_source": "jsonl",
        "planned_duration_s": 120.0,
    }
    return _row(name, numbers | {"concurrency": float(concurrency)}, **made, **fields)


def request_table(streams: int, turns: int = 12) -> pa.Table:
    """Return requests of `streams` conversations, `turns` each: the first of each is warm-up.

    The last stream's second-last turn fails, its last is cancelled, when there are over four.
    """
    dice = random.Random(streams)
    rows = [row for stream in range(streams) for row in _stream(dice, stream, turns, streams > 4)]
    zero = min(row["start_ns"] for row in rows if row["phase"] == "profiling")
    for row in rows:
        for key in ("credit_ns", "start_ns", "first_token_ns", "end_ns"):
            row[key] = None if row[key] is None else row[key] - zero
    rows.sort(key=lambda row: (row["start_ns"], row["request_id"]))
    full = [dict.fromkeys(REQUESTS.names) | row | {"ordinal": i} for i, row in enumerate(rows)]
    return pa.Table.from_pylist(full, schema=REQUESTS)


def _stream(dice: random.Random, stream: int, turns: int, failures: bool) -> list[dict[str, Any]]:
    at = stream * SECOND // 4
    rows = []
    for turn in range(turns):
        ttft = dice.randrange(200, 1500) * 1_000_000
        isl, osl = 4000 + 900 * turn + dice.randrange(50), dice.randrange(40, 300)
        end = at + ttft + osl * dice.randrange(10, 30) * 1_000_000
        bad = {1: "cancelled", 2: "failed"}.get(turns - turn, "ok")
        status = bad if failures and stream == 7 else "ok"
        row = {
            "request_id": f"r{stream:02d}-{turn:03d}", "stream_id": f"s{stream:02d}",
            "root_id": f"s{stream:02d}", "conversation": f"conv-{stream % 3}", "turn": turn,
            "depth": 0, "kind": "main", "client_worker": f"w{stream % 2}",
            "phase": "profiling" if turn else "warmup", "credit_ns": at - 1_000_000,
            "start_ns": at, "status": status, "isl_tokens": isl,
            "source_outer_idx": turn + FIRST_TURN,
        }  # fmt: skip
        rows.append(row | _outcome(status, at, ttft, end, osl))
        at = end + SECOND // 2
    return rows


def _outcome(status: str, at: int, ttft: int, end: int, osl: int) -> dict[str, Any]:
    if status != "ok":
        code = 499 if status == "cancelled" else 500
        end = at + (SECOND if status == "cancelled" else 0)
        return {
            "end_ns": end,
            "first_token_ns": None,
            "error_type": "HTTPError",
            "error_code": code,
        }
    return {
        "first_token_ns": at + ttft, "end_ns": end, "osl_tokens": osl, "ttft_s": ttft / 1e9,
        "e2el_s": (end - at) / 1e9, "itl_s": (end - at - ttft) / 1e9 / (osl - 1),
    }  # fmt: skip


def _dataset(folder: Path) -> dict[str, Any]:
    turns = objects.put_table(folder, turn_table(), "turns")
    rows = turn_table().to_pylist()
    summed = ("isl_tokens", "cached_tokens", "osl_tokens", "blocks", "hit_blocks")
    return {
        "dataset": DATASET, "name": DATASET, "format": "weka", "structured": True,
        "conversations": 3, "duplicates": 0, "turns": 45, "requests": 45, "subagents": 0,
        "models": ["m"], "turns_object": turns,
        **{name: sum(row[name] for row in rows) for name in summed},
        "time_order_hit_blocks": sum(row["hit_blocks"] for row in rows),
    }  # fmt: skip


def _conversations() -> list[dict[str, Any]]:
    rows = turn_table().to_pylist()[:TURNS]
    blocks, hits = (sum(row[name] for row in rows) for name in ("blocks", "hit_blocks"))
    summed = ("isl_tokens", "cached_tokens", "uncached_tokens", "osl_tokens")
    totals = {name: sum(row[name] for row in rows) for name in summed}
    return [
        {"dataset": DATASET, "conversation": f"conv-{n}", "position": n, "turns": TURNS,
         "requests": TURNS, "subagents": 0, "aux_requests": 0, **totals,
         "time_order_cached_tokens": totals["cached_tokens"], "blocks": blocks,
         "hit_blocks": hits, "time_order_hit_blocks": hits, "unique_blocks": rows[-1]["blocks"],
         "max_turn_tokens": rows[-1]["isl_tokens"] + rows[-1]["osl_tokens"],
         "max_isl_tokens": rows[-1]["isl_tokens"], "listorder_cache_hit_ratio": hits / blocks,
         "theoretical_cache_hit_ratio": hits / blocks, "compactions": 0, "block_tokens": BLOCK,
         "duration_ms": 3000.0 * (TURNS - 1) + 2000.0, "models": ["m"], "unknown_fields": {}}
        for n in range(3)
    ]  # fmt: skip


def turn_table() -> pa.Table:
    """Return the dataset's turns: three conversations of fifteen main turns."""
    rows = [_turn(n, turn) for n in range(3) for turn in range(TURNS)]
    schema = arrow_schema(TURN_COLUMNS)
    full = [dict.fromkeys(schema.names) | row for row in rows]
    return pa.Table.from_pylist(full, schema=schema)


def _turn(conversation: int, turn: int) -> dict[str, Any]:
    isl = 4000 + 900 * turn
    hits = (isl - 900) // BLOCK if turn else 0
    return {
        "dataset": DATASET, "conversation": f"conv-{conversation}", "ordinal": turn, "turn": turn,
        "kind": "main", "t_ms": 3000.0 * turn, "end_ms": 3000.0 * turn + 2000.0,
        "isl_tokens": isl, "cached_tokens": hits * BLOCK, "uncached_tokens": isl - hits * BLOCK,
        "osl_tokens": 120, "time_order_cached_tokens": hits * BLOCK, "blocks": isl // BLOCK,
        "hit_blocks": hits, "time_order_hit_blocks": hits, "shared_blocks": hits,
        "prefix_source": turn - 1 if turn else None, "model": "m", "source_outer_idx": turn,
        "api_time_ms": 2000.0,
    }  # fmt: skip


def series_table() -> pa.Table:
    """Return one engine's gauges and counters, a sample each second from −5 s to 90 s."""
    rows = []
    for second in range(-5, 91):
        for name, shape, value in (
            ("requests_running", "gauge", 2.0 + second % 3),
            ("requests_waiting", "gauge", float(second % 2)),
            ("kv_usage_ratio", "gauge", 0.4 + (second % 10) / 50),
            ("prompt_tokens", "counter", 4000.0 * (second + 5)),
            ("generation_tokens", "counter", 150.0 * (second + 5)),
            ("preemptions", "counter", float(max(second, 0) // 30)),
            ("prompt_tokens_by_source.local_cache_hit", "counter", 3000.0 * (second + 5)),
            ("prompt_tokens_by_source.local_compute", "counter", 1000.0 * (second + 5)),
        ):
            rows.append(
                {"name": name, "shape": shape, "engine": "0", "role": None,
                 "t_ns": second * SECOND, "value": value}
            )  # fmt: skip
    rows.sort(key=lambda row: (row["name"], row["t_ns"]))
    return pa.Table.from_pylist(rows, schema=SERIES)


def gpu_table() -> pa.Table:
    """Return four GPUs' telemetry, a sample a second."""
    rows = [
        {"gpu": f"GPU-{gpu}", "t_ns": second * SECOND, "power_w": 600.0 + 10 * gpu,
         "utilization_ratio": 0.9, "memory_used_bytes": 1.6e11, "energy_j": 600.0 * second,
         "temperature_c": 60.0}
        for gpu in range(4)
        for second in range(91)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=GPU)
