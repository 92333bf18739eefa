"""Which points each size of the corpus has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any, Literal

from explorer.demo.chance import mix_text
from explorer.demo.fixed import SEQUENCES, Sequence
from explorer.demo.rates import Deployment, Shape
from explorer.demo.replay import ReplayPlan

Size = Literal["small", "full", "huge"]
SIZES: tuple[Size, ...] = ("small", "full", "huge")
FULL_DATASET = "simulated-agentic"
CAPPED_DATASET = "simulated-agentic-256k"

KIMI = "moonshotai/Kimi-K2.5"
DEEPSEEK = "deepseek-ai/DeepSeek-R1-0528"
QWEN = "Qwen/Qwen3.5-397B-A17B"
GLM = "zai-org/GLM-5"
MINIMAX = "MiniMaxAI/MiniMax-M2.5"
GPT_OSS = "openai/gpt-oss-120b"

TP4, TP8 = Shape(4), Shape(8)
DEP8 = Shape(8, 8)


@dataclass(frozen=True)
class AgenticPoint:
    """One replay and the files it leaves."""

    deployment: Deployment
    replay: ReplayPlan
    dataset: str
    date: str
    layout: Literal["ci", "private"] = "ci"
    metrics: Literal["jsonl", "parquet", "log"] = "parquet"
    telemetry: bool = False

    @property
    def name(self) -> str:
        """Return the artifact name, in the spelling of the CI."""
        one = self.deployment
        disagg = "true" if one.prefill else "false"
        offload = "kvdram" if one.dram_ratio else "kvnone"
        shape = one.decode.label.lower()
        if one.prefill:
            shape = f"{one.prefill.label.lower()}-{shape}"
        return (
            f"sim_{one.model.rpartition('/')[2].lower()}_{one.hw}_{one.engine}_{one.precision}_"
            f"{shape}_{offload}_disagg-{disagg}_spec-{one.spec}_{one.affinity}_"
            f"conc{self.replay.lanes}_{self.date}"
        )


@dataclass(frozen=True)
class FixedRun:
    """Fixed-sequence rows of one deployment on one date; ``pace`` is the build's speed."""

    deployment: Deployment
    sequences: tuple[Sequence, ...]
    lanes: tuple[int, ...]
    date: str
    pace: float
    build: int


@dataclass(frozen=True)
class Corpus:
    """A size: sessions used of each dataset, agentic points, fixed-sequence runs."""

    datasets: dict[str, int]
    points: tuple[AgenticPoint, ...]
    fixed: tuple[FixedRun, ...] = field(default_factory=tuple)


@dataclass(frozen=True)
class _Curve:
    deployment: Deployment
    lanes: tuple[int, ...]
    dataset: str = CAPPED_DATASET
    date: str = "2026-07-20"
    offload_from: int = 10_000
    metrics: Literal["jsonl", "parquet", "log"] = "parquet"
    layout: Literal["ci", "private"] = "ci"
    telemetry: bool = False
    duration_s: float = 3600.0

    def points(self) -> Iterator[AgenticPoint]:
        """Yield the curve's points; from ``offload_from`` lanes on with a DRAM tier."""
        for lanes in self.lanes:
            one = self.deployment
            if lanes >= self.offload_from and not one.dram_ratio:
                one = replace(one, dram_ratio=2.0)
            seed = mix_text(f"{one.hw}{one.engine}{one.model}{one.spec}{lanes}") % 10_000
            yield AgenticPoint(
                one,
                ReplayPlan(lanes, self.duration_s, seed),
                self.dataset,
                self.date,
                self.layout,
                self.metrics,
                self.telemetry,
            )


def _agg(model: str, hw: str, engine: str, shape: Shape, precision: str, **rest: Any) -> Deployment:
    return replace(Deployment(model, hw, engine, precision, shape), **rest)


def _small_curves() -> list[_Curve]:
    lanes, short = (1, 2, 4, 8, 16, 32), 1800.0
    mi355x = _agg(KIMI, "mi355x", "vllm", TP4, "fp4")
    return [
        _Curve(
            mi355x,
            (1, 2, 4, 8, 16, 24, 32, 40),
            metrics="jsonl",
            telemetry=True,
            duration_s=short,
        ),
        _Curve(
            mi355x,
            (24, 32, 40, 48),
            offload_from=1,
            metrics="jsonl",
            telemetry=True,
            duration_s=short,
        ),
        _Curve(
            _agg(KIMI, "b200", "vllm", TP8, "fp4"),
            (1, 2, 4, 8, 12, 16, 24, 32),
            offload_from=24,
            metrics="log",
            duration_s=short,
        ),
        _Curve(_agg(KIMI, "b200", "vllm", DEP8, "fp4", spec="mtp"), (16, 32, 64), duration_s=short),
        _Curve(_agg(QWEN, "h200", "sglang", TP8, "fp8"), lanes, offload_from=16, duration_s=short),
        _Curve(
            _agg(MINIMAX, "b300", "sglang", TP4, "fp8"),
            lanes,
            layout="private",
            metrics="jsonl",
            duration_s=short,
        ),
        _Curve(
            _agg(KIMI, "gb300", "dynamo-vllm", DEP8, "fp4", prefill=TP4), (8, 24), duration_s=short
        ),
    ]


def _edge_points(dataset: str, duration_s: float) -> list[AgenticPoint]:
    """Return the points that show failures: many errors, a crash, a run that stopped early."""
    base = _agg(KIMI, "mi355x", "vllm", TP4, "fp4", spec="eagle3")
    plan = ReplayPlan(12, duration_s, 7)
    return [
        AgenticPoint(
            base,
            replace(plan, fail_ratio=0.06, cancel_ratio=0.02),
            dataset,
            "2026-07-18",
            metrics="jsonl",
        ),
        AgenticPoint(
            base, replace(plan, lanes=20, fail_ratio=1.0), dataset, "2026-07-18", metrics="log"
        ),
        AgenticPoint(
            base,
            replace(plan, lanes=16, stop_after_s=duration_s / 3),
            dataset,
            "2026-07-18",
            metrics="jsonl",
        ),
    ]


def _uncapped_point(duration_s: float) -> AgenticPoint:
    """Return the one small point on the dataset that is not capped at 256k."""
    one = _agg(GLM, "b200", "sglang", TP8, "fp4")
    plan = ReplayPlan(6, duration_s, 7)
    return AgenticPoint(one, plan, FULL_DATASET, "2026-07-19", metrics="jsonl")


_FIXED_LANES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


def fixed_deployments() -> list[Deployment]:
    """Return the pairs of hardware and engine that fixed sequences run on."""
    pairs = [
        ("h100", "vllm", "fp8"),
        ("h200", "sglang", "fp8"),
        ("h200", "trt", "fp8"),
        ("b200", "sglang", "fp8"),
        ("b200", "trt", "fp4"),
        ("b200", "vllm", "fp4"),
        ("b300", "sglang", "fp4"),
        ("mi300x", "sglang", "fp8"),
        ("mi325x", "sglang", "fp8"),
        ("mi355x", "sglang", "fp8"),
        ("mi355x", "atom", "fp4"),
    ]
    shapes = {"h100": Shape(16)}
    found = [_agg(DEEPSEEK, hw, engine, shapes.get(hw, TP8), p) for hw, engine, p in pairs]
    found += [replace(one, spec="mtp") for one in found[2:7:2]]
    found += [
        _agg(DEEPSEEK, "gb200", "dynamo-trt", Shape(16, 16), "fp4", prefill=Shape(8, 8, 2)),
        _agg(DEEPSEEK, "gb300", "dynamo-sglang", Shape(16, 16), "fp4", prefill=Shape(8, 8, 2)),
        _agg(GPT_OSS, "h100", "vllm", Shape(2), "fp8"),
        _agg(GPT_OSS, "b200", "trt", Shape(2), "fp4"),
        _agg(GPT_OSS, "mi355x", "vllm", Shape(2), "fp4"),
    ]
    return found


def _history(weeks: int, lanes: tuple[int, ...], first: date) -> Iterator[FixedRun]:
    """Yield two runs a week, builds getting faster, four deployments often; then all of them."""
    deployments = fixed_deployments()
    for week in range(weeks):
        pace, day = 1.0 - 0.34 * (weeks - week) / weeks, str(first + timedelta(weeks=week))
        often, rarely = deployments[week % 4], deployments[4 + week % (len(deployments) - 4)]
        for one in (often, rarely):
            yield FixedRun(one, SEQUENCES[:1], lanes, day, pace, week)
    last = str(first + timedelta(weeks=weeks))
    for one in deployments:
        yield FixedRun(one, SEQUENCES, lanes, last, 1.0, weeks)


def small() -> Corpus:
    """Return what ``make run`` builds: a sample of the sessions, every view with content."""
    points = [point for curve in _small_curves() for point in curve.points()]
    points += [*_edge_points(CAPPED_DATASET, 900.0), _uncapped_point(900.0)]
    fixed = tuple(_history(42, (4, 16, 64), date(2025, 9, 22)))
    return Corpus({CAPPED_DATASET: 36, FULL_DATASET: 8}, tuple(points), fixed)


_LADDER = (1, 2, 4, 6, 8, 12, 16, 24, 32, 40)


def _full_curves() -> Iterator[_Curve]:
    configs: list[tuple[str, str, str, Shape, str]] = [
        (KIMI, "b200", "vllm", TP8, "fp4"),
        (KIMI, "b200", "trt", TP8, "fp4"),
        (KIMI, "b300", "vllm", TP8, "fp4"),
        (KIMI, "mi355x", "vllm", TP4, "fp4"),
        (KIMI, "mi355x", "atom", TP8, "fp4"),
        (KIMI, "gb300", "dynamo-vllm", DEP8, "fp4"),
        (QWEN, "h200", "sglang", TP8, "fp8"),
        (QWEN, "b200", "sglang", TP4, "fp8"),
        (QWEN, "mi355x", "sglang", TP4, "fp8"),
        (QWEN, "mi325x", "sglang", TP8, "fp8"),
        (GLM, "b200", "sglang", TP8, "fp4"),
        (GLM, "b300", "vllm", TP8, "fp4"),
        (GLM, "mi355x", "sglang", TP8, "fp8"),
        (MINIMAX, "h100", "vllm", TP8, "fp8"),
        (MINIMAX, "h200", "vllm", TP4, "fp8"),
        (MINIMAX, "b300", "sglang", TP4, "fp8"),
        (MINIMAX, "mi300x", "vllm", TP8, "fp8"),
    ]
    for number, (model, hw, engine, shape, precision) in enumerate(configs):
        one = _agg(model, hw, engine, shape, precision)
        data = FULL_DATASET if model == QWEN and number % 2 == 0 else CAPPED_DATASET
        logged = engine == "vllm" and number % 3 == 0
        metrics: Literal["parquet", "log"] = "log" if logged else "parquet"
        yield _Curve(one, _LADDER, data, "2026-07-20", metrics=metrics, telemetry=number % 5 == 0)
        yield _Curve(replace(one, spec="mtp"), _LADDER[:9], data, "2026-07-21", offload_from=24)
        if number % 2 == 0:
            yield _Curve(
                replace(one, dram_ratio=1.5 + number % 4 * 0.5),
                _LADDER[4:],
                data,
                "2026-07-22",
                telemetry=number % 4 == 0,
            )


def _large_points() -> list[AgenticPoint]:
    """Return the published contrast of KV pools, and one point of over 150,000 requests."""
    roomy = _agg(
        KIMI, "b300", "vllm", DEP8, "fp4", spec="mtp", dram_ratio=2.0, kv_pool_override=43_000_000
    )
    tight = _agg(
        KIMI,
        "b200",
        "vllm",
        DEP8,
        "fp4",
        dram_ratio=2.0,
        affinity="load",
        kv_pool_override=22_000_000,
    )
    crowd = _agg(KIMI, "gb300", "dynamo-vllm", Shape(48, 48, 6), "fp4", spec="mtp", dram_ratio=2.0)
    chosen = [
        (roomy, 384),
        (replace(roomy, dram_ratio=0.0), 384),
        (roomy, 128),
        (tight, 196),
        (replace(tight, dram_ratio=0.0), 196),
        (tight, 64),
        (crowd, 1824),
        (crowd, 512),
    ]
    return [
        AgenticPoint(one, ReplayPlan(lanes, 3600.0, 42), CAPPED_DATASET, "2026-07-23")
        for one, lanes in chosen
    ]


def _disagg_curves() -> Iterator[_Curve]:
    for hw, engine, decode, prefill in (
        ("gb200", "dynamo-sglang", DEP8, Shape(8, 8)),
        ("gb300", "dynamo-vllm", DEP8, TP4),
        ("mi355x", "mori-sglang", DEP8, Shape(8, 8)),
    ):
        one = _agg(KIMI, hw, engine, decode, "fp4", prefill=prefill)
        yield _Curve(one, (8, 16, 24, 32, 48, 64, 96, 128), date="2026-07-22")


def full() -> Corpus:
    """Return the whole corpus."""
    curves = [*_full_curves(), *_disagg_curves()]
    points = [point for curve in curves for point in curve.points()]
    points += _edge_points(CAPPED_DATASET, 3600.0) + _large_points()
    fixed = tuple(_history(48, _FIXED_LANES, date(2025, 8, 18)))
    return Corpus({CAPPED_DATASET: 393, FULL_DATASET: 393}, tuple(points), fixed)


def huge() -> Corpus:
    """Return the full corpus and replays that bring it over three million requests."""
    base = full()
    crowd = _agg(KIMI, "gb300", "dynamo-vllm", Shape(48, 48, 6), "fp4", spec="mtp", dram_ratio=2.0)
    more = [
        AgenticPoint(
            crowd, ReplayPlan(2016, 3600.0, 100 + day), CAPPED_DATASET, f"2026-08-{day:02d}"
        )
        for day in range(1, 16)
    ]
    return Corpus(base.datasets, (*base.points, *more), base.fixed)


def corpus(size: Size) -> Corpus:
    """Return the plan of a size."""
    return {"small": small, "full": full, "huge": huge}[size]()
