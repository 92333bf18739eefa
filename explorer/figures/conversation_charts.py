"""Conversations turn by turn, one line each: input tokens, and what points measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from explorer.domain.turns import Turn
from explorer.figures.chart import Axis, Chart, Colour, Trace
from explorer.figures.flame_rows import Measured

Words = Callable[..., str]
_COLOURS: tuple[Colour, ...] = ("s1", "s2", "s3", "s4")


@dataclass(frozen=True, slots=True)
class Side:
    """One of up to four conversations compared: its name, its turns, what a point measured."""

    label: str
    turns: Sequence[Turn]
    measured: Mapping[int, Measured]


def charts(sides: Sequence[Side], words: Words) -> list[Chart]:
    """Return input by turn, and TTFT and cached share where a side has them; main line only."""
    made = [
        _chart("growth", "tokens", sides, lambda turn, _: float(turn.isl_tokens), words),
        _chart("ttft", "s", sides, lambda _, one: one.ttft_s if one else None, words),
        _chart("cached", "ratio", sides, lambda _, one: one.cached_share() if one else None, words),
    ]
    return [chart for chart in made if chart is not None]


def _chart(
    name: str,
    unit: str,
    sides: Sequence[Side],
    value: Callable[[Turn, Measured | None], float | None],
    words: Words,
) -> Chart | None:
    traces = tuple(
        _trace(side, colour, value) for side, colour in zip(sides, _COLOURS, strict=False)
    )
    known = [trace for trace in traces if any(math.isfinite(y) for y in trace.y)]
    if not known:
        return None
    measured = unit != "tokens"
    ends = (0.0, 1.0) if unit == "ratio" else (None, None)
    return Chart(
        name=f"compare-{name}",
        title=words(f"compare_conversations.{name}"),
        note=words(f"compare_conversations.{name}_note"),
        x=Axis(words("compare_conversations.turn"), "turns"),
        y=Axis("" if unit == "ratio" else words(f"dataset.axis.{unit}"), unit, False, *ends),
        traces=traces,
        summary=words(f"compare_conversations.{name}_note"),
        source=words("compare_conversations.source_measured" if measured else "dataset.source"),
    )


def _trace(
    side: Side, colour: Colour, value: Callable[[Turn, Measured | None], float | None]
) -> Trace:
    main = sorted((turn for turn in side.turns if turn.kind == "main"), key=lambda turn: turn.turn)
    found = [value(turn, side.measured.get(turn.ordinal)) for turn in main]
    return Trace(
        key=side.label,
        label=side.label,
        kind="line",
        x=[float(turn.turn) for turn in main],
        y=[math.nan if one is None else one for one in found],
        colour=colour,
    )
