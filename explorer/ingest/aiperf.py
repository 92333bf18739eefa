"""AIPerf run folders, 2025 to 0.13: a summary JSON and the files of its run become one point."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from explorer.errors import InputError
from explorer.ingest import aiperf_server, command_hints, gpu_telemetry, timeslices
from explorer.ingest import aiperf_summary as summaries
from explorer.ingest.aiperf_files import (
    RunFiles,
    gather,
    is_shadow,
    is_summary_file,
    may_be_summary,
)
from explorer.ingest.aiperf_requests import RequestLog, is_request_export, read_requests
from explorer.ingest.aiperf_server import ServerFacts, unreadable
from explorer.ingest.aiperf_summary import Summary
from explorer.ingest.context import Context
from explorer.ingest.draft import Draft, Note
from explorer.ingest.opening import load_json, unusable
from explorer.ingest.row_fields import FULL_DECIMALS
from explorer.ingest.server_log import LogClock
from explorer.ingest.server_metrics import series_table

_MOCK = re.compile(r"(?i)(?:^|[^a-z])mock(?:[^a-z]|$)")


class AiperfRun:
    """A run folder, by its summary. Aggregates of runs and phases' own summaries are no runs."""

    name = "aiperf"

    def sniff(self, path: Path, head: bytes) -> bool:
        """Return whether the file is a run's summary and repeats no run above it."""
        if not may_be_summary(head):
            return False
        try:
            document = load_json(path)
        except InputError as error:
            damaged = error.params.get("reason") in ("truncated", "not_json")
            return damaged and b'"aiperf_version"' in head[:2048]
        return summaries.is_summary(document) and not is_shadow(path, document)

    def read(self, path: Path, context: Context) -> Iterator[Draft]:
        """Yield the run's one point. Raises InputError when the summary itself is unusable."""
        document = load_json(path)
        near = context.near or tuple(sorted(path.parent.iterdir()))
        run = _Run(path, summaries.parse(document), gather(path, near))
        run.notes += _non_finite(path.name, document)
        yield run.draft(context)


class RequestsWithoutSummary:
    """A request export that no summary belongs to: recognised, and skipped with the reason.

    Without a summary neither the load nor the model is known, and no id is the tool's own.
    """

    name = "aiperf-requests"
    alone = True

    def sniff(self, path: Path, head: bytes) -> bool:
        """Return whether the file is a request export in a folder without a summary."""
        if not is_request_export(head):
            return False
        return not any(is_summary_file(other) for other in sorted(path.parent.glob("*.json")))

    def read(self, path: Path, context: Context) -> Iterator[Draft]:
        """Raise InputError `no_summary`."""
        raise unusable(path, "no_summary", "no AIPerf summary JSON lies beside the requests")


@dataclass(slots=True)
class _Run:
    """One run while its parts are put together."""

    path: Path
    summary: Summary
    files: RunFiles
    notes: list[Note] = field(default_factory=list)
    fields: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, float | None] = field(default_factory=dict)
    requests: RequestLog | None = None
    zero_ns: int | None = None
    series: pa.Table | None = None
    gpu: pa.Table | None = None
    logs: pa.Table | None = None

    def draft(self, context: Context) -> Draft:
        self._hints()
        self._requests()
        side = aiperf_server.read(self.files.server_metrics)
        self._clock(side.window_start())
        self._server(side)
        self._telemetry()
        self._statistics()
        sources = [context.source(path) for path in sorted({self.path, *self.files.all()})]
        return Draft(
            format="aiperf",
            identity=summaries.identity(self.summary),
            fields={key: value for key, value in self.fields.items() if value is not None},
            metrics={key: value for key, value in self.metrics.items() if value is not None},
            stated=self._stated(),
            requests=self.requests.table if self.requests else None,
            series=self.series,
            gpu=self.gpu,
            logs=self.logs,
            warnings=self.notes,
            sources=sources,
        )

    def _hints(self) -> None:
        """Start with what commands say; the summary's own words overrule them."""
        commands = {path.name: text for path, text in self.files.commands.items()}
        hints, config = command_hints.read(commands)
        self.metrics["concurrency"] = summaries.concurrency(self.summary) or hints.pop(
            "concurrency", None
        )
        hints.pop("concurrency", None)
        stated = summaries.fields(self.summary)
        own = command_hints.config("aiperf", self.summary.command)
        self.fields |= hints | {key: value for key, value in stated.items() if value is not None}
        self.fields["config"] = {**own, **config} or None
        if _MOCK.search(str(self.fields.get("model_raw") or "")):
            self.fields["source"] = "mock"

    def _requests(self) -> None:
        path = self.files.requests
        if path is None:
            return
        try:
            self.requests = read_requests(path)
        except InputError as error:
            self.notes.append(unreadable(path, error))
            return
        self.notes += self.requests.notes
        if not self.requests.table.num_rows:
            self.requests = None

    def _clock(self, window_start: int | None) -> None:
        """Set zero: the first profiling request's start, else the nearest thing a file states."""
        stated = summaries.first_request_ns(self.summary), window_start
        self.zero_ns = self.requests.zero_ns if self.requests else None
        if self.zero_ns is None:
            self.zero_ns = next((time for time in stated if time is not None), None)
        self.fields["clock_zero_ns"] = self.zero_ns
        if self.zero_ns is not None:
            day = datetime.fromtimestamp(self.zero_ns // 1_000_000_000, UTC)
            self.fields["date"] = day.date().isoformat()
        elif self.summary.local_start is not None:
            self.fields["date"] = self.summary.local_start.date().isoformat()

    def _server(self, side: aiperf_server.ServerSide) -> None:
        disaggregated = self.fields.get("mode") == "disagg"
        found = aiperf_server.facts(side, self.zero_ns, disaggregated=disaggregated)
        if self.files.logs:
            clock = LogClock(self.zero_ns, self.summary.local_start)
            wall = self.fields.get("wall_duration_s")
            aiperf_server.add_log(found, self.files.logs, clock, wall)
        if found.series is None and self.requests is None:
            self._time_slices(found)
        self.metrics |= found.metrics
        self._cache_fallback(found)
        config = {**(self.fields.get("config") or {}), **found.fields.pop("config", {})}
        self.fields |= {key: value for key, value in found.fields.items() if value is not None}
        self.fields["config"] = config or None
        self.series, self.logs = found.series, found.logs
        self.fields["series_source"] = found.series_source
        self.metrics["theoretical_cache_hit_ratio"] = summaries.theoretical_hit_ratio(self.summary)
        self.notes += found.notes

    def _time_slices(self, found: ServerFacts) -> None:
        path = self.files.timeslices
        if path is None or self.zero_ns is None:
            return
        try:
            found.series = series_table(timeslices.read(path), self.zero_ns)
        except InputError as error:
            self.notes.append(unreadable(path, error))
            return
        found.series_source = "timeslices" if found.series is not None else None

    def _cache_fallback(self, found: ServerFacts) -> None:
        """Without server counters, the usage that each answer states gives the overall ratio."""
        if "cache_source" in found.fields or self.requests is None:
            return
        kept = _kept(self.requests.table)
        counted = kept.filter(pc.is_valid(kept["cached_tokens"]))
        prompt = pc.sum(counted["isl_tokens"]).as_py()
        if prompt:
            cached = pc.sum(counted["cached_tokens"]).as_py()
            self.metrics["overall_cache_hit_ratio"] = min(cached / prompt, 1.0)
            found.fields["cache_source"] = "usage_cache_read_tokens"

    def _telemetry(self) -> None:
        stated = self.summary.document.get("telemetry_data")
        models = [
            str(gpu["gpu_name"])
            for gpu in gpu_telemetry.summary_gpus(stated)
            if gpu.get("gpu_name")
        ]
        self.metrics["measured_power_w"] = gpu_telemetry.summary_power_w(stated)
        if self.files.gpu is not None:
            models = self._samples(self.files.gpu, gpu_telemetry.summary_units(stated)) or models
        if models and "hw_raw" not in self.fields:
            self.fields["hw_raw"] = sorted(set(models))[0]
        if any(_MOCK.search(model) for model in models):
            self.fields["source"] = "mock"

    def _samples(self, path: Path, units: Mapping[str, str]) -> list[str]:
        try:
            telemetry = gpu_telemetry.read(path, units)
        except InputError as error:
            self.notes.append(unreadable(path, error))
            return []
        self.notes += telemetry.notes
        if self.zero_ns is not None and telemetry.table.num_rows:
            self.gpu = telemetry.after(self.zero_ns)
            self._energy(self.gpu)
        return telemetry.models

    def _energy(self, gpu: pa.Table) -> None:
        if self.requests is None:
            return
        kept = _kept(self.requests.table)
        drawn = gpu_telemetry.power(gpu, pc.max(kept["end_ns"]).as_py() or 0)
        self.metrics["measured_power_w"] = drawn.mean_w or self.metrics.get("measured_power_w")
        inputs, outputs = (pc.sum(kept[f"{x}_tokens"]).as_py() or 0 for x in ("isl", "osl"))
        if drawn.energy_j and outputs:
            self.metrics["measured_j_per_tok_total"] = drawn.energy_j / (inputs + outputs)
            self.metrics["measured_j_per_tok_output"] = drawn.energy_j / outputs

    def _statistics(self) -> None:
        """Fill counts and sources; without requests the summary's own statistics too."""
        self.fields["interactivity_source"] = "itl"
        if self.requests is None:
            self.fields |= summaries.counts(self.summary)
            self.fields["errors"] = summaries.errors(self.summary) or None
            self.fields["requests_overflow"] = summaries.overflow(self.summary, None)
            stored = summaries.stored_metrics(self.summary)
            self.metrics = {**stored, **self.metrics}
            self.fields["itl_source"] = "inter_token_latency" if "p50_itl_s" in stored else None
            self.fields["throughput_source"] = "summary" if "total_tps" in stored else None
            return
        log = self.requests
        self.fields |= {"itl_source": log.itl_source, "throughput_source": "requests"}
        stated = summaries.overflow(self.summary, log.overflow_failures)
        skips = log.overflow_skips or None
        self.fields["requests_overflow"] = stated if stated is not None else skips
        self._compare_counts()

    def _compare_counts(self) -> None:
        """Note a request file that is not the whole run its summary tells of."""
        recorded, stated = self._counts()
        if stated and recorded != stated:
            params = {"requests": recorded, "summary": stated}
            self.notes.append(Note("requests_differ_from_summary", params))

    def _counts(self) -> tuple[int, int | None]:
        """Return profiling attempts of the request file and of the summary."""
        table = (
            self.requests.table if self.requests else pa.table({"phase": pa.array([], "string")})
        )
        recorded = int(pc.sum(pc.equal(table["phase"], "profiling")).as_py() or 0)
        return recorded, summaries.counts(self.summary)["requests_total"]

    def _stated(self) -> dict[str, tuple[float, int]]:
        """Return the summary's statistics to compare with, where it tells of the same requests.

        Its ITL counts single-chunk answers as 0, ours leaves them out: not compared.
        """
        recorded, stated = self._counts()
        if self.requests is None or recorded != stated:
            return {}
        found = summaries.statistics(self.summary)
        return {k: (v, FULL_DECIMALS) for k, v in found.items() if not k.endswith("_itl_s")}


def _kept(table: pa.Table) -> pa.Table:
    profiling = pc.equal(table["phase"], "profiling")
    return table.filter(pc.and_(profiling, pc.equal(table["status"], "ok")))


def _non_finite(file: str, document: Any) -> list[Note]:
    """Return a note when a summary holds NaN or infinities: they are read as missing."""
    found = list(_non_finite_paths(document, ""))
    return (
        [Note("non_finite_numbers", {"file": file, "n": len(found), "first": found[0]})]
        if found
        else []
    )


def _non_finite_paths(value: Any, at: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _non_finite_paths(inner, f"{at}.{key}" if at else str(key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _non_finite_paths(inner, f"{at}[{index}]")
    elif isinstance(value, float) and not math.isfinite(value):
        yield at
