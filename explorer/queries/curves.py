"""Merged Pareto curves: which points an address shows, and which of them win."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.domain import metrics, view_state
from explorer.domain.curve_points import CurvePoints
from explorer.domain.frontier import Direction, frontier_of
from explorer.domain.lake import Lake
from explorer.domain.metrics import Metric
from explorer.domain.view_state import ViewState
from explorer.errors import UsageError
from explorer.queries import money
from explorer.queries.defaults import effective
from explorer.queries.filters import Chosen
from explorer.queries.point_table import (
    HARDWARE,
    HARNESS_MINOR,
    Ints,
    Mask,
    Numbers,
    PointTable,
    point_table,
)
from explorer.queries.priced import number_columns
from explorer.store.cache import Memo

Row = dict[str, Any]
CONFIGURATION = (
    "model", "hw", "engine", "precision", "spec", "mode", "parallelism", "gpus", "concurrency",
    "scenario", "workload", "dataset_raw", "kv_offload", "kv_offload_backend", "source",
    "prefill_workers", "decode_workers",
)  # fmt: skip
CAREFUL = ("short_window", "requests_differ_from_summary", "gpus_mismatch", "no_request_succeeded")
"""Warnings that touch a point's numbers: such a mark says so."""
PICTURE = (
    "scale", "label", "unmerge", "hide", "at", "base", "bands", "x_from", "x_to", "y_from", "y_to",
    "rows", "sort", "view", "point", "lang", "theme",
)  # fmt: skip
"""Keys that change the picture and no number of it."""
_FOUND: Memo[tuple[str, ...], dict[str, Any]] = Memo(
    60_000, lambda found: 10 + sum(len(curve["points"]) for curve in found["data"])
)
"""(snapshot, pin, numbers asked for, price version) → curves; weighed in points."""
LIMITS = {
    "ttft_max": ("ttft_s", "lower"),
    "speed_min": ("interactivity_tps", "higher"),
    "e2e_min": ("e2e_interactivity_tps", "higher"),
    "cost_max": ("usd_per_mtok_total", "lower"),
}
_SPLIT_COLUMNS = {
    "precision": "precision",
    "spec": "spec",
    "mode": "mode",
    "offload": "kv_offload",
    "parallelism": "parallelism",
    "date": "date",
    "run": "run_id",
}
_IN_TIME = ("date", "run")
_MERGED = ("model", HARDWARE, "engine")
_NEVER_MERGED = ("scenario", "workload", "dataset_raw", HARNESS_MINOR, "source")
_FACTS = (
    "point_id", "concurrency", "parallelism", "kv_offload", "kv_offload_backend", "spec", "mode",
    "precision", "status", "valid", "date", "run_id", "gpus", "requests_ok", "requests_total",
)  # fmt: skip
"""What a point of a curve says of itself, whatever the axes."""
_ASKED = (
    "x", "y", "ttft", "tier_ratio", "careful", "eligible", "on_frontier", "misses", "at_limit",
)  # fmt: skip
"""What an address makes of a point; `at_limit` is empty where no limit is asked for."""
_NOTHING: Mapping[str, float | None] = {}
_NONE: Sequence[str] = []


@dataclass(frozen=True, slots=True)
class _Question:
    """An address over a snapshot's columns: its axes, and the numbers of every row it needs."""

    table: PointTable
    state: ViewState
    x: Metric
    y: Metric
    numbers: dict[str, Numbers]


def axis(state: ViewState, name: str) -> Metric:
    """Return the metric of axis `x` or `y`; UsageError when its statistic does not exist."""
    key = metrics.axis_key(state[name], state["stat"])
    if key is None:
        raise UsageError(f"{name}={state[name]} has no statistic {state['stat']}.")
    return metrics.by_key()[key]


def curves(lake: Lake, state: ViewState) -> dict[str, Any]:
    """Return the curves of an address: `data` and `meta` as in the API contract.

    One curve per model × hardware × engine and per what is never merged; `split` adds more.
    Points that failed, miss a limit or lack a value leave and are counted in `meta.dropped`.
    What is returned is shared between callers: read it, never change it.
    """
    state = effective(lake, state)
    asked = view_state.format(state.having(**dict.fromkeys(PICTURE)))
    key = (lake.snapshot(state["snap"]).snap, state["snap"] or "", asked, money.version(state))
    found = _FOUND.get(key, lambda: _asked(lake, state))
    return {**found, "meta": {**found["meta"], "state": view_state.format(state)}}


def _asked(lake: Lake, state: ViewState) -> dict[str, Any]:
    x, y = axis(state, "x"), axis(state, "y")
    table = point_table(lake, state["snap"])
    chosen = np.flatnonzero(Chosen(table, state).mask())
    ask = _question(lake, table, state, x, y)
    fallback = _whole_deployment(ask, chosen)
    if fallback:
        ask = _question(lake, table, state, x, fallback)
    misses = _misses(ask)
    reasons = _reasons(ask, chosen, misses)
    kept = chosen[reasons < 0]
    flags = _flags(ask, misses)
    data = [_curve(ask, key, rows, misses, flags) for key, rows in _grouped(table, kept, state)]
    data.sort(key=lambda curve: (-len(curve["points"]), curve["curve_id"]))
    gone = np.bincount(reasons[reasons >= 0], minlength=len(REASONS)).tolist()
    return {
        "data": data,
        "meta": {
            "x": ask.x.key,
            "y": ask.y.key,
            "stat": state["stat"],
            "directions": {"x": ask.x.direction, "y": ask.y.direction},
            "policy": state["frontier"],
            "eligible": sum(int(curve["points"].able.sum()) for curve in data),
            "dropped": {name: n for name, n in zip(REASONS, gone, strict=True) if n},
            "whole_deployment": fallback is not None,
            "snap": state["snap"],
            "price": {"version": money.version(state), "basis": state["price"].partition("@")[0]},
        },
    }


def _question(lake: Lake, table: PointTable, state: ViewState, x: Metric, y: Metric) -> _Question:
    keys = {
        "x": x.key,
        "y": y.key,
        "e2e": metrics.axis_key("e2e_interactivity_tps", state["stat"]),
        "ttft": metrics.axis_key("ttft_s", state["stat"]),
        "cpu": "cpu_cache_hit_ratio",
        "external": "external_cache_hit_ratio",
        **{
            name: metrics.axis_key(quantity, state["limit_stat"])
            for name, (quantity, _) in LIMITS.items()
        },
    }
    return _Question(table, state, x, y, number_columns(lake, table, state, keys))


def _whole_deployment(ask: _Question, chosen: Ints) -> Metric | None:
    """Return the whole-deployment metric when no point knows its GPUs."""
    if not len(chosen) or not ask.y.key.endswith("_per_gpu"):
        return None
    if (ask.table.numbers("gpus").values[chosen] > 0).any() or ask.numbers["y"].known[chosen].any():
        return None
    return metrics.by_key()[ask.y.key.removesuffix("_per_gpu")]


def _misses(ask: _Question) -> dict[str, Mask]:
    """Return per limit of the address which rows miss it; a missing value does."""
    found = {}
    for name, (_, better) in LIMITS.items():
        bound = ask.state[name]
        if bound is not None:
            one = ask.numbers[name]
            over = one.values > bound if better == "lower" else one.values < bound
            found[name] = over | ~one.known
    return found


REASONS = (
    "failed", "limit", "no_x", "no_x_price", "no_y", "no_y_price", "not_positive", "older_run",
)  # fmt: skip
"""Why points are not drawn, in the order in which they are told."""


def _reasons(ask: _Question, chosen: Ints, misses: dict[str, Mask]) -> Ints:
    """Return per chosen row why it is not drawn, as a place in REASONS; −1 when it is."""
    table, state = ask.table, ask.state
    found = np.full(len(chosen), -1, dtype=np.int64)

    def say(reason: str, holds: Mask) -> None:
        found[(found < 0) & holds[chosen]] = REASONS.index(reason)

    say("failed", table.codes("status").among({"failed"}))
    if state["runs"] == "newest":
        say("older_run", _older(table, chosen, state))
    for name, metric in (("x", ask.x), ("y", ask.y)):
        missing = ~ask.numbers[name].known
        if metric.group in ("cost", "power") and not metric.stored:
            say(f"no_{name}_price", missing & (table.numbers("gpus").values > 0))
        say(f"no_{name}", missing)
    for name, metric in (("x", ask.x), ("y", ask.y)):
        values = ask.numbers[name].values
        say("not_positive", ~np.isfinite(values) | ((values <= 0) & metric.positive))
    if state["limit"] == "drop" and misses:
        say("limit", np.logical_or.reduce(list(misses.values())))
    return found


def _older(table: PointTable, chosen: Ints, state: ViewState) -> Mask:
    """Return which rows are not the newest run of their configuration among the chosen ones."""
    in_time = tuple(_SPLIT_COLUMNS[name] for name in _IN_TIME if name in state["split"])
    configuration = table.group((*CONFIGURATION, *in_time))[chosen]
    failed = table.codes("status").among({"failed"})[chosen]
    order = np.lexsort((chosen, -table.codes("date").codes[chosen], failed, configuration))
    ordered = configuration[order]
    newest = np.ones(len(chosen), dtype=bool)
    newest[1:] = ordered[1:] != ordered[:-1]
    older = np.zeros(len(table), dtype=bool)
    older[chosen[order[~newest]]] = True
    return older


def _grouped(
    table: PointTable, rows: Ints, state: ViewState
) -> Iterator[tuple[tuple[Any, ...], Ints]]:
    """Yield rows by curve: the merge key, what is never merged, and the reader's splits."""
    split = [_SPLIT_COLUMNS[name] for name in state["split"]]
    for members in _parted(rows, table.group(_MERGED)):
        apart = [name for name in _NEVER_MERGED if _several(table, name, members)]
        names = (*apart, *split)
        for part in _parted(members, table.group(names)) if names else [members]:
            first = int(part[0])
            model, hw, engine = (table.codes(name).at(first) for name in _MERGED)
            extra = tuple((name, table.codes(name).at(first)) for name in names)
            yield (model, hw, engine, extra), part


def _parted(rows: Ints, groups: Ints) -> list[Ints]:
    """Return rows apart by a number each."""
    if not len(rows):
        return []
    ordered = rows[np.argsort(groups[rows], kind="stable")]
    return np.split(ordered, np.flatnonzero(np.diff(groups[ordered])) + 1)


def _several(table: PointTable, name: str, rows: Ints) -> bool:
    """Tell whether rows hold several values of a column; an unknown one joins the only known."""
    codes = table.codes(name).codes[rows]
    known = codes[codes >= 0]
    return bool(len(known)) and bool((known != known[0]).any())


def _known(table: PointTable, name: str, rows: Ints) -> list[Any]:
    column = table.codes(name)
    counts = np.bincount(column.codes[rows] + 1, minlength=len(column.values) + 1)[1:]
    return [column.values[code] for code in np.flatnonzero(counts).tolist()]


def _curve(
    ask: _Question, key: tuple[Any, ...], rows: Ints, misses: dict[str, Mask], flags: _Flags
) -> dict[str, Any]:
    model, hw, engine, extra = key
    x, y = ask.numbers["x"].values[rows], ask.numbers["y"].values[rows]
    rows = rows[np.lexsort((rows, y, x))]
    parts = [str(part) for part in (model, hw, engine, *(value for _, value in extra))]
    parts = [part.replace(",", "_") for part in parts]  # ids stand in lists of the address
    return {
        "curve_id": "~".join(parts),
        "label": " · ".join(part for part in parts if part != "None"),
        "model": model,
        "hw": hw,
        "engine": engine,
        "split": dict(extra),
        "precisions": _known(ask.table, "precision", rows),
        "source": ask.table.codes("source").at(int(rows[0])),
        "points": _points(ask, rows, misses, flags),
    }


@dataclass(frozen=True, slots=True)
class _Flags:
    """What is true of the rows of a snapshot under an address; see domain/curve_points.py."""

    able: Mask
    ringed: Mask
    partial: Mask
    doubtful: Mask
    served: Mask

    def others(self) -> tuple[Mask, Mask, Mask, Mask]:
        """Return all but `able`, in the order of a curve's points."""
        return self.ringed, self.partial, self.doubtful, self.served


def _flags(ask: _Question, misses: dict[str, Mask]) -> _Flags:
    table, state = ask.table, ask.state
    status, offload, valid = (table.codes(name) for name in ("status", "kv_offload", "valid"))
    able = status.among({"ok"} | ({"partial"} if state["partial"] else set()))
    for missed in misses.values():
        able &= ~missed
    return _Flags(
        able,
        offload.where([(value or "none") != "none" for value in offload.values], False),
        status.among({"partial"}),
        _careful(table) | valid.where([value is False for value in valid.values], False),
        ask.numbers["cpu"].known | ask.numbers["external"].known,
    )


def _points(ask: _Question, rows: Ints, misses: dict[str, Mask], flags: _Flags) -> CurvePoints:
    """Return the points of a curve, whose rows come by (x, y, point id)."""
    able = flags.able[rows]
    won = np.zeros(len(rows), dtype=bool)
    won[_winners(ask, rows, able)] = True
    return CurvePoints(
        ask.table.column("point_id")[rows].tolist(),
        (ask.numbers["x"].values[rows], ask.numbers["y"].values[rows]),
        (won, able, *(mask[rows] for mask in flags.others())),
        _Rows(ask, rows, able, won, misses),
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of a curve, and what the address makes of each; see domain/curve_points.py."""

    ask: _Question
    at: Ints
    able: Mask
    won: Mask
    misses: dict[str, Mask]

    def column(self, name: str, places: Ints) -> list[Any]:
        """Return what the dicts hold under a name."""
        rows = self.at[places]
        if name in self.ask.numbers:
            return self.ask.numbers[name].listed(rows)
        if name in _FACTS:
            return self.ask.table.column(name)[rows].tolist()
        found: dict[str, Callable[[], Iterable[Any]]] = {
            "tier_ratio": lambda: _tiers(self.ask, rows),
            "careful": lambda: _careful(self.ask.table)[rows].tolist(),
            "eligible": lambda: self.able[places].tolist(),
            "on_frontier": lambda: self.won[places].tolist(),
            "misses": lambda: _missed(self.misses, rows),
            "at_limit": lambda: _at_limit(self.ask, rows),
        }
        return list(found[name]())

    def rows(self, places: Ints) -> list[Row]:
        """Return a dict per place: what it says of itself and what the address makes of it."""
        facts = self.ask.table.facts(_FACTS, _ASKED)
        columns = zip(*(self.column(name, places) for name in _ASKED), strict=True)
        points = [facts[row].copy() for row in self.at[places].tolist()]
        for point, values in zip(points, columns, strict=True):
            (
                point["x"], point["y"], point["ttft"], point["tier_ratio"], point["careful"],
                point["eligible"], point["on_frontier"], point["misses"], point["at_limit"],
            ) = values  # fmt: skip
        return points


def _at_limit(ask: _Question, rows: Ints) -> Iterable[Mapping[str, float | None]]:
    """Return per row what each limit bounds, where the address asks for one."""
    if all(ask.state[name] is None for name in LIMITS):
        return itertools.repeat(_NOTHING, len(rows))
    columns = zip(*(ask.numbers[name].listed(rows) for name in LIMITS), strict=True)
    return (dict(zip(LIMITS, values, strict=True)) for values in columns)


def _winners(ask: _Question, rows: Ints, able: Mask) -> Ints:
    """Return the places in `rows` that are on the frontier under the address's policy."""
    places = np.flatnonzero(able)
    policy = ask.state["frontier"]
    if policy == "all":
        return places
    x = ask.numbers["e2e" if policy == "e2e" else "x"].values[rows[places]]
    better: Direction = "higher" if policy == "e2e" else ask.x.direction
    won = frontier_of(x, ask.numbers["y"].values[rows[places]], better, ask.y.direction)
    return places[won]


def _tiers(ask: _Question, rows: Ints) -> list[float | None]:
    """Return the share of prompt tokens that each row's tier below HBM served."""
    cpu, external = (ask.numbers[name].listed(rows) for name in ("cpu", "external"))
    return [b if a is None else a for a, b in zip(cpu, external, strict=True)]


def _careful(table: PointTable) -> Mask:
    """Return which rows carry a warning that touches their numbers."""
    warnings = table.codes("warnings")
    return warnings.where([any(w in text for w in CAREFUL) for text in warnings.values], False)


def _missed(misses: dict[str, Mask], rows: Ints) -> Iterable[Sequence[str]]:
    """Return per row the limits that it misses."""
    if not misses:
        return itertools.repeat(_NONE, len(rows))
    columns = [misses[name][rows].tolist() for name in misses]
    return [
        [name for name, over in zip(misses, row, strict=True) if over]
        for row in zip(*columns, strict=True)
    ]
