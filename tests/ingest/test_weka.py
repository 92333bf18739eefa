"""WEKA traces: counts equal an independent recomputation, both dialects mean the same."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.domain.turns import Turn
from explorer.errors import InputError
from explorer.ingest.datasets import Conversation, DatasetBuilder, natural_key, slug_of
from explorer.ingest.weka import read, sniff
from tests.oracle import weka as oracle

TOTALS = {
    "trace_0014": (12_621_267, 12_018_432, 59_028, 95.25, 95.25),
    "trace_0254": (16_049_708, 15_034_368, 76_126, 93.70, 93.96),
    "trace_0277": (2_576_410, 2_218_432, 31_862, 86.16, 87.35),
}
TRACES = ("0014", "0057", "0177", "0187", "0254", "0277", "0291")


def request(t: float, blocks: list[int], **more: Any) -> dict[str, Any]:
    isl = 64 * len(blocks) + 7
    return {"t": t, "type": "n", "model": "m", "in": isl, "out": 5, "hash_ids": blocks} | more


def group(t: float, agent: str, requests: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "t": t,
        "type": "subagent",
        "agent_id": agent,
        "subagent_type": "Explore",
        "duration_ms": None,
        "requests": requests,
    } | more


def trace(*requests: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "t", "models": ["m"], "block_size": 64, "requests": list(requests)} | more


def one(value: dict[str, Any]) -> Conversation:
    (conversation,) = read([json.dumps(value).encode()])
    return conversation


def named(conversation: Conversation) -> list[tuple[str | None, int, int | None, int | None]]:
    return [(t.agent, t.turn, t.parent_turn, t.join_turn) for t in conversation.turns]


def absolute(value: dict[str, Any]) -> dict[str, Any]:
    """The same trace in the other dialect: inner times absolute."""
    value = copy.deepcopy(value)
    for entry in value["requests"]:
        for inner in entry.get("requests", ()):
            inner["t"] += entry["t"]
    return value


@pytest.mark.real_data
@pytest.mark.parametrize("number", TRACES)
def test_every_turn_equals_the_recomputation(real_data: Path, number: str) -> None:
    path = real_data / "weka" / f"trace_{number}.json"
    (conversation,) = read([path.read_bytes()])
    expected = oracle.turns(oracle.load(path))
    found = [{key: getattr(turn, key) for key in expected[0]} for turn in conversation.turns]
    assert found == expected


@pytest.mark.real_data
@pytest.mark.parametrize("number", TRACES)
def test_block_hits_under_both_rules_equal_the_recomputation(real_data: Path, number: str) -> None:
    path = real_data / "weka" / f"trace_{number}.json"
    (conversation,) = read([path.read_bytes()])
    raw = oracle.load(path)
    assert [turn.hit_blocks for turn in conversation.turns] == oracle.list_order_hits(raw)
    assert [turn.time_order_hit_blocks for turn in conversation.turns] == oracle.time_order_hits(
        raw
    )


@pytest.mark.real_data
@pytest.mark.parametrize("id_", TOTALS)
def test_totals_and_both_hit_rates_of_known_traces(real_data: Path, id_: str) -> None:
    builder = DatasetBuilder("weka", "weka")
    for conversation in read([(real_data / "weka" / f"{id_}.json").read_bytes()]):
        builder.add(conversation)
    (row,) = builder.finish().conversations
    isl, cached, osl, list_order, time_order = TOTALS[id_]
    assert (row["isl_tokens"], row["cached_tokens"], row["osl_tokens"]) == (isl, cached, osl)
    assert round(100 * row["listorder_cache_hit_ratio"], 2) == list_order
    assert round(100 * row["theoretical_cache_hit_ratio"], 2) == time_order


@pytest.mark.real_data
@pytest.mark.parametrize("number", TRACES)
def test_spawns_and_joins_equal_the_recomputation(real_data: Path, number: str) -> None:
    path = real_data / "weka" / f"trace_{number}.json"
    (conversation,) = read([path.read_bytes()])
    found = {
        turn.agent: (turn.parent_turn, turn.join_turn)
        for turn in conversation.turns
        if turn.kind == "subagent"
    }
    assert found == oracle.links(oracle.load(path))


@pytest.mark.real_data
@pytest.mark.parametrize("number", TRACES)
def test_real_traces_read_the_same_in_both_dialects(real_data: Path, number: str) -> None:
    raw = oracle.load(real_data / "weka" / f"trace_{number}.json")
    assert one(absolute(raw)).turns == one(raw).turns


@pytest.mark.real_data
def test_main_requests_and_groups_of_the_sample(real_data: Path) -> None:
    builder = DatasetBuilder("weka", "weka")
    for path in sorted((real_data / "weka").glob("*.json")):
        for conversation in read([path.read_bytes()]):
            builder.add(conversation)
    draft = builder.finish()
    groups = {row["conversation"]: row["subagents"] for row in draft.conversations}
    assert {id_: n for id_, n in groups.items() if n} == {
        "trace_0014": 1,
        "trace_0254": 5,
        "trace_0277": 4,
        "trace_0291": 2,
    }
    assert [row["turns"] for row in draft.conversations] == [121, 8, 4, 3, 122, 9, 20]
    assert draft.fields["conversations"] == 7
    assert draft.turns.num_rows == draft.fields["requests"] == 385


@st.composite
def traces(draw: st.DrawFn) -> dict[str, Any]:
    """Small traces in the relative dialect, times in quarters of a second."""
    blocks = st.lists(st.integers(1, 5), max_size=5)
    entries, now = [], 0.0
    for number in range(draw(st.integers(0, 7))):
        now += draw(st.integers(1, 40)) / 4  # quarters are exact: no tie hangs on a last bit
        api = draw(st.none() | st.integers(0, 30).map(lambda quarters: quarters / 4))
        if not draw(st.booleans()):
            entries.append(request(now, draw(blocks), api_time=api))
            continue
        times = sorted(draw(st.lists(st.integers(1, 30), max_size=3)))
        inner = [request(t / 4, draw(blocks), api_time=api) for t in [0, *times]]
        entries.append(group(now + 50, f"a{number}", inner))
    return trace(*entries)


@given(traces())
def test_both_dialects_of_inner_time_give_the_same_turns(value: dict[str, Any]) -> None:
    assert one(absolute(value)).turns == one(value).turns


@given(traces())
def test_small_traces_equal_the_recomputation(value: dict[str, Any]) -> None:
    expected = oracle.turns(value)
    found = [
        {key: getattr(turn, key) for key in row}
        for turn, row in zip(one(value).turns, expected, strict=True)
    ]
    assert found == expected


def test_absolute_times_rounded_down_to_seconds_are_not_taken_as_relative() -> None:
    value = trace(request(0, [1]), group(79.224, "a", [request(79.0, [1]), request(84.0, [1])]))
    assert [turn.t_ms for turn in one(value).turns] == [0, 79_000, 84_000]


def test_a_relative_group_longer_than_its_start_stays_relative() -> None:
    value = trace(request(0, [1]), group(5, "a", [request(0, [1]), request(9, [1])]))
    assert [turn.t_ms for turn in one(value).turns] == [0, 5_000, 14_000]


def test_the_declared_duration_decides_the_join() -> None:
    inner = [request(0, [1], api_time=1)]
    value = trace(
        request(0, [1]),
        group(10, "a", inner, duration_ms=9_000),
        request(12, [1]),
        request(19, [1]),
    )
    assert named(one(value))[1] == ("a", 0, 0, 2)


def test_without_a_duration_the_last_inner_end_decides_the_join() -> None:
    inner = [request(0, [1], api_time=1), request(4, [1], api_time=3)]
    value = trace(request(0, [1]), group(10, "a", inner), request(16, [1]), request(17, [1]))
    assert named(one(value))[1] == ("a", 0, 0, 2)


def test_a_request_that_opens_with_its_own_block_is_a_side_request() -> None:
    value = trace(request(0, [1, 2]), request(3, [9]), request(5, [1, 2, 3]), request(9, [1]))
    conversation = one(value)
    assert [turn.kind for turn in conversation.turns] == ["main", "aux", "main", "main"]
    assert named(conversation)[1] == ("aux:000", 0, 0, None)
    assert [turn.turn for turn in conversation.turns if turn.kind == "main"] == [0, 1, 2]


def test_a_repeated_agent_id_is_told_apart_by_its_place() -> None:
    value = trace(
        request(0, [1]), group(1, "a", [request(0, [1])]), group(9, "a", [request(0, [1])])
    )
    assert [turn.agent for turn in one(value).turns] == [None, "a", "a@2"]


def test_unknown_fields_are_counted_and_the_trace_is_kept() -> None:
    value = trace(request(0, [1], colour="red"), request(1, [1], colour="blue"), weather="fine")
    conversation = one(value)
    assert conversation.unknown_fields == {"weather": 1, "requests[].colour": 2}
    assert len(conversation.turns) == 2


@pytest.mark.real_data
def test_the_sample_with_an_unknown_field_is_read(real_data: Path) -> None:
    (conversation,) = read([(real_data / "weka-invalid" / "bad_extra_field.json").read_bytes()])
    assert conversation.unknown_fields == {"unexpected_field": 1}
    assert conversation.turns == []


def test_missing_durations_and_blocks_stay_missing() -> None:
    value = trace({"t": 1, "type": "s", "model": None, "in": 10, "out": 0, "api_time": None})
    (turn,) = one(value).turns
    assert (turn.end_ms, turn.api_time_ms, turn.model) == (None, None, None)
    assert (turn.blocks, turn.cached_tokens, turn.osl_tokens) == (0, 0, 0)


def test_numbers_that_are_none_and_wide_block_ids_are_read() -> None:
    text = b'{"id":"t","requests":[{"t":0,"in":64,"out":NaN,"hash_ids":[%d],"api_time":1e400},' % (
        10**30
    )
    text += b'{"t":1,"in":70,"out":1,"hash_ids":[%d]}]}' % 10**30
    (conversation,) = read([text])
    assert [turn.cached_tokens for turn in conversation.turns] == [0, 64]
    assert conversation.turns[0].api_time_ms is None


def test_cached_tokens_use_the_traces_own_block_size() -> None:
    value = trace(request(0, [1, 2]), request(1, [1, 2]), block_size=16)
    assert one(value).turns[1].cached_tokens == 32


@pytest.mark.parametrize(
    "text",
    [b"[]", b"{}", b'{"id":"x","requests":', b'{"requests":[3]}', b'{"requests":[{"t":"x"}]}'],
)
def test_what_is_no_trace_is_an_error_with_a_reason(text: bytes) -> None:
    with pytest.raises(InputError) as error:
        list(read([text]))
    assert error.value.params["reason"] in {"bad_json", "bad_trace"}


def test_sniff_knows_a_trace_by_its_content() -> None:
    assert sniff("anything.txt", json.dumps(trace(request(0, [1]))).encode())
    assert sniff("x", b"\xef\xbb\xbf" + json.dumps(trace()).encode())
    assert not sniff("trace_0001.json", b'{"id": 1, "requests": []}')
    assert not sniff("trace_0001.json", b'[{"hash_ids": [1], "requests": []}]')
    summary = b'{"aiperf_version": "0.13", "block_size": 64, "requests": [1]}'
    assert not sniff("trace_0001.json", summary)


def dataset(*values: dict[str, Any]) -> DatasetBuilder:
    builder = DatasetBuilder("My Traces v2", "weka")
    for value in values:
        builder.add(one(value))
    return builder


def test_the_same_content_under_another_id_is_kept_and_marked() -> None:
    first = trace(request(0, [1]), request(2, [1, 2]))
    renumbered = trace(request(0, [7]), request(2, [7, 3])) | {"id": "u"}
    rows = dataset(renumbered, first).finish().conversations
    assert [(row["conversation"], row["duplicate_of"]) for row in rows] == [("t", None), ("u", "t")]


def test_the_same_conversation_twice_counts_once() -> None:
    draft = dataset(trace(request(0, [1])), trace(request(0, [1]))).finish()
    assert len(draft.conversations) == 1
    assert [note.code for note in draft.warnings] == ["conversations_repeat"]


def test_another_conversation_under_a_known_id_is_said() -> None:
    draft = dataset(trace(request(0, [1])), trace(request(5, [1]))).finish()
    assert len(draft.conversations) == 1
    assert [note.code for note in draft.warnings] == ["conversation_id_repeats"]


def test_a_draft_does_not_depend_on_the_order_of_files() -> None:
    values = [trace(request(n, [1]), request(n + 1, [1, n])) | {"id": f"t_{n}"} for n in range(12)]
    forth, back = dataset(*values).finish(), dataset(*reversed(values)).finish()
    assert forth.fields == back.fields
    assert forth.conversations == back.conversations
    assert forth.turns.equals(back.turns)
    assert [row["conversation"] for row in forth.conversations][:3] == ["t_0", "t_1", "t_2"]


def test_slugs_and_natural_order() -> None:
    assert slug_of("CC Traces_052726 (v1.1)") == "cc-traces-052726-v1.1"
    assert slug_of("数据") == "dataset"
    assert sorted(["t10", "t9", "a"], key=natural_key) == ["a", "t9", "t10"]


def test_turns_hold_no_block_ids() -> None:
    secret = 987_654_321
    conversation = one(trace(request(0, [secret]), request(1, [secret])))
    assert not any(secret in _values(turn) for turn in conversation.turns)


def _values(turn: Turn) -> list[Any]:
    return [getattr(turn, name) for name in Turn.__slots__]
