"""Reader of WEKA agentic traces: one JSON per conversation, or one per line.

Turns a trace's list into turns with what each could have read from cache, and where each
sub-agent hangs on the main line. Block ids are used here and dropped: nothing that could be
matched against text leaves this module.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from explorer.domain.dag import Link, Span, link, side_requests
from explorer.domain.prefix_cache import (
    Prompt,
    Share,
    cached_tokens,
    list_order,
    prefix_tree,
    repeats,
    time_order,
)
from explorer.domain.turns import Kind, Turn
from explorer.ingest.datasets import Conversation
from explorer.ingest.weka_format import Entry, Trace, decode

name = "weka"

_LIST = re.compile(rb'"requests"\s*:\s*\[')
_BLOCKS = re.compile(rb'"(?:block_size|hash_ids|hash_id_scope)"\s*:')


def sniff(path: str, head: bytes) -> bool:
    """Tell whether a file's beginning is a trace: requests beside blocks, in one object."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start.startswith(b"{") or b'"aiperf_version"' in head:
        return False
    return bool(_LIST.search(head) and _BLOCKS.search(head))


def read(lines: Iterable[bytes]) -> Iterator[Conversation]:
    """Yield the conversation of each JSON text; blank texts are left out.

    A whole file of one trace is one text, `traces.jsonl` one text a line. Raises InputError at a
    text that is no trace; the caller says which and goes on with the next.
    """
    for data in lines:
        if data.strip():
            yield conversation_of(*decode(data))


@dataclass(slots=True)
class _Raw:
    """A request at its place in the list, before anything is known about it."""

    entry: Entry
    outer: int
    inner: int | None
    group: int | None
    t_ms: float
    agent: str | None = None
    kind: Kind = "main"
    turn: int = 0


@dataclass(slots=True)
class _Place:
    """What the whole conversation says about one request."""

    hits: int
    time_order_hits: int
    share: Share
    parent_turn: int | None
    join_turn: int | None


def conversation_of(trace: Trace, unknown: dict[str, int] | None = None) -> Conversation:
    """Return a trace as turns in list order, linked and counted; block ids stay behind."""
    raws = _flatten(trace.requests)
    prompts = [Prompt(raw.entry.hash_ids or [], raw.group, raw.t_ms) for raw in raws]
    _name(raws, trace.requests)
    links = _links(raws, trace.requests)
    repeated = repeats(prompts)
    tree = prefix_tree(prompts, repeated)
    orders = list_order(prompts, repeated), time_order(prompts, repeated)
    turns: list[Turn] = []
    for raw, hits, later, share in zip(raws, *orders, tree.shares, strict=True):
        parent, join = links.get(raw.agent, (None, None))
        place = _Place(hits, later, share, parent, join)
        turns.append(_turn(len(turns), raw, place, trace))
    return Conversation(
        id=trace.id,
        turns=turns,
        subagents=sum(_is_group(entry) for entry in trace.requests),
        unique_blocks=tree.unique_blocks,
        block_tokens=trace.block_size,
        unknown_fields=unknown or {},
    )


def _is_group(entry: Entry) -> bool:
    return entry.type == "subagent" or entry.requests is not None


def _flatten(entries: list[Entry]) -> list[_Raw]:
    """Return all requests in list order, starts absolute; a start that is none repeats the last."""
    raws: list[_Raw] = []
    last = 0.0
    for outer, entry in enumerate(entries):
        start = last = _start(entry, last)
        if not _is_group(entry):
            raws.append(_Raw(entry, outer, None, None, _ms(start)))
            continue
        inside = _timed(entry.requests or [], start)
        raws += [_Raw(r, outer, inner, outer, _ms(at)) for inner, (r, at) in enumerate(inside)]
    return raws


def _timed(requests: list[Entry], start: float) -> Iterator[tuple[Entry, float]]:
    """Yield a group's requests with their absolute start; a group within joins its parent's."""
    base = _inner_base(start, requests)
    for request in requests:
        at = base + _start(request, start - base)
        if _is_group(request):
            yield from _timed(request.requests or [], at)
        else:
            yield request, at


def _inner_base(start: float, requests: list[Entry]) -> float:
    """Return what to add to a group's inner times: its start where they are relative, else 0.

    Relative = some inner time lies before the group's start. Absolute times rounded down to
    whole seconds may also do so; such a group begins in the very second the group starts in.
    """
    times = [request.t for request in requests if request.t is not None]
    if not times or min(times) >= start:
        return 0.0
    rounded = min(times) == math.floor(start) and min(times) > 0
    return 0.0 if rounded else start


def _start(entry: Entry, default: float) -> float:
    return entry.t if entry.t is not None and math.isfinite(entry.t) else default


def _ms(seconds: float) -> float:
    """Return ms to the microsecond, so that both dialects of inner time give one number."""
    return round(seconds * 1000, 3)


def _name(raws: list[_Raw], entries: list[Entry]) -> None:
    """Give each request its agent, kind and turn: by time within its agent, from 0."""
    lines: dict[int | None, list[_Raw]] = defaultdict(list)
    for raw in raws:
        lines[raw.group].append(raw)
    agents = _agents(entries)
    for group, line in lines.items():
        agent = None if group is None else agents[group]
        asides = side_requests([_first_block(raw.entry) for raw in line])
        for number, index in enumerate(sorted(asides)):
            prefix = "" if agent is None else f"{agent}:"
            line[index].agent, line[index].kind = f"{prefix}aux:{number:03d}", "aux"
        own = sorted((raw for raw in line if raw.kind != "aux"), key=lambda raw: raw.t_ms)
        for turn, raw in enumerate(own):
            raw.agent, raw.turn = agent, turn
            raw.kind = "main" if agent is None else "subagent"


def _agents(entries: list[Entry]) -> dict[int, str]:
    """Return each group's agent by its entry; a repeated or missing id gets the entry's place."""
    agents: dict[int, str] = {}
    for outer, entry in enumerate(entries):
        if _is_group(entry):
            agent = entry.agent_id or f"entry_{outer}"
            agents[outer] = f"{agent}@{outer}" if agent in agents.values() else agent
    return agents


def _first_block(entry: Entry) -> int | None:
    return entry.hash_ids[0] if entry.hash_ids else None


def _links(
    raws: list[_Raw], entries: list[Entry]
) -> dict[str | None, tuple[int | None, int | None]]:
    """Return (parent turn, join turn) on the main line of every agent."""
    main = sorted((raw.t_ms, place) for place, raw in enumerate(raws) if raw.kind == "main")
    turn_at = [raws[place].turn for _, place in main]
    members: dict[str, list[int]] = defaultdict(list)
    for place, raw in enumerate(raws):
        if raw.agent is not None:
            members[raw.agent].append(place)
    found: dict[str | None, tuple[int | None, int | None]] = {}
    for agent, places in members.items():
        kind = raws[places[0]].kind
        hung = link(main, _span(raws, places, entries), joins=kind != "aux")
        found[agent] = _turns_of(hung, turn_at)
    return found


def _turns_of(hung: Link, turn_at: list[int]) -> tuple[int | None, int | None]:
    parent = None if hung.spawn is None else turn_at[hung.spawn]
    join = None if hung.join is None else turn_at[hung.join]
    return parent, join


def _span(raws: list[_Raw], places: list[int], entries: list[Entry]) -> Span:
    """Return when a group runs: from its entry's start to its last end, recorded or declared."""
    members = [raws[place] for place in places]
    start = min(raw.t_ms for raw in members)
    end = max(raw.t_ms + (_duration_ms(raw.entry.api_time) or 0.0) for raw in members)
    entry = entries[members[0].outer]
    if members[0].kind == "subagent" and entry.t is not None:
        start = min(start, _ms(entry.t))
        declared = entry.duration_ms
        if declared is not None and math.isfinite(declared):
            end = max(end, _ms(entry.t) + max(declared, 0.0))
    return Span(start, end, min(places))


def _duration_ms(seconds: float | None) -> float | None:
    if seconds is None or not math.isfinite(seconds):
        return None
    return _ms(max(seconds, 0.0))


def _turn(ordinal: int, raw: _Raw, place: _Place, trace: Trace) -> Turn:
    entry = raw.entry
    isl = max(entry.isl or 0, 0)
    cached = cached_tokens(isl, place.hits, trace.block_size)
    api_ms = _duration_ms(entry.api_time)
    group = trace.requests[raw.outer]
    return Turn(
        ordinal=ordinal,
        turn=raw.turn,
        agent=raw.agent,
        agent_type=group.subagent_type,
        parent_turn=place.parent_turn,
        join_turn=place.join_turn,
        kind=raw.kind,
        t_ms=raw.t_ms,
        end_ms=None if api_ms is None else round(raw.t_ms + api_ms, 3),
        isl_tokens=isl,
        cached_tokens=cached,
        uncached_tokens=isl - cached,
        osl_tokens=max(entry.osl or 0, 0),
        time_order_cached_tokens=cached_tokens(isl, place.time_order_hits, trace.block_size),
        blocks=len(entry.hash_ids or ()),
        hit_blocks=place.hits,
        time_order_hit_blocks=place.time_order_hits,
        shared_blocks=place.share.blocks,
        prefix_source=place.share.source,
        model=entry.model,
        source_outer_idx=raw.outer,
        source_inner_idx=raw.inner,
        think_time_ms=_duration_ms(entry.think_time),
        api_time_ms=api_ms,
    )
