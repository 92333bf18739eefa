"""The memo makes a key once however many ask, keeps within its weight, forgets failures."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from explorer.store.cache import Memo


def test_eight_threads_that_miss_together_make_the_value_once():
    memo: Memo[str, int] = Memo(4)
    together, made = Barrier(8), []

    def make() -> int:
        made.append(1)
        return 42

    def ask() -> int:
        together.wait(timeout=10)
        return memo.get("a", make)

    with ThreadPoolExecutor(8) as pool:
        answers = [future.result() for future in [pool.submit(ask) for _ in range(8)]]
    assert answers == [42] * 8
    assert len(made) == 1


def test_those_who_come_during_a_flight_wait_for_it():
    memo: Memo[str, str] = Memo(4)
    started, finish = Event(), Event()

    def slow() -> str:
        started.set()
        assert finish.wait(timeout=10)
        return "first"

    with ThreadPoolExecutor(2) as pool:
        leader = pool.submit(memo.get, "a", slow)
        assert started.wait(timeout=10)
        follower = pool.submit(memo.get, "a", lambda: "second")
        assert memo.get("b", lambda: "other key") == "other key"
        assert not follower.done()
        finish.set()
        assert (leader.result(), follower.result()) == ("first", "first")


def test_a_failure_reaches_those_who_waited_and_is_not_kept():
    memo: Memo[str, str] = Memo(4)
    started, finish = Event(), Event()

    def fail() -> str:
        started.set()
        assert finish.wait(timeout=10)
        raise ValueError("no such point")

    with ThreadPoolExecutor(2) as pool:
        leader = pool.submit(memo.get, "a", fail)
        assert started.wait(timeout=10)
        follower = pool.submit(memo.get, "a", fail)
        finish.set()
        for future in (leader, follower):
            with pytest.raises(ValueError, match="no such point"):
                future.result()
    assert memo.get("a", lambda: "now") == "now"


def test_the_least_used_value_leaves_first():
    memo: Memo[str, str] = Memo(2)
    for key in ("a", "b"):
        memo.put(key, key)
    memo.get("a", lambda: "made again")
    memo.put("c", "c")
    assert memo.held(["a", "b", "c"]) == {"a": "a", "c": "c"}


def test_capacity_is_in_the_values_own_weight():
    memo: Memo[str, bytes] = Memo(10, len)
    memo.put("small", b"1234")
    assert memo.get("huge", lambda: b"x" * 11) == b"x" * 11
    assert memo.held(["small", "huge"]) == {"small": b"1234"}
    memo.put("large", b"1234567")
    assert memo.held(["small", "large"]) == {"large": b"1234567"}
    memo.put("large", b"1")
    memo.put("small", b"123456789")
    assert len(memo) == 2
