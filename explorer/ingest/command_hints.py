"""What command lines say of a deployment: `*_command.txt` files and AIPerf's own call.

Hints, not facts: a row or a `--meta` file overrules them.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from explorer.ingest.mask import mask
from explorer.ingest.numbers import finite, integer

_PROGRAMS = (
    ("aiperf", re.compile(r"\baiperf(?:\.exe)?\s+profile\b")),
    ("vllm", re.compile(r"\bvllm\s+serve\b|vllm\.entrypoints")),
    ("sglang", re.compile(r"sglang\.launch_server|\bsglang\s+serve\b")),
    ("trt", re.compile(r"\btrtllm-serve\b|tensorrt_llm")),
    ("atom", re.compile(r"\batom\.entrypoints|\batom\s+serve\b")),
    ("lmcache", re.compile(r"\blmcache\s+server\b|lmcache\.v1\.")),
    ("mooncake", re.compile(r"\bmooncake_master\b")),
)
_SERVERS = ("vllm", "sglang", "trt", "atom")
_ALIASES = {
    "tp": "tensor-parallel-size", "tp-size": "tensor-parallel-size",
    "pp": "pipeline-parallel-size", "pp-size": "pipeline-parallel-size",
    "dp": "data-parallel-size", "dp-size": "data-parallel-size",
    "ep": "expert-parallel-size", "ep-size": "expert-parallel-size",
    "dcp": "decode-context-parallel-size", "pcp": "prefill-context-parallel-size",
    "m": "model", "model-path": "model", "context-length": "max-model-len",
}  # fmt: skip
_PRIVATE = frozenset(
    [
        "host",
        "port",
        "url",
        "endpoint",
        "api-key",
        "header",
        "http-host",
        "http-port",
        "output-artifact-dir",
        "artifact-dir",
        "dist-init-addr",
        "data-parallel-address",
        "master-addr",
        "nnodes-addr",
        "ssl-keyfile",
        "ssl-certfile",
    ]
)
_CONNECTORS = (
    ("lmcache", "lmcache"),
    ("mooncakestore", "mooncake"),
    ("offloadingconnector", "simple"),
    ("simplecpuoffload", "simple"),
)


def program(command: str) -> str | None:
    """Return which program a command line calls; null for others."""
    return next((name for name, pattern in _PROGRAMS if pattern.search(command)), None)


def options(command: str) -> dict[str, str | bool]:
    """Return long and short options of a command line; a flag without a value is true.

    >>> options("vllm serve m --tensor-parallel-size=8 --trust-remote-code")["trust-remote-code"]
    True
    """
    try:
        words = shlex.split(command.replace("\\\n", " "))
    except ValueError:
        words = command.split()
    return dict(_pairs(words))


def _pairs(words: list[str]) -> Iterator[tuple[str, str | bool]]:
    for index, word in enumerate(words):
        if not re.match(r"--?[A-Za-z]", word):
            if index and words[index - 1] == "serve":
                yield "model", word
            continue
        key, equals, value = word.lstrip("-").partition("=")
        key = key.replace("_", "-")
        following = words[index + 1] if index + 1 < len(words) else "-"
        if not equals and not _is_option(following):
            value = following
        yield _ALIASES.get(key, key), value if value or equals else True


def _is_option(word: str) -> bool:
    return word.startswith("-") and finite_text(word) is None


def finite_text(text: Any) -> float | None:
    """Return the number a text spells; null for other text."""
    try:
        return finite(float(text))
    except (TypeError, ValueError):
        return None


def config(name: str, found: Mapping[str, Any]) -> dict[str, str]:
    """Return options as `<program>.<option>` → text, masked; places and keys are left out."""
    return {
        f"{name}.{key}": mask(str(value)).lower() if value is True else mask(str(value))
        for key, value in sorted(found.items())
        if key not in _PRIVATE and len(key) > 1
    }


def server_fields(name: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return point fields that a server's options state."""
    fields: dict[str, Any] = {"engine_raw": name}
    fields["model_raw"] = found.get("served-model-name") or found.get("model")
    for field, option in _SIZES.items():
        fields[field] = integer(found.get(option))
    tp, dp = fields["tp"] or 1, integer(found.get("data-parallel-size")) or 1
    if found.get("enable-expert-parallel") is True:
        fields["ep"] = tp * dp
    if found.get("enable-dp-attention") is True:
        fields["dp_attention"] = True
    elif name == "vllm" and dp > 1:
        fields |= {"tp": tp * dp, "dp_attention": True}
    for reader in _READERS:
        fields |= reader(found)
    return {key: value for key, value in fields.items() if value is not None}


_SIZES = {
    "tp": "tensor-parallel-size",
    "pp": "pipeline-parallel-size",
    "ep": "expert-parallel-size",
    "dcp": "decode-context-parallel-size",
    "pcp": "prefill-context-parallel-size",
}


def _offload(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return KV offload: vLLM connectors and flags, SGLang's hierarchical cache."""
    transfer = str(found.get("kv-transfer-config") or "").lower()
    backend = next((key for word, key in _CONNECTORS if word in transfer), None)
    size = finite_text(found.get("kv-offloading-size"))
    if found.get("enable-hierarchical-cache") is True:
        backend, size = "hicache", finite_text(found.get("hicache-size"))
    if backend is None and (size or finite_text(found.get("cpu-offload-gb"))):
        backend = str(found.get("kv-offloading-backend") or "simple")
    if backend is None:
        return {}
    return {"kv_offload": "dram", "kv_offload_backend": backend, "allocated_dram_gb": size or None}


def _speculation(found: Mapping[str, Any]) -> dict[str, Any]:
    raw = found.get("speculative-config") or found.get("speculative-algorithm")
    if not raw:
        return {}
    try:
        stated = json.loads(str(raw))
    except ValueError:
        stated = raw
    method = stated.get("method") if isinstance(stated, dict) else stated
    return {"spec": str(method).lower()} if method else {}


def _transfer(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the KV transfer backend of a prefill or decode worker."""
    mode = found.get("disaggregation-mode")
    if mode in ("prefill", "decode"):
        return {"mode": "disagg", "kv_transfer": found.get("disaggregation-transfer-backend")}
    return {"kv_transfer": "nixl"} if "nixl" in str(found.get("kv-transfer-config")).lower() else {}


_READERS: tuple[Callable[[Mapping[str, Any]], dict[str, Any]], ...] = (
    _offload,
    _speculation,
    _transfer,
)


def load_fields(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return point fields and metrics that AIPerf's own call states."""
    stated = {
        "model_raw": found.get("model"),
        "planned_duration_s": finite_text(found.get("benchmark-duration")),
        "concurrency": finite_text(found.get("concurrency")),
        "dataset_raw": found.get("public-dataset"),
    }
    return {key: value for key, value in stated.items() if value is not None and value is not True}


def read(commands: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return hints and the kept options of command files, name → text.

    Hints may hold `concurrency`, a metric, beside point fields.
    """
    hints: dict[str, Any] = {}
    kept: dict[str, str] = {}
    for _, command in sorted(commands.items()):
        name = program(command)
        if name is None:
            continue
        found = options(command)
        kept |= config(name, found)
        if name in _SERVERS:
            hints |= server_fields(name, found)
        elif name == "aiperf":
            hints = load_fields(found) | hints
        elif name == "lmcache" and (size := finite_text(found.get("l1-size-gb"))):
            hints["allocated_dram_gb"] = size
    return hints, kept
