"""Series a server recorded, onto one grid: levels, rates, hit ratios, cumulative counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from explorer.domain import counters
from explorer.domain.answers import TIER_OF
from explorer.domain.counters import Floats, Samples
from explorer.domain.lake import Lake
from explorer.domain.series import BY_SOURCE
from explorer.queries.window import ROLE
from explorer.store.cache import Memo

Row = dict[str, Any]
Engine = tuple[str | None, str | None]
Shares = tuple[Floats, dict[str, Floats]]

REQUEUED = 1.05
"""hits/queries stand only while queries are at most this share of the prompt tokens."""
_RATIO_CELLS = 120
_TOKENS = ("prompt_tokens", "generation_tokens")


@dataclass(frozen=True, slots=True)
class Recorded:
    """The server series of a point: name → (engine, role) → samples.

    `reasons` and `shares` hold what one answer has found out: why a series is missing, and the
    tiers' shares by (from, to, cells).
    """

    of: Mapping[str, Mapping[Engine, Samples]]
    source: str
    offload_tier: str = "cpu"
    reasons: dict[str, str] = field(default_factory=dict)
    shares: dict[tuple[float, float, int], Shares | None] = field(default_factory=dict)

    def engines(self, name: str, role: str | None = None) -> dict[Engine, Samples]:
        """Return a series' engines; only those of a role where roles are known."""
        found = dict(self.of.get(name, {}))
        in_role = {key: one for key, one in found.items() if key[1] == role}
        return in_role if role and in_role else found

    def only(self, engine: str | None) -> Recorded:
        """Return the series of one engine, of `role:…`, or of all; totals stay."""
        if not engine:
            return self
        of = {
            name: kept
            for name, engines in self.of.items()
            if (kept := {key: one for key, one in engines.items() if _matches(key, engine)})
        }
        return replace(self, of=of, shares={})

    def choices(self) -> tuple[list[str], list[str]]:
        """Return the names of engines and of roles, for a picker."""
        keys = {key for engines in self.of.values() for key in engines}
        engines = {engine for engine, _ in keys if engine is not None}
        return sorted(engines, key=_natural), sorted({role for _, role in keys if role is not None})

    def sources(self) -> list[str]:
        """Return the prompt-token sources in the server's own words."""
        return sorted(
            name.removeprefix(BY_SOURCE) for name in self.of if name.startswith(BY_SOURCE)
        )


def load(lake: Lake, point: Mapping[str, Any]) -> Recorded:
    """Return what the server recorded over both phases; mirrored API servers count once."""
    name = point.get("series_object")
    if not name:
        return Recorded({}, "")
    key = (name, point.get("series_source") or "", point.get("mode") or "")
    return replace(_LOADED.get(key, lambda: _load(lake, point)), reasons={}, shares={})


def _samples(recorded: Recorded) -> int:
    return sum(len(one) for engines in recorded.of.values() for one in engines.values())


_LOADED: Memo[tuple[str, str, str], Recorded] = Memo(4_000_000, _samples)
"""(series object, source, mode) → samples: 16 bytes each, at most four million."""


def _load(lake: Lake, point: Mapping[str, Any]) -> Recorded:
    sql = (
        "SELECT name, engine, role, list(t_ns / 1e9) AS t_s, list(value) AS value "
        "FROM {series} GROUP BY name, engine, role ORDER BY name, engine, role"
    )
    table = lake.arrow(sql, objects={"series": point["series_object"]})
    silent = point.get("series_source") == "jsonl"
    found: dict[str, dict[Engine, Samples]] = {}
    for index, name in enumerate(table["name"].to_pylist()):
        key = (table["engine"][index].as_py(), table["role"][index].as_py())
        t_s, value = (np.asarray(table[part][index].values) for part in ("t_s", "value"))
        found.setdefault(name, {})[key] = counters.samples(t_s, value, silent=silent)
    tier = "external" if point.get("mode") == "disagg" else "cpu"
    return Recorded(_counted(found), point.get("series_source") or "", tier)


def _counted(found: Mapping[str, Mapping[Engine, Samples]]) -> dict[str, dict[Engine, Samples]]:
    """Return each series' engines without mirrors and without totals beside named engines."""
    drop = _mirrors(found)
    return {
        name: {key: one for key, one in _without_total(engines).items() if key not in drop}
        for name, engines in found.items()
    }


def _without_total(engines: Mapping[Engine, Samples]) -> dict[Engine, Samples]:
    """Return the named engines; a series of the whole deployment only when it stands alone."""
    named = {key: one for key, one in engines.items() if key[0] is not None}
    return named or dict(engines)


def _matches(key: Engine, engine: str) -> bool:
    if key[0] is None:
        return True
    return key[1] == engine.removeprefix(ROLE) if engine.startswith(ROLE) else key[0] == engine


def _mirrors(found: Mapping[str, Mapping[Engine, Samples]]) -> set[Engine]:
    """Return engines that repeat another one's counters of prompt and generated tokens."""
    repeated: list[set[Engine]] = []
    for name in _TOKENS:
        engines = _without_total(found.get(name, {}))
        kept: list[Engine] = counters.without_mirrors(engines)
        repeated.append(set(engines) - set(kept))
    return set.intersection(*repeated)


def _natural(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdigit() else (1 << 30, name)


def derive(recorded: Recorded, name: str, from_s: float, to_s: float, budget: int) -> list[Row]:
    """Return the rows of one series of the contract; none when it was not recorded."""
    stem = name.partition(".")[0]
    if stem not in DERIVED:
        return []
    return DERIVED[stem](recorded, name, from_s, to_s, budget)


def _row(
    recorded: Recorded, name: str, engine: Engine, unit: str, t_s: Floats, value: Floats
) -> Row:
    return {
        "name": name,
        "engine": engine[0],
        "role": engine[1],
        "unit": unit,
        "source": recorded.source,
        "t_s": t_s,
        "value": value,
    }


def _grid(found: Iterable[Samples], from_s: float, to_s: float, budget: int, gaps: float) -> Floats:
    """Return cell edges, no finer than so many of the engines' shortest median gap."""
    steps = [one.gap_s for one in found if one.gap_s > 0]
    return counters.edges(from_s, to_s, budget, gaps * min(steps, default=0.0))


def _middle(at: Floats) -> Floats:
    return (at[1:] + at[:-1]) / 2


def _level(unit: str, total: str) -> Callable[..., list[Row]]:
    """Return a maker of gauges: the deployment as sum or mean, then each of several engines."""

    def make(recorded: Recorded, name: str, from_s: float, to_s: float, budget: int) -> list[Row]:
        engines = recorded.engines(name)
        at = _grid(engines.values(), from_s, to_s, budget, 1.0)
        means = counters.held_means(list(engines.values()), at)
        rows = dict(zip(engines, means, strict=True))
        if not any(np.isfinite(row).any() for row in rows.values()):
            return []
        lives = [counters.alive(one, at) for one in engines.values()]
        values = list(rows.values())
        whole = counters.mean_of(values) if total == "mean" else counters.sum_of(values, lives)
        made = [_row(recorded, name, _whole(engines), unit, _middle(at), whole)]
        if len(rows) > 1:
            made += [_row(recorded, name, key, unit, _middle(at), row) for key, row in rows.items()]
        return made

    return make


def _whole(engines: Iterable[Engine]) -> Engine:
    """Return the key of a sum over engines: no engine; their role when they share one."""
    roles = {role for _, role in engines}
    return None, roles.pop() if len(roles) == 1 else None


def _gains(
    recorded: Recorded, name: str, at: Floats, role: str | None = None
) -> tuple[Engine, Floats] | None:
    """Return the deployment's gain of a counter per cell; None without samples in the window."""
    engines = recorded.engines(name, role)
    lives = [counters.alive(one, at) for one in engines.values()]
    if not any(life.any() for life in lives):
        return None
    rows = counters.increments_of(list(engines.values()), at)
    return _whole(engines), counters.sum_of(rows, lives)


def _rate(counter: str, unit: str, role: str | None = None) -> Callable[..., list[Row]]:
    """Return a maker of rates; a gauge of the same name (a log's line) stands in without one."""

    def make(recorded: Recorded, name: str, from_s: float, to_s: float, budget: int) -> list[Row]:
        if counter not in recorded.of:
            return _level(unit, "sum")(recorded, name, from_s, to_s, budget)
        at = _grid(recorded.engines(counter, role).values(), from_s, to_s, budget, 2.0)
        gains = _gains(recorded, counter, at, role)
        if gains is None:
            return []
        return [_row(recorded, name, gains[0], unit, _middle(at), gains[1] / np.diff(at))]

    return make


def _count(counter: str, unit: str) -> Callable[..., list[Row]]:
    """Return a maker of cumulative counts since the window's start."""

    def make(recorded: Recorded, name: str, from_s: float, to_s: float, budget: int) -> list[Row]:
        engines = recorded.engines(counter)
        at = _grid(engines.values(), from_s, to_s, budget, 1.0)
        if not any(counters.alive(one, at).any() for one in engines.values()):
            return []
        total = np.sum([_reached(one, at) for one in engines.values()], axis=0)
        return [_row(recorded, name, _whole(engines), unit, at[1:], total)]

    return make


def _reached(one: Samples, at: Floats) -> Floats:
    """Return what a counter has gained since the first edge, at each later edge."""
    total = np.interp(at, one.t_s, counters.cumulative(one.value))
    return total[1:] - total[0]


def _sources(recorded: Recorded, name: str, from_s: float, to_s: float, budget: int) -> list[Row]:
    """Return each prompt-token source, cumulative since the window's start, in tokens."""
    wanted = name.partition(".")[2]
    rows: list[Row] = []
    for source in recorded.sources():
        if wanted in ("", source):
            base = BY_SOURCE + source
            rows += [
                row | {"name": base}
                for row in _count(base, "tokens")(recorded, base, from_s, to_s, budget)
            ]
    return rows


def _unique(recorded: Recorded, name: str, from_s: float, to_s: float, budget: int) -> list[Row]:
    """Return the cumulative sum of sources that are neither cache hits nor transfers."""
    rows = [
        row
        for row in _sources(recorded, BY_SOURCE, from_s, to_s, budget)
        if row["name"].removeprefix(BY_SOURCE) not in TIER_OF
    ]
    if not rows:
        return []
    return [rows[0] | {"name": name, "value": np.sum([row["value"] for row in rows], axis=0)}]


def _tier(recorded: Recorded, name: str, from_s: float, to_s: float, budget: int) -> list[Row]:
    """Return one tier's share of the prompt tokens of each cell."""
    tier = name.removesuffix("_hit_ratio").removesuffix("_ratio")
    key = (from_s, to_s, min(budget, _RATIO_CELLS))
    if key not in recorded.shares:
        recorded.shares[key] = hit_ratios(recorded, *key)
    found = recorded.shares[key]
    if found is None:
        return _level("ratio", "mean")(recorded, name, from_s, to_s, budget)
    at, shares = found
    if tier not in shares:
        return []
    return [_row(recorded, name, (None, None), "ratio", _middle(at), shares[tier])]


def hit_ratios(recorded: Recorded, from_s: float, to_s: float, budget: int) -> Shares | None:
    """Return cell edges and tier → share (gpu, cpu or external, miss); None when not known.

    By source where the server says so; hits/queries only while queries do not exceed the prompt
    tokens by more than 5 %.
    """
    counted = _by_source(recorded, from_s, to_s, budget) or _by_queries(
        recorded, from_s, to_s, budget
    )
    if counted is None:
        return None
    at, parts, total = counted
    shares = counters.ratios(parts, total)
    hits = np.sum(list(shares.values()), axis=0) if shares else np.zeros(len(total))
    return at, shares | {"miss": np.where(np.isfinite(hits), np.clip(1 - hits, 0, 1), np.nan)}


def _by_source(
    recorded: Recorded, from_s: float, to_s: float, budget: int
) -> tuple[Floats, dict[str, Floats], Floats] | None:
    names = [BY_SOURCE + source for source in recorded.sources()]
    if not names:
        return None
    at = _grid(recorded.engines(names[0], "prefill").values(), from_s, to_s, budget, 2.0)
    gains = {name: _gains(recorded, name, at, "prefill") for name in names}
    known = {name: gain[1] for name, gain in gains.items() if gain is not None}
    if not known:
        return None
    parts: dict[str, Floats] = {}
    for name, gain in known.items():
        tier = TIER_OF.get(name.removeprefix(BY_SOURCE))
        if tier:
            tier = "gpu" if tier == "gpu" else recorded.offload_tier
            parts[tier] = parts.get(tier, np.zeros(len(gain))) + gain
    return at, parts, _all_prompts(recorded, known, at)


def _all_prompts(recorded: Recorded, known: Mapping[str, Floats], at: Floats) -> Floats:
    """Return all prompt tokens per cell: the sources' sum, where one of them is the misses.

    SGLang counts only what its tiers held; there the prompt counter is the whole.
    """
    prompts = _gains(recorded, "prompt_tokens", at, "prefill")
    if any(name.removeprefix(BY_SOURCE) not in TIER_OF for name in known) or prompts is None:
        return np.sum(list(known.values()), axis=0)
    return prompts[1]


def _by_queries(
    recorded: Recorded, from_s: float, to_s: float, budget: int
) -> tuple[Floats, dict[str, Floats], Floats] | None:
    if "prefix_cache_queries" not in recorded.of:
        return None
    at = _grid(recorded.engines("prefix_cache_queries").values(), from_s, to_s, budget, 2.0)
    names = ("prefix_cache_queries", "prefix_cache_hits", "prompt_tokens", "external_cache_hits")
    queries, hits, prompts, external = (_gains(recorded, name, at, "prefill") for name in names)
    if queries is None or hits is None:
        return None
    if prompts is None or np.nansum(queries[1]) > REQUEUED * np.nansum(prompts[1]):
        recorded.reasons["hits"] = "requeued"
        return None
    parts = {"gpu": hits[1]}
    if external is not None:
        parts[recorded.offload_tier] = external[1]
    return at, parts, prompts[1]


def _acceptance(
    recorded: Recorded, name: str, from_s: float, to_s: float, budget: int
) -> list[Row]:
    """Return tokens per decoding step under speculation: 1 + accepted / drafts."""
    engines = recorded.engines("spec_drafts")
    at = _grid(engines.values(), from_s, to_s, min(budget, _RATIO_CELLS), 2.0)
    accepted, drafts = (
        _gains(recorded, part, at, "decode") for part in ("spec_accepted_tokens", "spec_drafts")
    )
    if accepted is None or drafts is None or not np.nansum(drafts[1]) > 0:
        return []
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(drafts[1] > 0, 1 + accepted[1] / drafts[1], np.nan)
    return [_row(recorded, name, drafts[0], "tokens", _middle(at), value)]


DERIVED: dict[str, Callable[..., list[Row]]] = {
    "requests_running": _level("requests", "sum"),
    "requests_waiting": _level("requests", "sum"),
    "kv_usage_ratio": _level("ratio", "mean"),
    "gpu_hit_ratio": _tier,
    "cpu_hit_ratio": _tier,
    "external_hit_ratio": _tier,
    "miss_ratio": _tier,
    "prompt_tps": _rate("prompt_tokens", "tok/s", "prefill"),
    "generation_tps": _rate("generation_tokens", "tok/s", "decode"),
    BY_SOURCE.rstrip("."): _sources,
    "unique_input_tokens": _unique,
    "preemptions": _count("preemptions", "requests"),
    "offload_to_cpu_bps": _rate("offload_bytes_to_cpu", "B/s"),
    "offload_to_gpu_bps": _rate("offload_bytes_to_gpu", "B/s"),
    "spec_acceptance_length": _acceptance,
}
"""Series of the contract that come from the server's own, by name (a source's without its dot)."""
