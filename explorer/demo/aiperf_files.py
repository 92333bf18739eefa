"""The request file of an AIPerf 0.13 run folder, from a replay's outcome."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from explorer.demo.chance import mix, uuid_text
from explorer.demo.measured import Times
from explorer.demo.replay import Outcome, Record

_SOURCE_KINDS = {"main": "weka_main", "subagent": "weka_subagent", "side": "weka_aux"}
ERRORS: dict[str, dict[str, Any]] = {
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
        return ',"error":' + json.dumps(ERRORS[record.status], separators=(",", ":"))

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


def write_json(path: Path, value: Any) -> None:
    """Write one indented JSON document."""
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", "utf-8")
