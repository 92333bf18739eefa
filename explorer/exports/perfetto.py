"""A point's requests as a Perfetto trace: nested tracks, slices with their parts, counters.

Field numbers are those of perfetto/protos/perfetto/trace/*.proto; a test reads every trace with
the published classes. Slice, track and annotation names are plain English identifiers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.exports.protobuf import double, message, text, uint, varint
from explorer.figures.timeline_pack import NULL
from explorer.figures.timeline_streams import StreamTable, stream_table

_PACKET, _TIMESTAMP, _SEQUENCE, _FLAGS = 1, 8, 10, 13
_TRACK_EVENT, _INTERNED, _DESCRIPTOR = 11, 12, 60
_BEGIN, _END, _COUNTER = 1, 2, 4
_CLEARED, _NEEDED, _EXPLICIT_ORDER = 1, 2, 3
_TOP, _SERVER, _FIRST = 1, 2, 3
"""Tracks in the order they are added: requests, counters, then one a stream."""
_ID = uint(_SEQUENCE, 1)
_HEAD = _ID + uint(_FLAGS, _NEEDED)
_STAMP, _EVENT, _PACKET_TAG = varint(_TIMESTAMP << 3), varint(_TRACK_EVENT << 3 | 2), b"\x0a"
_BEGINS = uint(9, _BEGIN)
_PARTS = ("wait", "prefill", "decode")
_NUMBERS = ("isl_tokens", "osl_tokens", "cached_tokens", "error_code")
_WORDS = ("phase", "client_worker", "engine", "error_type")
COLUMNS = ("request_id",)
"""What a trace needs of a request beside the columns that are drawn."""


@dataclass(slots=True)
class _Names:
    """Names that events point to by number; the first packet carries them."""

    of: dict[str, int] = field(default_factory=dict)

    def id(self, name: str) -> int:
        return self.of.setdefault(name, len(self.of) + 1)

    def fields(self, number: int) -> bytes:
        return b"".join(message(number, uint(1, at), text(2, name)) for name, at in self.of.items())


@dataclass(slots=True)
class _Interned:
    events: _Names = field(default_factory=_Names)
    categories: _Names = field(default_factory=_Names)
    annotations: _Names = field(default_factory=_Names)
    words: _Names = field(default_factory=_Names)

    def packet(self) -> bytes:
        inside = (
            self.categories.fields(1)
            + self.events.fields(2)
            + self.annotations.fields(3)
            + self.words.fields(29)
        )
        return message(_PACKET, _ID, uint(_FLAGS, _CLEARED), message(_INTERNED, inside))


def perfetto(
    name: str, columns: Mapping[str, Any], series: Iterable[Mapping[str, Any]] = ()
) -> bytes:
    """Return a trace of requests: a track per stream under its parent's, `turn N` per request.

    `columns`: those of queries/timeline.py with COLUMNS. A slice lasts from the request's start
    to its end, with `prefill` and `decode` inside and `wait` (from its credit on) before it; its
    category is the status. Requests of one stream that overlap stand on tracks of the same name.
    `series`: rows {name, engine, unit, t_s, value} that become counters. Time 0 is the earliest
    credit; the annotation `start_s` is on the point's own clock.
    """
    low = _earliest(columns, series)
    interned, tracks = _Interned(), _Tracks()
    tracks.add(name, 0, 0)
    tracks.add("server", 0, 1)
    events = b"".join(_requests(columns, low, interned, tracks))
    counters = b"".join(_counters(series, low, tracks))
    return interned.packet() + b"".join(tracks.made) + events + counters


def _earliest(columns: Mapping[str, Any], series: Iterable[Mapping[str, Any]]) -> int:
    known = [values[values != NULL] for values in (columns["credit_ns"], columns["start_ns"])]
    times = [int(values.min()) for values in known if len(values)]
    times += [round(row["t_s"][0] * 1e9) for row in series if len(row["t_s"])]
    return min(times, default=0)


@dataclass(slots=True)
class _Tracks:
    """Descriptors of tracks, numbered as they are added."""

    made: list[bytes] = field(default_factory=list)

    def add(self, name: str, parent: int, rank: int, *more: bytes) -> int:
        uuid = len(self.made) + 1
        parts = [uint(1, uuid), text(2, name), uint(11, _EXPLICIT_ORDER), uint(12, rank), *more]
        if parent:
            parts.append(uint(5, parent))
        self.made.append(message(_PACKET, _ID, message(_DESCRIPTOR, *parts)))
        return uuid


@dataclass(slots=True)
class _Stream:
    """A stream's tracks, each with the time from which it is free."""

    name: str
    parent: int
    rank: int
    uuids: list[int]
    free: list[int]

    def place(self, left: int, end: int, tracks: _Tracks) -> int:
        """Return the track of a request: the first that is free, else a new one."""
        lane = next((k for k, free in enumerate(self.free) if free <= left), len(self.free))
        if lane == len(self.free):
            self.free.append(0)
            self.uuids.append(tracks.add(self.name, self.parent, self.rank))
        self.free[lane] = end
        return self.uuids[lane]


def _streams(table: StreamTable, tracks: _Tracks) -> list[_Stream]:
    """Return every stream with its first track, below its parent's first."""
    above = [_FIRST + int(parent) if parent >= 0 else _TOP for parent in table.parent]
    names = [_stream_name(table, row) for row in range(len(above))]
    return [
        _Stream(name, parent, rank, [tracks.add(name, parent, rank)], [0])
        for rank, (name, parent) in enumerate(zip(names, above, strict=True))
    ]


def _requests(
    columns: Mapping[str, Any], low: int, interned: _Interned, tracks: _Tracks
) -> Iterator[bytes]:
    """Yield the packets of every request; adds the tracks they stand on."""
    table = stream_table(columns)
    streams = _streams(table, tracks)
    plain = {key: values.tolist() for key, values in columns.items()}
    writer = _Writer(interned)
    events: dict[int, _Events] = {}
    for i, row in enumerate(table.of_request.tolist()):
        times = _Times.of(plain, i, low)
        uuid = streams[row].place(times.left, times.end, tracks)
        if uuid not in events:
            events[uuid] = _Events.of(uuid, interned)
        yield _slices(plain, i, times, events[uuid], writer)


def _stream_name(table: StreamTable, row: int) -> str:
    if table.agent[row] >= 0:
        return table.agents[table.agent[row]]
    if table.conversation[row] >= 0:
        return table.conversations[table.conversation[row]]
    return "requests"


@dataclass(frozen=True, slots=True)
class _Times:
    """Times of a request in ns after the trace's zero; what is unknown falls on its neighbour."""

    left: int
    start: int
    first: int | None
    end: int

    @classmethod
    def of(cls, plain: Mapping[str, list[Any]], i: int, low: int) -> _Times:
        start = plain["start_ns"][i] - low
        credit, first, end = (plain[k][i] for k in ("credit_ns", "first_token_ns", "end_ns"))
        known = max(start, first - low if first != NULL else start)
        return cls(
            min(start, credit - low) if credit != NULL else start,
            start,
            known if first != NULL else None,
            max(known, end - low) if end != NULL else known,
        )


@dataclass(frozen=True, slots=True)
class _Events:
    """Bodies of a track's events that are the same for every request."""

    track: bytes
    end: bytes
    wait: bytes
    prefill: bytes
    decode: bytes

    @classmethod
    def of(cls, uuid: int, interned: _Interned) -> _Events:
        track = uint(11, uuid)
        begin = uint(9, _BEGIN) + track
        parts = [begin + uint(10, interned.events.id(name)) for name in _PARTS]
        return cls(track, uint(9, _END) + track, *parts)


def _slices(
    plain: Mapping[str, list[Any]], i: int, times: _Times, events: _Events, writer: _Writer
) -> bytes:
    """Return the packets of one request."""
    out = []
    if times.left < times.start:
        out += [_packet(times.left, events.wait), _packet(times.start, events.end)]
    out.append(_packet(times.start, writer.begin(plain, i, events.track)))
    if times.first is not None:
        out += [
            _packet(times.start, events.prefill),
            _packet(times.first, events.end),
            _packet(times.first, events.decode),
            _packet(times.end, events.end),
        ]
    out.append(_packet(times.end, events.end))
    return b"".join(out)


def _packet(at: int, event: bytes) -> bytes:
    """Return a packet with one event; written out, because a trace has six a request."""
    body = _STAMP + varint(at) + _HEAD + _EVENT + varint(len(event)) + event
    return _PACKET_TAG + varint(len(body)) + body


class _Writer:
    """Writes the first event of requests; what repeats is encoded once."""

    def __init__(self, interned: _Interned) -> None:
        self._interned = interned
        self._words: dict[tuple[str, str], bytes] = {}
        self._names: dict[str, bytes] = {}

    def begin(self, plain: Mapping[str, list[Any]], i: int, track: bytes) -> bytes:
        """Return the body of a request's begin: its name, its category, its facts."""
        name = uint(10, self._interned.events.id(f"turn {max(plain['turn'][i], 0)}"))
        category = uint(3, self._interned.categories.id(plain["status"][i]))
        return _BEGINS + track + name + category + self._facts(plain, i)

    def _facts(self, plain: Mapping[str, list[Any]], i: int) -> bytes:
        parts = [
            self._value("ordinal", uint(3, plain["ordinal"][i])),
            self._value("request_id", text(6, str(plain["request_id"][i]))),
            self._value("start_s", double(5, plain["start_ns"][i] / 1e9)),
        ]
        numbers = ((key, plain[key][i]) for key in _NUMBERS)
        parts += [self._value(key, uint(3, number)) for key, number in numbers if number >= 0]
        words = ((key, plain[key][i]) for key in _WORDS)
        parts += [self._word(key, word) for key, word in words if word is not None]
        return b"".join(parts)

    def _value(self, key: str, value: bytes) -> bytes:
        if key not in self._names:
            self._names[key] = uint(1, self._interned.annotations.id(key))
        return message(4, self._names[key], value)

    def _word(self, key: str, word: str) -> bytes:
        if (key, word) not in self._words:
            value = uint(17, self._interned.words.id(word))
            self._words[key, word] = self._value(key, value)
        return self._words[key, word]


def _counters(series: Iterable[Mapping[str, Any]], low: int, tracks: _Tracks) -> Iterator[bytes]:
    """Yield the samples of each series; a missing value leaves a hole."""
    for rank, row in enumerate(series):
        engine = "" if row["engine"] is None else f" {row['engine']}"
        counter = message(8, text(6, row["unit"]))
        uuid = tracks.add(row["name"] + engine, _SERVER, rank, counter)
        yield b"".join(_samples(row["t_s"], row["value"], uuid, low))


def _samples(t_s: Sequence[float], value: Sequence[Any], uuid: int, low: int) -> Iterator[bytes]:
    track = uint(9, _COUNTER) + uint(11, uuid)
    for at, number in zip(t_s, value, strict=True):
        if number is not None:
            yield _packet(round(at * 1e9) - low, track + double(44, number))
