"""Conversations of a dataset as plain values: what the lake stores of each turn, no text ever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from explorer.domain.columns import Column, Type

Kind = Literal["main", "subagent", "aux"]

COMPACTION_RATIO = 0.9
"""A turn with less input than this share of its predecessor's marks a compaction."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of a conversation. (`agent`, `turn`) names it; `ordinal` is its list place.

    Tokens are counts, times ms from the conversation's start. `cached_tokens` follows the list
    order (flame graph), `time_order_cached_tokens` the absolute time order (theoretical ceiling).
    """

    ordinal: int
    turn: int
    agent: str | None
    agent_type: str | None
    parent_turn: int | None
    join_turn: int | None
    kind: Kind
    t_ms: float
    end_ms: float | None
    isl_tokens: int
    cached_tokens: int
    uncached_tokens: int
    osl_tokens: int
    time_order_cached_tokens: int
    blocks: int
    hit_blocks: int
    time_order_hit_blocks: int
    shared_blocks: int
    prefix_source: int | None
    model: str | None
    source_outer_idx: int
    source_inner_idx: int | None
    think_time_ms: float | None
    api_time_ms: float | None

    @property
    def tokens(self) -> int:
        """Input and output together: the length of the turn's bar."""
        return self.isl_tokens + self.osl_tokens

    @property
    def stop_ms(self) -> float:
        """The end, or the start where the trace gives no duration."""
        return self.t_ms if self.end_ms is None else self.end_ms


def turn_of(row: dict[str, Any]) -> Turn:
    """Return the turn that a row of the lake's turns table describes; other columns are left."""
    return Turn(**{field.name: row[field.name] for field in fields(Turn)})


def max_turn_tokens(turns: Sequence[Turn]) -> int:
    """Return the largest turn's input plus output: the flame graph's full width."""
    return max((turn.tokens for turn in turns), default=0)


def compactions(turns: Sequence[Turn]) -> list[int]:
    """Return ordinals of turns whose input fell under 90 % of the same agent's turn before.

    The context was compacted, edited or replaced there. Aux requests have no turn before.
    """
    before: dict[str | None, int] = {}
    found = []
    for turn in turns:
        last = before.get(turn.agent)
        if last is not None and turn.isl_tokens < COMPACTION_RATIO * last:
            found.append(turn.ordinal)
        before[turn.agent] = turn.isl_tokens
    return found


def _c(name: str, type_: Type, meaning: str) -> Column:
    return Column(name, type_, meaning)


TURN_COLUMNS: tuple[Column, ...] = (
    _c("dataset", "str", "slug of the dataset"),
    _c("conversation", "str", "id of the conversation; its key is (dataset, conversation)"),
    _c("ordinal", "int", "place in the trace's list over all agents, 0-based"),
    _c("turn", "int", "turn within its agent, 0-based"),
    _c("agent", "str", "sub-agent or side request; null on the main line"),
    _c("agent_type", "str", "the trace's word for the sub-agent (Explore, Plan, …)"),
    _c("parent_turn", "int", "main turn that spawned the agent; null on the main line, orphans"),
    _c("join_turn", "int", "first main turn after the agent's end; null: background, aux"),
    _c("kind", "str", "main | subagent | aux (one-shot side request)"),
    _c("t_ms", "float", "start, ms from the conversation's start"),
    _c("end_ms", "float", "end, ms; null where the trace gives no duration"),
    _c("isl_tokens", "int", "input, cached tokens included"),
    _c("cached_tokens", "int", "input readable from an infinite cache, list order"),
    _c("uncached_tokens", "int", "input − cached"),
    _c("osl_tokens", "int", "output"),
    _c("time_order_cached_tokens", "int", "input readable from one cache, absolute time order"),
    _c("blocks", "int", "full prompt blocks"),
    _c("hit_blocks", "int", "leading blocks seen before, list order"),
    _c("time_order_hit_blocks", "int", "leading blocks seen before, absolute time order"),
    _c("shared_blocks", "int", "leading blocks that any earlier turn of the list sent"),
    _c("prefix_source", "int", "ordinal of the turn that first sent the last shared block"),
    _c("model", "str", "model of the recorded request"),
    _c("source_outer_idx", "int", "entry of the trace's list"),
    _c("source_inner_idx", "int", "entry inside a sub-agent group"),
    _c("think_time_ms", "float", "client delay before the request, ms"),
    _c("api_time_ms", "float", "recorded duration, ms"),
)
"""One row a turn, sorted by (conversation, ordinal). Object `turns` of a dataset."""

CONVERSATION_COLUMNS: tuple[Column, ...] = (
    _c("dataset", "str", "slug of the dataset"),
    _c("conversation", "str", "id of the conversation"),
    _c("position", "int", "place within the dataset, 0-based, by id"),
    _c("turns", "int", "requests of the main line"),
    _c("requests", "int", "all requests: main line, sub-agents, side requests"),
    _c("subagents", "int", "sub-agent groups"),
    _c("aux_requests", "int", "one-shot side requests"),
    _c("isl_tokens", "int", "Σ input"),
    _c("cached_tokens", "int", "Σ cached, list order"),
    _c("uncached_tokens", "int", "Σ uncached, list order"),
    _c("osl_tokens", "int", "Σ output"),
    _c("time_order_cached_tokens", "int", "Σ cached, absolute time order"),
    _c("max_turn_tokens", "int", "largest turn's input plus output"),
    _c("max_isl_tokens", "int", "largest input"),
    _c("blocks", "int", "Σ blocks"),
    _c("unique_blocks", "int", "different blocks: the conversation's working set"),
    _c("hit_blocks", "int", "Σ hit blocks, list order"),
    _c("time_order_hit_blocks", "int", "Σ hit blocks, absolute time order"),
    _c("listorder_cache_hit_ratio", "float", "hit blocks / blocks, list order (flame graph)"),
    _c("theoretical_cache_hit_ratio", "float", "hit blocks / blocks, absolute time order"),
    _c("compactions", "int", "turns that start from a much shorter context"),
    _c("block_tokens", "int", "tokens of one block"),
    _c("duration_ms", "float", "first start to last end"),
    _c("models", "strs", "models of its requests, sorted"),
    _c("content_hash", "str", "hash of the shape: equal for the same content under another id"),
    _c("duplicate_of", "str", "first conversation of the dataset with the same content"),
    _c("unknown_fields", "json", "{field: count} that the reader does not know"),
)
"""One row a conversation, sorted by (dataset, position). Table `conversations`."""

DATASET_COLUMNS: tuple[Column, ...] = (
    _c("dataset", "str", "slug: lower-case letters, digits, dots and hyphens"),
    _c("name", "str", "as the folder or the user names it"),
    _c("variant", "str", "variant of a family of datasets"),
    _c("version", "str", "version or date of the release"),
    _c("format", "str", "reader that understood it (weka, mooncake)"),
    _c("structured", "bool", "has conversations; false: a stream of requests"),
    _c("revision", "str", "hash of its conversations' content hashes"),
    _c("conversations", "int", "conversations"),
    _c("duplicates", "int", "of them, repeats of another's content"),
    _c("turns", "int", "requests of main lines"),
    _c("requests", "int", "all requests"),
    _c("subagents", "int", "sub-agent groups"),
    _c("isl_tokens", "int", "Σ input"),
    _c("cached_tokens", "int", "Σ cached, list order"),
    _c("osl_tokens", "int", "Σ output"),
    _c("blocks", "int", "Σ blocks"),
    _c("hit_blocks", "int", "Σ hit blocks, list order"),
    _c("time_order_hit_blocks", "int", "Σ hit blocks, absolute time order"),
    _c("models", "strs", "models, sorted"),
    _c("unknown_fields", "json", "{field: count}"),
    _c("sources", "json", "[{path, sha256, bytes}] relative to the ingested PATH"),
    _c("turns_object", "str", "hash of the object of turns"),
)
"""One row a dataset. Table `datasets`."""
