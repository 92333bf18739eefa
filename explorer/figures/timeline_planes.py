"""Byte planes: unsigned columns as separate streams of low, middle and high bytes.

A column of n values whose largest needs w bytes (0 ≤ w ≤ 4) is stored as w runs of n bytes,
least significant first. Like bytes lie together, so gzip and brotli find what repeats; a column
of zeros takes no byte at all. Signed columns are zigzag-coded first. See docs/timeline-format.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

MAX_PLANE = 2**32 - 1


def zigzag(values: Ints) -> Ints:
    """Return signed values as unsigned ones: 0, -1, 1, -2 → 0, 1, 2, 3."""
    return (values << 1) ^ (values >> 63)


def unzigzag(values: Ints) -> Ints:
    """Return what `zigzag` was given."""
    return (values >> 1) ^ -(values & 1)


def nullable(values: Ints, known: NDArray[np.bool_]) -> Ints:
    """Return `values + 1` where known, 0 (which means null) elsewhere."""
    return np.where(known, values + 1, 0)


def to_log_linear(values: Ints, bits: int) -> Ints:
    """Return codes that keep the leading `bits` bits of each value; below 2^bits they are exact.

    Codes rise with the values and leave no hole, so that a span of minutes needs few bytes.
    """
    shift = np.maximum(_bit_length(values) - bits, 0)
    return (shift << (bits - 1)) + (values >> shift)


def from_log_linear(codes: Ints, bits: int) -> Ints:
    """Return the values of codes, each cut down to its leading `bits` bits."""
    half = 1 << (bits - 1)
    shift = np.maximum((codes >> (bits - 1)) - 1, 0)
    return np.where(shift > 0, ((codes & (half - 1)) + half) << shift, codes)


def split(values: Ints) -> tuple[int, bytes]:
    """Return (width, bytes) of one column; raises ValueError beyond 32 bits or below 0."""
    if len(values) == 0:
        return 0, b""
    low, high = int(values.min()), int(values.max())
    if low < 0 or high > MAX_PLANE:
        raise ValueError(f"a plane holds 0 to {MAX_PLANE}, got {low} to {high}")
    width = (high.bit_length() + 7) // 8
    octets = values.astype("<u4").view(np.uint8).reshape(-1, 4)
    return width, np.ascontiguousarray(octets[:, :width].T).tobytes()


def join(data: bytes, offset: int, width: int, n: int) -> Ints:
    """Return the column that `split` stored at `offset`."""
    out = np.zeros(n, dtype=np.int64)
    for byte in range(width):
        start = offset + byte * n
        out |= np.frombuffer(data, np.uint8, n, start).astype(np.int64) << (8 * byte)
    return out


def write_planes(columns: dict[str, Ints]) -> tuple[list[dict[str, Any]], bytes]:
    """Return (directory, body) of named columns: entries `{name, n, width, offset}`."""
    directory, body, offset = [], [], 0
    for name, values in columns.items():
        width, octets = split(values)
        directory.append({"name": name, "n": len(values), "width": width, "offset": offset})
        body.append(octets)
        offset += len(octets)
    return directory, b"".join(body)


def read_planes(directory: list[dict[str, Any]], body: bytes) -> dict[str, Ints]:
    """Return the columns that `write_planes` was given."""
    return {p["name"]: join(body, p["offset"], p["width"], p["n"]) for p in directory}


def _bit_length(values: Ints) -> Ints:
    """Return the number of bits of each non-negative value below 2^52."""
    return np.frexp(values.astype(np.float64))[1].astype(np.int64)
