"""A point over time: `/points/{id}/series` of the API and the charts of its page, one answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.domain import counters, rolling
from explorer.domain.answers import Timed
from explorer.domain.counters import Floats
from explorer.domain.lake import Lake
from explorer.domain.metrics import QUANTILES
from explorer.domain.series import BY_SOURCE
from explorer.queries import server_series
from explorer.queries.request_columns import Columns, Cut, columns, selected
from explorer.queries.server_series import Recorded, Row
from explorer.queries.window import Window, span
from explorer.store.cache import Memo

DEFAULT_BUDGET = 600
_CSV = "server_metrics_export.csv"
_HITS = ("hit_ratio", "miss_ratio")
_SPEEDS = {"interactivity_tps": "itl_s", "e2e_interactivity_tps": "e2e_s"}
_LATENCIES = ("ttft_s", "e2el_s")
RANKS = ("p50", "p90")
ROLLING = tuple(f"{rank}_{quantity}" for quantity in (*_LATENCIES, *_SPEEDS) for rank in RANKS)
NAMES: tuple[str, ...] = (
    "requests_running",
    "requests_waiting",
    "kv_usage_ratio",
    "gpu_hit_ratio",
    "cpu_hit_ratio",
    "external_hit_ratio",
    "miss_ratio",
    "theoretical_hit_ratio",
    "prompt_tps",
    "generation_tps",
    BY_SOURCE.rstrip("."),
    "unique_input_tokens",
    *ROLLING,
    "requests_in_flight",
    "in_flight_unique_tokens",
    "completed",
    "power_w",
    "preemptions",
    "offload_to_cpu_bps",
    "offload_to_gpu_bps",
    "spec_acceptance_length",
)
"""Every series a point may have; one source alone is `prompt_tokens_by_source.<source>`."""


def known(name: str) -> bool:
    """Tell whether a series may be asked for."""
    return name in NAMES or name.startswith(BY_SOURCE)


def series(
    lake: Lake,
    point: Mapping[str, Any],
    names: Iterable[str] | None = None,
    from_s: float | None = None,
    to_s: float | None = None,
    budget: int = DEFAULT_BUDGET,
    phase: str = "profiling",
    engine: str | None = None,
) -> list[Row]:
    """Return rows {name, engine, role, unit, source, t_s[], value[]} as plain lists.

    `engine` null is the deployment; null values are gaps. At most `budget` samples a row: levels
    are means of equal cells, rates are gains of cells, percentiles are exact at fewer times.
    """
    timed = collect(lake, point, Window(phase, from_s, to_s, engine), budget)
    return [
        row | {"t_s": _numbers(row["t_s"]), "value": _numbers(row["value"])}
        for name in dict.fromkeys(names or NAMES)
        for row in timed.of(name)
    ]


def _numbers(values: Floats) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]


def collect(
    lake: Lake, point: Mapping[str, Any], window: Window, budget: int = DEFAULT_BUDGET
) -> Timed:
    """Return a point's series over a window, made when asked for, with reasons for the missing."""
    found = span(lake, point, window)
    everything = server_series.load(lake, point)
    engines, roles = everything.choices()
    recorded = everything.only(window.engine)
    maker = _Maker(lake, point, window, recorded, *(found or (0.0, 0.0)), budget)
    return Timed(found, engines, roles, maker.rows, lambda name: _reason(point, name, recorded))


def _reason(point: Mapping[str, Any], name: str, recorded: Recorded) -> str:
    """Return why a series is missing, as a code."""
    if name in _FROM_REQUESTS:
        return "no_samples" if point.get("requests_object") else "no_requests"
    if name == "power_w":
        return "no_samples" if point.get("gpu_object") else "no_gpu"
    if name == "theoretical_hit_ratio":
        return "no_theory"
    if "hits" in recorded.reasons and name.endswith("_ratio"):
        return recorded.reasons["hits"]
    if name.endswith(_HITS) and _inflated(point):
        return "requeued"
    if not recorded.of:
        return "not_in_csv" if _totals_only(point) else "no_series"
    has = recorded.of.keys() & _BASES.get(name, {name})
    return "no_samples" if has else f"not_in_{recorded.source}"


def _inflated(point: Mapping[str, Any]) -> bool:
    """Tell whether ingest left the stated hit rates out: queries count requests again."""
    codes = {warning["code"] for warning in point.get("warnings") or []}
    return "hit_rate_series_inflated" in codes


def _totals_only(point: Mapping[str, Any]) -> bool:
    """Tell whether AIPerf's CSV of server metrics is there: totals of the phase, no times."""
    return any(one["path"].endswith(_CSV) for one in point.get("sources") or [])


Rolled = tuple[Floats, dict[str, Floats]]
_ROLLED: Memo[tuple[str, Window, str, int], Rolled] = Memo(
    400_000, lambda rolled: 1 + (len(RANKS) + 1) * len(rolled[0])
)
"""(requests object, window, latency, budget) → times and percentiles: 3 MB at most."""


class _Maker:
    """Makes rows of one window; cuts the requests to its ranges once."""

    def __init__(
        self,
        lake: Lake,
        point: Mapping[str, Any],
        window: Window,
        recorded: Recorded,
        from_s: float,
        to_s: float,
        budget: int,
    ) -> None:
        self.lake, self.point, self.window, self.recorded = lake, point, window, recorded
        self.from_s, self.to_s, self.budget = from_s, to_s, budget
        # A warm-up request may end after the zero; a sample there is no longer of the warm-up.
        self.sampled_s = min(to_s, 0.0) if window.phase == "warmup" else to_s
        self._requests: Columns | None = None

    def rows(self, name: str) -> list[Row]:
        """Return the rows of one name: the server's own where it has them."""
        made = server_series.derive(self.recorded, name, self.from_s, self.sampled_s, self.budget)
        if made or name not in OTHERS:
            return made
        return OTHERS[name](self, name)

    def row(self, name: str, unit: str, source: str, t_s: Floats, value: Floats) -> list[Row]:
        """Return one row of the deployment; none when nothing in it is known."""
        if not np.isfinite(value).any():
            return []
        return [
            {
                "name": name,
                "engine": None,
                "role": None,
                "unit": unit,
                "source": source,
                "t_s": t_s,
                "value": value,
            }
        ]

    def every(self) -> Columns:
        """Return the whole phase's requests as columns in s and tokens, NaN for missing."""
        return columns(self.lake, self.point, self.window)

    def requests(self) -> Columns:
        """Return those of them that lie in the window's ranges, whenever they started."""
        if self._requests is None:
            found = self.every()
            if self.window.ranges and found:
                kept = selected(found, self.window)
                found = Cut(found, kept) if kept.any() else {}
            self._requests = found
        return self._requests

    def percentiles(self, sample: str) -> Rolled:
        """Return times and rank → rolling percentile of a latency."""
        name = self.point.get("requests_object")
        if not name:
            return np.zeros(0), {}
        key = (name, self.window, sample, self.budget)
        return _ROLLED.get(key, lambda: self._roll(sample))

    def _roll(self, sample: str) -> Rolled:
        requests = self.requests()
        if not requests:
            return np.zeros(0), {}
        value, t_s = requests[sample], requests["first_token_s"]
        usable = (requests["ok"] > 0) & np.isfinite(value) & (value > 0) & np.isfinite(t_s)
        t_s, value = t_s[usable], value[usable]
        shown = np.flatnonzero((t_s >= self.from_s) & (t_s <= self.to_s))
        if len(shown) == 0:
            return np.zeros(0), {}
        at = shown[rolling.positions(t_s[shown], self.budget)]
        width = rolling.window_s(_length(self.every()))
        ranks = tuple(QUANTILES[rank] for rank in RANKS)
        found = rolling.percentiles(t_s, value, at, width, ranks)
        return t_s[at], dict(zip(RANKS, found, strict=True))


def _length(found: Columns) -> float:
    """Return from the first start to the last end in s."""
    return float(found["end_s"].max() - found["start_s"].min())


def _rolling(maker: _Maker, name: str) -> list[Row]:
    """Return a rolling percentile at first tokens; speeds are 1 / percentile of the latency."""
    rank, _, quantity = name.partition("_")
    t_s, found = maker.percentiles(_SPEEDS.get(quantity, quantity))
    if rank not in found:
        return []
    if quantity in _SPEEDS:
        return maker.row(name, "tok/s/user", "requests", t_s, 1 / found[rank])
    return maker.row(name, "s", "requests", t_s, found[rank])


def _cells(maker: _Maker) -> Floats:
    return counters.edges(maker.from_s, maker.to_s, maker.budget)


def _in_flight(maker: _Maker, name: str) -> list[Row]:
    """Return how many requests the client had open: the largest number in each cell."""
    requests = maker.requests()
    if not requests:
        return []
    ones = np.ones(len(requests["start_s"]))
    t_s, height = rolling.level(requests["start_s"], requests["end_s"], ones)
    at = _cells(maker)
    return maker.row(name, "requests", "requests", at[:-1], rolling.peaks(t_s, height, at))


def _unique_in_flight(maker: _Maker, name: str) -> list[Row]:
    """Return Σ over active streams of their largest ISL: the largest value in each cell."""
    requests = maker.requests()
    if not requests:
        return []
    stream = requests["stream"].astype(np.int64)
    tokens = np.nan_to_num(requests["isl_tokens"])
    start, end, largest = (
        _grouped(stream, requests["start_s"], np.minimum, np.inf),
        _grouped(stream, requests["end_s"], np.maximum, -np.inf),
        _grouped(stream, tokens, np.maximum, 0.0),
    )
    there = np.isfinite(start)
    t_s, height = rolling.level(start[there], end[there], largest[there])
    at = _cells(maker)
    return maker.row(name, "tokens", "requests", at[:-1], rolling.peaks(t_s, height, at))


def _grouped(group: NDArray[np.int64], value: Floats, fold: np.ufunc, start: float) -> Floats:
    """Return a fold of values per group; groups count from 0."""
    found = np.full(int(group.max()) + 1, start)
    fold.at(found, group, value)
    return found


def _completed(maker: _Maker, name: str) -> list[Row]:
    """Return how many requests have ended well since the window's start."""
    requests = maker.requests()
    if not requests:
        return []
    ends = np.sort(requests["end_s"][requests["ok"] > 0])
    at = _cells(maker)
    reached = np.searchsorted(ends, at, side="right").astype(np.float64)
    return maker.row(name, "requests", "requests", at[1:], reached[1:] - reached[0])


def _input_rate(maker: _Maker, name: str) -> list[Row]:
    """Return prompt tokens per second from requests: each prompt spread from start to TTFT."""
    return _token_rate(maker, name, "start_s", "first_token_s", "isl_tokens")


def _output_rate(maker: _Maker, name: str) -> list[Row]:
    """Return output tokens per second from requests: spread from first token to end."""
    return _token_rate(maker, name, "first_token_s", "end_s", "osl_tokens")


def _token_rate(maker: _Maker, name: str, start: str, end: str, tokens: str) -> list[Row]:
    requests = maker.requests()
    if not requests:
        return []
    columns = [requests[part] for part in (start, end, tokens)]
    usable = (requests["ok"] > 0) & np.all([np.isfinite(column) for column in columns], axis=0)
    if not usable.any():
        return []
    at = counters.edges(maker.from_s, maker.to_s, maker.budget, 1.0)
    begin, stop, count = (column[usable] for column in columns)
    amount = rolling.spread(begin, stop, count, at)
    middle = (at[1:] + at[:-1]) / 2
    return maker.row(name, "tok/s", "requests", middle, amount / np.diff(at))


def _theory(maker: _Maker, name: str) -> list[Row]:
    """Return the whole run's infinite-cache ceiling as a level line."""
    ceiling = maker.point.get("theoretical_cache_hit_ratio")
    if ceiling is None:
        return []
    ends = np.array([maker.from_s, maker.to_s])
    return maker.row(name, "ratio", "summary", ends, np.full(2, ceiling))


_POWER = """
SELECT gpu, list(t_ns / 1e9) AS t_s, list(power_w) AS value FROM {gpu}
WHERE power_w IS NOT NULL GROUP BY gpu ORDER BY gpu
"""


def _power(maker: _Maker, name: str) -> list[Row]:
    """Return the board power of all GPUs together: each held, then summed."""
    if not maker.point.get("gpu_object"):
        return []
    table = maker.lake.arrow(_POWER, objects={"gpu": maker.point["gpu_object"]})
    found = [
        counters.samples(np.asarray(t_s.values), np.asarray(value.values))
        for t_s, value in zip(table["t_s"], table["value"], strict=True)
    ]
    if not found:
        return []
    finest = max(one.gap_s for one in found)
    at = counters.edges(maker.from_s, maker.sampled_s, maker.budget, finest)
    rows = [counters.held_mean(one, at) for one in found]
    total = counters.sum_of(rows, [counters.alive(one, at) for one in found])
    return maker.row(name, "W", "gpu_telemetry", (at[1:] + at[:-1]) / 2, total)


OTHERS: dict[str, Callable[[_Maker, str], list[Row]]] = {
    **dict.fromkeys(ROLLING, _rolling),
    "requests_in_flight": _in_flight,
    "in_flight_unique_tokens": _unique_in_flight,
    "completed": _completed,
    "prompt_tps": _input_rate,
    "generation_tps": _output_rate,
    "theoretical_hit_ratio": _theory,
    "power_w": _power,
}
"""Series that come from requests, telemetry or the summary, where the server has none itself."""
_BASES = {
    "prompt_tps": {"prompt_tokens"},
    "generation_tps": {"generation_tokens"},
    "offload_to_cpu_bps": {"offload_bytes_to_cpu"},
    "offload_to_gpu_bps": {"offload_bytes_to_gpu"},
}
"""Recorded series that another one is derived from; others carry its own name."""
_FROM_REQUESTS = {*ROLLING, "requests_in_flight", "in_flight_unique_tokens", "completed"}
