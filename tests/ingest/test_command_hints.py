from __future__ import annotations

from typing import Any

import pytest

from explorer.ingest.command_hints import options, program, read
from tests.ingest.aiperf_samples import AIPERF


def _hints(*commands: str) -> dict[str, Any]:
    return read({str(index): text for index, text in enumerate(commands)})[0]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("/venv/bin/aiperf profile --model m", "aiperf"),
        ("vllm serve m", "vllm"),
        ("python3 -m vllm.entrypoints.openai.api_server --model m", "vllm"),
        ("python -m sglang.launch_server --model-path m", "sglang"),
        ("lmcache server --l1-size-gb 10", "lmcache"),
        ("echo hello", None),
    ],
)
def test_programs_are_told_by_what_they_call(command: str, expected: str | None):
    assert program(command) == expected


def test_options_in_every_spelling():
    found = options("vllm serve m --a=1 --b_c 2 -tp 4 --flag --negative -1 --last")
    assert found == {
        "model": "m", "a": "1", "b-c": "2", "tensor-parallel-size": "4",
        "flag": True, "negative": "-1", "last": True,
    }  # fmt: skip


def test_vllm_with_lmcache_says_its_shape_and_offload():
    hints = _hints(
        (AIPERF / "v013/vllm_command.txt").read_text(), "lmcache server --l1-size-gb 2500"
    )
    assert hints == {
        "engine_raw": "vllm", "model_raw": "org/tiny-model", "tp": 2,
        "kv_offload": "dram", "kv_offload_backend": "lmcache", "allocated_dram_gb": 2500.0,
    }  # fmt: skip


def test_expert_and_data_parallel_widths():
    hints = _hints("vllm serve m -tp 2 --data-parallel-size 4 --enable-expert-parallel")
    assert (hints["tp"], hints["ep"], hints["dp_attention"]) == (8, 8, True)
    hints = _hints(
        "python -m sglang.launch_server --model-path m --tp 8 --ep-size 8 --enable-dp-attention"
    )
    assert (hints["tp"], hints["ep"], hints["dp_attention"]) == (8, 8, True)


def test_sglang_hierarchical_cache_is_offload_to_dram():
    hints = _hints(
        "python3 -m sglang.launch_server --model-path Q --tp-size 4 "
        "--enable-hierarchical-cache --hicache-size 100 --speculative-algorithm EAGLE"
    )
    assert (hints["kv_offload_backend"], hints["allocated_dram_gb"]) == ("hicache", 100.0)
    assert hints["spec"] == "eagle"


def test_speculative_config_names_its_method():
    command = (
        """vllm serve m --speculative-config '{"method": "mtp", "num_speculative_tokens": 2}'"""
    )
    assert _hints(command)["spec"] == "mtp"


def test_aiperf_call_states_load_and_plan_and_never_a_flag_as_number():
    hints = _hints("aiperf profile --model m --concurrency 1 --benchmark-duration 1800")
    assert hints == {"model_raw": "m", "concurrency": 1.0, "planned_duration_s": 1800.0}
    assert "concurrency" not in _hints("aiperf profile --concurrency 2,8,24")


def test_kept_options_hold_no_places_and_no_keys():
    _, kept = read({"x": (AIPERF / "v013/vllm_command.txt").read_text()})
    assert kept["vllm.max-model-len"] == "780"
    assert not {"vllm.host", "vllm.port", "vllm.api-key"} & kept.keys()
    assert "sk-" not in str(kept)
