"""Server metrics as raw scrapes (server_metrics_export.jsonl): both phases, the best source.

One scrape of one endpoint a line; an unchanged scrape is not written. Metrics we do not keep,
histograms among them, are skipped by the parser.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from explorer.ingest.draft import Note
from explorer.ingest.numbers import finite, integer
from explorer.ingest.opening import lines
from explorer.ingest.server_metric_names import WANTED
from explorer.ingest.server_metrics import Scrapes, Stream


class _Sample(msgspec.Struct, gc=False):
    labels: dict[str, str] | None = None
    value: Any = None


_FIELDS = {f"m{index}": name for index, name in enumerate(sorted(WANTED))}
_Metrics = msgspec.defstruct(
    "_Metrics", [(field, list[_Sample] | None, None) for field in _FIELDS], rename=_FIELDS
)


class _Scrape(msgspec.Struct, gc=False):
    endpoint_url: str
    timestamp_ns: int
    metrics: _Metrics  # type: ignore[valid-type]


_DECODER = msgspec.json.Decoder(_Scrape)


def is_scrapes(head: bytes) -> bool:
    """Say whether a file's first bytes are raw server-metric scrapes."""
    line = head.split(b"\n", 1)[0]
    return all(key in line for key in (b'"endpoint_url"', b'"timestamp_ns"', b'"metrics"'))


def read(path: Path) -> Scrapes:
    """Return every kept metric's samples; lines that cannot be read are counted in a note."""
    streams: dict[tuple[Any, ...], Stream] = {}
    bad: list[tuple[int, str]] = []
    for number, line in enumerate(lines(path), 1):
        if not line.strip():
            continue
        try:
            scrape = _decode(line)
        except (ValueError, msgspec.MsgspecError) as error:
            bad.append((number, str(error)[:120]))
            continue
        _add(streams, scrape)
    notes = []
    if bad:
        where = {"file": path.name, "line": bad[0][0], "reason": bad[0][1], "n": len(bad)}
        notes.append(Note("bad_lines", where))
    return Scrapes("jsonl", [_sorted(stream) for stream in streams.values()], True, None, notes)


def _decode(line: bytes) -> _Scrape:
    try:
        return _DECODER.decode(line)
    except msgspec.MsgspecError:
        return msgspec.convert(json.loads(line.decode("utf-8", "replace")), _Scrape)


def _add(streams: dict[tuple[Any, ...], Stream], scrape: _Scrape) -> None:
    time = integer(scrape.timestamp_ns)
    if time is None:
        return
    for field, metric in _FIELDS.items():
        for sample in getattr(scrape.metrics, field) or ():
            labels = sample.labels or {}
            key = (metric, scrape.endpoint_url, *sorted(labels.items()))
            stream = streams.get(key)
            if stream is None:
                stream = streams[key] = Stream(metric, scrape.endpoint_url, labels)
            value = finite(sample.value)
            if value is not None:
                stream.times.append(time)
                stream.values.append(value)


def _sorted(stream: Stream) -> Stream:
    if any(a > b for a, b in zip(stream.times, stream.times[1:], strict=False)):
        pairs = sorted(zip(stream.times, stream.values, strict=True))
        stream.times = [time for time, _ in pairs]
        stream.values = [value for _, value in pairs]
    return stream
