"""Folders and files of traces become datasets."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from explorer.ingest.context import Context
from explorer.ingest.datasets import DatasetDraft
from explorer.ingest.traces import MooncakeTraces, WekaTraces, dataset_name


def trace(id_: str, t: float = 0.0) -> dict[str, Any]:
    blocks = {"model": "m", "in": 130, "out": 3, "hash_ids": [1, 2]}
    requests = [{"t": t, "type": "n", **blocks}, {"t": t + 5, "type": "n", **blocks}]
    return {"id": id_, "models": ["m"], "block_size": 64, "requests": requests}


def folder(tmp_path: Path, files: dict[str, bytes]) -> list[Path]:
    home = tmp_path / "My Traces"
    home.mkdir()
    for name, data in files.items():
        (home / name).write_bytes(data)
    return sorted(home.iterdir())


def drafts(files: list[Path], context: Context | None = None) -> list[DatasetDraft]:
    context = context or Context(files[0].parent.parent, tuple(files))
    reader = WekaTraces()
    return [draft for file in files for draft in reader.read(file, context)]


def test_a_folder_of_traces_is_one_dataset(tmp_path: Path) -> None:
    data = {f"{n}.json": json.dumps(trace(f"t{n}", n)).encode() for n in range(3)}
    (draft,) = drafts(folder(tmp_path, data | {"README.md": b"# traces"}))
    assert draft.fields["dataset"] == "my-traces"
    assert draft.fields["name"] == "My Traces"
    assert [row["conversation"] for row in draft.conversations] == ["t0", "t1", "t2"]
    assert [source.path for source in draft.sources] == [f"My Traces/{n}.json" for n in range(3)]


def test_lines_gzip_zstd_and_pretty_files_read_the_same(tmp_path: Path) -> None:
    lines = b"\n".join(json.dumps(trace(f"t{n}", n)).encode() for n in range(2)) + b"\n"
    for name, data in {
        "a.jsonl": lines,
        "a.jsonl.gz": gzip.compress(lines),
        "a.jsonl.zst": zstandard.compress(lines),
        "a.json": json.dumps(trace("t0", 0), indent=1).encode("utf-16"),
    }.items():
        home = tmp_path / name
        home.mkdir()
        (home / name).write_bytes(data)
        (draft,) = drafts([home / name])
        assert draft.conversations[0]["cached_tokens"] == 128


def test_a_truncated_last_line_is_reported_and_the_rest_is_kept(tmp_path: Path) -> None:
    whole = json.dumps(trace("t0")).encode()
    files = folder(tmp_path, {"traces.jsonl": whole + b"\n" + whole[: len(whole) // 2]})
    context = Context(tmp_path, tuple(files))
    (draft,) = drafts(files, context)
    assert [row["conversation"] for row in draft.conversations] == ["t0"]
    ((reason, detail),) = context.skips
    assert reason == "bad_json"
    assert "My Traces/traces.jsonl, line 2" in detail


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("trace_0014.json", "weka"),
        ("traces.jsonl", "weka"),
        ("cc-traces-0526.jsonl", "cc-traces-0526"),
        ("cc-traces-0526.jsonl.gz", "cc-traces-0526"),
    ],
)
def test_a_dataset_is_called_by_its_folder_or_its_own_name(name: str, called: str) -> None:
    assert dataset_name(Path("/data/weka") / name) == called


def test_a_stream_is_a_dataset_of_its_own(tmp_path: Path) -> None:
    row = {"timestamp": 0, "input_length": 600, "output_length": 2, "hash_ids": [1, 2]}
    files = folder(tmp_path, {"toolagent_trace.jsonl": (json.dumps(row) + "\n").encode() * 2})
    context = Context(tmp_path, tuple(files))
    (draft,) = MooncakeTraces().read(files[0], context)
    assert (draft.fields["dataset"], draft.fields["structured"]) == ("toolagent-trace", False)
    assert draft.turns["cached_tokens"].to_pylist() == [0, 600]


def test_a_known_name_gets_the_slug_that_runs_declare_and_its_variant(tmp_path: Path) -> None:
    home = tmp_path / "semianalysis_cc_traces_weka_with_subagents_060226"
    home.mkdir()
    path = home / "a.json"
    path.write_bytes(json.dumps(trace("a")).encode())
    (draft,) = drafts([path])
    fields = draft.fields
    assert fields["dataset"] == "cc-traces-weka-060226"
    assert (fields["variant"], fields["version"]) == ("with sub-agents", "2026-06-02")
    assert fields["name"] == home.name
    assert set(draft.turns["dataset"].to_pylist()) == {fields["dataset"]}
