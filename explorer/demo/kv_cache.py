"""Prefix caches of the engine model: one HBM pool per rank, one DRAM tier behind them.

Prefixes are lengths per stream, not sets of blocks: a stream's cached prefix is always
contiguous, and eviction takes the least recently used stream's tail first, as the engines do.
"""

from __future__ import annotations

from collections import OrderedDict


class Tier:
    """An LRU of cached prefix lengths (tokens) under a capacity; pinned ones are counted apart."""

    __slots__ = ("capacity", "held", "pinned", "used")

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.held: OrderedDict[int, int] = OrderedDict()
        self.used = 0
        self.pinned = 0

    def length(self, stream: int) -> int:
        """Return the cached prefix of a stream, 0 when there is none."""
        return self.held.get(stream, 0)

    def put(self, stream: int, tokens: int) -> None:
        """Hold this prefix as the most recent one; evict older ones to make room."""
        self.used += tokens - self.held.pop(stream, 0)
        self.held[stream] = tokens
        self._shrink(self.capacity - self.pinned)

    def take(self, stream: int, keep: int) -> int:
        """Remove a stream and return how much of it the next prompt can use, at most ``keep``.

        What the new prompt does not share stays behind as the first thing to be evicted.
        """
        tokens = self.held.pop(stream, 0)
        rest = tokens - keep
        if rest <= 0:
            self.used -= tokens
            return tokens
        self.used -= keep
        leftover = -1 - stream
        self.held[leftover] = self.held.pop(leftover, 0) + rest
        self.held.move_to_end(leftover, last=False)
        return keep

    def touch(self, stream: int) -> None:
        """Mark a stream as just used."""
        if stream in self.held:
            self.held.move_to_end(stream)

    def fits(self, tokens: int) -> bool:
        return self.pinned + tokens <= self.capacity

    def pin(self, tokens: int) -> None:
        """Reserve tokens for a running request, evicting cached prefixes."""
        self.pinned += tokens
        self._shrink(self.capacity - self.pinned)

    def release(self, tokens: int) -> None:
        self.pinned -= tokens

    def usage_ratio(self) -> float:
        """Return the share held by running requests, as engines report KV usage."""
        return self.pinned / self.capacity

    def _shrink(self, room: int) -> None:
        while self.used > room and self.held:
            stream = next(iter(self.held))
            tokens = self.held[stream]
            surplus = min(tokens, -(-(self.used - room) // 64) * 64)
            self.used -= surplus
            if surplus == tokens:
                del self.held[stream]
            else:
                self.held[stream] = tokens - surplus
