"""Opening foreign files: compression, encodings, caps, strange numbers."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest
import zstandard

from explorer.errors import InputError
from explorer.ingest import opening

TEXT = '{"a": 1}\n{"b": "é"}\n'


def _reason(caught: pytest.ExceptionInfo[InputError]) -> str:
    return str(caught.value.params["reason"])


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.encode("utf-16"),
        gzip.compress(TEXT.encode()),
        gzip.compress(TEXT.encode("utf-16")),
        zstandard.compress(TEXT.encode()),
    ],
)
def test_every_wrapping_gives_the_same_lines(tmp_path: Path, data: bytes):
    path = tmp_path / "f"
    path.write_bytes(data)
    assert list(opening.lines(path)) == [b'{"a": 1}', '{"b": "é"}'.encode()]
    assert opening.head(path).decode() == TEXT


def test_a_last_line_without_end_is_kept(tmp_path: Path):
    path = tmp_path / "f"
    path.write_bytes(b"one\r\ntwo")
    assert list(opening.lines(path)) == [b"one", b"two"]


def test_json_of_strange_numbers(tmp_path: Path):
    path = tmp_path / "f.json"
    path.write_text(
        '{"a": NaN, "b": Infinity, "c": 1e400, "d": 9007199254740993, "e": 1%s}' % ("0" * 30)
    )
    found = opening.load_json(path)
    assert math.isnan(found["a"])
    assert found["b"] == found["c"] == math.inf
    assert found["d"] == 2**53 + 1
    assert found["e"] == 10**30


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "zero_bytes"),
        (b'{"a": 1', "truncated"),
        (b"<html>", "not_json"),
        (b'{"a": oops}', "not_json"),
        (gzip.compress(TEXT.encode() * 50)[:40], "truncated"),
        (b"[" * 100_000, "not_json"),
    ],
)
def test_unusable_files_say_why_in_one_word(tmp_path: Path, data: bytes, reason: str):
    path = tmp_path / "f.json"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        opening.load_json(path)
    assert _reason(caught) == reason


def test_a_compressed_bomb_is_refused_at_the_ratio(tmp_path: Path):
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"\0" * (100 << 20)))
    with pytest.raises(InputError) as caught:
        opening.read_bytes(path)
    assert _reason(caught) == "too_large"
