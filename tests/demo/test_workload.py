"""Sessions have the published distributions and obey the rules of traces."""

import json

import pytest

from explorer.demo.build import all_sessions, sample
from explorer.demo.plan import CAPPED_DATASET, FULL_DATASET
from explorer.demo.traces import trace_text
from explorer.demo.workload import build_sessions, published_figures, subagent_counts
from explorer.ingest import weka

PUBLISHED = {
    "sessions": 393,
    "isl_tokens_p50": 142_000,
    "osl_tokens_p50": 444,
    "delay_s_p50": 3.84,
    "delay_over_minute_ratio": 0.10,
    "subagent_session_ratio": 0.44,
    "subagent_runs": 1697,
    "subagent_runs_per_session_p50": 4,
    "subagent_run_minutes_p50": 2.27,
}


def test_sessions_match_each_published_figure_within_five_percent() -> None:
    found = published_figures(all_sessions(FULL_DATASET))
    assert found == pytest.approx(PUBLISHED, rel=0.05)
    assert found["sessions"] == 393
    assert found["subagent_runs"] == 1697


def test_a_second_generation_is_equal() -> None:
    assert build_sessions(prefix="sim") == all_sessions(FULL_DATASET)


def test_no_capped_request_exceeds_256k() -> None:
    largest = max(t.isl_tokens for s in all_sessions(CAPPED_DATASET) for t in s.requests())
    assert 200_000 < largest < 262_144


def test_subagent_counts_meet_their_sum_and_median() -> None:
    counts = subagent_counts(393, 1697, 1)
    having = sorted(count for count in counts if count)
    assert (sum(counts), len(having)) == (1697, 173)


def test_shared_prefixes_are_whole_blocks_inside_both_prompts() -> None:
    for session in all_sessions(FULL_DATASET):
        for before, after in zip(session.turns, session.turns[1:], strict=False):
            assert after.shared_tokens % 64 == 0
            assert after.shared_tokens <= min(before.isl_tokens, after.isl_tokens)


def test_a_main_turn_starts_after_the_subagents_that_join_at_it() -> None:
    joins = 0
    for session in all_sessions(FULL_DATASET):
        for turn, agents in session.joins.items():
            joins += len(agents)
            ends = [session.subagents[number].end_s for number in agents]
            assert session.turns[turn].start_s >= max(ends)
    assert joins > 1000


def test_compactions_and_side_requests_occur() -> None:
    sessions = all_sessions(FULL_DATASET)
    pairs = [p for s in sessions for p in zip(s.turns, s.turns[1:], strict=False)]
    shrinking = sum(after.isl_tokens < before.isl_tokens / 2 for before, after in pairs)
    assert shrinking > 100
    assert sum(len(session.sides) for session in sessions) > 500


def _session_with_subagents() -> str:
    sessions = sample(all_sessions(CAPPED_DATASET), 60)
    return trace_text(next(one for one in sessions if len(one.subagents) > 3 and one.sides))


def test_trace_ids_are_prefix_chained_blocks() -> None:
    trace = json.loads(_session_with_subagents())
    owner: dict[int, int] = {}
    for entry in trace["requests"]:
        for request in entry.get("requests", [entry]):
            ids = request["hash_ids"]
            assert len(ids) == request["in"] // 64
            for before, block in zip([0, *ids], ids, strict=False):
                assert owner.setdefault(block, before) == before


def test_the_ordinary_reader_finds_main_line_subagents_and_side_requests() -> None:
    text = _session_with_subagents()
    (conversation,) = weka.read([text.encode()])
    trace = json.loads(text)
    kinds = {turn.kind for turn in conversation.turns}
    assert kinds == {"main", "subagent", "aux"}
    assert conversation.subagents == trace["totals"]["subagent_count"]
    total = sum(turn.isl_tokens for turn in conversation.turns)
    assert total == trace["totals"]["combined_tokens"]["input"]


def test_a_sample_is_spread_over_the_sessions() -> None:
    chosen = sample(all_sessions(CAPPED_DATASET), 36)
    assert len({one.session_id for one in chosen}) == 36
    assert 0.25 < sum(bool(one.subagents) for one in chosen) / 36 < 0.65
