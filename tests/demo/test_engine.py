"""The fluid engine: exact where a closed form exists, conserving elsewhere."""

import pytest

from explorer.demo.engine import Clock, Engine, Request
from explorer.demo.rates import Deployment, Shape, Speed

KIMI = "moonshotai/Kimi-K2.5"
TP8 = Deployment(KIMI, "b200", "vllm", "fp4", Shape(8))


def _run(deployment: Deployment, *requests: Request) -> tuple[Engine, dict[int, float]]:
    clock, ends = Clock(), {}
    engine = Engine(deployment, clock, lambda one: ends.__setitem__(one.stream, clock.now))
    for request in requests:
        engine.submit(request)
    while clock.step():
        pass
    return engine, ends


def _request(stream: int, isl: int = 64_000, osl: int = 201, shared: int = 0) -> Request:
    return Request(stream, 1, isl, osl, shared)


def test_a_lone_request_takes_prefill_plus_steps() -> None:
    speed = Speed(TP8, TP8.decode)
    request = _request(1)
    _, ends = _run(TP8, request)
    assert request.first_token_s - request.started_s == pytest.approx(
        speed.prefill_cost(64_000, 64_000) / speed.prefill_tps
    )
    step = speed.step_s(1, 64_000 + 100)
    assert ends[1] - request.first_token_s == pytest.approx(200 * step)


def test_a_second_request_waits_for_the_prefill_before_it() -> None:
    first, second = _request(1), _request(2)
    _run(TP8, first, second)
    assert second.started_s == pytest.approx(first.first_token_s)


def test_a_batch_decodes_slower_than_one_but_faster_than_one_after_the_other() -> None:
    _, alone = _run(TP8, _request(1, osl=2000))
    _, both = _run(TP8, _request(1, osl=2000), _request(2, osl=2000))
    assert alone[1] < both[1] < 2 * alone[1]


def test_a_full_pool_makes_requests_wait() -> None:
    tight = Deployment(KIMI, "b200", "vllm", "fp4", Shape(8), kv_pool_override=100_000)
    first, second = _request(1), _request(2)
    _, ends = _run(tight, first, second)
    assert second.started_s == pytest.approx(ends[1])


def test_the_next_turn_hits_its_prefix_in_hbm() -> None:
    engine, _ = _run(TP8, _request(1))
    again = _request(1, isl=66_000, shared=64_000)
    engine.submit(again)
    while engine.clock.step():
        pass
    assert (again.hbm_tokens, again.dram_tokens) == (64_000, 0)


def test_an_evicted_prefix_comes_back_from_dram_when_there_is_a_tier() -> None:
    for ratio, expected in ((0.0, 0), (3.0, 64_000)):
        tight = Deployment(
            KIMI, "b200", "vllm", "fp4", Shape(8), dram_ratio=ratio, kv_pool_override=100_000
        )
        engine, _ = _run(tight, _request(1), _request(2, isl=96_000))
        again = _request(1, isl=66_000, shared=64_000)
        engine.submit(again)
        while engine.clock.step():
            pass
        assert again.hbm_tokens + again.dram_tokens == pytest.approx(max(expected, 3_000), abs=3000)
        assert (again.dram_tokens > 0) is (ratio > 0)


def test_every_prompt_token_is_counted_under_one_source() -> None:
    requests = [_request(n, isl=30_000 + 64 * n) for n in range(1, 40)]
    engine, ends = _run(TP8, *requests)
    counts = engine.ranks[0].counters
    assert counts.hbm + counts.dram + counts.computed == sum(r.isl_tokens for r in requests)
    assert counts.generated == pytest.approx(sum(r.osl_tokens for r in requests))
    assert (len(ends), counts.finished, engine.ranks[0].load) == (39, 39, 0)
    assert engine.ranks[0].cache.pinned == 0


def test_speculative_decoding_divides_the_steps_by_the_acceptance() -> None:
    drafted = Deployment(KIMI, "b200", "vllm", "fp4", Shape(8), spec="mtp")
    plain, faster = _request(1), _request(1)
    (_, a), (_, b) = _run(TP8, plain), _run(drafted, faster)
    gain = (a[1] - plain.first_token_s) / (b[1] - faster.first_token_s)
    assert 1.6 < gain < Speed(drafted, drafted.decode).acceptance


def test_disaggregation_prefills_and_decodes_on_different_ranks() -> None:
    split = Deployment(KIMI, "gb300", "dynamo-vllm", "fp4", Shape(8, 8), prefill=Shape(4))
    engine, ends = _run(split, *(_request(n) for n in range(1, 9)))
    assert len(ends) == 8
    assert engine.ranks[0].counters.computed == 8 * 64_000
    assert sum(rank.counters.transferred for rank in engine.decoders) == 8 * 64_000
    assert sum(rank.counters.finished for rank in engine.decoders) == 8


def test_affinity_keeps_a_stream_on_its_rank() -> None:
    dep8 = Deployment(KIMI, "b200", "vllm", "fp4", Shape(8, 8))
    engine, _ = _run(dep8, *(_request(n) for n in range(1, 9)))
    again = _request(3, shared=64_000)
    engine.submit(again)
    assert again.rank == 2


def test_a_model_that_does_not_fit_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"Kimi-K2.5 at fp8 does not fit TP2"):
        Deployment(KIMI, "b200", "vllm", "fp8", Shape(2)).pool_tokens(Shape(2))
