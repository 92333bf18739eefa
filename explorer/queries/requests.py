"""Requests of a point: rows on the point's one clock, filtered, sorted, paged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from typing import Any

import pyarrow as pa

from explorer.domain.columns import Column
from explorer.domain.lake import Lake, Snapshot
from explorer.errors import UsageError
from explorer.queries import paging
from explorer.queries.nearest import nearest
from explorer.queries.paging import Order, Page
from explorer.queries.references import REFERENCE, references, turns_object
from explorer.queries.window import Window
from explorer.store.schema import arrow_schema

Row = dict[str, Any]


def _c(name: str, type_: Any, meaning: str) -> Column:
    return Column(name, type_, meaning)


COLUMNS: tuple[Column, ...] = (
    _c("request_id", "str", "the load generator's id"),
    _c("ordinal", "int", "position by (start, request_id) over both phases, 0-based"),
    _c("stream_id", "str", "one play of one conversation or agent"),
    _c("root_id", "str", "stream of the tree's root"),
    _c("parent_id", "str", "stream that spawned this one; null at a root"),
    _c("conversation", "str", "the dataset's conversation"),
    _c("agent", "str", "sub-agent or side request; null on the main line"),
    _c("turn", "int", "turn within its stream, 0-based"),
    _c("depth", "int", "0 root, 1 sub-agent, …"),
    _c("kind", "str", "main | subagent | aux"),
    _c("phase", "str", "profiling | warmup, by the record's own label"),
    _c("client_worker", "str", "load-generator process; not a server worker"),
    _c("credit_s", "float", "credit issued, s after the point's zero; negative in warm-up"),
    _c("start_s", "float", "request sent, s after zero"),
    _c("first_token_s", "float", "first token, s after zero"),
    _c("end_s", "float", "request ended, s after zero"),
    _c("ttft_s", "float", "time to first token, s"),
    _c("e2el_s", "float", "end-to-end latency, s"),
    _c("itl_s", "float", "full-response inter-token latency, s"),
    _c("isl_tokens", "int", "input tokens, cached ones included"),
    _c("osl_tokens", "int", "output tokens"),
    _c("cached_tokens", "int", "prompt tokens read from cache"),
    _c("status", "str", "ok | failed | cancelled"),
    _c("error_type", "str", "kind of failure"),
    _c("error_code", "int", "HTTP or client code"),
)
"""Columns of a request in the contract's order; `dataset_ref` follows these.

Zero is the earliest start of a profiling record, failed ones included.
"""

REFERENCE_COLUMNS = tuple(
    Column(f"dataset_ref_{name}", "int" if name == "turn" else "str", f"{name} of the dataset")
    for name in REFERENCE
)
"""`dataset_ref` as columns of a table."""

_TABLE = """
WITH r AS (
  SELECT {columns}, source_outer_idx, source_inner_idx FROM {{requests}} WHERE {condition}
), t AS (
  SELECT conversation, source_outer_idx, source_inner_idx, any_value(agent) AS agent,
    any_value(turn) AS turn
  FROM {turns} GROUP BY ALL
), k AS (SELECT DISTINCT conversation FROM t)
SELECT r.*, CASE WHEN k.conversation IS NOT NULL THEN $dataset::VARCHAR END AS dataset_ref_dataset,
  k.conversation AS dataset_ref_conversation, t.agent AS dataset_ref_agent,
  t.turn AS dataset_ref_turn
FROM r LEFT JOIN k ON k.conversation = r.conversation LEFT JOIN t
  ON t.conversation = r.conversation
  AND t.source_outer_idx IS NOT DISTINCT FROM r.source_outer_idx
  AND t.source_inner_idx IS NOT DISTINCT FROM r.source_inner_idx
ORDER BY r.ordinal
"""
_TURNS = "{turns}"
_NO_TURNS = """(SELECT NULL::VARCHAR AS conversation, NULL::BIGINT AS source_outer_idx,
  NULL::BIGINT AS source_inner_idx, NULL::VARCHAR AS agent, NULL::BIGINT AS turn WHERE false)"""
_NAMED = re.compile(r"\$(\w+)")
_CLOCKED = {"credit_s", "start_s", "first_token_s", "end_s"}
_BY_NAME = {column.name: column for column in COLUMNS}
FILTERS = (
    "status", "kind", "conversation", "agent", "turn", "stream_id", "root_id", "client_worker",
    "request_id", "ordinal",
)  # fmt: skip
"""Columns that `Wanted.equal` may name."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which requests are asked for; `equal` holds column → allowed values, empty ones left out."""

    window: Window = field(default_factory=Window)
    equal: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


def order(sort: str | None) -> Order:
    """Return the order of `sort` (a column, `-` before it descends), else by ordinal."""
    tie = _BY_NAME["ordinal"]
    if not sort or sort == "ordinal":
        return Order(tie)
    name = sort.removeprefix("-")
    if name not in _BY_NAME:
        raise UsageError(f"sort={sort}: no such column.", hint=nearest(name, _BY_NAME))
    return Order(tie, _sql(name), _BY_NAME[name].type, sort.startswith("-"))


def many(
    lake: Lake,
    point: Mapping[str, Any],
    wanted: Wanted,
    *,
    snap: str | None = None,
    sort: str | None = None,
    limit: int = paging.DEFAULT_LIMIT,
    cursor: str | None = None,
) -> Page:
    """Return a page of a point's requests as the contract names them; none without records."""
    by = order(sort)
    asked = paging.question("requests", point["point_id"], sort, _plain(wanted))
    at = paging.start(cursor, by, asked)
    snapshot = paging.snapshot_of(lake, at, snap)
    if not point["requests_object"]:
        return Page([], snapshot)
    found = _read(lake, point, wanted, by, at, limit + 1, snapshot)
    kept, following = paging.cut(found, limit, snapshot, asked, by.tie.name)
    replayed = references(lake, point, kept, snapshot.snap)
    rows = [_row(row, reference) for row, reference in zip(kept, replayed, strict=True)]
    return Page(rows, snapshot, following)


def table(
    lake: Lake, point: Mapping[str, Any], window: Window, snap: str | None = None
) -> pa.Table:
    """Return all requests of a window by ordinal: COLUMNS, then `dataset_ref_…`; empty without."""
    schema = arrow_schema((*COLUMNS, *REFERENCE_COLUMNS))
    if not point["requests_object"]:
        return schema.empty_table()
    condition, params = window.condition()
    columns = ", ".join(f"{_sql(column.name)} AS {column.name}" for column in COLUMNS)
    turns = turns_object(lake, point, snap)
    sql = _TABLE.format(columns=columns, condition=condition, turns=_TURNS if turns else _NO_TURNS)
    objects = {"requests": point["requests_object"]} | ({"turns": turns} if turns else {})
    found = lake.arrow(sql, params | {"dataset": point["dataset"]}, snap=snap, objects=objects)
    return found.select(schema.names).cast(schema)


def _plain(wanted: Wanted) -> list[Any]:
    return [*astuple(wanted.window), *sorted(wanted.equal.items())]


def _read(
    lake: Lake,
    point: Mapping[str, Any],
    wanted: Wanted,
    by: Order,
    at: paging.Position | None,
    n: int,
    snapshot: Snapshot,
) -> list[Row]:
    condition, params = _condition(wanted)
    beyond, more = paging.after(by, at)
    columns = ", ".join(f"{_sql(column.name)} AS {column.name}" for column in COLUMNS)
    sql = (
        f"SELECT {columns}, source_outer_idx, source_inner_idx, {by.value} AS sort_value "
        f"FROM {{requests}} WHERE {condition} AND {beyond} ORDER BY {by.sql} LIMIT {int(n)}"
    )
    objects = {"requests": point["requests_object"]}
    return lake.rows(sql, [*params, *more], snap=snapshot.snap, objects=objects)


def _sql(name: str) -> str:
    return f"{name.removesuffix('_s')}_ns / 1e9" if name in _CLOCKED else name


def _condition(wanted: Wanted) -> tuple[str, list[Any]]:
    text, named = wanted.window.condition()
    params = [named[name] for name in _NAMED.findall(text)]
    parts = [_NAMED.sub("?", text)]
    for name, values in wanted.equal.items():
        parts.append(f"{_BY_NAME[name].name} IN ({', '.join('?' for _ in values)})")
        params.extend(values)
    return " AND ".join(parts), params


def _row(row: Row, reference: Row | None) -> Row:
    return {**{column.name: row[column.name] for column in COLUMNS}, "dataset_ref": reference}
