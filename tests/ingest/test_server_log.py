from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

import pyarrow.compute as pc
import pytest

from explorer.ingest.aiperf_requests import read_requests
from explorer.ingest.log_stats import levels
from explorer.ingest.mask import first_line, mask
from explorer.ingest.server_log import LogClock, covers, is_server_log, read_server_log
from explorer.store.schema import LOGS, SERIES
from tests.ingest.aiperf_samples import SAMPLES, ZERO

VLLM, SGLANG = SAMPLES / "server_logs" / "vllm.log", SAMPLES / "server_logs" / "sglang.log"
CLOCK = LogClock(ZERO, datetime(2027, 1, 15, 10))
"""The sample's zero is 2027-01-15 08:00:00 UTC: the machine's zone is two hours ahead."""


def _samples(log: object, name: str) -> list[tuple[str, float, float]]:
    rows = log.series.to_pylist()  # type: ignore[attr-defined]
    return [(r["engine"], r["t_ns"] / 1e9, r["value"]) for r in rows if r["name"] == name]


def test_pool_is_the_sum_of_engines_and_ranks_count_once():
    assert read_server_log([VLLM]).facts["kv_pool_tokens"] == 56_888
    assert read_server_log([SGLANG]).facts["kv_pool_tokens"] == 2_000


def test_the_same_log_twice_is_read_once(tmp_path: Path):
    copy = Path(shutil.copy(VLLM, tmp_path / "server.log"))
    both = read_server_log([VLLM, copy], CLOCK)
    once = read_server_log([copy], CLOCK)
    assert both.facts["kv_pool_tokens"] == 56_888
    assert both.series is not None
    assert both.series.equals(once.series)


def test_levels_stand_on_the_points_clock_whatever_the_machines_zone():
    log = read_server_log([VLLM], CLOCK)
    assert log.series is not None
    assert log.series.schema == SERIES
    assert [(e, round(t, 6), v) for e, t, v in _samples(log, "requests_waiting")] == [
        ("0", -2.0, 9.0),
        ("0", 1.0, 4.0),
        ("1", 1.0, 0.0),
    ]


def test_without_an_absolute_zero_the_harness_start_is_the_zero():
    log = read_server_log([VLLM], LogClock(None, datetime(2027, 1, 15, 10)))
    assert [t for _, t, _ in _samples(log, "requests_running")] == [-2.0, 1.0, 1.0]


def test_without_any_clock_there_is_no_series_but_the_facts_stay():
    log = read_server_log([VLLM])
    assert log.series is None
    assert log.facts["engine_version"] == "0.24.0"


def test_a_year_left_out_is_the_one_nearest_to_the_run(tmp_path: Path):
    path = tmp_path / "x.log"
    path.write_text(VLLM.read_text().replace("01-15 09:59:58", "12-31 23:59:58"))
    log = read_server_log([path], LogClock(None, datetime(2027, 1, 1, 0, 0, 2)))
    assert min(t for _, t, _ in _samples(log, "requests_running")) == -4.0


def test_external_hits_are_a_share_of_all_prompt_tokens_not_of_the_misses():
    values = [v for e, _, v in _samples(read_server_log([VLLM], CLOCK), "external_hit_ratio")]
    assert values == pytest.approx([0.5 * 0.2, 0.4 * 0.5])


def test_sglang_levels_come_from_each_pools_first_rank():
    log = read_server_log([SGLANG], CLOCK)
    assert [(e, v) for e, _, v in _samples(log, "requests_running")] == [("0", 2.0), ("1", 5.0)]
    assert [v for _, _, v in _samples(log, "kv_usage_ratio")] == [0.25, 0.10]
    assert [v for _, _, v in _samples(log, "generation_tps")] == [93.1]


def test_other_lines_state_no_levels():
    assert levels("INFO 01-15 GET /metrics 200 OK") is None


def test_kept_lines_are_masked_facts_and_warnings_once():
    logs = read_server_log([VLLM]).logs
    assert logs is not None
    assert logs.schema == LOGS
    text = "\n".join(logs["text"].to_pylist())
    assert all(
        secret not in text for secret in ("10.1.2.3", "someone", "node7", "sk-very", "10.9.9")
    )
    assert text.count("slow tokenizer") == 1
    assert "GPU KV cache size: 28,444 tokens" in text
    assert logs.filter(pc.equal(logs["level"], "WARNING"))["line"].to_pylist() == [4]
    assert set(logs["file"].to_pylist()) == {"vllm.log"}


def test_arguments_are_kept_without_places_and_secrets():
    config = read_server_log([VLLM]).facts["config"]
    assert config["log.max_model_len"] == "780"
    assert not {"log.host", "log.port", "log.api_key"} & config.keys()
    assert read_server_log([SGLANG]).facts["config"]["log.enable_hierarchical_cache"] == "True"


def test_a_log_of_another_time_does_not_cover_the_window():
    late = LogClock(None, datetime(2027, 3, 1))
    series = read_server_log([VLLM], late).series
    assert series is not None
    assert not covers(series, 60.0)


def test_logs_are_told_by_content():
    assert is_server_log(VLLM.read_bytes()[:4096])
    assert is_server_log(SGLANG.read_bytes()[:4096])
    assert not is_server_log(b'{"vllm:num_requests_running": 1}')
    assert not is_server_log(b"AIPerf worker 3 started")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://user:pw@node7:8000/v1", "http://…:8000/v1"),
        ("tcp://127.0.0.1:33025 rank=0", "tcp://…:33025 rank=0"),
        ("ConnectionKey(host='localhost', port=8888)", "ConnectionKey(host='…', port=8888)"),
        ("/home/anna/models/x", "/home/…/models/x"),
        ("/it-share/runner/.cache/vllm", "/it-share/…/.cache/vllm"),
        ("mail anna@example.org now", "mail … now"),
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer …"),
        ("[fe80::1ff:fe23:4567:890a]", "[…]"),
        ("gpu-a1.prod.internal answered", "… answered"),
        ("version 0.24.0 nccl==2.27.7 at 08:42:19", "version 0.24.0 nccl==2.27.7 at 08:42:19"),
    ],
)
def test_mask_hides_places_and_people_and_keeps_the_rest(text: str, expected: str):
    assert mask(text) == expected


def test_first_line_is_short():
    assert first_line("\n  \nfirst\nsecond") == "first"
    assert len(first_line("x" * 5000)) == 200


@pytest.mark.real_data
def test_log_of_a_ci_point_agrees_with_its_requests_at_this_clock_and_no_other(real_data: Path):
    root = real_data / "agentx-ci/2026-07-kimik2.7-fp4-mi355x-vllm-tp4"
    [path] = root.glob("agentic_*conc1_*/server.log")
    requests = read_requests(path.parent / "aiperf_artifacts/profile_export.jsonl")
    clock = LogClock(requests.zero_ns, datetime.fromisoformat("2026-07-09T09:15:47.824596"))
    log = read_server_log([path], clock)
    assert log.facts["kv_pool_tokens"] == 1_854_204
    running, waiting = (_samples(log, f"requests_{x}") for x in ("running", "waiting"))
    queued = [(t, a + b) for (_, t, a), (_, _, b) in zip(running, waiting, strict=True)]
    inside = [(t, n) for t, n in queued if 0 < t < 3500]
    times = [requests.table[name].to_pylist() for name in ("start_ns", "end_ns")]
    spans = [(s / 1e9, e / 1e9) for s, e in zip(*times, strict=True)]

    def agreement(shift: float) -> float:
        found = (n == sum(s <= t + shift <= e for s, e in spans) for t, n in inside)
        return sum(found) / len(inside)

    assert agreement(0) > 0.9
    assert max(agreement(shift) for shift in (-3600, -900, -60, -10, 10, 60, 900, 3600)) < 0.85


@pytest.mark.real_data
def test_pools_of_real_logs_are_those_of_the_rows(real_data: Path):
    found = read_server_log([real_data / "aiperf/agg_rows/server_conc6.log"])
    assert found.facts["kv_pool_tokens"] == 56_888
