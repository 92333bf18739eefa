"""The table of rates meets the public rows it was fitted to."""

import pytest

from explorer.demo.fixed import SEQUENCES, fixed_row, steady_state
from explorer.demo.plan import fixed_deployments
from explorer.demo.rates import Deployment, Shape, engine_rates

DSR1 = "deepseek-ai/DeepSeek-R1-0528"


@pytest.mark.parametrize(
    ("hw", "engine", "precision", "lanes", "tpot_s"),
    [
        ("b200", "sglang", "fp8", 64, 0.0313),
        ("b200", "sglang", "fp4", 16, 0.0118),
        ("h200", "trt", "fp8", 64, 0.0497),
        ("mi300x", "sglang", "fp8", 64, 0.0764),
        ("mi355x", "atom", "fp4", 32, 0.0293),
        ("b300", "sglang", "fp4", 128, 0.0488),
    ],
)
def test_steady_state_is_near_public_rows(
    hw: str, engine: str, precision: str, lanes: int, tpot_s: float
) -> None:
    """Median TPOT of InferenceX rows of June 2026, 8k/1k, within a factor of two."""
    shape = Shape(8)
    found = steady_state(Deployment(DSR1, hw, engine, precision, shape), SEQUENCES[0], lanes)
    assert 0.5 < found.tpot_s / tpot_s < 2.0


def test_more_lanes_give_throughput_and_take_speed() -> None:
    for one in fixed_deployments():
        states = [steady_state(one, SEQUENCES[0], lanes) for lanes in (1, 4, 16, 64)]
        assert [s.requests_per_s for s in states] == sorted(s.requests_per_s for s in states)
        assert [s.tpot_s for s in states] == sorted(s.tpot_s for s in states)


def test_disaggregated_rows_use_role_denominators() -> None:
    one = next(d for d in fixed_deployments() if d.prefill)
    row = fixed_row(one, SEQUENCES[0], 64, "2026-07-13", 1.0, "image:1")
    inputs = row["input_tput_per_gpu"] * row["num_prefill_gpu"]
    outputs = row["output_tput_per_gpu"] * row["num_decode_gpu"]
    assert inputs + outputs == pytest.approx(row["tput_per_gpu"] * one.gpus)


def test_every_block_of_the_table_names_its_source() -> None:
    table = engine_rates()
    assert set(table) == {"source", "hardware", "model", "engine", "spec"}
    assert all(len(text) > 20 for text in table["source"].values())
