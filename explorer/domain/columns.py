"""The lake's vocabulary: every column of every table, its type and what it means.

Types are words (`str`, `int`, `float`, `bool`, `strs`, `json`); the store turns them into Arrow.
Missing is null everywhere, never 0 and never an empty text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Type = Literal["str", "int", "float", "bool", "strs", "json"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name says what and in which unit."""

    name: str
    type: Type
    meaning: str


def _c(name: str, type_: Type, meaning: str) -> Column:
    return Column(name, type_, meaning)


REQUEST_COLUMNS: tuple[Column, ...] = (
    _c("ordinal", "int", "position by (start, request_id), 0-based, over both phases"),
    _c("request_id", "str", "the load generator's x_request_id"),
    _c("stream_id", "str", "one play of one conversation or agent (x_correlation_id)"),
    _c("root_id", "str", "stream of the tree's root (a root and its sub-agents)"),
    _c("parent_id", "str", "stream that spawned this one; null at a root"),
    _c("conversation", "str", "the dataset's conversation: conversation_id before the first ::"),
    _c("agent", "str", "the rest of conversation_id after the first ::, null on the main line"),
    _c("turn", "int", "turn within its stream, 0-based (turn_index)"),
    _c("depth", "int", "0 root, 1 sub-agent, …"),
    _c("kind", "str", "main | subagent | aux (one-shot side request)"),
    _c("phase", "str", "profiling | warmup, by the record's own label"),
    _c("client_worker", "str", "load-generator process; not a server worker"),
    _c("engine", "str", "server engine that served it, where the file says so"),
    _c("credit_ns", "int", "credit issued, ns after the point's clock zero (negative before)"),
    _c("start_ns", "int", "request sent, ns after zero"),
    _c("first_token_ns", "int", "start + TTFT, ns after zero; null without a first token"),
    _c("end_ns", "int", "request ended, ns after zero"),
    _c("ttft_s", "float", "time to first token, s"),
    _c("e2el_s", "float", "end-to-end latency, s"),
    _c("itl_s", "float", "full-response inter-token latency, s (metrics.md)"),
    _c("isl_tokens", "int", "input sequence length, cached tokens included"),
    _c("osl_tokens", "int", "output sequence length"),
    _c("cached_tokens", "int", "prompt tokens read from cache, where the record says so"),
    _c("status", "str", "ok | failed | cancelled"),
    _c("error_type", "str", "kind of failure"),
    _c("error_code", "int", "HTTP or client code"),
    _c("error_line", "str", "first line of the message, masked, at most 200 characters"),
    _c("source_outer_idx", "int", "entry of the dataset's conversation that was replayed"),
    _c("source_inner_idx", "int", "entry inside a sub-agent group"),
    _c("source_kind", "str", "the file's own word for the entry (weka_main, weka_subagent, …)"),
)
"""One row a request, both phases; sorted by ordinal. Object `requests` of a point."""

SERIES_COLUMNS: tuple[Column, ...] = (
    _c("name", "str", "base series, see SERIES in domain/series.py"),
    _c("shape", "str", "gauge (a level) | counter (cumulative since the server's start)"),
    _c("engine", "str", "one KV pool; null = the whole deployment"),
    _c("role", "str", "prefill | decode | null"),
    _c("t_ns", "int", "ns after the point's clock zero"),
    _c("value", "float", "in the series' unit"),
)
"""One row a sample, sorted by (name, engine, role, t_ns). Object `series` of a point."""

GPU_COLUMNS: tuple[Column, ...] = (
    _c("gpu", "str", "gpu_uuid, else index"),
    _c("t_ns", "int", "ns after the point's clock zero"),
    _c("power_w", "float", "board power, W"),
    _c("utilization_ratio", "float", "0–1"),
    _c("memory_used_bytes", "float", "bytes"),
    _c("energy_j", "float", "cumulative energy, J"),
    _c("temperature_c", "float", "°C"),
)
"""GPU telemetry samples, sorted by (gpu, t_ns). Object `gpu` of a point."""

LOG_COLUMNS: tuple[Column, ...] = (
    _c("line", "int", "1-based line in the file"),
    _c("file", "str", "file name, not its path"),
    _c("level", "str", "INFO, WARNING, ERROR…, null when the line has none"),
    _c("text", "str", "the line with addresses, host names and user names masked"),
)
"""Facts kept of server logs (configuration, memory accounting, warnings). Object `logs`."""

POINT_COLUMNS: tuple[Column, ...] = (
    _c("point_id", "str", "12 characters from the raw identity"),
    _c("revision", "str", "hash of the numbers"),
    _c("aliases", "strs", "older ids of the same measurement"),
    _c("run_id", "str", "the run this point is a cell of"),
    _c("source", "str", "measured | mock | simulated | third_party"),
    _c("format", "str", "reader that understood it"),
    _c("status", "str", "ok | partial | failed"),
    _c("valid", "bool", "the harness's own verdict"),
    _c("invalid_reasons", "strs", "the harness's reasons"),
    _c("date", "str", "YYYY-MM-DD of the measurement"),
    _c("model", "str", "canonical model key"),
    _c("model_raw", "str", "as the file spells it"),
    _c("hw", "str", "hardware key"),
    _c("hw_raw", "str", "as the file spells it"),
    _c("engine", "str", "engine key"),
    _c("engine_raw", "str", "as the file spells it"),
    _c("engine_version", "str", "version, else the image's tag"),
    _c("precision", "str", "fp4, fp8, bf16, int4…"),
    _c("spec", "str", "none | mtp | eagle | eagle3 | dspark"),
    _c("mode", "str", "agg | disagg"),
    _c("nodes", "int", "nodes"),
    _c("gpus", "int", "all GPUs of the deployment"),
    _c("tp", "int", "tensor parallel"),
    _c("pp", "int", "pipeline parallel"),
    _c("ep", "int", "expert parallel"),
    _c("dp_attention", "bool", "data-parallel attention"),
    _c("dcp", "int", "decode context parallel"),
    _c("pcp", "int", "prefill context parallel"),
    _c("prefill_tp", "int", "prefill role"),
    _c("prefill_ep", "int", "prefill role"),
    _c("prefill_dp_attention", "bool", "prefill role"),
    _c("prefill_workers", "int", "prefill role"),
    _c("prefill_gpus", "int", "prefill role"),
    _c("decode_tp", "int", "decode role"),
    _c("decode_ep", "int", "decode role"),
    _c("decode_dp_attention", "bool", "decode role"),
    _c("decode_workers", "int", "decode role"),
    _c("decode_gpus", "int", "decode role"),
    _c("parallelism", "str", "TP8, DEP8, 1xDEP8+1xDEP12"),
    _c("scenario", "str", "agentic | fixed | multiturn | synthetic"),
    _c("workload", "str", "8k1k, 1k1k, 1k8k, or the trace set"),
    _c("isl", "int", "nominal ISL of a fixed-sequence point"),
    _c("osl", "int", "nominal OSL of a fixed-sequence point"),
    _c("dataset", "str", "slug of the replayed dataset"),
    _c("dataset_raw", "str", "as declared"),
    _c("dataset_unbound", "str", "why no dataset is bound, as a code with its argument"),
    _c("harness", "str", "load generator"),
    _c("harness_version", "str", "its version"),
    _c("kv_offload", "str", "none | dram | disk"),
    _c("kv_offload_backend", "str", "lmcache | hicache | mooncake | simple"),
    _c("kv_offload_backend_version", "str", "its version"),
    _c("allocated_dram_gb", "float", "DRAM given to offload, GB"),
    _c("kv_transfer", "str", "KV transfer of a disaggregated deployment"),
    _c("router", "str", "request router"),
    _c("image", "str", "container image"),
    _c("commit", "str", "source revision"),
    _c("provenance_url", "str", "public page of the run"),
    _c("planned_duration_s", "float", "planned profiling time, s"),
    _c("wall_duration_s", "float", "the harness's own phase time, s"),
    _c("clock_zero_ns", "int", "absolute ns of the point's clock zero (Unix time)"),
    _c("itl_source", "str", "formula | full_response | inter_token_latency | row"),
    _c("interactivity_source", "str", "itl | tpot"),
    _c("cache_source", "str", "definition used for the cache ratios"),
    _c("series_source", "str", "jsonl | parquet | json | csv | log | timeslices"),
    _c("throughput_source", "str", "requests | summary | row"),
    _c("interrupted", "bool", "cancelled or not complete by its own word"),
    _c("warnings", "json", "[{code, params}]"),
    _c("errors", "json", "[{type, code, n}] of profiling requests"),
    _c("accuracy", "json", "{task: value} joined from evaluations"),
    _c("changelog", "json", "[{date, text}] where the input has it"),
    _c("sources", "json", "[{path, sha256, bytes}] relative to the ingested PATH"),
    _c("config", "json", "what command and config files say, key → value"),
    _c("requests_total", "int", "profiling attempts"),
    _c("requests_ok", "int", "kept"),
    _c("requests_failed", "int", "by type and code in errors"),
    _c("requests_cancelled", "int", "was_cancelled or 499"),
    _c("requests_overflow", "int", "skipped context overflows: no record exists"),
    _c("requests_warmup", "int", "warm-up records"),
    _c("requests_object", "str", "hash of the object, null without"),
    _c("series_object", "str", "hash of the object, null without"),
    _c("gpu_object", "str", "hash of the object, null without"),
    _c("logs_object", "str", "hash of the object, null without"),
)
"""One row a point; metric columns (domain/metrics.py `stored_keys()`) follow these."""
