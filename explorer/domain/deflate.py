"""Deflate (RFC 1951) of short texts against a dictionary: the same bytes on every machine.

One block with the fixed codes; matches are chosen for the fewest bits over the whole text. For
texts of a few kilobytes only: the search is thorough, not fast. Any inflater reads the result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

_SHORTEST, _LONGEST, _FARTHEST = 3, 258, 32_768
_TRIES, _ENOUGH = 24, 32
"""Places looked at for one match, the nearest first, until one is this long."""
_END = 256


def _steps(extra: tuple[int, ...], first: int) -> list[tuple[int, int]]:
    """Return (lowest value, extra bits) of each code of a table of RFC 1951, 3.2.5."""
    table, low = [], first
    for bits in extra:
        table.append((low, bits))
        low += 1 << bits
    return table


_LENGTHS = [*_steps((*(0,) * 8, *(b for b in range(1, 6) for _ in range(4))), 3)[:28], (258, 0)]
_DISTANCES = _steps((0, 0, *(b for b in range(14) for _ in range(2))), 1)


def _places(table: list[tuple[int, int]], most: int) -> list[int]:
    """Return value → index of its code, for values from 0."""
    places, index = [], 0
    for value in range(most + 1):
        while index + 1 < len(table) and table[index + 1][0] <= value:
            index += 1
        places.append(index)
    return places


_LENGTH_PLACE = _places(_LENGTHS, _LONGEST)
_DISTANCE_PLACE = _places(_DISTANCES, _FARTHEST)
_LENGTH_BITS = [(7 if at < 23 else 8) + _LENGTHS[at][1] for at in _LENGTH_PLACE]
_DISTANCE_BITS = [5 + _DISTANCES[at][1] for at in _DISTANCE_PLACE]


def deflate(data: bytes, dictionary: bytes = b"") -> bytes:
    """Return data deflated, raw, against a dictionary that the reader has too."""
    bits = _Bits()
    bits.put(0b011, 3)  # the last block, of fixed codes
    for token in _tokens(data, dictionary):
        if isinstance(token, int):
            _symbol(bits, token)
        else:
            _match(bits, *token)
    _symbol(bits, _END)
    return bits.bytes()


class _Bits:
    """Bits from the lowest up, as deflate packs them."""

    def __init__(self) -> None:
        self._value, self._count = 0, 0

    def put(self, value: int, count: int) -> None:
        self._value |= value << self._count
        self._count += count

    def code(self, value: int, count: int) -> None:
        """Put a prefix code, whose first bit is its highest."""
        self.put(int(f"{value:0{count}b}"[::-1], 2), count)

    def bytes(self) -> bytes:
        return self._value.to_bytes((self._count + 7) // 8, "little")


def _symbol(bits: _Bits, symbol: int) -> None:
    """Put a literal, the end or a length's symbol by the fixed codes of RFC 1951, 3.2.6."""
    if symbol < 144:
        bits.code(0x30 + symbol, 8)
    elif symbol < 256:
        bits.code(0x190 + symbol - 144, 9)
    elif symbol < 280:
        bits.code(symbol - 256, 7)
    else:
        bits.code(0xC0 + symbol - 280, 8)


def _match(bits: _Bits, length: int, distance: int) -> None:
    index = _LENGTH_PLACE[length]
    low, extra = _LENGTHS[index]
    _symbol(bits, 257 + index)
    bits.put(length - low, extra)
    index = _DISTANCE_PLACE[distance]
    low, extra = _DISTANCES[index]
    bits.code(index, 5)
    bits.put(distance - low, extra)


def _tokens(data: bytes, dictionary: bytes) -> Iterator[int | tuple[int, int]]:
    """Yield literals and (length, distance), together the fewest bits."""
    found = _matches(data, dictionary)
    cost = [0] * (len(data) + 1)
    choice: list[int | tuple[int, int]] = [0] * len(data)
    for at in range(len(data) - 1, -1, -1):
        cost[at] = cost[at + 1] + (8 if data[at] < 144 else 9)
        choice[at] = data[at]
        shortest = _SHORTEST
        for longest, distance in found[at]:
            for length in range(shortest, longest + 1):  # shorter ones are nearer in another match
                bits = cost[at + length] + _LENGTH_BITS[length] + _DISTANCE_BITS[distance]
                if bits < cost[at]:
                    cost[at], choice[at] = bits, (length, distance)
            shortest = longest + 1
    at = 0
    while at < len(data):
        token = choice[at]
        yield token
        at += 1 if isinstance(token, int) else token[0]


def _matches(data: bytes, dictionary: bytes) -> list[list[tuple[int, int]]]:
    """Return for each place (length, distance) of earlier texts, each longer than nearer ones."""
    whole, start = dictionary + data, len(dictionary)
    seen = defaultdict(list, {key: list(places) for key, places in _index(dictionary).items()})
    found: list[list[tuple[int, int]]] = []
    for at in range(max(start - _SHORTEST + 1, 0), len(whole)):
        key = whole[at : at + _SHORTEST]
        if at >= start:
            found.append(_longer(whole, at, seen[key]) if len(key) == _SHORTEST else [])
        seen[key].append(at)
    return found


@lru_cache(4)
def _index(dictionary: bytes) -> dict[bytes, list[int]]:
    """Return where each three bytes of a dictionary stand."""
    seen: dict[bytes, list[int]] = {}
    for at in range(len(dictionary) - _SHORTEST + 1):
        seen.setdefault(dictionary[at : at + _SHORTEST], []).append(at)
    return seen


def _longer(whole: bytes, at: int, places: list[int]) -> list[tuple[int, int]]:
    matches: list[tuple[int, int]] = []
    best = _SHORTEST - 1
    for place in reversed(places[-_TRIES:]):
        length = _same(whole, place, at)
        if length > best and at - place <= _FARTHEST:
            matches.append((length, at - place))
            best = length
            if best >= _ENOUGH:
                break
    return matches


def _same(whole: bytes, place: int, at: int) -> int:
    most = min(_LONGEST, len(whole) - at)
    length = 0
    while length < most and whole[place + length] == whole[at + length]:
        length += 1
    return length
