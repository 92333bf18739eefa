"""Walking folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UsageError
from explorer.ingest.scan import Found, walk


def _touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    return path


def test_every_file_once_in_order_of_relative_names(tmp_path: Path):
    for name in ("b/2", "a/1", "c"):
        _touch(tmp_path / "in" / name)
    found = walk([tmp_path / "in", tmp_path / "in" / "a"], tmp_path / "lake")
    assert [one.rel for one in found] == ["a/1", "b/2", "c"]
    assert found[0].shown == str(tmp_path / "in" / "a" / "1")


def test_a_single_file_lies_under_its_folder(tmp_path: Path):
    file = _touch(tmp_path / "in" / "x.json")
    [found] = walk([file], tmp_path / "lake")
    assert (found.rel, found.root) == ("x.json", tmp_path / "in")


def test_lake_and_version_control_are_left_out(tmp_path: Path):
    _touch(tmp_path / "lake" / "objects" / "o.parquet")
    _touch(tmp_path / ".git" / "config")
    _touch(tmp_path / "kept.txt")
    assert [one.rel for one in walk([tmp_path], tmp_path / "lake")] == ["kept.txt"]


def test_a_missing_path_is_named(tmp_path: Path):
    with pytest.raises(UsageError, match="nowhere"):
        walk([tmp_path / "nowhere"], tmp_path / "lake")


def _found(root: str, rel: str) -> Found:
    return Found(rel, Path(root) / rel, Path(root), rel)


def test_three_folders_of_one_artifact():
    places = {
        _found("/x/dl", "bmk_agentic_S (1)/row.json").artifact,
        _found("/x/dl", "agentic_S (1)/aiperf_artifacts/x.json").artifact,
        _found("/x/dl", "server_logs_S (1)/server.log").artifact,
        _found("/x", "dl/server_logs_S (1)/server.log").artifact,
        _found("/x/dl/agentic_S (1)", "aiperf_artifacts/x.json").artifact,
    }
    assert places == {("/x/dl", "S (1)")}


def test_folders_above_the_path_make_no_artifact():
    assert _found("/home/agentic_runs/mine", "run/x.json").artifact is None
    assert _found("/x", "plain/x.json").artifact is None
