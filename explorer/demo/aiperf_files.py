"""The request and summary files of an AIPerf 0.13 run folder, from a replay's outcome."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from explorer.demo.chance import mix, uuid_text
from explorer.demo.replay import Outcome, Record
from explorer.demo.stats import summary

_SOURCE_KINDS = {"main": "weka_main", "subagent": "weka_subagent", "side": "weka_aux"}
_ERRORS: dict[str, dict[str, Any]] = {
    "server": {
        "code": 500,
        "type": "Internal Server Error",
        "message": "EngineCore encountered an issue. See stack trace (above) for the root cause.",
    },
    "busy": {"code": 429, "type": "Too Many Requests", "message": "rate limit exceeded"},
    "disconnect": {
        "type": "ClientPayloadError",
        "message": "Response payload is not completed",
        "cause_chain": ["ClientPayloadError", "TransferEncodingError"],
    },
    "timeout": {"type": "TimeoutError", "message": "TimeoutError()"},
    "cancelled": {
        "code": 499,
        "type": "RequestCancellationError",
        "message": "Request cancelled by the client",
    },
}
_LINE = (
    '{"metadata":{"session_num":%d,"x_request_id":"%s","x_correlation_id":"%s",'
    '"conversation_id":"%s","turn_index":%d,"source_trace_id":"%s","source_outer_idx":%d,%s'
    '"source_kind":"%s","credit_issued_ns":%d,"request_start_ns":%d,%s"request_end_ns":%d,'
    '"worker_id":"worker_%08x","record_processor_id":"record_processor_0000a1b2",'
    '"benchmark_phase":"%s",%s"was_cancelled":%s,%s"context_overflow_skip":false,'
    '"agent_depth":%d,%s"root_correlation_id":"%s"},"metrics":{%s}%s}\n'
)
_WARMUP = '"phase_name":"agentic.warmup","phase_kind":"warmup",'
_PROFILING = (
    '"phase_index":0,"profiling_index":0,"phase_name":"profiling","phase_kind":"profiling",'
)


class Times:
    """Virtual seconds as wall-clock nanoseconds of the point's date."""

    def __init__(self, outcome: Outcome, started: datetime) -> None:
        self.zero_ns = int(started.timestamp()) * 1_000_000_000
        self.outcome = outcome

    def ns(self, seconds: float) -> int:
        return self.zero_ns + int(seconds * 1e9)

    def local(self, seconds: float) -> str:
        moment = datetime.fromtimestamp(self.zero_ns // 1_000_000_000, UTC)
        return (moment + timedelta(seconds=int(seconds))).replace(tzinfo=None).isoformat()


class RequestLines:
    """Formats records as lines of ``profile_export.jsonl``."""

    def __init__(self, outcome: Outcome, times: Times, seed: int) -> None:
        self.outcome, self.times, self.seed = outcome, times, seed
        self._ids: dict[int, str] = {}

    def lines(self) -> Iterator[str]:
        return (self._line(record) for record in self.outcome.records)

    def _stream_id(self, stream: int) -> str:
        known = self._ids.get(stream)
        if known is None:
            known = self._ids[stream] = uuid_text(self.seed, 2 * stream)
        return known

    def _conversation(self, record: Record) -> str:
        session = record.play.session
        if record.kind == "main":
            return session.session_id
        if record.kind == "side":
            return f"{session.session_id}::aux:{record.turn_index:03d}"
        return f"{session.session_id}::sa:{session.subagents[record.agent].agent_id}"

    def _line(self, record: Record) -> str:
        times, main = self.times, record.kind == "main"
        root = self._stream_id(record.play.agent_streams[-1])
        start, end = times.ns(record.start_s), times.ns(record.end_s)
        served = record.request is not None
        ack = f'"request_ack_ns":{start + 3_000_000 + record.number % 997},' if served else ""
        cancelled = record.status == "cancelled"
        inner = f'"source_inner_idx":{record.turn_index},' if record.kind == "subagent" else ""
        return _LINE % (
            record.number - 1,
            uuid_text(self.seed, 2 * record.number + 1),
            self._stream_id(record.stream),
            self._conversation(record),
            0 if record.kind == "side" else record.turn_index,
            record.play.session.session_id,
            record.outer_index,
            inner,
            _SOURCE_KINDS[record.kind],
            times.ns(record.credit_s),
            start,
            ack,
            end if served else start,
            mix(self.seed, record.play.lane % 8) & 0xFFFFFFFF,
            "profiling" if record.profiling else "warmup",
            _PROFILING if record.profiling else _WARMUP,
            "true" if cancelled else "false",
            f'"cancellation_time_ns":{end},' if cancelled else "",
            0 if main else 1,
            "" if main else f'"parent_correlation_id":"{root}",',
            root,
            self._metrics(record, start, end),
            self._error(record),
        )

    def _error(self, record: Record) -> str:
        if record.status == "ok":
            return ""
        return ',"error":' + json.dumps(_ERRORS[record.status], separators=(",", ":"))

    def _metrics(self, record: Record, start: int, end: int) -> str:
        isl, osl = record.turn.isl_tokens, record.osl_tokens
        if record.status != "ok":
            return f'"error_isl":{{"value":{isl},"unit":"tokens"}}'
        request = record.request
        assert request is not None
        latency = end - start
        ttft = self.times.ns(record.first_token_s) - start
        text = (
            f'"request_latency":{{"value":{latency / 1e6!r},"unit":"ms"}},'
            f'"time_to_first_token":{{"value":{ttft / 1e6!r},"unit":"ms"}},'
            f'"input_sequence_length":{{"value":{isl},"unit":"tokens"}},'
            f'"output_sequence_length":{{"value":{osl},"unit":"tokens"}},'
            f'"output_token_count":{{"value":{osl},"unit":"tokens"}},'
            f'"usage_prompt_tokens":{{"value":{isl},"unit":"tokens"}},'
            f'"usage_prompt_cache_read_tokens":{{"value":'
            f'{request.hbm_tokens + request.dram_tokens},"unit":"tokens"}},'
            f'"usage_completion_tokens":{{"value":{osl},"unit":"tokens"}},'
            f'"decode_duration":{{"value":{(latency - ttft) / 1e6!r},"unit":"ms"}},'
            f'"e2e_output_token_throughput":{{"value":{osl * 1e9 / latency!r},'
            '"unit":"tokens/sec/user"}'
        )
        if osl < 2:
            return text
        itl = (latency - ttft) / (osl - 1)
        return text + (
            f',"inter_token_latency":{{"value":{itl / 1e6!r},"unit":"ms"}}'
            f',"output_token_throughput_per_user":{{"value":{1e9 / itl!r},'
            '"unit":"tokens/sec/user"}'
        )


def latencies_ms(records: list[Record], times: Times) -> dict[str, list[float]]:
    """Return per-request values of ok records, as the request lines state them."""
    found: dict[str, list[float]] = {key: [] for key in ("latency", "ttft", "itl", "isl", "osl")}
    for record in records:
        start, end = times.ns(record.start_s), times.ns(record.end_s)
        ttft = times.ns(record.first_token_s) - start
        found["latency"].append((end - start) / 1e6)
        found["ttft"].append(ttft / 1e6)
        found["isl"].append(float(record.turn.isl_tokens))
        found["osl"].append(float(record.osl_tokens))
        if record.osl_tokens > 1:
            found["itl"].append((end - start - ttft) / (record.osl_tokens - 1) / 1e6)
    return found


def metric_blocks(records: list[Record], times: Times) -> dict[str, Any]:
    """Return the summary's per-metric blocks over ok records of one phase."""
    values = latencies_ms(records, times)
    blocks = {
        "request_latency": summary("ms", values["latency"]),
        "request_count": {"unit": "requests", "avg": float(len(records))},
        "time_to_first_token": summary("ms", values["ttft"]),
        "output_sequence_length": summary("tokens", values["osl"]),
        "input_sequence_length": summary("tokens", values["isl"]),
        "total_output_tokens": {"unit": "tokens", "avg": sum(values["osl"])},
        "total_isl": {"unit": "tokens", "avg": sum(values["isl"])},
        "total_osl": {"unit": "tokens", "avg": sum(values["osl"])},
    }
    if values["itl"]:
        blocks["inter_token_latency"] = summary("ms", values["itl"])
    return blocks


def theoretical_blocks(outcome: Outcome) -> tuple[int, int]:
    """Return (hit, all) blocks of the profiling requests with an infinite cache, by start time."""
    seen: set[int] = set()
    prefixes: set[int] = set()
    hits = blocks = 0
    for record in sorted(outcome.records, key=lambda one: (one.start_s, one.number)):
        if record.request is None:
            continue
        known = record.turn.shared_tokens if record.stream in seen else 0
        if record.kind == "subagent" and record.turn_index == 0:
            marker = record.play.marker
            known = record.play.session.subagent_system_tokens if marker in prefixes else 0
            prefixes.add(marker)
        seen.add(record.stream)
        if record.profiling and record.status == "ok":
            hits += known // 64
            blocks += record.turn.isl_tokens // 64
    return hits, blocks


def error_summary(records: list[Record]) -> list[dict[str, Any]]:
    """Return failed profiling requests grouped as AIPerf groups them."""
    counts: dict[str, int] = {}
    for record in records:
        if record.profiling and record.status != "ok":
            counts[record.status] = counts.get(record.status, 0) + 1
    return [
        {"count": count, "error_details": {"code": None, **_ERRORS[status]}}
        for status, count in sorted(counts.items())
    ]


def write_json(path: Path, value: Any) -> None:
    """Write one indented JSON document."""
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", "utf-8")
