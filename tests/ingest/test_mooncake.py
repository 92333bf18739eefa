"""Mooncake-style traces: a stream of requests without conversations."""

from __future__ import annotations

import json
from typing import Any

import pytest

from explorer.errors import InputError
from explorer.ingest.datasets import DatasetBuilder
from explorer.ingest.mooncake import read, sniff

ROWS = [
    {"timestamp": 0, "input_length": 1000, "output_length": 52, "hash_ids": [1, 2]},
    {"timestamp": 3000, "input_length": 1500, "output_length": 7, "hash_ids": [1, 2, 3]},
    {"timestamp": 2000, "input_length": 600, "output_length": 0, "hash_ids": [1, 9]},
]


def lines(*rows: dict[str, Any]) -> list[bytes]:
    return [json.dumps(row).encode() + b"\n" for row in rows]


def test_cached_tokens_of_the_stream_in_list_order_and_in_time_order() -> None:
    turns = read(lines(*ROWS)).turns
    assert [turn.cached_tokens for turn in turns] == [0, 1024, 512]
    assert [turn.time_order_cached_tokens for turn in turns] == [0, 1024, 512]
    assert [turn.t_ms for turn in turns] == [0, 3000, 2000]
    assert [turn.osl_tokens for turn in turns] == [52, 7, 0]


def test_the_last_block_is_partial_so_cached_is_at_most_the_input() -> None:
    turns = read(lines(ROWS[0], ROWS[0])).turns
    assert turns[1].cached_tokens == 1000
    assert turns[1].uncached_tokens == 0


def test_the_block_size_is_the_one_that_explains_the_rows() -> None:
    row = {"timestamp": 0, "input_length": 40, "output_length": 1, "hash_ids": [1, 2, 3]}
    assert read(lines(row)).block_tokens == 16
    assert read(lines(*ROWS)).block_tokens == 512
    assert read([]).block_tokens == 512


def test_a_stream_becomes_a_dataset_without_conversations() -> None:
    builder = DatasetBuilder("toolagent", "mooncake", structured=False)
    builder.add(read(lines(*ROWS)))
    draft = builder.finish()
    assert draft.conversations == []
    assert (draft.fields["conversations"], draft.fields["requests"]) == (0, 3)
    assert draft.turns["conversation"].null_count == 3
    assert draft.turns["isl_tokens"].to_pylist() == [1000, 1500, 600]


def test_unknown_fields_blank_lines_and_missing_arrivals() -> None:
    text = [
        b"\n",
        *lines({"input_length": 5, "output_length": 1, "session_id": "a", "timestamp": None}),
    ]
    stream = read(text)
    assert stream.unknown_fields == {"session_id": 1}
    assert [turn.t_ms for turn in stream.turns] == [0.0]


def test_wide_and_odd_numbers_are_read() -> None:
    text = b'{"timestamp": Infinity, "input_length": 500, "output_length": 1, "hash_ids": [%d]}'
    turns = read([text % 10**30, text % 10**30]).turns
    assert [turn.cached_tokens for turn in turns] == [0, 500]


def test_a_line_that_is_no_request_is_named_by_its_number() -> None:
    with pytest.raises(InputError) as error:
        read([*lines(ROWS[0]), b'{"input_length": 5, "outp'])
    assert error.value.params == {"reason": "bad_line", "line": 2}


def test_sniff_wants_lengths_and_an_arrival_or_blocks() -> None:
    assert sniff("x.txt", lines(ROWS[0])[0])
    assert not sniff("mooncake.jsonl", b'{"input_length": 5, "output_length": 1}\n')
    assert not sniff("mooncake.jsonl", b'{"timestamp": 5}\n')
    assert not sniff("mooncake.jsonl", b"timestamp,input_length\n")
