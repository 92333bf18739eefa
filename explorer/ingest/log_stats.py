"""The lines in which servers state their levels every few seconds."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBER = r"([\d.]+)"
_ENGINE = re.compile(r"Engine (\d+):")
_VLLM = {
    "prompt_tps": re.compile(rf"Avg prompt throughput: {_NUMBER}"),
    "generation_tps": re.compile(rf"Avg generation throughput: {_NUMBER}"),
    "requests_running": re.compile(rf"Running: {_NUMBER} reqs"),
    "requests_waiting": re.compile(rf"(?:Waiting|Pending): {_NUMBER} reqs"),
    "kv_usage_ratio": re.compile(rf"GPU KV cache usage: {_NUMBER}%"),
    "gpu_hit_ratio": re.compile(rf"(?<!External )[Pp]refix cache hit rate: (?:GPU: )?{_NUMBER}%"),
    "external_hit_ratio": re.compile(rf"External prefix cache hit rate: {_NUMBER}%"),
}  # fmt: skip
_SGLANG = {
    "prompt_tps": re.compile(rf"input throughput \(token/s\): {_NUMBER}"),
    "generation_tps": re.compile(rf"gen throughput \(token/s\): {_NUMBER}"),
    "requests_running": re.compile(rf"#running-req: {_NUMBER}"),
    "requests_waiting": re.compile(rf"#queue-req: {_NUMBER}"),
    "kv_usage_ratio": re.compile(rf"(?<!swa )token usage: {_NUMBER}"),
}
_DP = re.compile(r"\bDP(\d+)\b")
_FIRST_RANK = re.compile(r"\b(?:TP|PP|EP)([1-9]\d*)\b")
_PERCENT = frozenset(("kv_usage_ratio", "gpu_hit_ratio", "external_hit_ratio"))


class Level(NamedTuple):
    """What one line states of one engine, in the base series' units."""

    engine: str
    values: dict[str, float]


def levels(line: str) -> Level | None:
    """Return the levels a log line states; null for any other line.

    vLLM's external rate is of the HBM misses only: here it is a share of all prompt tokens.
    """
    if "Avg prompt throughput" in line:
        return _vllm(line)
    if "Decode batch" in line or "Prefill batch" in line:
        return _sglang(line)
    return None


def _vllm(line: str) -> Level:
    engine = _ENGINE.search(line)
    values = _found(line, _VLLM)
    values = {k: v / 100 if k in _PERCENT else v for k, v in values.items()}
    if "external_hit_ratio" in values:
        values["external_hit_ratio"] *= 1 - values.get("gpu_hit_ratio", 0.0)
    return Level(str(int(engine[1])) if engine else "0", values)


def _sglang(line: str) -> Level | None:
    """Ranks other than the first of a pool repeat it and are left out."""
    if _FIRST_RANK.search(line[:80]):
        return None
    dp = _DP.search(line[:80])
    values = _found(line, _SGLANG)
    return Level(dp[1] if dp else "0", values) if values else None


def _found(line: str, patterns: dict[str, re.Pattern[str]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, pattern in patterns.items():
        match = pattern.search(line)
        if match:
            try:
                found[name] = float(match[1].rstrip("."))
            except ValueError:
                continue
    return found
