"""WEKA agentic traces as they lie in files: decoding, and nothing about what they mean."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import msgspec

from explorer.domain.prefix_cache import DEFAULT_BLOCK_TOKENS
from explorer.errors import InputError


class Entry(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """One entry of a trace's list: a request, or a sub-agent with requests of its own."""

    t: float | None = None
    type: str = "n"
    model: str | None = None
    isl: int | None = msgspec.field(name="in", default=None)
    osl: int | None = msgspec.field(name="out", default=None)
    hash_ids: list[int] | None = None
    api_time: float | None = None
    think_time: float | None = None
    ttft: float | None = None
    input_types: Any = None
    output_types: Any = None
    stop: Any = None
    agent_id: str | None = None
    subagent_type: str | None = None
    duration_ms: float | None = None
    total_tokens: Any = None
    tool_use_count: Any = None
    status: Any = None
    models: Any = None
    tool_tokens: Any = None
    system_tokens: Any = None
    requests: list[Entry] | None = None


class Trace(msgspec.Struct, forbid_unknown_fields=True):
    """One conversation's file or line."""

    id: str
    requests: list[Entry]
    models: Any = None
    block_size: int = DEFAULT_BLOCK_TOKENS
    hash_id_scope: Any = None
    tool_tokens: Any = None
    system_tokens: Any = None
    totals: Any = None


_DECODER = msgspec.json.Decoder(Trace)
_ENTRY_KEYS = {field.encode_name for field in msgspec.structs.fields(Entry)}
_TRACE_KEYS = {field.encode_name for field in msgspec.structs.fields(Trace)}


def decode(data: bytes) -> tuple[Trace, dict[str, int]]:
    """Return a trace and how often each unknown field occurs in it, by dotted name.

    Known fields only: one typed pass. Unknown fields, NaN, Infinity, wide integers or text in
    place of numbers take a second, slower pass. Raises InputError when it is no trace.
    """
    try:
        return _DECODER.decode(data), {}
    except (msgspec.DecodeError, UnicodeDecodeError):
        unknown: Counter[str] = Counter()
        known = _known_trace(_loads(data), unknown)
        try:
            return msgspec.convert(known, Trace, strict=False), dict(unknown)
        except msgspec.ValidationError as error:
            raise InputError(str(error), reason="bad_trace") from error


def _loads(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}", reason="bad_json") from error


def _known_trace(value: Any, unknown: Counter[str]) -> dict[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("requests"), list):
        raise InputError("a trace is an object with a list of requests", reason="bad_trace")
    kept = _known(value, _TRACE_KEYS, "", unknown)
    kept["id"] = str(kept.get("id", ""))
    kept["requests"] = [_known_entry(entry, "requests[].", unknown) for entry in value["requests"]]
    if not isinstance(kept.get("block_size"), int) or kept["block_size"] < 1:
        kept.pop("block_size", None)
    return kept


def _known_entry(value: Any, path: str, unknown: Counter[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError("an entry of a trace is an object", reason="bad_trace")
    kept = _known(value, _ENTRY_KEYS, path, unknown)
    if isinstance(kept.get("hash_ids"), list):
        kept["hash_ids"] = [_block(block) for block in kept["hash_ids"]]
    if isinstance(kept.get("requests"), list):
        inner = f"{path}requests[]."
        kept["requests"] = [_known_entry(entry, inner, unknown) for entry in kept["requests"]]
    return kept


def _known(
    value: dict[str, Any], keys: set[str], path: str, unknown: Counter[str]
) -> dict[str, Any]:
    unknown.update(path + key for key in value if key not in keys)
    return {key: _number(item) for key, item in value.items() if key in keys}


def _number(value: Any) -> Any:
    """Turn a number that is none (NaN, Infinity) into null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _block(block: Any) -> int:
    """Return a block id as an integer; text ids keep their identity within the process run.

    Only equality of ids within one trace is ever used.
    """
    if isinstance(block, int):
        return block
    return int.from_bytes(str(block).encode(), "big")
