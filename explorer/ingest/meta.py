"""What a user says of a run beside its files: `--meta FILE`, or `explorer.toml` in its folder."""

from __future__ import annotations

import datetime
import difflib
import tomllib
from pathlib import Path
from typing import Any

from explorer.errors import UsageError
from explorer.ingest.opening import read_text

FILE = "explorer.toml"
_TEXTS = {
    "hw": "hw_raw",
    "engine": "engine_raw",
    "engine_version": "engine_version",
    "precision": "precision",
    "model": "model",
    "kv_offload": "kv_offload",
    "kv_offload_backend": "kv_offload_backend",
    "spec": "spec",
    "date": "date",
    "run": "run_id",
    "provenance_url": "provenance_url",
    "dataset": "dataset_raw",
    "source": "source",
}
_WHOLE = ("gpus", "tp", "ep")
_FLAGS = ("dp_attention",)
SOURCES = ("measured", "mock", "simulated", "third_party")
KEYS = (*_TEXTS, *_WHOLE, *_FLAGS)


def read_meta(path: Path) -> dict[str, Any]:
    """Return point fields of a TOML file; raises UsageError for what it may not say."""
    try:
        document = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: no TOML: {error}.", hint="See docs/ingest.md.") from error
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.", hint="Check --meta.") from error
    fields = dict(_field(path, key, value) for key, value in document.items())
    if fields.get("source", "measured") not in SOURCES:
        raise _wrong(path, "source", fields["source"], " or ".join(SOURCES))
    return fields


def _field(path: Path, key: str, value: Any) -> tuple[str, Any]:
    if key in _TEXTS:
        return _TEXTS[key], _text(path, key, value)
    if key in _WHOLE:
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise _wrong(path, key, value, "a whole number from 1")
        return key, value
    if key in _FLAGS:
        if not isinstance(value, bool):
            raise _wrong(path, key, value, "true or false")
        return key, value
    near = difflib.get_close_matches(key, KEYS, 1)
    hint = f"Did you mean {near[0]}?" if near else f"Known keys: {', '.join(KEYS)}."
    raise UsageError(f"{path}: unknown key {key}.", hint=hint)


def _text(path: Path, key: str, value: Any) -> str:
    if key == "date" and isinstance(value, datetime.date):
        return value.isoformat()[:10]
    if not isinstance(value, str) or not value.strip():
        raise _wrong(path, key, value, "a text")
    if key == "date":
        try:
            return datetime.date.fromisoformat(value.strip()).isoformat()
        except ValueError:
            raise _wrong(path, key, value, "a date, YYYY-MM-DD") from None
    return value.strip()


def _wrong(path: Path, key: str, value: Any, expected: str) -> UsageError:
    return UsageError(f"{path}: {key}: expected {expected}, found {value!r}.", hint="Correct it.")
