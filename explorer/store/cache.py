"""A bounded memo that computes each missing key once, however many threads ask."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def _one(_: object) -> int:
    return 1


class Memo(Generic[K, V]):
    """Keeps the most recently used values up to a total weight; single-flight per key.

    Keys must name content (a snapshot's hash, an object's), so that a kept value is never stale.
    `capacity` is in units of `weigh` (entries without one); a heavier value is made, not kept.
    """

    def __init__(self, capacity: int, weigh: Callable[[V], int] = _one) -> None:
        self._capacity, self._weigh = capacity, weigh
        self._lock = Lock()
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._flying: dict[K, Future[V]] = {}
        self._weight = 0

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key, made by the first caller; the others wait for it.

        What `make` raises reaches everyone who waited, and the next call tries again. `make`
        may ask this memo for other keys, never for its own.
        """
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
            flight = self._flying.get(key)
            mine = flight is None
            if flight is None:
                flight = self._flying[key] = Future()
        return self._fly(key, make, flight) if mine else flight.result()

    def _fly(self, key: K, make: Callable[[], V], flight: Future[V]) -> V:
        try:
            value = make()
        except BaseException as error:
            with self._lock:
                del self._flying[key]
            flight.set_exception(error)
            raise
        with self._lock:
            del self._flying[key]
            self._keep(key, value)
        flight.set_result(value)
        return value

    def held(self, keys: Iterable[K]) -> dict[K, V]:
        """Return the values already kept among some keys, as used now."""
        with self._lock:
            found = {key: self._kept[key][0] for key in keys if key in self._kept}
            for key in found:
                self._kept.move_to_end(key)
            return found

    def put(self, key: K, value: V) -> None:
        """Keep a value made elsewhere, as a batch makes many at once."""
        with self._lock:
            self._keep(key, value)

    def _keep(self, key: K, value: V) -> None:
        weight = self._weigh(value)
        if key in self._kept:
            self._weight -= self._kept.pop(key)[1]
        if weight > self._capacity:
            return
        self._kept[key] = (value, weight)
        self._weight += weight
        while self._weight > self._capacity:
            self._weight -= self._kept.popitem(last=False)[1][1]

    def __len__(self) -> int:
        return len(self._kept)
