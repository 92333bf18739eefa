"""Reader of Mooncake-style traces: one request a line, block ids shared by the whole stream.

Such a trace has arrival times, lengths and block ids, but no conversations: it becomes a dataset
whose requests stand in one line, in the order of the file.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from explorer.domain.prefix_cache import (
    Prompt,
    cached_tokens,
    list_order,
    prefix_tree,
    repeats,
    time_order,
)
from explorer.domain.turns import Turn
from explorer.errors import InputError
from explorer.ingest.datasets import Conversation

name = "mooncake"

DEFAULT_BLOCK_TOKENS = 512
_BLOCK_SIZES = (16, 32, 64, 128, 256, 512, 1024, 2048)


class Line(msgspec.Struct, gc=False):
    """One request: arrival in ms, lengths in tokens, ids of its blocks, the last one partial."""

    input_length: int
    output_length: int = 0
    timestamp: float | None = None
    hash_ids: list[int] = []


_DECODER = msgspec.json.Decoder(Line)
_KEYS = set(Line.__struct_fields__)


def sniff(path: str, head: bytes) -> bool:
    """Tell whether a file's first line is a request with lengths and an arrival or blocks."""
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n").split(b"\n", 1)[0]
    try:
        row = json.loads(first)
    except ValueError:
        return False
    return (
        isinstance(row, dict)
        and {"input_length", "output_length"} <= set(row)
        and bool({"timestamp", "hash_ids"} & set(row))
    )


def read(lines: Iterable[bytes], id_: str = "") -> Conversation:
    """Return the stream as one list of turns; blank lines are left out.

    Raises InputError at a line that is no request, with its number.
    """
    rows: list[Line] = []
    unknown: Counter[str] = Counter()
    for number, text in enumerate(lines, 1):
        if text.strip():
            rows.append(_line(text, number, unknown))
    size = block_tokens(rows)
    starts = _starts(rows)
    prompts = [Prompt(row.hash_ids, None, at) for row, at in zip(rows, starts, strict=True)]
    unique = len({block for row in rows for block in row.hash_ids})
    return Conversation(id_, _turns(rows, prompts, size), 0, unique, size, dict(unknown))


def block_tokens(rows: Iterable[Line]) -> int:
    """Return the block size that explains most rows: blocks = ⌈input ÷ size⌉; else 512."""
    fits: Counter[int] = Counter()
    for row in rows:
        if row.hash_ids:
            fits.update(
                size for size in _BLOCK_SIZES if -(-row.input_length // size) == len(row.hash_ids)
            )
    if not fits:
        return DEFAULT_BLOCK_TOKENS
    return max(fits, key=lambda size: (fits[size], size == DEFAULT_BLOCK_TOKENS, size))


def _line(text: bytes, number: int, unknown: Counter[str]) -> Line:
    try:
        value = msgspec.json.decode(text)
        unknown.update(key for key in value if key not in _KEYS)
        return _DECODER.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError):
        return _wide_line(text, number, unknown)


def _wide_line(text: bytes, number: int, unknown: Counter[str]) -> Line:
    """Read a line whose numbers are out of the ordinary: NaN, Infinity, wide integers."""
    try:
        value: dict[str, Any] = json.loads(text)
        unknown.update(key for key in value if key not in _KEYS)
        return msgspec.convert(value, Line, strict=False)
    except (ValueError, AttributeError, TypeError) as error:
        raise InputError(f"line {number}: {error}", reason="bad_line", line=number) from error


def _starts(rows: Iterable[Line]) -> list[float]:
    """Return each arrival in ms; one that is missing repeats the one before."""
    starts, last = [], 0.0
    for row in rows:
        if row.timestamp is not None and math.isfinite(row.timestamp):
            last = row.timestamp
        starts.append(last)
    return starts


def _turns(rows: list[Line], prompts: list[Prompt], size: int) -> list[Turn]:
    repeated = repeats(prompts)
    hits, later = list_order(prompts, repeated), time_order(prompts, repeated)
    tree = prefix_tree(prompts, repeated)
    return [
        Turn(
            ordinal=at,
            turn=at,
            agent=None,
            agent_type=None,
            parent_turn=None,
            join_turn=None,
            kind="main",
            t_ms=prompts[at].t_ms,
            end_ms=None,
            isl_tokens=(isl := max(row.input_length, 0)),
            cached_tokens=(cached := cached_tokens(isl, hits[at], size)),
            uncached_tokens=isl - cached,
            osl_tokens=max(row.output_length, 0),
            time_order_cached_tokens=cached_tokens(isl, later[at], size),
            blocks=len(row.hash_ids),
            hit_blocks=hits[at],
            time_order_hit_blocks=later[at],
            shared_blocks=tree.shares[at].blocks,
            prefix_source=tree.shares[at].source,
            model=None,
            source_outer_idx=at,
            source_inner_idx=None,
            think_time_ms=None,
            api_time_ms=None,
        )
        for at, row in enumerate(rows)
    ]
