"""The closed loop keeps the field's rules; the published contrast comes out of it."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import pytest

from explorer.demo.build import all_sessions
from explorer.demo.measured import Measured, Times
from explorer.demo.plan import CAPPED_DATASET, FULL_DATASET, corpus
from explorer.demo.rates import Deployment, Shape
from explorer.demo.replay import Outcome, Record, Replay, ReplayPlan
from explorer.demo.stats import percentile

KIMI = "moonshotai/Kimi-K2.5"
NOON = datetime(2026, 7, 20, 12, tzinfo=UTC)
MI355X = Deployment(KIMI, "mi355x", "vllm", "fp4", Shape(4))


@cache
def _played(deployment: Deployment, plan: ReplayPlan, dataset: str = CAPPED_DATASET) -> Outcome:
    return Replay(plan, deployment, all_sessions(dataset)).run()


def _plain() -> Outcome:
    return _played(MI355X, ReplayPlan(24, 1800.0))


def _by_stream(outcome: Outcome) -> dict[int, list[Record]]:
    streams: dict[int, list[Record]] = {}
    for record in sorted(outcome.records, key=lambda one: one.start_s):
        streams.setdefault(record.stream, []).append(record)
    return streams


def test_each_lane_warms_up_with_eleven_one_token_requests() -> None:
    outcome = _plain()
    warm = [record for record in outcome.records if not record.profiling]
    lanes = [record.play.lane for record in warm]
    assert all(lanes.count(lane) == 11 for lane in range(24))
    assert {record.osl_tokens for record in warm} == {1}
    assert max(record.end_s for record in warm) <= outcome.start_s


def test_first_plays_start_between_a_quarter_and_three_quarters() -> None:
    for record in _plain().records:
        if record.play.marker <= 24 and record.kind == "main":
            length = len(record.play.session.turns)
            assert 0.25 * length - 1 <= record.play.first_turn <= 0.75 * length


def test_turns_of_a_stream_follow_each_other() -> None:
    for records in _by_stream(_plain()).values():
        for before, after in itertools.pairwise(records):
            assert after.turn_index == before.turn_index + 1
            assert after.start_s >= before.end_s


def test_no_pause_exceeds_five_minutes_unless_subagents_are_awaited() -> None:
    for records in _by_stream(_plain()).values():
        for before, after in itertools.pairwise(records):
            if after.profiling and after.turn_index not in after.play.session.joins:
                assert after.start_s - max(before.end_s, _plain().start_s) <= 300.0 + 1e-6


def test_a_main_turn_starts_after_the_subagents_it_joins() -> None:
    outcome = _plain()
    ends: dict[tuple[int, int], float] = {}
    for record in outcome.records:
        if record.kind == "subagent":
            key = (record.play.marker, record.agent)
            ends[key] = max(ends.get(key, 0.0), record.end_s)
    joined = 0
    for record in outcome.records:
        for agent in record.play.session.joins.get(record.turn_index, ()):
            end = ends.get((record.play.marker, agent))
            if record.kind == "main" and end is not None:
                joined += 1
                assert record.start_s >= end
    assert joined > 20


def test_subagents_of_a_group_overlap() -> None:
    spans: dict[tuple[int, int], list[float]] = {}
    for record in _plain().records:
        if record.kind == "subagent":
            spans.setdefault((record.play.marker, record.agent), []).extend(
                (record.start_s, record.end_s)
            )
    ordered = sorted((key[0], min(times), max(times)) for key, times in spans.items())
    assert any(a[0] == b[0] and b[1] < a[2] for a, b in itertools.pairwise(ordered))


def test_two_plays_of_a_session_share_no_stream() -> None:
    few = Replay(ReplayPlan(8, 1200.0), MI355X, all_sessions(CAPPED_DATASET)[:2]).run()
    owner: dict[int, int] = {}
    for record in few.records:
        assert owner.setdefault(record.stream, record.play.marker) == record.play.marker
    first = min((r for r in few.records if r.play.marker == 5), key=lambda one: one.start_s)
    assert first.request is not None
    assert first.request.hbm_tokens == 0


def test_a_little_fails_and_a_little_is_cancelled() -> None:
    outcome = _played(MI355X, ReplayPlan(12, 1800.0, 7, fail_ratio=0.06, cancel_ratio=0.03))
    found = [record.status for record in outcome.records if record.profiling]
    assert {"ok", "server", "busy", "disconnect", "cancelled"} <= set(found)
    assert 0.02 < 1 - found.count("ok") / len(found) < 0.2


def test_requests_beyond_the_context_are_counted_and_leave_no_record() -> None:
    glm = Deployment("zai-org/GLM-5", "b200", "sglang", "fp4", Shape(8))
    outcome = _played(glm, ReplayPlan(8, 1200.0), FULL_DATASET)
    assert outcome.overflows > 0
    limit = glm.context_tokens
    assert all(r.turn.isl_tokens + r.turn.osl_tokens <= limit for r in outcome.records)


def test_the_infinite_cache_is_at_least_as_good_as_the_measured_one() -> None:
    outcome = _played(MI355X, ReplayPlan(40, 1800.0))
    hits, blocks = Measured(outcome, Times(NOON)).theoretical_blocks
    hbm, dram, _ = shares(outcome)
    assert hits / blocks > hbm + dram + 0.05


def test_the_queue_grows_with_concurrency() -> None:
    def waiting(lanes: int) -> float:
        scrapes = _played(MI355X, ReplayPlan(lanes, 1800.0)).scrapes
        return sum(row.waiting for scrape in scrapes for row in scrape.rows) / len(scrapes)

    assert waiting(24) < 2 < waiting(40)


def shares(outcome: Outcome) -> tuple[float, float, float]:
    """Return the shares of prompt tokens from HBM, from DRAM, and computed, while profiling."""
    first = next(scrape for scrape in outcome.scrapes if scrape.at_s >= outcome.start_s)
    pairs = [
        (a.counters, b.counters) for a, b in zip(first.rows, outcome.scrapes[-1].rows, strict=True)
    ]
    parts = [
        sum(getattr(b, key) - getattr(a, key) for a, b in pairs)
        for key in ("hbm", "dram", "computed")
    ]
    return tuple(part / sum(parts) for part in parts)  # type: ignore[return-value]


def _ttft_p90(outcome: Outcome) -> float:
    ok = [r for r in outcome.records if r.profiling and r.status == "ok"]
    return percentile(sorted(r.first_token_s - r.start_s for r in ok), 90)


@cache
def _published(pool_millions: int, offload: bool) -> Outcome:
    points = corpus("full").points
    for point in points:
        one = point.deployment
        same = one.kv_pool_override == pool_millions * 1_000_000
        lanes = {43: 384, 22: 196}[pool_millions]
        if same and point.replay.lanes == lanes and (one.dram_ratio > 0) is offload:
            return _played(one, point.replay)
    raise AssertionError("the full corpus holds no such point")


def test_43_million_tokens_keep_384_sessions_in_hbm() -> None:
    outcome = _published(43, offload=True)
    assert outcome.deployment.gpus == 8
    hbm, dram, _ = shares(outcome)
    assert hbm >= 0.85
    assert dram <= 0.05


def test_22_million_tokens_lose_196_sessions_to_dram() -> None:
    hbm, dram, _ = shares(_published(22, offload=True))
    assert 0.65 <= hbm <= 0.80
    assert 0.12 <= dram <= 0.28


@pytest.mark.parametrize("pool", [43, 22])
def test_without_offload_the_miss_share_grows_by_what_dram_gave(pool: int) -> None:
    _, dram, miss = shares(_published(pool, offload=True))
    _, none, missed = shares(_published(pool, offload=False))
    assert none == 0
    assert missed - miss > 0.6 * dram


def test_ttft_rises_without_offload_and_most_where_the_pool_is_small() -> None:
    ratios = {
        pool: _ttft_p90(_published(pool, offload=False)) / _ttft_p90(_published(pool, offload=True))
        for pool in (43, 22)
    }
    assert 1.5 < ratios[43] < ratios[22]


def test_a_stopped_run_ends_early() -> None:
    outcome = _played(MI355X, replace(ReplayPlan(8, 1800.0), stop_after_s=600.0))
    assert outcome.end_s - outcome.start_s == pytest.approx(630.0)
