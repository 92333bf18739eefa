"""schema.org/Dataset for search engines: the results as a whole, and each replayed trace set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from explorer.components import names
from explorer.components.view import Words
from explorer.domain import addresses, metrics
from explorer.domain.lake import Lake, Snapshot
from explorer.domain.view_state import ViewState
from explorer.errors import NotFoundError
from explorer.queries import conversations, datasets, paging, points

Document = dict[str, Any]
_CONTEXT = "https://schema.org"
_MEASURED = (
    "p90_ttft_s", "p90_interactivity_tps", "p90_e2el_s", "total_tps_per_gpu",
    "overall_cache_hit_ratio", "usd_per_mtok_total",
)  # fmt: skip
_FORMATS = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}


def documents(
    lake: Lake, base: str, path: str, state: ViewState, snapshot: Snapshot | None
) -> list[Document]:
    """Return what a page's head declares: `/`, the datasets, one dataset; nothing elsewhere."""
    if snapshot is None or not path.startswith(("/datasets", "/")):
        return []
    words = Words(state)
    if path == "/":
        return [_results(lake, base, snapshot, words)]
    slug = unquote(path.removeprefix("/datasets/")) if path.startswith("/datasets/") else ""
    if path == "/datasets":
        found = datasets.many(lake, snapshot.snap).rows
        made = [_dataset(lake, base, row, snapshot, words) for row in found]
        return [_catalogue(base, made, words)]
    if slug and "/" not in slug:
        return _one(lake, base, slug, snapshot, words)
    return []


def _one(lake: Lake, base: str, slug: str, snapshot: Snapshot, words: Words) -> list[Document]:
    try:
        row = datasets.one(lake, slug, snapshot.snap)
    except NotFoundError:
        return []
    return [{"@context": _CONTEXT, **_dataset(lake, base, row, snapshot, words)}]


def _results(lake: Lake, base: str, snapshot: Snapshot, words: Words) -> Document:
    """Return the points of a snapshot as one dataset, with the API as where to have them."""
    known, where = metrics.by_key(), base + addresses.api_points()
    cursors = points.parts(lake, snapshot.snap)
    counts = {"points": f"{snapshot.points:,}", "requests": f"{snapshot.requests:,}"}
    return {
        "@context": _CONTEXT,
        "@type": "Dataset",
        "name": words("share.schema_name"),
        "description": words("share.schema_description", **counts),
        "url": f"{base}/",
        "identifier": snapshot.snap,
        "version": snapshot.name or snapshot.snap,
        "dateModified": snapshot.time[:10],
        "isAccessibleForFree": True,
        "inLanguage": words.lang,
        "variableMeasured": [
            {
                "@type": "PropertyValue",
                "name": names.metric(key, words),
                "unitText": names.unit(known[key], words),
            }
            for key in _MEASURED
            if key in known
        ],
        "distribution": [
            one
            for name, mime in _FORMATS.items()
            for one in _downloads(f"{where}?format={name}", mime, snapshot, cursors)
        ],
    }


def _downloads(
    address: str, mime: str, snapshot: Snapshot, cursors: Sequence[str]
) -> list[Document]:
    """Return where to have all rows, in parts of as many as one answer has."""
    whole = f"{address}&limit={paging.MAX_LIMIT}&snap={snapshot.snap}"
    places = [whole, *(f"{whole}&cursor={cursor}" for cursor in cursors)]
    return [
        {"@type": "DataDownload", "encodingFormat": mime, "contentUrl": place} for place in places
    ]


def _catalogue(base: str, found: list[Document], words: Words) -> Document:
    return {
        "@context": _CONTEXT,
        "@type": "DataCatalog",
        "name": words("datasets.title"),
        "url": base + addresses.datasets(),
        "dataset": found,
    }


def _dataset(
    lake: Lake, base: str, row: Mapping[str, Any], snapshot: Snapshot, words: Words
) -> Document:
    slug, many = row["dataset"], (row["conversations"] or 0) > paging.MAX_LIMIT
    cursors = conversations.parts(lake, slug, snapshot.snap) if many else []
    where = f"{base}{addresses.api_conversations(slug)}?format=json"
    counts = {name: f"{row[name] or 0:,}" for name in ("conversations", "turns", "requests")}
    return {
        "@type": "Dataset",
        "name": names.dataset(row),
        "description": words("share.schema_traces", name=names.dataset(row), **counts),
        "url": base + addresses.dataset(slug),
        "identifier": slug,
        "version": row["revision"],
        "isAccessibleForFree": True,
        "distribution": _downloads(where, "application/json", snapshot, cursors),
    }
