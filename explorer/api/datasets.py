"""/datasets, their statistics, their conversations, a conversation's turns, picture and profile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from explorer import i18n
from explorer.api import schemas
from explorer.api.envelope import Answer
from explorer.api.parameters import PAGING, SNAP, Arguments, Parameter, of_view
from explorer.api.route import Route, Schema
from explorer.domain.answers import Distribution, Fitted
from explorer.domain.columns import Column
from explorer.domain.lake import Lake
from explorer.domain.turns import (
    CONVERSATION_COLUMNS,
    DATASET_COLUMNS,
    TURN_COLUMNS,
    Turn,
    max_turn_tokens,
)
from explorer.exports import tabular
from explorer.exports.speedscope import speedscope as profile
from explorer.figures.flame_svg import flame_svg
from explorer.queries import conversations, datasets
from explorer.queries.conversations import Conversation

_HIDDEN = ("turns_object", "sources")
_RATIOS = (
    Column("listorder_cache_hit_ratio", "float", "hit blocks / blocks, list order (flame graph)"),
    Column("theoretical_cache_hit_ratio", "float", "hit blocks / blocks, absolute time order"),
)
_DATASET = (*(one for one in DATASET_COLUMNS if one.name not in _HIDDEN), *_RATIOS)
_ID = "conversation_id"
_BY_NAME = {one.name: one for one in TURN_COLUMNS}
_SECONDS = (
    Column("t_s", "float", "start, s from the conversation's start"),
    Column("end_s", "float", "end, s; null where the trace gives no duration"),
)
_WHO = ("turn", "agent", "parent_turn", "join_turn", "kind")
_TOKENS = ("isl_tokens", "cached_tokens", "uncached_tokens", "osl_tokens")
TURN = (
    *(_BY_NAME[name] for name in _WHO),
    *_SECONDS,
    *(_BY_NAME[name] for name in (*_TOKENS, "model")),
)
"""Columns of a turn in the contract's order; the tables have all of TURN_COLUMNS."""

_TOTALS = (
    "turns", "requests", "subagents", "aux_requests", *_TOKENS, "time_order_cached_tokens",
    "blocks", "unique_blocks", "hit_blocks", "time_order_hit_blocks", "listorder_cache_hit_ratio",
    "theoretical_cache_hit_ratio", "compactions", "duration_ms",
)  # fmt: skip
_CONVERSATIONS = {one.name: one for one in CONVERSATION_COLUMNS}


def many(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Answer:
    """Return the datasets of the lake."""
    snap = arguments.state["snap"]
    page = datasets.many(lake, snap, limit=arguments["limit"], cursor=arguments["cursor"])
    return Answer(
        data=[_plain(row, _DATASET) for row in page.rows],
        snapshot=page.snapshot,
        state=arguments.state,
        next=page.next,
        table=lambda: tabular.table(page.rows, _DATASET),
    )


def one(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Answer:
    """Return a dataset with its distributions."""
    row = datasets.one(lake, values["slug"], arguments.state["snap"])
    found = datasets.distributions(lake, row)
    shown = {name: _distribution(found.get(name)) for name in datasets.QUANTITIES}
    return Answer(
        data={**_plain(row, _DATASET), "distributions": shown},
        snapshot=lake.snapshot(arguments.state["snap"]),
        state=arguments.state,
        table=lambda: tabular.table([row], _DATASET),
    )


def _plain(row: Mapping[str, Any], columns: Iterable[Column]) -> dict[str, Any]:
    return {column.name: row.get(column.name) for column in columns}


def _distribution(found: Fitted | None) -> dict[str, Any] | None:
    if found is None:
        return None
    data: Distribution = found.data
    model = found.fit
    return {
        "n": data.n,
        "left_out": found.left_out,
        "min": data.minimum,
        "max": data.maximum,
        "mean": data.mean,
        **data.percentiles,
        "edges": data.edges,
        "counts": data.counts,
        "lognormal": None
        if model is None
        else {"mu": model.mu, "sigma": model.sigma, "distance": found.distance},
    }


def listed(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Answer:
    """Return the conversations of a dataset."""
    page = conversations.many(
        lake,
        values["slug"],
        snap=arguments.state["snap"],
        search=arguments.state["q"],
        sort=arguments["sort"],
        limit=arguments["limit"],
        cursor=arguments["cursor"],
    )
    return Answer(
        data=[_plain(row, CONVERSATION_COLUMNS) for row in page.rows],
        snapshot=page.snapshot,
        state=arguments.state,
        next=page.next,
        table=lambda: tabular.table(page.rows, CONVERSATION_COLUMNS),
    )


def conversation(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Answer:
    """Return a conversation's turns; as a table with every column the lake keeps of them."""
    found = _found(lake, values, arguments)
    return Answer(
        data={
            "dataset": found.dataset["dataset"],
            "conversation": found.row["conversation"],
            "block_tokens": found.row["block_tokens"],
            "models": found.row["models"],
            "turns": [_turn(turn) for turn in found.turns],
            "totals": {name: found.row[name] for name in _TOTALS},
            "max_turn_tokens": max_turn_tokens(found.turns),
        },
        snapshot=lake.snapshot(arguments.state["snap"]),
        state=arguments.state,
        table=lambda: tabular.table(_wide(found), TURN_COLUMNS),
        kind="turns",
        figures={name: found.row[name] for name in _TOTALS},
    )


def _found(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Conversation:
    return conversations.one(lake, values["slug"], values[_ID], arguments.state["snap"])


def _turn(turn: Turn) -> dict[str, Any]:
    row: dict[str, Any] = {name: getattr(turn, name) for name in _WHO}
    row["t_s"] = turn.t_ms / 1e3
    row["end_s"] = None if turn.end_ms is None else turn.end_ms / 1e3
    return row | {name: getattr(turn, name) for name in (*_TOKENS, "model")}


def _wide(found: Conversation) -> list[dict[str, Any]]:
    key = {"dataset": found.dataset["dataset"], "conversation": found.row["conversation"]}
    names = [one.name for one in TURN_COLUMNS if one.name not in key]
    return [key | {name: getattr(turn, name) for name in names} for turn in found.turns]


def flame(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Answer:
    """Return a conversation's flame graph as a picture that stands on its own."""
    found = _found(lake, values, arguments)
    say = partial(i18n.text, arguments.state["lang"])
    picture = flame_svg(found.turns, say=say, standalone=True)
    return Answer(
        data=picture.encode(),
        snapshot=lake.snapshot(arguments.state["snap"]),
        mime="image/svg+xml",
        bare=True,
    )


def speedscope(lake: Lake, values: Mapping[str, str], arguments: Arguments) -> Answer:
    """Return a conversation as a speedscope file."""
    found = _found(lake, values, arguments)
    name = f"{found.dataset['dataset']}/{found.row['conversation']}"
    return Answer(
        data=profile(name, found.turns),
        snapshot=lake.snapshot(arguments.state["snap"]),
        bare=True,
    )


def dataset_schema() -> Schema:
    """Return the schema of a dataset."""
    return schemas.record(schemas.columns(_DATASET, ("dataset", "name", "format")))


def statistics_schema() -> Schema:
    """Return the schema of a dataset with its distributions."""
    number: Schema = {"type": "number"}
    numbers = schemas.rows(number)
    fit = schemas.record({"mu": number, "sigma": number, "distance": number})
    names = ("min", "max", "mean", "p50", "p90", "p99")
    shape = schemas.record(
        {
            "n": {"type": "integer"},
            "left_out": {"type": "integer"},
            **dict.fromkeys(names, number),
            "edges": numbers,
            "counts": schemas.rows({"type": "integer"}),
            "lognormal": _or_null(fit),
        }
    )
    properties = dataset_schema()["properties"]
    shapes = schemas.record(dict.fromkeys(datasets.QUANTITIES, _or_null(shape)))
    return schemas.record({**properties, "distributions": shapes})


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def conversation_schema() -> Schema:
    """Return the schema of a row of conversations."""
    return schemas.record(schemas.columns(CONVERSATION_COLUMNS, ("dataset", "conversation")))


def turns_schema() -> Schema:
    """Return the schema of a conversation with its turns."""
    turn = schemas.record(schemas.columns(TURN, ("turn", "kind", "t_s", "isl_tokens")))
    return schemas.record(
        {
            "dataset": {"type": "string"},
            "conversation": {"type": "string"},
            "block_tokens": {"type": ["integer", "null"]},
            "models": schemas.rows({"type": "string"}),
            "turns": schemas.rows(turn),
            "totals": schemas.record(schemas.columns(_CONVERSATIONS[name] for name in _TOTALS)),
            "max_turn_tokens": {"type": "integer"},
        }
    )


_ONE = f"/datasets/{{slug}}/conversations/{{{_ID}}}"
ROUTES = (
    Route(
        name="datasets",
        path="/datasets",
        ask=many,
        schema=lambda: schemas.rows({"$ref": "#/components/schemas/Dataset"}),
        own=(*SNAP, *PAGING),
        tabular=True,
    ),
    Route(
        name="dataset",
        path="/datasets/{slug}",
        ask=one,
        schema=statistics_schema,
        own=SNAP,
        tabular=True,
    ),
    Route(
        name="conversations",
        path="/datasets/{slug}/conversations",
        ask=listed,
        schema=lambda: schemas.rows({"$ref": "#/components/schemas/Conversation"}),
        own=(*of_view("q"), *SNAP, Parameter("sort", "text"), *PAGING),
        tabular=True,
    ),
    Route(
        name="conversation",
        path=_ONE,
        rest=(_ID,),
        ask=conversation,
        schema=turns_schema,
        own=SNAP,
        tabular=True,
    ),
    Route(
        name="flame",
        path=f"{_ONE}/flame",
        rest=(_ID,),
        ask=flame,
        schema=lambda: {"type": "string"},
        own=(*of_view("lang"), *SNAP),
        bare=True,
        mime="image/svg+xml",
    ),
    Route(
        name="speedscope",
        path=f"{_ONE}/speedscope",
        rest=(_ID,),
        ask=speedscope,
        schema=lambda: {"type": "object"},
        own=SNAP,
        bare=True,
    ),
)
