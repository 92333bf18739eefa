"""The sandbox: what goes wrong in a parser costs its unit, and nothing else."""

from __future__ import annotations

import pytest

from explorer.ingest import limits
from explorer.ingest.sandbox import Outcome, Pool

MODULE = "tests.ingest.misbehaving"


def _run(*deeds: str, jobs: int = 1, **task: object) -> dict[str, Outcome]:
    with Pool(jobs, MODULE) as pool:
        outcomes = pool.run([{"deed": deed, **task} for deed in deeds])
        return {outcome.task["deed"]: outcome for outcome in outcomes}


def test_records_arrive_in_order_and_whole():
    records = _run("talk")["talk"].records
    assert [one["value"] for one in records] == [1, *range(1_000)]


def test_a_worker_that_dies_costs_its_unit_and_is_replaced():
    found = _run("die", "talk", "die ", "good")
    assert (found["die"].reason, found["die"].detail) == ("crashed", "ended by SIGSEGV")
    assert found["talk"].reason is None
    assert found["good"].reason is None


def test_memory_beyond_the_limit_is_too_large_and_the_next_unit_is_read():
    found = _run("hoard", "good")
    assert (found["hoard"].reason, found["hoard"].records) == ("too_large", [])
    assert found["good"].reason is None


def test_cpu_time_beyond_the_limit_is_a_timeout(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "CPU_SECONDS", 1)
    # The worker's own limit is the default one; the wall limit here is four times a second.
    found = _run("spin", "good")
    assert found["spin"].reason == "timeout"
    assert found["good"].reason is None


@pytest.mark.parametrize("deed", ["call", "run"])
def test_no_socket_and_no_program_is_opened(deed: str):
    outcome = _run(deed)[deed]
    assert outcome.reason == "crashed"
    assert outcome.detail.startswith("PermissionError")


def test_errors_keep_their_reason_and_detail():
    found = _run("refuse", "raise", jobs=2)
    assert (found["refuse"].reason, found["refuse"].detail) == ("truncated", "line 3")
    assert (found["raise"].reason, found["raise"].detail) == ("crashed", "ValueError: odd")
