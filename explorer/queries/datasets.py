"""Datasets: their list, one of them, how its requests and conversations are distributed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.domain import lognormal, rolling
from explorer.domain.answers import Distribution, Fitted
from explorer.domain.counters import Floats
from explorer.domain.lake import Lake, Snapshot
from explorer.domain.metrics import QUANTILES
from explorer.domain.prefix_cache import hit_ratio
from explorer.domain.turns import DATASET_COLUMNS
from explorer.errors import NotFoundError
from explorer.queries import paging
from explorer.queries.distributions import RANKS, log_edges
from explorer.queries.nearest import nearest
from explorer.queries.paging import Order, Page
from explorer.store.cache import Memo
from explorer.store.tables import decode

Row = dict[str, Any]

LINEAR = frozenset({"cached_ratio"})
"""Quantities on a straight axis from 0 to 1; all others are on a log axis."""

QUANTITIES = (
    "isl_tokens", "osl_tokens", "uncached_tokens", "cached_ratio", "delay_s", "turns",
    "subagent_isl_tokens", "subagent_osl_tokens", "subagent_duration_s",
)  # fmt: skip
_BARS = 25
_FEWEST_BINS = 10
_REQUESTS = """
SELECT isl_tokens::DOUBLE AS isl_tokens, osl_tokens::DOUBLE AS osl_tokens,
  uncached_tokens::DOUBLE AS uncached_tokens,
  cached_tokens::DOUBLE / nullif(isl_tokens, 0) AS cached_ratio,
  CASE WHEN kind = 'main' THEN (t_ms - lag(coalesce(end_ms, t_ms)) OVER line) / 1e3 END AS delay_s,
  CASE WHEN kind = 'subagent' THEN isl_tokens::DOUBLE END AS subagent_isl_tokens,
  CASE WHEN kind = 'subagent' THEN osl_tokens::DOUBLE END AS subagent_osl_tokens
FROM {turns}
WINDOW line AS (PARTITION BY conversation, agent ORDER BY t_ms, ordinal)
"""
_TURNS = """
SELECT count(*)::DOUBLE AS turns FROM {turns} WHERE kind = 'main' AND conversation IS NOT NULL
GROUP BY conversation
"""
_AGENTS = """
SELECT (max(end_ms) - min(t_ms)) / 1e3 AS subagent_duration_s FROM {turns}
WHERE kind = 'subagent' GROUP BY conversation, agent
"""


_FITTED: Memo[str, Mapping[str, Fitted]] = Memo(256)
"""Turns object → quantity → distribution."""


def many(
    lake: Lake,
    snap: str | None = None,
    *,
    limit: int = paging.DEFAULT_LIMIT,
    cursor: str | None = None,
) -> Page:
    """Return a page of the datasets by slug, each with its hit ratios under both rules."""
    by, asked = Order(DATASET_COLUMNS[0]), paging.question("datasets")
    at = paging.start(cursor, by, asked)
    snapshot = paging.snapshot_of(lake, at, snap)
    condition, params = paging.after(by, at)
    sql = (
        f"SELECT *, NULL AS sort_value FROM {{datasets}} WHERE {condition} "
        f"ORDER BY dataset LIMIT {int(limit) + 1}"
    )
    rows = lake.rows(sql, params, snap=snapshot.snap)
    kept, following = paging.cut(rows, limit, snapshot, asked, "dataset")
    return Page([_row(row) for row in kept], snapshot, following)


def one(lake: Lake, slug: str, snap: str | None = None) -> Row:
    """Return a dataset's row; NotFoundError names the nearest slug."""
    snapshot = lake.snapshot(snap)
    for row in lake.rows("SELECT * FROM {datasets} WHERE dataset = ?", [slug], snap=snapshot.snap):
        return _row(row)
    raise NotFoundError(
        f"No dataset {slug!r} in snapshot {snapshot.snap}.", hint=_hint(lake, slug, snapshot)
    )


def _hint(lake: Lake, slug: str, snapshot: Snapshot) -> str:
    rows = lake.rows("SELECT dataset FROM {datasets}", snap=snapshot.snap)
    known = [row["dataset"] for row in rows]
    return nearest(slug, known) if known else "Ingest its traces: explorer ingest FOLDER."


def _row(row: Row) -> Row:
    """Return a stored row: JSON as values, missing sums as None, ratios of blocks added."""
    made = decode("datasets", {name: row[name] for name in row if name != "sort_value"})
    made["models"] = made["models"] or []
    ratios = {
        "listorder_cache_hit_ratio": made["hit_blocks"],
        "theoretical_cache_hit_ratio": made["time_order_hit_blocks"],
    }
    for name, hits in ratios.items():
        made[name] = None if hits is None else hit_ratio(hits, made["blocks"] or 0)
    return made


def replayed(lake: Lake, snap: str | None = None) -> Mapping[str, int]:
    """Return how many points are bound to each dataset."""
    sql = (
        "SELECT dataset, count(*) AS n FROM {points} "
        "WHERE dataset IS NOT NULL AND dataset_unbound IS NULL GROUP BY dataset"
    )
    return {row["dataset"]: row["n"] for row in lake.rows(sql, snap=snap)}


def distributions(lake: Lake, dataset: Mapping[str, Any]) -> Mapping[str, Fitted]:
    """Return the distribution of each of QUANTITIES that the dataset has samples of.

    Tokens are per request, turns per conversation, durations (s) per sub-agent. The delay (s) is
    on the main line, from a turn's end (its start where no end is known) to the next one's start.
    """
    name = dataset["turns_object"]
    return _FITTED.get(name, lambda: _distributions(lake, name)) if name else {}


def _distributions(lake: Lake, name: str) -> dict[str, Fitted]:
    objects = {"turns": name}
    found: dict[str, Floats] = {}
    for sql in (_REQUESTS, _TURNS, _AGENTS):
        table = lake.arrow(sql, objects=objects)
        for column in table.column_names:
            values = table[column].drop_null().to_numpy().astype(np.float64, copy=False)
            found[column] = np.sort(values)
    made = {name: _fitted(name, found[name]) for name in QUANTITIES if len(found[name])}
    return {name: one for name, one in made.items() if one is not None}


def _fitted(name: str, values: Floats) -> Fitted | None:
    if name in LINEAR:
        edges = [index / _BARS for index in range(_BARS + 1)]
        return Fitted(_distribution(values, edges), 0, None, None)
    kept = values[values > 0]
    if not len(kept):
        return None
    data = _distribution(kept, _edges(float(kept[0]), float(kept[-1]), len(kept)))
    model = lognormal.fit(kept.tolist())
    gap = lognormal.distance(model, data.edges, data.counts) if model else None
    return Fitted(data, len(values) - len(kept), model, gap)


def _edges(low: float, high: float, n: int) -> list[float]:
    """Return logarithmic edges around low..high, the fewer the samples the coarser."""
    edges = log_edges(low, high)
    while len(edges) > max(_FEWEST_BINS, 3 * math.isqrt(n)) + 1:
        last = edges[-1]
        edges = edges[::2]
        if edges[-1] < last:
            edges.append(edges[-1] * edges[-1] / edges[-2])
    return edges


def _distribution(values: Floats, edges: list[float]) -> Distribution:
    """Return sorted samples in bins: bin i is (edges[i], edges[i+1]], the first takes its edge."""
    places = np.searchsorted(values, np.asarray(edges) * (1 + 1e-12), side="right")
    places[0] = 0
    ranks = rolling.quantiles(values, np.array([QUANTILES[rank] for rank in RANKS]))
    return Distribution(
        edges=edges,
        counts=np.diff(places).tolist(),
        n=len(values),
        minimum=float(values[0]),
        maximum=float(values[-1]),
        mean=float(values.mean()),
        percentiles=dict(zip(RANKS, ranks.tolist(), strict=True)),
        in_flight_mean=None,
    )
