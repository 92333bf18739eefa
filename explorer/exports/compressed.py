"""Bytes that are compressed once a process and sent many times."""

from __future__ import annotations

import gzip

import brotli

from explorer.store.cache import Memo

ENCODINGS = ("br", "gzip")
SMALL = 512
"""Bytes below which compression is no gain."""
_KEPT: Memo[tuple[str, str, int], bytes] = Memo(64_000_000, len)
"""(name of the content, encoding, quality) → bytes."""


def compressed(name: str, data: bytes, encoding: str, quality: int) -> bytes:
    """Return data in an encoding of ENCODINGS; `name` names its content for good.

    `quality` is 1 (fast) to 9 (small).
    """

    def make() -> bytes:
        if encoding == "br":
            return brotli.compress(data, quality=quality)
        return gzip.compress(data, quality, mtime=0)

    return _KEPT.get((name, encoding, quality), make)
