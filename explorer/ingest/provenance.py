"""Files beside results that tell where they come from: changelogs, workflow runs, summaries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from explorer.ingest.context import Context
from explorer.ingest.facts import Change, Known
from explorer.ingest.opening import load_json, unusable
from explorer.ingest.values import mapping, text


class Changelog:
    """AgentX `changelog_metadata.json`: entries with config keys and descriptions."""

    name = "agentx-changelog"
    alone = True

    def sniff(self, path: Path, head: bytes) -> bool:
        """Return whether the file starts like a changelog."""
        return b'"head_ref"' in head and b'"config-keys"' in head

    def read(self, path: Path, context: Context) -> Iterator[Change]:
        """Yield one change per entry."""
        for entry in mapping(load_json(path)).get("entries") or []:
            if said := _text(mapping(entry).get("description")):
                keys = tuple(str(key) for key in entry.get("config-keys") or ())
                yield Change(said, text(entry.get("date")), keys)


class WorkflowInfo:
    """The API's `workflow-info.json`: runs and their changelogs."""

    name = "inferencex-workflows"
    alone = True

    def sniff(self, path: Path, head: bytes) -> bool:
        """Return whether the file starts like workflow runs."""
        return b'"github_run_id"' in head and b'"runs"' in head

    def read(self, path: Path, context: Context) -> Iterator[Change]:
        """Yield one change per changelog of a run."""
        for entry in mapping(load_json(path)).get("changelogs") or []:
            if said := _text(mapping(entry).get("description")):
                keys = tuple(str(key) for key in entry.get("config_keys") or ())
                run = text(entry.get("workflow_run_id"))
                yield Change(said, text(entry.get("date")), keys, run)


class Provenance:
    """Summaries of points that their own files give in full: read, nothing added."""

    name = "provenance"
    alone = True

    def sniff(self, path: Path, head: bytes) -> bool:
        """Return whether the file is a sweep's summary.csv, run_stats.json or availability."""
        start = head[:400]
        return (
            start.startswith(b"exp_name,tp,conc,")
            or b'"n_success"' in start
            or b'"power_valid"' in head[:200]
            or (start.lstrip()[:1] == b"[" and b'"isl"' in start and b'"metrics"' not in head)
        )

    def read(self, path: Path, context: Context) -> Iterator[Known]:
        """Yield what it is; raise InputError when a JSON one does not parse."""
        if path.suffix != ".csv":
            _check(path)
        yield Known(path.name)


def _check(path: Path) -> None:
    if not isinstance(load_json(path), dict | list):
        raise unusable(path, "not_json", "neither object nor array")


def _text(value: Any) -> str | None:
    if isinstance(value, list):
        return "\n".join(str(line) for line in value) or None
    return text(value) if not isinstance(value, dict) else json.dumps(value)
