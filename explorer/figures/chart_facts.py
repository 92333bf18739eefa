"""What a point's charts draw from, and how one without data says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.domain.answers import Cells, Distribution, Timed
from explorer.figures.chart import Axis, Chart

Words = Callable[..., str]
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Facts:
    """What the charts draw from: the point, its series, its requests' folds, and words.

    `ranged`: only requests in chosen ranges are drawn; what a server recorded is of all of them.
    `large`: one chart alone, with room for every engine.
    """

    point: Mapping[str, Any]
    timed: Timed
    distribution: Callable[[str], Distribution | None]
    samples: Callable[[str], Cells | None]
    words: Words
    data_href: Callable[[Iterable[str]], str] = field(default=lambda _: "")
    requests_href: str = ""
    bin_hrefs: Callable[[str, Sequence[float]], tuple[str, ...]] = field(default=lambda *_: ())
    ranged: bool = False
    large: bool = False

    def rows(self, name: str) -> Sequence[Row]:
        return self.timed.of(name)

    def clock(self) -> Axis:
        label = self.words("point.axis.time")
        return Axis(label, "time", low=self.timed.from_s, high=self.timed.to_s)

    def text(self, name: str, part: str) -> str:
        return self.words(f"point.chart.{name}.{part}")

    def source(self, rows: Iterable[Row]) -> str:
        names = dict.fromkeys(row["source"] for row in rows)
        return ", ".join(self.words(f"point.from.{name}") for name in names)

    def why(self, names: Iterable[str]) -> str:
        """Return why the first of these series is missing, in words."""
        code = next((code for n in names if (code := self.timed.reason(n))), "no_samples")
        return self.words(f"point.reason.{code}")


Maker = Callable[[Facts], Chart]


def empty(facts: Facts, name: str, reason: str) -> Chart:
    """Return a chart of which nothing is drawn, with the reason."""
    return Chart(name, facts.text(name, "title"), facts.text(name, "note"), empty=reason)
