"""A timeline in every format it leaves in; API and command line take their bytes from here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from explorer import i18n
from explorer.domain.lake import Lake
from explorer.errors import NotFoundError
from explorer.exports import tabular
from explorer.exports.offline import offline
from explorer.exports.perfetto import COLUMNS, perfetto
from explorer.exports.timeline import packed
from explorer.queries import requests, series, timeline
from explorer.queries.window import Window

SERIES_BUDGET = 2_000
"""Most samples of a server series in a file."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a file is made of: a point's requests that start in a window, in a language."""

    lake: Lake
    point: Mapping[str, Any]
    window: Window
    snap: str | None = None
    lang: str = "en"


@dataclass(frozen=True, slots=True)
class Format:
    """How a format's bytes are made, their type and their file's ending."""

    make: Callable[[Asked], bytes]
    mime: str
    ending: str


def _packed(asked: Asked) -> bytes:
    return packed(asked.lake, asked.point, asked.window)


def _table(write: Callable[[Any], bytes]) -> Callable[[Asked], bytes]:
    def make(asked: Asked) -> bytes:
        return write(requests.table(asked.lake, asked.point, asked.window, asked.snap))

    return make


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
    "packed": Format(_packed, "application/octet-stream", "xtln"),
    "csv": Format(_table(tabular.csv), "text/csv; charset=utf-8", "csv"),
    "parquet": Format(_table(tabular.parquet), "application/vnd.apache.parquet", "parquet"),
    "arrow": Format(_table(tabular.arrow), "application/vnd.apache.arrow.stream", "arrow"),
    "perfetto": Format(_perfetto, "application/x-protobuf", "pftrace"),
    "html": Format(_offline, "text/html; charset=utf-8", "html"),
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
