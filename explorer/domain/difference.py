"""Where one point's requests spend more time than another's: before the first token or after.

E2EL = TTFT + decode, so means split exactly. TTFT splits into the server's queue and prefill only
where the queue was recorded; nothing is guessed where it was not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Place = Literal["same", "queue", "prefill", "first", "decode", "opposed", "mixed"]
Reason = Literal["cache", "input", "speed", "length"]
ALIKE = 0.05
"""A difference below this share of the smaller E2EL is none to explain."""
MOST = 0.6
"""A part with this share of the difference is where it comes from."""
MORE = 1.25
"""This many times the computed prompt tokens is a reason for a longer TTFT."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What requests take on average, in s and tokens; None where it is not recorded.

    `decode_s` is E2EL − TTFT, `steps` the output tokens after the first, `queue_s` the part of
    TTFT that requests wait in the server, `hit_ratio` the share of prompt tokens from any cache.
    """

    ttft_s: float
    decode_s: float
    steps: float | None = None
    queue_s: float | None = None
    isl_tokens: float | None = None
    hit_ratio: float | None = None
    requests: int | None = None
    client_wait_s: float | None = None

    @property
    def e2el_s(self) -> float:
        return self.ttft_s + self.decode_s

    @property
    def prefill_s(self) -> float | None:
        return None if self.queue_s is None else self.ttft_s - self.queue_s

    @property
    def step_s(self) -> float | None:
        """Return s per output token after the first."""
        return self.decode_s / self.steps if self.steps else None

    @property
    def uncached_tokens(self) -> float | None:
        if self.isl_tokens is None or self.hit_ratio is None:
            return None
        return self.isl_tokens * (1 - self.hit_ratio)


@dataclass(frozen=True, slots=True)
class Difference:
    """b − a in s: `total_s` = `first_s` + `decode_s`; `first_s` = `queue_s` + `prefill_s` and
    `decode_s` = `length_s` + `speed_s` where those are known."""

    total_s: float
    first_s: float
    decode_s: float
    queue_s: float | None
    prefill_s: float | None
    length_s: float | None
    speed_s: float | None
    computed_ratio: float | None
    place: Place
    reason: Reason | None


def difference(a: Spent, b: Spent) -> Difference:
    """Return where b's requests take longer or shorter than a's, and what goes with it."""
    first, decode = b.ttft_s - a.ttft_s, b.decode_s - a.decode_s
    queue, prefill = _gap(a.queue_s, b.queue_s), _gap(a.prefill_s, b.prefill_s)
    length, speed = _decode(a, b)
    place = _place(a, b, first, decode, queue)
    return Difference(
        total_s=first + decode,
        first_s=first,
        decode_s=decode,
        queue_s=queue,
        prefill_s=prefill,
        length_s=length,
        speed_s=speed,
        computed_ratio=_computed(a, b),
        place=place,
        reason=_reason(a, b, place, first, length, speed),
    )


def _gap(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else b - a


def _decode(a: Spent, b: Spent) -> tuple[float | None, float | None]:
    """Return the parts of the decode difference by number of tokens and by time a token.

    Each change is taken at the mean of the other quantity, so that both add up exactly.
    """
    if a.steps is None or b.steps is None or a.step_s is None or b.step_s is None:
        return None, None
    length = (b.steps - a.steps) * (a.step_s + b.step_s) / 2
    return length, (b.step_s - a.step_s) * (a.steps + b.steps) / 2


def _place(a: Spent, b: Spent, first: float, decode: float, queue: float | None) -> Place:
    total = first + decode
    if abs(total) < ALIKE * min(a.e2el_s, b.e2el_s):
        return "same"
    if decode / total >= MOST:
        return "decode" if first / total > -ALIKE else "opposed"
    if first / total < MOST:
        return "mixed"
    if decode / total < -ALIKE:
        return "opposed"
    if queue is None:
        return "first"
    share = queue / first
    return "queue" if share >= MOST else "prefill" if share <= 1 - MOST else "first"


def _computed(a: Spent, b: Spent) -> float | None:
    """Return how many times a's computed prompt tokens b computes per request."""
    if a.uncached_tokens is None or b.uncached_tokens is None or a.uncached_tokens <= 0:
        return None
    return b.uncached_tokens / a.uncached_tokens


def _reason(
    a: Spent, b: Spent, place: Place, first: float, length: float | None, speed: float | None
) -> Reason | None:
    """Return what goes with the difference; None where nothing recorded does."""
    if place == "decode":
        if length is None or speed is None:
            return None
        share = speed / (length + speed)
        return "speed" if share >= MOST else "length" if share <= 1 - MOST else None
    if place == "same" or first == 0:
        return None
    ratio = _computed(a, b) if first > 0 else _computed(b, a)
    return _tokens(a, b) if ratio is not None and ratio >= MORE else None


def _tokens(a: Spent, b: Spent) -> Reason:
    """Tell whether misses or longer prompts make more computed tokens."""
    isl_a, isl_b = a.isl_tokens or 1.0, b.isl_tokens or 1.0
    longer = abs(math.log(isl_b / isl_a))
    miss_a, miss_b = 1 - (a.hit_ratio or 0.0), 1 - (b.hit_ratio or 0.0)
    missed = abs(math.log(miss_b / miss_a)) if miss_a > 0 and miss_b > 0 else math.inf
    return "cache" if missed >= longer else "input"
