"""Server log, launch command and GPU telemetry of a simulated run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from explorer.demo.chance import mix
from explorer.demo.measured import Times
from explorer.demo.rates import Deployment, engine_rates
from explorer.demo.replay import Outcome


def _stamp(ns: int) -> str:
    return datetime.fromtimestamp(ns // 1_000_000_000, UTC).strftime("%m-%d %H:%M:%S")


def pool_lines(deployment: Deployment, at_ns: int) -> Iterator[str]:
    """Yield what the engine says of its KV pool when it starts, once per rank."""
    shape = deployment.prefill or deployment.decode
    pool = deployment.pool_tokens(shape)
    for rank in range(shape.ranks):
        if "sglang" in deployment.engine:
            yield f"[{_stamp(at_ns)} DP{rank} TP0] max_total_num_tokens={pool}, context_len="
            yield f"{deployment.context_tokens}\n"
        else:
            pid = f"(EngineCore_DP{rank} pid={1000 + rank})"
            yield f"{pid} INFO {_stamp(at_ns)} [kv_cache_utils.py:2146] "
            yield f"GPU KV cache size: {pool:,} tokens\n"


def log_lines(outcome: Outcome, times: Times) -> Iterator[str]:
    """Yield a vLLM server log: the pool, then one line per engine and ten seconds."""
    deployment = outcome.deployment
    yield f"(APIServer pid=999) INFO {_stamp(times.ns(0.0))} [api_utils.py:339] simulated engine\n"
    yield from pool_lines(deployment, times.ns(0.0))
    previous = outcome.scrapes[0]
    for scrape in outcome.scrapes[1:]:
        elapsed = scrape.at_s - previous.at_s
        for rank, (row, before) in enumerate(zip(scrape.rows, previous.rows, strict=True)):
            running, waiting, usage, _, now = row
            then = before.counters
            prompt = now.computed - then.computed
            all_prompt = now.hbm + now.dram + now.computed
            hit = 100 * now.hbm / all_prompt if all_prompt else 0.0
            yield (
                f"(APIServer pid=999) INFO {_stamp(times.ns(scrape.at_s))} [loggers.py:273] "
                f"Engine {rank:03d}: Avg prompt throughput: {prompt / elapsed:.1f} tokens/s, "
                f"Avg generation throughput: {(now.generated - then.generated) / elapsed:.1f} "
                f"tokens/s, Running: {running} reqs, Waiting: {waiting} reqs, "
                f"GPU KV cache usage: {100 * usage:.1f}%, Prefix cache hit rate: {hit:.1f}%\n"
            )
        previous = scrape


def launch_command(deployment: Deployment) -> str:
    """Return the command that would have started this deployment."""
    shape = deployment.decode
    size = shape.gpus // shape.workers
    parallel = f"--tensor-parallel-size={size}"
    if shape.ranks > shape.workers:
        parallel = f"--data-parallel-size={size} --enable-expert-parallel"
    return (
        f"vllm serve {deployment.model} --served-model-name {deployment.model} --port 8000 "
        f"{parallel} --max-model-len {deployment.context_tokens} --enable-prefix-caching\n"
    )


def telemetry_lines(outcome: Outcome, times: Times, every: int = 3) -> Iterator[str]:
    """Yield ``gpu_telemetry_export.jsonl``: power follows the share of busy seconds."""
    deployment = outcome.deployment
    hw: dict[str, Any] = engine_rates()["hardware"][deployment.hw]
    brand = "amd" if deployment.hw.startswith("mi") else "nvidia"
    for number, scrape in enumerate(outcome.scrapes[::every]):
        busy = sum(1.0 for row in scrape.rows if row.running) / len(scrape.rows)
        full = min(1.0, sum(row.running for row in scrape.rows) / (16.0 * len(scrape.rows)))
        for gpu in range(deployment.gpus):
            wobble = (mix(number, gpu) % 1000) / 1000
            load = busy * (0.42 + 0.4 * full + 0.1 * wobble)
            power = hw["idle_w"] + (hw["tdp_w"] - hw["idle_w"]) * load
            sample = {
                "gpu_index": gpu,
                "gpu_uuid": f"GPU-{gpu:08d}-0000-4000-8000-5151515151{gpu:02d}",
                "gpu_model_name": f"simulated {deployment.hw}",
                "device": f"{brand}{gpu}",
                "platform": brand,
                "timestamp_ns": times.ns(scrape.at_s),
                "telemetry_source_url": "http://127.0.0.1:9400/metrics",
                "telemetry_data": {
                    f"{brand}_power_usage": round(power, 3),
                    f"{brand}_gpu_utilization": round(100 * load, 1),
                    f"{brand}_memory_used": round(hw["hbm_gb"] * 0.88, 3),
                },
            }
            yield json.dumps(sample, separators=(",", ":")) + "\n"
