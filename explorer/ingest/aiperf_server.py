"""What a run's server side left, merged: series of the best file, totals, hit ratios, pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from explorer.errors import InputError
from explorer.ingest import (
    cache,
    server_metrics_csv,
    server_metrics_json,
    server_metrics_jsonl,
    server_metrics_parquet,
)
from explorer.ingest.draft import Note
from explorer.ingest.server_log import LogClock, covers, read_server_log
from explorer.ingest.server_metrics import Folded, Scrapes, fold, series_table

_READERS: dict[str, Callable[[Path], Scrapes]] = {
    "jsonl": server_metrics_jsonl.read,
    "parquet": server_metrics_parquet.read,
    "json": server_metrics_json.read,
    "csv": server_metrics_csv.read,
}
_SERIES_ORDER = ("jsonl", "parquet", "json")
"""Best first; CSV has totals only."""
_TOTALS_ORDER = ("jsonl", "json", "csv", "parquet")
"""Parquet's baseline is its first sample inside the window: it can miss the first request."""
_HIT_SERIES = ("gpu_hit_ratio", "external_hit_ratio")


@dataclass(slots=True)
class ServerSide:
    """Server metrics of one run as read, before the clock's zero is applied."""

    scrapes: dict[str, Scrapes] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def window_start(self) -> int | None:
        """Return the start of profiling in absolute ns where a file states it."""
        windows = [scrapes.window for scrapes in self.scrapes.values() if scrapes.window]
        return min((start for start, _ in windows), default=None)


def read(files: Mapping[str, Path]) -> ServerSide:
    """Return the server metrics of the files by format; an unreadable one is a note."""
    side = ServerSide()
    for kind, path in files.items():
        try:
            scrapes = _READERS[kind](path)
        except InputError as error:
            side.notes.append(unreadable(path, error))
            continue
        side.scrapes[kind] = scrapes
        side.notes += scrapes.notes
    return side


def unreadable(path: Path, error: InputError) -> Note:
    """Return the note of a file that belongs to a point and cannot be read."""
    reason = error.params.get("reason", error.code)
    params = {"file": path.name, "reason": reason, "detail": error.params.get("detail", "")}
    return Note("file_unreadable", params)


@dataclass(slots=True)
class ServerFacts:
    """What the server side says of a point."""

    series: pa.Table | None = None
    series_source: str | None = None
    logs: pa.Table | None = None
    metrics: dict[str, float | None] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)


def facts(side: ServerSide, zero_ns: int | None, *, disaggregated: bool) -> ServerFacts:
    """Return series on the point's clock and metrics over the profiling window."""
    found = ServerFacts(notes=list(side.notes))
    folded = {kind: fold(scrapes, zero_ns) for kind, scrapes in side.scrapes.items()}
    for kind in _SERIES_ORDER if zero_ns is not None else ():
        if kind in folded and found.series is None:
            found.series = series_table(folded[kind].samples, zero_ns or 0)
            found.series_source = kind if found.series is not None else None
    for kind in _TOTALS_ORDER:
        if kind in folded:
            _add_totals(found, folded[kind], disaggregated=disaggregated)
    _add_pool(found, folded)
    return found


def _add_totals(found: ServerFacts, folded: Folded, *, disaggregated: bool) -> None:
    """Fill from one file what better files left open."""
    totals = cache.totals_by_name(folded)
    found.totals = found.totals or totals
    roles = {key.role for key in folded.totals}
    disaggregated = disaggregated or {"prefill", "decode"} <= roles
    if "cache_source" not in found.fields:
        ratios = cache.ratios(totals, has_host_tier=folded.has_host_tier)
        if ratios is not None:
            found.metrics |= ratios.metrics(disaggregated=disaggregated)
            found.fields["cache_source"] = ratios.source
            if folded.late_baseline:
                found.notes.append(Note("counter_baseline_late", {}))
    peaks = [peak for key, peak in folded.peaks.items() if key.name == "kv_usage_ratio"]
    _fill(found.metrics, "peak_kv_usage_ratio", max(peaks, default=None))
    _fill(found.metrics, "spec_acceptance_length", cache.spec_acceptance_length(totals))


def _add_pool(found: ServerFacts, folded: Mapping[str, Folded]) -> None:
    """Fill the pool's size: an exact statement first; blocks × size is marked, it can be half."""
    stated = [folded[kind] for kind in _TOTALS_ORDER if kind in folded]
    known = [one for one in stated if one.pool_tokens]
    for one in sorted(known, key=lambda one: not one.pool_is_exact)[:1]:
        found.metrics["kv_pool_tokens"] = sum(one.pool_tokens.values())
        if not one.pool_is_exact:
            found.notes.append(Note("kv_pool_from_block_count", {}))


def _fill(metrics: dict[str, float | None], key: str, value: float | None) -> None:
    if metrics.get(key) is None and value is not None:
        metrics[key] = value


def add_log(found: ServerFacts, paths: list[Path], clock: LogClock, window_s: float | None) -> None:
    """Add what server logs say: the pool (better than block counts), facts, levels as fallback."""
    log = read_server_log(paths, clock)
    found.logs = log.logs
    pool = log.facts.pop("kv_pool_tokens", None)
    if pool is not None:
        found.metrics["kv_pool_tokens"] = pool
        found.notes = [note for note in found.notes if note.code != "kv_pool_from_block_count"]
    found.fields |= log.facts
    if log.series is None or found.series is not None:
        return
    if not covers(log.series, window_s):
        found.notes.append(Note("log_outside_window", {"files": [path.name for path in paths]}))
        return
    found.series, found.series_source = _believed(found, log.series), "log"
    usage = log.series.filter(pc.equal(log.series["name"], "kv_usage_ratio"))
    inside = usage.filter(pc.greater_equal(usage["t_ns"], 0))
    _fill(found.metrics, "peak_kv_usage_ratio", pc.max(inside["value"]).as_py())


def _believed(found: ServerFacts, series: pa.Table) -> pa.Table:
    """Return the log's series without hit rates that re-queued requests made meaningless."""
    if not cache.queries_inflated(found.totals):
        return series
    found.notes.append(
        Note(
            "hit_rate_series_inflated",
            {"ratio": found.totals["prefix_cache_queries"] / found.totals["prompt_tokens"]},
        )
    )
    return series.filter(pc.invert(pc.is_in(series["name"], pa.array(_HIT_SERIES))))
