"""Deployments and their speeds, from the table of engine rates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from explorer.tables import table

_PRECISION_BYTES = {"fp4": 0.58, "int4": 0.6, "fp8": 1.03, "bf16": 2.0}
_HBM_SHARE = 0.88
_ACTIVATION_GB_PER_GPU = 4.0
_MAX_TABLED_TOKENS = 4096


def engine_rates() -> dict[str, Any]:
    """Return the table: hardware, model, engine, spec, each by name."""
    return table("engine_rates")


@dataclass(frozen=True)
class Shape:
    """GPUs that serve one role. ``ranks`` hold a KV pool each (1 = tensor parallel)."""

    gpus: int
    ranks: int = 1
    workers: int = 1

    @property
    def gpus_per_rank(self) -> int:
        return self.gpus // self.ranks

    @property
    def label(self) -> str:
        """TP8 or DEP8; several workers as 2xDEP8."""
        per_worker = self.gpus // self.workers
        kind = "DEP" if self.ranks > self.workers else "TP"
        return f"{self.workers}x{kind}{per_worker}" if self.workers > 1 else f"{kind}{per_worker}"


@dataclass(frozen=True)
class Deployment:
    """One served configuration; ``prefill`` set means disaggregated, ``decode`` the other role."""

    model: str
    hw: str
    engine: str
    precision: str
    decode: Shape
    prefill: Shape | None = None
    spec: str = "none"
    dram_ratio: float = 0.0
    affinity: str = "session"
    kv_pool_override: int | None = None

    @property
    def gpus(self) -> int:
        return self.decode.gpus + (self.prefill.gpus if self.prefill else 0)

    @property
    def context_tokens(self) -> int:
        return int(engine_rates()["model"][self.model]["context"])

    @property
    def kv_bytes(self) -> int:
        return int(engine_rates()["model"][self.model]["kv_bytes"])

    def pool_tokens(self, shape: Shape) -> int:
        """Return the KV tokens that one rank's pool holds: HBM less weights and activations."""
        if self.kv_pool_override and shape is self.decode:
            return self.kv_pool_override // shape.ranks // 64 * 64
        rates = engine_rates()
        model, hw = rates["model"][self.model], rates["hardware"][self.hw]
        per_worker = shape.gpus // shape.workers
        weights = model["total_b"] * _PRECISION_BYTES[self.precision]
        free = per_worker * (hw["hbm_gb"] * _HBM_SHARE - _ACTIVATION_GB_PER_GPU) - weights
        if free <= 0:
            raise ValueError(f"{self.model} at {self.precision} does not fit {shape.label}")
        ranks_per_worker = shape.ranks // shape.workers
        copies = 1 if model["kv_shared"] else per_worker // ranks_per_worker
        return int(free * 1e9 / copies / model["kv_bytes"] / ranks_per_worker) // 64 * 64

    @property
    def kv_pool_tokens(self) -> int:
        """Return the KV tokens of the role that keeps prefixes, over its ranks."""
        shape = self.prefill or self.decode
        return self.pool_tokens(shape) * shape.ranks


class Speed:
    """Step and prefill times of one rank of a shape.

    A decode step costs a fixed time, the weights it touches, and the KV it reads; a prefill
    costs per token, more the longer the context before it.
    """

    def __init__(self, deployment: Deployment, shape: Shape) -> None:
        rates = engine_rates()
        model, hw = rates["model"][deployment.model], rates["hardware"][deployment.hw]
        engine, spec = rates["engine"][deployment.engine], rates["spec"][deployment.spec]
        bandwidth = hw["hbm_tbps"] * 1e12 * hw["bandwidth_ratio"]
        group = shape.gpus_per_rank
        copies = 1 if model["kv_shared"] else group
        self.acceptance: float = spec["acceptance"]
        self.chunk_tokens: int = engine["chunk"]
        self._slow: float = spec["cost"] / engine["speed"]
        self._fixed_s: float = hw["step_ms"] * 1e-3
        self._per_context_s: float = model["kv_bytes"] * copies / group / bandwidth
        pflops = hw["prefill_pflops"][deployment.precision] * 1e15
        self.prefill_tps: float = group * pflops * engine["speed"] / (2e9 * model["active_b"])
        self.attention_tokens: float = model["attention_tokens"]
        per_param = _PRECISION_BYTES[deployment.precision] * 1e9 / bandwidth
        self._dense_s = model["dense_b"] * per_param / group
        self._experts_s = (model["total_b"] - model["dense_b"]) * per_param
        self._experts_s /= shape.gpus // shape.workers
        self._tokens_in_group = shape.ranks // shape.workers
        self._used_ratio = model["experts_used"] / model["experts"]

    @cached_property
    def _touched(self) -> list[float]:
        """Share of the experts that a step of n tokens reads, for n = 0, 1, 2…"""
        left, shares = 1.0, []
        for _ in range(_MAX_TABLED_TOKENS):
            shares.append(1.0 - left)
            left *= 1.0 - self._used_ratio
        return shares

    def step_s(self, requests: int, context_tokens: float) -> float:
        """Return the seconds of one decode step of this many requests over their context."""
        tokens = int(requests * self._tokens_in_group * (1.0 + self.acceptance) / 2)
        touched = self._touched[min(tokens, _MAX_TABLED_TOKENS - 1)]
        weights = self._dense_s + self._experts_s * touched
        compute = requests * self.acceptance / self.prefill_tps
        return self._slow * (
            self._fixed_s + weights + self._per_context_s * context_tokens + compute
        )

    def prefill_cost(self, new_tokens: int, context_tokens: int) -> float:
        """Return the work of a prefill in tokens at an empty context."""
        middle = context_tokens - new_tokens / 2
        return new_tokens * (1.0 + middle / self.attention_tokens) + 120.0


def load_tps(deployment: Deployment, shape: Shape) -> float:
    """Return the tokens per second that one rank loads from the DRAM tier."""
    host = engine_rates()["hardware"][deployment.hw]["host_gbps"] * 1e9
    return shape.gpus_per_rank * host * 0.7 / deployment.kv_bytes
