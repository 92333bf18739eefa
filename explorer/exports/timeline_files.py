"""A timeline in every format it leaves in; API and command line take their bytes from here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from explorer import i18n
from explorer.domain import addresses
from explorer.domain.lake import Lake
from explorer.domain.metrics import request_metrics
from explorer.domain.view_state import ViewState
from explorer.errors import NotFoundError
from explorer.exports import reproduce, tabular
from explorer.exports.offline import offline
from explorer.exports.perfetto import COLUMNS, perfetto
from explorer.exports.provenance import Provenance, comment, provenance, stamped
from explorer.exports.reproduce import Subject
from explorer.exports.timeline import packed
from explorer.queries import requests, series, timeline, window_stats
from explorer.queries.window import Window

SERIES_BUDGET = 2_000
"""Most samples of a server series in a file."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a file is made of: a point's requests that start in a window, in a language.

    `header` puts comment lines on top of a CSV; `base` is the server that texts name.
    """

    lake: Lake
    point: Mapping[str, Any]
    window: Window
    snap: str | None = None
    lang: str = "en"
    header: bool = False
    base: str = ""


@dataclass(frozen=True, slots=True)
class Format:
    """How a format's bytes are made, their type and their file's ending; some are no download."""

    make: Callable[[Asked], bytes]
    mime: str
    ending: str
    inline: bool = False


def _packed(asked: Asked) -> bytes:
    return packed(asked.lake, asked.point, asked.window)


def _table(write: Callable[[Any], bytes]) -> Callable[[Asked], bytes]:
    def make(asked: Asked) -> bytes:
        return write(_stamped(asked))

    return make


def _stamped(asked: Asked) -> pa.Table:
    rows = requests.table(asked.lake, asked.point, asked.window, asked.snap)
    return stamped(tabular.described(rows, requests.COLUMNS), _provenance(asked))


def _csv(asked: Asked) -> bytes:
    table = _stamped(asked)
    top = comment(_provenance(asked), table) if asked.header else b""
    return top + tabular.csv(table)


def _provenance(asked: Asked) -> Provenance:
    """Return where the rows come from; the address holds their snapshot, phase and window."""
    snapshot = asked.lake.snapshot(asked.snap)
    window = asked.window
    state = ViewState().having(
        snap=snapshot.snap, phase=window.phase, from_=window.from_s, to=window.to_s
    )
    point_id = asked.point["point_id"]
    address = addresses.with_query(addresses.api_point(point_id, "timeline"), state)
    return provenance("requests", address, snapshot, state, [asked.point["source"]])


def _reproduced(how: reproduce.Format) -> Format:
    """Return a way to have the requests again, with the point's numbers computed from them."""

    def make(asked: Asked) -> bytes:
        point, columns = asked.point, (*requests.COLUMNS, *requests.REFERENCE_COLUMNS)
        subject = Subject(
            of=_provenance(asked),
            name=f"timeline-{point['point_id']}",
            columns=tuple(column.name for column in columns),
            base=asked.base,
            kind="requests",
            shown=_shown(asked),
        )
        return how.make(subject).encode()

    return Format(make, how.mime, how.ending, how.inline)


def _shown(asked: Asked) -> dict[str, Any]:
    """Return the page's numbers of these requests that are computed from requests alone."""
    if asked.window.phase == "warmup":
        return {}
    measured = window_stats.stats(asked.lake, asked.point, replace(asked.window, phase="profiling"))
    return {one.key: (measured or {}).get(one.key) for one in request_metrics()}


def _perfetto(asked: Asked) -> bytes:
    columns = timeline.columns(asked.lake, asked.point, asked.window, COLUMNS)
    return perfetto(asked.point["point_id"], columns, _series(asked))


def _offline(asked: Asked) -> bytes:
    count = timeline.counts(asked.lake, asked.point, asked.window.phase)
    title = i18n.text(asked.lang, "timeline_page.offline_title", point=asked.point["point_id"])
    summary = i18n.text(
        asked.lang,
        "timeline_page.offline_note",
        n=f"{count.sum():,}",
        href=asked.point["provenance_url"] or asked.point["run_id"] or "",
    )
    data = packed(asked.lake, asked.point, asked.window)
    return offline(title, summary, data, _series(asked), lang=asked.lang)


def _series(asked: Asked) -> list[dict[str, Any]]:
    """Return the strip's series over both phases, as the page asks for them."""
    return series.series(asked.lake, asked.point, timeline.STRIP, budget=SERIES_BUDGET, phase="all")


FORMATS: Mapping[str, Format] = {
    "packed": Format(_packed, "application/octet-stream", "xtln", inline=True),
    "csv": Format(_csv, "text/csv; charset=utf-8", "csv"),
    "parquet": Format(_table(tabular.parquet), "application/vnd.apache.parquet", "parquet"),
    "arrow": Format(_table(tabular.arrow), "application/vnd.apache.arrow.stream", "arrow"),
    "perfetto": Format(_perfetto, "application/x-protobuf", "pftrace"),
    "html": Format(_offline, "text/html; charset=utf-8", "html"),
    **{name: _reproduced(how) for name, how in reproduce.FORMATS.items()},
}


def file_of(asked: Asked, format_: str) -> tuple[bytes, str]:
    """Return the bytes of a format of FORMATS and the file's name.

    NotFoundError for a point without request records.
    """
    if not asked.point["requests_object"]:
        raise NotFoundError(
            f"Point {asked.point['point_id']} has no request records, so it has no timeline.",
            hint="has.requests of /api/v1/points tells which have; aggregate rows have none.",
        )
    how = FORMATS[format_]
    return how.make(asked), f"timeline-{asked.point['point_id']}.{how.ending}"
