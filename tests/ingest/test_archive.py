"""Zip archives and what they may not do."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from explorer.errors import InputError
from explorer.ingest import archive


def _zip(path: Path, entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as made:
        for name, data in entries.items():
            made.writestr(name, data)
    return path


def test_files_come_out_below_the_folder(tmp_path: Path):
    path = _zip(tmp_path / "a.zip", {"run (1)/a.json": b"{}", "b.txt": b"x"})
    assert archive.unpack(path, tmp_path / "out") == 2
    assert (tmp_path / "out" / "run (1)" / "a.json").read_bytes() == b"{}"


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "a/../../evil", "..\\evil", "C:/evil"])
def test_names_that_leave_the_folder_are_refused(tmp_path: Path, name: str):
    path = _zip(tmp_path / "a.zip", {name: b"x"})
    with pytest.raises(InputError) as caught:
        archive.unpack(path, tmp_path / "out")
    assert caught.value.params["reason"] == "unsafe_name"
    assert not (tmp_path / "evil").exists()


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path):
    path = _zip(tmp_path / "a.zip", {"zeros": b"\0" * (32 << 20)})
    with pytest.raises(InputError) as caught:
        archive.unpack(path, tmp_path / "out")
    assert caught.value.params["reason"] == "too_large"
    assert not (tmp_path / "out").exists()


def test_too_many_entries_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(archive, "MAX_ENTRIES", 2)
    path = _zip(tmp_path / "a.zip", {str(n): b"" for n in range(3)})
    with pytest.raises(InputError) as caught:
        archive.unpack(path, tmp_path / "out")
    assert caught.value.params["reason"] == "too_large"


def test_a_cut_archive_is_truncated(tmp_path: Path):
    path = _zip(tmp_path / "a.zip", {"a": b"x" * 1000}, zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(InputError) as caught:
        archive.unpack(path, tmp_path / "out")
    assert caught.value.params["reason"] == "truncated"
