"""Which part of a point a question is about: phase, time window, engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from explorer.domain import metrics, ranges
from explorer.domain.lake import Lake
from explorer.domain.ranges import Range
from explorer.domain.view_state import ViewState

ROLE = "role:"
"""An engine choice `role:prefill` means every engine of that role."""


@dataclass(frozen=True, slots=True)
class Window:
    """A phase, from–to in s after the clock zero, one engine, one role or all, and ranges.

    A request belongs to the window it starts in; `from_s` is inside, `to_s` is not. The label
    decides a request's phase, the zero decides a sample's. Ranges choose requests by what they
    measured; what a server recorded for all of them stays.
    """

    phase: str = "profiling"
    from_s: float | None = None
    to_s: float | None = None
    engine: str | None = None
    ranges: tuple[Range, ...] = ()

    def condition(self) -> tuple[str, dict[str, Any]]:
        """Return SQL over REQUEST_COLUMNS and its parameters."""
        parts: dict[str, tuple[str, Any]] = {}
        if self.phase != "all":
            parts["phase"] = ("phase = $phase", self.phase)
        if self.from_s is not None:
            parts["from_ns"] = ("start_ns >= $from_ns", round(self.from_s * 1e9))
        if self.to_s is not None:
            parts["to_ns"] = ("start_ns < $to_ns", round(self.to_s * 1e9))
        if self.engine and not self.engine.startswith(ROLE):
            parts["engine"] = ("(engine = $engine OR engine IS NULL)", self.engine)
        for one in self.ranges:
            for end, sign, value in (("low", ">=", one.low), ("high", "<=", one.high)):
                if value is not None:
                    name = f"{one.column}_{end}"
                    parts[name] = (f"{_quantity_sql(one.column)} {sign} ${name}", value)
        sql = " AND ".join(text for text, _ in parts.values()) or "true"
        return sql, {name: value for name, (_, value) in parts.items()}

    def whole(self) -> Window:
        """Return the same phase and engine without from, to and ranges."""
        return replace(self, from_s=None, to_s=None, ranges=())

    def beside(self, column: str) -> Window:
        """Return the same window without the range of one column."""
        return replace(self, ranges=tuple(one for one in self.ranges if one.column != column))


def sample_sql(quantity: str) -> str:
    """Return SQL of a request's sample of a quantity as the registry has it, null where none.

    The sample of a speed is the latency that it is 1 over. A column without a registry entry is
    itself.
    """
    sample = metrics.samples().get(quantity)
    return f"(CASE WHEN {sample.usable} THEN {sample.value} END)" if sample else quantity


def _quantity_sql(quantity: str) -> str:
    """Return SQL of a request's own value of a quantity: of a speed, 1 over its latency."""
    sample = metrics.samples().get(quantity)
    over = "1.0 / " if sample is not None and sample.reciprocal else ""
    return over + sample_sql(quantity)


def of_state(state: ViewState) -> Window:
    """Return the window an address names."""
    chosen = ranges.parse(state["where"]) or ()
    return Window(state["phase"], state["from"], state["to"], state["engine_id"], chosen)


def span(lake: Lake, point: Mapping[str, Any], window: Window) -> tuple[float, float] | None:
    """Return from when to when in s a phase has data, cut to the window; None without any.

    Requests decide where there are some; server series otherwise.
    """
    found = _requests_span(lake, point, window.phase) or _series_span(lake, point, window.phase)
    if found is None:
        return None
    low = found[0] if window.from_s is None else max(found[0], window.from_s)
    high = found[1] if window.to_s is None else min(found[1], window.to_s)
    return (low, high) if low < high else None


def _requests_span(lake: Lake, point: Mapping[str, Any], phase: str) -> tuple[float, float] | None:
    if not point.get("requests_object"):
        return None
    condition, params = Window(phase).condition()
    row = lake.rows(
        f"SELECT min(start_ns) AS low, max(end_ns) AS high FROM {{requests}} WHERE {condition}",
        params,
        objects={"requests": point["requests_object"]},
    )[0]
    if row["low"] is None or row["high"] is None:
        return None
    return (0.0 if phase == "profiling" else row["low"] / 1e9), row["high"] / 1e9


def _series_span(lake: Lake, point: Mapping[str, Any], phase: str) -> tuple[float, float] | None:
    if not point.get("series_object"):
        return None
    row = lake.rows(
        "SELECT min(t_ns) / 1e9 AS low, max(t_ns) / 1e9 AS high FROM {series}",
        objects={"series": point["series_object"]},
    )[0]
    if row["low"] is None:
        return None
    low, high = row["low"], row["high"]
    if phase == "profiling":
        low = max(low, 0.0)
    elif phase == "warmup":
        high = min(high, 0.0)
    return (low, high) if low < high else None
