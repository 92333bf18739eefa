"""schema.org/Dataset for search engines: the results as a whole, and each replayed trace set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from explorer.components import names
from explorer.components.view import Words
from explorer.domain import addresses, metrics
from explorer.domain.lake import Lake, Snapshot
from explorer.domain.view_state import ViewState
from explorer.errors import NotFoundError
from explorer.queries import datasets

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
        return [_results(base, snapshot, words)]
    slug = unquote(path.removeprefix("/datasets/")) if path.startswith("/datasets/") else ""
    if path == "/datasets":
        found = datasets.many(lake, snapshot.snap).rows
        return [_catalogue(base, [_dataset(base, row, words) for row in found], words)]
    if slug and "/" not in slug:
        return _one(lake, base, slug, snapshot, words)
    return []


def _one(lake: Lake, base: str, slug: str, snapshot: Snapshot, words: Words) -> list[Document]:
    try:
        row = datasets.one(lake, slug, snapshot.snap)
    except NotFoundError:
        return []
    return [{"@context": _CONTEXT, **_dataset(base, row, words)}]


def _results(base: str, snapshot: Snapshot, words: Words) -> Document:
    """Return the points of a snapshot as one dataset, with the API as where to have them."""
    known = metrics.by_key()
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
            {
                "@type": "DataDownload",
                "encodingFormat": mime,
                "contentUrl": f"{base}{addresses.API}/points?format={name}&snap={snapshot.snap}",
            }
            for name, mime in _FORMATS.items()
        ],
    }


def _catalogue(base: str, found: list[Document], words: Words) -> Document:
    return {
        "@context": _CONTEXT,
        "@type": "DataCatalog",
        "name": words("datasets.title"),
        "url": base + addresses.datasets(),
        "dataset": found,
    }


def _dataset(base: str, row: Mapping[str, Any], words: Words) -> Document:
    counts = {name: f"{row[name] or 0:,}" for name in ("conversations", "turns", "requests")}
    return {
        "@type": "Dataset",
        "name": names.dataset(row),
        "description": words("share.schema_traces", name=names.dataset(row), **counts),
        "url": base + addresses.dataset(row["dataset"]),
        "identifier": row["dataset"],
        "version": row["revision"],
        "isAccessibleForFree": True,
        "distribution": [
            {
                "@type": "DataDownload",
                "encodingFormat": "application/json",
                "contentUrl": base + addresses.api_conversations(row["dataset"]),
            }
        ],
    }
