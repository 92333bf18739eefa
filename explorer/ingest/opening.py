"""Opening foreign files: gzip and zstd by content, any UTF, caps on size and ratio.

Raises InputError whose `reason` says why a file is unusable: zero_bytes, too_large, truncated,
not_json, not_text, unreadable.
"""

from __future__ import annotations

import codecs
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

import msgspec
import zstandard

from explorer.errors import InputError

MAX_BYTES = 8 << 30
"""Most bytes read of one file, after decompression."""
MAX_JSON_BYTES = 512 << 20
MAX_RATIO = 200
_RATIO_FROM = 64 << 20
_PIECE = 1 << 20
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError)


def unusable(path: Path, reason: str, detail: str = "") -> InputError:
    """Return the error that makes a skip of a file: a reason code and what was found."""
    return InputError(f"{path.name}: {reason}. {detail}".strip(), reason=reason, detail=detail)


class _Capped(io.RawIOBase):
    """A reader that refuses to give more than the caps of one file."""

    def __init__(self, inner: IO[bytes], path: Path, packed: int) -> None:
        self._inner, self._path, self._given = inner, path, 0
        self._most = min(MAX_BYTES, max(packed * MAX_RATIO, _RATIO_FROM))

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._inner.read(min(len(buffer), _PIECE))
        except _DAMAGED as error:
            raise unusable(self._path, "truncated", str(error)) from error
        self._given += len(data)
        if self._given > self._most:
            raise unusable(self._path, "too_large", f"more than {self._most} bytes unpacked")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._inner.close()
        super().close()


def open_binary(path: Path) -> IO[bytes]:
    """Return a stream of the file's bytes, decompressed where they are gzip or zstd."""
    packed = path.stat().st_size
    if packed > MAX_BYTES:
        raise unusable(path, "too_large", f"{packed} bytes")
    raw = path.open("rb")
    magic = raw.read(4)
    raw.seek(0)
    if magic[:2] == _GZIP:
        raw.close()
        return _capped(cast("IO[bytes]", gzip.open(path)), path, packed)
    if magic == _ZSTD:
        inner = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
        return _capped(cast("IO[bytes]", inner), path, packed)
    return raw


def _capped(inner: IO[bytes], path: Path, packed: int) -> IO[bytes]:
    return cast("IO[bytes]", io.BufferedReader(_Capped(inner, path, packed), 1 << 18))


def head(path: Path, size: int = 65_536) -> bytes:
    """Return the first bytes as UTF-8 without a byte-order mark; what a `sniff` looks at."""
    with open_binary(path) as stream:
        data = stream.read(size)
    if data[:2] in _UTF16:
        return data[: len(data) & ~1].decode("utf-16", "replace").encode()
    return data.removeprefix(codecs.BOM_UTF8)


def read_bytes(path: Path, limit: int = MAX_JSON_BYTES) -> bytes:
    """Return the whole file as UTF-8 bytes without a byte-order mark; at most `limit`."""
    data = _read_at_most(path, limit)
    if not data:
        raise unusable(path, "zero_bytes")
    if data[:2] in _UTF16:
        return _transcoded(path, data)
    return data.removeprefix(codecs.BOM_UTF8)


def _read_at_most(path: Path, limit: int) -> bytes:
    """Read in pieces: one read of a large limit would reserve all of it, however small the file."""
    pieces, size = [], 0
    with open_binary(path) as stream:
        while piece := stream.read(_PIECE):
            size += len(piece)
            if size > limit:
                raise unusable(path, "too_large", f"more than {limit} bytes")
            pieces.append(piece)
    return b"".join(pieces)


def _transcoded(path: Path, data: bytes) -> bytes:
    try:
        return data.decode("utf-16").encode()
    except UnicodeDecodeError as error:
        raise unusable(path, "not_text", str(error)) from error


def read_text(path: Path, limit: int = MAX_JSON_BYTES) -> str:
    """Return the whole file as text; bytes that are no UTF-8 become replacement characters."""
    return read_bytes(path, limit).decode("utf-8", "replace")


def lines(path: Path) -> Iterator[bytes]:
    """Yield lines as UTF-8 without their ends; an empty file yields none."""
    with open_binary(path) as stream:
        start = stream.read(3)
        if start[:2] in _UTF16:
            yield from read_bytes(path).splitlines()
            return
        first = start.removeprefix(codecs.BOM_UTF8) + stream.readline()
        if first:
            yield first.rstrip(b"\r\n")
        for line in stream:
            yield line.rstrip(b"\r\n")


def load_json(path: Path) -> Any:
    """Return a JSON document; NaN and infinities are floats, integers keep every digit."""
    return parse_json(path, read_bytes(path))


def parse_json(path: Path, data: bytes) -> Any:
    """Return the value of JSON bytes that came from `path`."""
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        return _lenient(path, data)
    except RecursionError as error:
        raise unusable(path, "not_json", "nested too deeply") from error


def _lenient(path: Path, data: bytes) -> Any:
    """Parse what the strict reader refuses: NaN, Infinity, 1e400."""
    try:
        return json.loads(data)
    except json.JSONDecodeError as error:
        ended = error.pos >= len(data.rstrip()) - 1
        reason = "truncated" if ended and data.lstrip()[:1] in (b"{", b"[") else "not_json"
        raise unusable(path, reason, f"line {error.lineno}: {error.msg}") from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise unusable(path, "not_json", str(error)) from error
