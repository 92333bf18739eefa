"""Fixed-sequence rows: the engine model's steady state at one concurrency, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from explorer.demo.chance import mix, mix_text
from explorer.demo.rates import Deployment, Shape, Speed
from explorer.demo.rows import deployment_fields

_ROUNDS = 60
_SPREADS = {"mean": 1.03, "median": 1.0, "p90": 1.22, "p99": 1.9, "p99.9": 2.3}
_TIGHT = {"mean": 1.005, "median": 1.0, "p90": 1.04, "p99": 1.11, "p99.9": 1.13}


@dataclass(frozen=True)
class Sequence:
    """Input and output tokens of a fixed scenario."""

    isl: int
    osl: int


SEQUENCES = (Sequence(8192, 1024), Sequence(1024, 1024), Sequence(1024, 8192))


@dataclass(frozen=True)
class SteadyState:
    """Seconds of the median request, and requests per second of the deployment."""

    ttft_s: float
    tpot_s: float
    requests_per_s: float


def _ranks_for(shape: Shape, lanes: int) -> float:
    return lanes / min(shape.ranks, max(1, lanes))


def steady_state(deployment: Deployment, sequence: Sequence, lanes: int) -> SteadyState:
    """Return the fixed point of decode pace, prefill share and waiting at this concurrency."""
    decode = Speed(deployment, deployment.decode)
    front = deployment.prefill or deployment.decode
    entry = Speed(deployment, front)
    prefill_s = entry.prefill_cost(sequence.isl, sequence.isl) / entry.prefill_tps
    most = deployment.pool_tokens(deployment.decode) // (sequence.isl + sequence.osl)
    batch = min(_ranks_for(deployment.decode, lanes), float(max(1, most)))
    decoding = batch * min(deployment.decode.ranks, lanes)
    context = batch * (sequence.isl + sequence.osl / 2)
    step = decode.step_s(max(1, int(batch)), context) / decode.acceptance
    servers = min(front.ranks, max(1, lanes))
    ttft, tpot, rate = prefill_s, step, 0.0
    for _ in range(_ROUNDS):
        target = decoding / (ttft + sequence.osl * tpot)
        rate = 0.5 * (rate + min(target, 0.97 * servers / prefill_s))
        busy = min(0.97, rate * prefill_s / servers)
        tpot = step if deployment.prefill else step / (1.0 - busy)
        ttft = 0.06 + prefill_s * (1.0 + busy / (2.0 * (1.0 - busy)))
    ttft += max(0.0, lanes / rate - ttft - sequence.osl * tpot)
    return SteadyState(ttft, tpot, rate)


def fixed_row(
    deployment: Deployment, sequence: Sequence, lanes: int, date: str, pace: float, image: str
) -> dict[str, Any]:
    """Return the flat row; ``pace`` under 1 is an older, slower build of the same engine."""
    state = steady_state(deployment, sequence, lanes)
    luck = mix(mix_text(date + deployment.hw + deployment.engine), lanes) % 601
    pace *= 1.0 + (luck - 300) / 1e4
    ttft, tpot, rate = state.ttft_s / pace, state.tpot_s / pace, state.requests_per_s * pace
    output_gpus = deployment.decode.gpus
    input_gpus = deployment.prefill.gpus if deployment.prefill else deployment.gpus
    row = deployment_fields(deployment, lanes, image)
    row |= {
        "date": date,
        "isl": sequence.isl,
        "osl": sequence.osl,
        "tput_per_gpu": rate * (sequence.isl + sequence.osl) / deployment.gpus,
        "output_tput_per_gpu": rate * sequence.osl / output_gpus,
        "input_tput_per_gpu": rate * sequence.isl / input_gpus,
    }
    chunk = Speed(deployment, deployment.decode).acceptance * tpot
    e2el = ttft + sequence.osl * tpot
    for name, value, spreads in (
        ("ttft", ttft, _SPREADS),
        ("tpot", tpot, _TIGHT),
        ("itl", chunk, _TIGHT),
        ("e2el", e2el, _TIGHT),
    ):
        row |= {f"{stat}_{name}": value * factor for stat, factor in spreads.items()}
        row[f"std_{name}"] = value * (spreads["p90"] - 1.0) * 0.8
    row |= {f"{stat}_intvty": 1.0 / row[f"{stat}_tpot"] for stat in _TIGHT}
    return row
