"""The table of streams: one row for each play of a conversation or agent, parents resolved.

What is the same for all requests of a stream is stored once here. A parent that never left a
record gets a placeholder row, so that its children keep their place in the tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from explorer.figures.timeline_planes import Ints, nullable

KINDS = ("main", "subagent", "aux", "placeholder")
"""Order is part of the format: a kind is stored as its position."""

_KEYS = ("stream_id", "root_id", "parent_id", "conversation", "agent", "depth", "kind")


@dataclass(frozen=True, slots=True)
class StreamTable:
    """Rows in order of first request, placeholders last; `of_request` points into them."""

    of_request: Ints
    parent: Ints
    conversation: Ints
    agent: Ints
    depth: Ints
    kind: Ints
    conversations: list[str]
    agents: list[str]

    def planes(self) -> dict[str, Ints]:
        """Return the columns as they are stored: indices + 1, 0 meaning none."""
        return {
            "parent": nullable(self.parent, self.parent >= 0),
            "conversation": nullable(self.conversation, self.conversation >= 0),
            "agent": nullable(self.agent, self.agent >= 0),
            "depth": self.depth,
            "kind": self.kind,
        }


def stream_table(columns: Mapping[str, Any]) -> StreamTable:
    """Return the streams of requests that are already in order of start.

    A stream whose requests differ in agent, parent or kind becomes several rows: nothing is
    merged that differs. A parent is taken from `parent_id`, else from a differing `root_id`.
    """
    codes, ids = {}, {}
    for key in _KEYS:
        codes[key], ids[key] = pd.factorize(np.asarray(columns[key]), use_na_sentinel=True)
    of_request, first = _group([codes[key] for key in _KEYS])
    at = {key: np.asarray(ids[key], dtype=object)[codes[key][first]] for key in ("kind", "depth")}
    stream_ids = _lookup(ids["stream_id"], codes["stream_id"][first])
    parents, placeholders, adopters = _resolve_parents(
        stream_ids,
        _lookup(ids["parent_id"], codes["parent_id"][first]),
        _lookup(ids["root_id"], codes["root_id"][first]),
    )
    extra = len(placeholders)
    conversation = codes["conversation"][first].astype(np.int64)
    return StreamTable(
        of_request=of_request,
        parent=_without_cycles(np.concatenate([parents, np.full(extra, -1)])),
        conversation=np.concatenate([conversation, conversation[adopters]]),
        agent=np.concatenate([codes["agent"][first].astype(np.int64), np.full(extra, -1)]),
        depth=np.concatenate([at["depth"].astype(np.int64), np.zeros(extra, np.int64)]),
        kind=np.concatenate(
            [
                np.array([KINDS.index(kind) for kind in at["kind"]], dtype=np.int64),
                np.full(extra, KINDS.index("placeholder")),
            ]
        ),
        conversations=[str(name) for name in ids["conversation"]],
        agents=[str(name) for name in ids["agent"]],
    )


def _group(codes: list[Any]) -> tuple[Ints, Ints]:
    """Return (row of each request, first request of each row), rows by first appearance."""
    combined = np.zeros(len(codes[0]), dtype=np.int64)
    for code in codes:
        combined, _ = pd.factorize(combined * (int(code.max(initial=0)) + 2) + code + 1)
    first = np.full(int(combined.max(initial=-1)) + 1, len(combined), dtype=np.int64)
    np.minimum.at(first, combined, np.arange(len(combined)))
    return combined.astype(np.int64), first


def _lookup(ids: Any, codes: Any) -> list[Any]:
    """Return the values of codes, None where a code is the null sentinel."""
    values = list(ids)
    return [values[code] if code >= 0 else None for code in codes]


def _resolve_parents(
    streams: list[Any], parents: list[Any], roots: list[Any]
) -> tuple[Ints, list[Any], list[int]]:
    """Return (parent row, ids of placeholder rows, the child row each one was made for)."""
    row_of: dict[Any, int] = {}
    for row, stream in enumerate(streams):
        row_of.setdefault(stream, row)
    out = np.full(len(streams), -1, dtype=np.int64)
    placeholders: list[Any] = []
    adopters: list[int] = []
    for row, (stream, parent, root) in enumerate(zip(streams, parents, roots, strict=True)):
        wanted = parent if parent is not None else root
        if wanted is None or wanted == stream:
            continue
        if wanted not in row_of:
            row_of[wanted] = len(streams) + len(placeholders)
            placeholders.append(wanted)
            adopters.append(row)
        out[row] = row_of[wanted]
    return out, placeholders, adopters


def _without_cycles(parent: Ints) -> Ints:
    """Return the parents with every row that never reaches a root made a root itself."""
    reach = parent.copy()
    for _ in range(max(1, len(parent)).bit_length() + 1):
        reach = np.where(reach >= 0, reach[reach], -1)
    return np.where(reach >= 0, -1, parent)
