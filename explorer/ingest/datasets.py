"""What a reader of traces hands to the pipeline: one dataset, its conversations, its turns."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from explorer.domain.identity import canonical
from explorer.domain.prefix_cache import hit_ratio
from explorer.domain.turns import (
    TURN_COLUMNS,
    Turn,
    compactions,
    max_turn_tokens,
)
from explorer.ingest.draft import Note, SourceFile
from explorer.store.schema import arrow_schema


@dataclass(slots=True)
class Conversation:
    """One conversation as read: its turns in list order, and what the reader noticed."""

    id: str
    turns: list[Turn]
    subagents: int
    unique_blocks: int
    block_tokens: int
    unknown_fields: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class DatasetDraft:
    """One dataset before it is stored: `fields` are DATASET_COLUMNS without `turns_object`.

    `turns` has exactly TURN_COLUMNS, `conversations` are rows of exactly CONVERSATION_COLUMNS,
    JSON columns as values.
    """

    fields: dict[str, Any]
    turns: pa.Table
    conversations: list[dict[str, Any]]
    warnings: list[Note] = field(default_factory=list)
    sources: list[SourceFile] = field(default_factory=list)


@dataclass(slots=True)
class DatasetBuilder:
    """Gathers the conversations of one dataset, in any order, into one draft.

    The same conversations give the same draft, byte for byte. A conversation met twice under one
    id is kept once: silently when the content is equal, with a note when it differs. The same
    content under another id is kept and marked `duplicate_of`. Without structure
    (`structured=False`) the turns name no conversation, and no conversation has a row.
    """

    name: str
    format: str
    slug: str = ""
    variant: str | None = None
    version: str | None = None
    structured: bool = True
    _turns: dict[str, list[Turn]] = field(default_factory=dict)
    _rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    _notes: list[Note] = field(default_factory=list)
    _sources: list[SourceFile] = field(default_factory=list)
    _repeats: int = 0

    def add(self, conversation: Conversation, source: SourceFile | None = None) -> Note | None:
        """Take a conversation; return a note when it could not be kept beside an earlier one."""
        if source is not None and source not in self._sources:
            self._sources.append(source)
        row = conversation_row(conversation)
        earlier = self._rows.get(conversation.id)
        if earlier is None:
            self._rows[conversation.id] = row
            self._turns[conversation.id] = conversation.turns
            return None
        if earlier["content_hash"] == row["content_hash"]:
            self._repeats += 1
            return None
        note = Note("conversation_id_repeats", {"conversation": conversation.id})
        self._notes.append(note)
        return note

    def finish(self) -> DatasetDraft:
        """Return the draft: conversations by id (numbers by value), turns by list order."""
        slug = self.slug or slug_of(self.name)
        ids = sorted(self._rows, key=natural_key)
        rows = [self._rows[id_] | {"dataset": slug, "position": i} for i, id_ in enumerate(ids)]
        _mark_duplicates(rows)
        warnings = list(self._notes)
        if self._repeats:
            warnings.append(Note("conversations_repeat", {"n": self._repeats}))
        named = [(id_ if self.structured else None, t) for id_ in ids for t in self._turns[id_]]
        return DatasetDraft(
            fields=self._fields(slug, rows),
            turns=turns_table(slug, named),
            conversations=rows if self.structured else [],
            warnings=warnings,
            sources=sorted(self._sources, key=lambda source: source.path),
        )

    def _fields(self, slug: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
        unknown: Counter[str] = Counter()
        for row in rows:
            unknown.update(row["unknown_fields"])
        totals = {key: sum(row[key] for row in rows) for key in _SUMMED}
        return {
            "dataset": slug,
            "name": self.name,
            "variant": self.variant,
            "version": self.version,
            "format": self.format,
            "structured": self.structured,
            "revision": _digest([row["content_hash"] for row in rows]),
            "conversations": len(rows) if self.structured else 0,
            "duplicates": sum(row["duplicate_of"] is not None for row in rows),
            **totals,
            "models": sorted({model for row in rows for model in row["models"]}),
            "unknown_fields": dict(sorted(unknown.items())),
        }


_SUMMED = (
    "turns",
    "requests",
    "subagents",
    "isl_tokens",
    "cached_tokens",
    "osl_tokens",
    "blocks",
    "hit_blocks",
    "time_order_hit_blocks",
)


def conversation_row(conversation: Conversation) -> dict[str, Any]:
    """Return CONVERSATION_COLUMNS of a conversation, but for its dataset and place in it."""
    turns = conversation.turns
    blocks = sum(turn.blocks for turn in turns)
    hits = sum(turn.hit_blocks for turn in turns)
    time_order_hits = sum(turn.time_order_hit_blocks for turn in turns)
    return {
        "conversation": conversation.id,
        "turns": sum(turn.kind == "main" for turn in turns),
        "requests": len(turns),
        "subagents": conversation.subagents,
        "aux_requests": sum(turn.kind == "aux" for turn in turns),
        "isl_tokens": sum(turn.isl_tokens for turn in turns),
        "cached_tokens": sum(turn.cached_tokens for turn in turns),
        "uncached_tokens": sum(turn.uncached_tokens for turn in turns),
        "osl_tokens": sum(turn.osl_tokens for turn in turns),
        "time_order_cached_tokens": sum(turn.time_order_cached_tokens for turn in turns),
        "max_turn_tokens": max_turn_tokens(turns),
        "max_isl_tokens": max((turn.isl_tokens for turn in turns), default=0),
        "blocks": blocks,
        "unique_blocks": conversation.unique_blocks,
        "hit_blocks": hits,
        "time_order_hit_blocks": time_order_hits,
        "listorder_cache_hit_ratio": hit_ratio(hits, blocks),
        "theoretical_cache_hit_ratio": hit_ratio(time_order_hits, blocks),
        "compactions": len(compactions(turns)),
        "block_tokens": conversation.block_tokens,
        "duration_ms": _duration_ms(turns),
        "models": sorted({turn.model for turn in turns if turn.model}),
        "content_hash": content_hash(turns),
        "duplicate_of": None,
        "unknown_fields": dict(sorted(conversation.unknown_fields.items())),
    }


def content_hash(turns: Iterable[Turn]) -> str:
    """Return a 32-character hash of a conversation's content: times, tokens, shared prefixes.

    The id, the numbering of block ids and the dialect of inner times do not enter.
    """
    return _digest([[getattr(turn, key) for key in _CONTENT] for turn in turns])


_CONTENT = (
    "agent",
    "model",
    "t_ms",
    "api_time_ms",
    "isl_tokens",
    "osl_tokens",
    "blocks",
    "hit_blocks",
    "shared_blocks",
    "prefix_source",
)


def slug_of(name: str) -> str:
    """Return a name as an address part: lower-case letters, digits, dots and hyphens."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.") or "dataset"


def natural_key(name: str) -> list[tuple[int, int | str]]:
    """Return a sort key under which trace_9 stands before trace_10."""
    parts = re.split(r"(\d+)", name)
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in parts if part]


def turns_table(slug: str, turns: Sequence[tuple[str | None, Turn]]) -> pa.Table:
    """Return (conversation, turn) pairs as an Arrow table of TURN_COLUMNS, in their order."""
    schema = arrow_schema(TURN_COLUMNS)
    named = {"dataset": [slug] * len(turns), "conversation": [id_ for id_, _ in turns]}
    arrays = [
        pa.array(named[name] if name in named else [getattr(turn, name) for _, turn in turns], kind)
        for name, kind in zip(schema.names, schema.types, strict=True)
    ]
    return pa.table(arrays, schema=schema)


def _mark_duplicates(rows: list[dict[str, Any]]) -> None:
    first: dict[str, str] = {}
    for row in rows:
        original = first.setdefault(row["content_hash"], row["conversation"])
        if original != row["conversation"] and row["requests"]:
            row["duplicate_of"] = original


def _duration_ms(turns: Sequence[Turn]) -> float | None:
    if not turns:
        return None
    return max(turn.stop_ms for turn in turns) - min(turn.t_ms for turn in turns)


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:32]
