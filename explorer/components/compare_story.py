"""Where the difference between two points comes from, in sentences made of computed parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from explorer.components.view import Words
from explorer.domain.difference import MOST, Difference, Spent, difference
from explorer.domain.units import number, percent
from explorer.queries.compare import Pairs


def story(
    a: tuple[str, Spent | None],
    b: tuple[str, Spent | None],
    pairs: Pairs | None,
    words: Words,
) -> list[str]:
    """Return sentences: what to conclude first, then its grounds; (letter, spent) a side."""
    missing = [letter for letter, spent in (a, b) if spent is None]
    if a[1] is None or b[1] is None:
        return [words("compare.story.no_latency", who=_list(missing, words))]
    found = difference(a[1], b[1])
    told = _Told(a[0], b[0], a[1], b[1], found, words)
    said = [told.total(), told.place(), told.split(), told.queue(), told.computed(), told.decode()]
    if pairs is not None:
        said.append(told.pairs(pairs))
    return [text for text in said if text]


def _list(names: Sequence[str], words: Words) -> str:
    return words("compare.story.and").join(names)


def seconds(value: float) -> str:
    """Return a length of time without its sign.

    >>> seconds(-0.0123), seconds(55.87)
    ('12.3 ms', '55.9 s')
    """
    value = abs(value)
    return f"{number(value * 1000)} ms" if value < 1 else f"{number(value)} s"


class _Told:
    """One difference in words."""

    def __init__(
        self, a: str, b: str, one: Spent, other: Spent, found: Difference, words: Words
    ) -> None:
        self.one, self.other, self.found, self.words = one, other, found, words
        self.names = {"a": a, "b": b}

    def say(self, key: str, **params: Any) -> str:
        return self.words(f"compare.story.{key}", **self.names, **params)

    def total(self) -> str:
        ends = {"one": seconds(self.one.e2el_s), "other": seconds(self.other.e2el_s)}
        if self.found.place == "same":
            return self.say("same", **ends)
        way = "longer" if self.found.total_s > 0 else "shorter"
        return self.say(f"total_{way}", gap=seconds(self.found.total_s), **ends)

    def place(self) -> str:
        """Return the conclusion: in which part it is, and what goes with it."""
        found = self.found
        if found.place == "same":
            return ""
        said = self.say(f"place_{found.place}")
        if found.reason is not None:
            return f"{said} {self.say(f'reason_{found.reason}')}"
        unsaid = "reason_none" if found.place in ("first", "queue", "prefill") else ""
        return f"{said} {self.say(unsaid)}" if unsaid and self._comparable() else said

    def _comparable(self) -> bool:
        return self.found.computed_ratio is not None

    def split(self) -> str:
        found = self.found
        if found.place == "same":
            return ""
        parts = {"first": seconds(found.first_s), "decode": seconds(found.decode_s)}
        if found.first_s * found.decode_s < 0:
            return self.say("split_opposed_first" if found.first_s > 0 else "split_opposed_decode",
                            **parts)  # fmt: skip
        share = found.first_s / found.total_s
        return self.say("split", **parts, share=percent(share), rest=percent(1 - share))

    def queue(self) -> str:
        """Return how TTFT splits into queue and prefill, or that it cannot be told."""
        found = self.found
        if found.place in ("same", "decode"):
            return ""
        if found.queue_s is None or found.prefill_s is None:
            sides = ((self.names["a"], self.one), (self.names["b"], self.other))
            silent = [name for name, spent in sides if spent.queue_s is None]
            return self.say("no_queue", who=_list(silent, self.words))
        return self.say(
            "queue",
            one=seconds(self.one.queue_s or 0.0),
            other=seconds(self.other.queue_s or 0.0),
            prefill_one=seconds(self.one.prefill_s or 0.0),
            prefill_other=seconds(self.other.prefill_s or 0.0),
        )

    def computed(self) -> str:
        """Return how many prompt tokens each computes per request, or whose is not recorded."""
        one, other = self.one, self.other
        if one.uncached_tokens is None or other.uncached_tokens is None:
            sides = ((self.names["a"], one), (self.names["b"], other))
            silent = [name for name, spent in sides if spent.uncached_tokens is None]
            return self.say("no_computed", who=_list(silent, self.words))
        return self.say(
            "computed",
            one=f"{one.uncached_tokens:,.0f}",
            other=f"{other.uncached_tokens:,.0f}",
            one_isl=f"{one.isl_tokens or 0:,.0f}",
            other_isl=f"{other.isl_tokens or 0:,.0f}",
            one_hits=percent(one.hit_ratio),
            other_hits=percent(other.hit_ratio),
        )

    def decode(self) -> str:
        one, other, found = self.one, self.other, self.found
        if found.speed_s is None or one.step_s is None or other.step_s is None:
            return ""
        return self.say(
            "decode",
            one=seconds(one.step_s),
            other=seconds(other.step_s),
            one_steps=f"{one.steps or 0:,.0f}",
            other_steps=f"{other.steps or 0:,.0f}",
        )

    def pairs(self, pairs: Pairs) -> str:
        """Return the difference over the same turns: whether another mix could explain it."""
        found = difference(pairs.base, pairs.other)
        way = "longer" if found.total_s > 0 else "shorter"
        said = self.say(
            f"pairs_{way}",
            n=f"{pairs.n:,}",
            gap=seconds(found.total_s),
            one=seconds(pairs.base.ttft_s),
            other=seconds(pairs.other.ttft_s),
        )
        if self.found.place == "same":
            return said
        kept = found.total_s / self.found.total_s
        return f"{said} {self.say('pairs_confirm' if kept >= MOST else 'pairs_mix')}"
