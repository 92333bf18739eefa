"""The protobuf wire format, as far as a trace needs it: fields in, bytes out."""

from __future__ import annotations

import struct

_LAST = [bytes((value,)) for value in range(128)]
_PAIRS = [bytes((value & 127 | 128, value >> 7 | 128)) for value in range(1 << 14)]
"""Two groups that are not the last; a timestamp takes three steps instead of six."""
_VARINT, _FIXED64, _BYTES = 0, 1, 2


def varint(value: int) -> bytes:
    """Return an unsigned integer in groups of seven bits, lowest first."""
    if value < 128:
        return _LAST[value]
    out = b""
    while value > 16383:
        out += _PAIRS[value & 16383]
        value >>= 14
    return out + (_LAST[value] if value < 128 else bytes((value & 127 | 128, value >> 7)))


def uint(field: int, value: int) -> bytes:
    """Return an integer, enum or bool field; `value` is not negative."""
    return varint(field << 3 | _VARINT) + varint(value)


def double(field: int, value: float) -> bytes:
    """Return a double field."""
    return varint(field << 3 | _FIXED64) + struct.pack("<d", value)


def message(field: int, *parts: bytes) -> bytes:
    """Return a field that holds a message made of encoded fields."""
    body = b"".join(parts)
    return varint(field << 3 | _BYTES) + varint(len(body)) + body


def text(field: int, value: str) -> bytes:
    """Return a string field."""
    return message(field, value.encode())
