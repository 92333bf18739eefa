"""From rows with absolute times to the lake's requests table: one clock, one ITL, one order."""

from __future__ import annotations

from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from explorer.store.schema import REQUESTS

RAW = pa.schema(
    [
        *(column for column in REQUESTS if column.name not in ("ordinal", "root_id", "itl_s")),
        pa.field("full_itl_s", pa.float64()),
        pa.field("plain_itl_s", pa.float64()),
    ]
)
"""What a reader fills in: times absolute, both of AIPerf's ITLs beside each other."""

_TIMES = ("credit_ns", "start_ns", "first_token_ns", "end_ns")


class Stream(NamedTuple):
    """Where a stream hangs in its tree, as its records say."""

    parent: str | None
    root: str | None


class Finished(NamedTuple):
    """The table of REQUEST_COLUMNS, its clock's zero, and what its ITL is."""

    table: pa.Table
    zero_ns: int | None
    itl_source: str | None


def finish(raw: pa.Table, streams: dict[str, Stream]) -> Finished:
    """Return rows sorted by (start, request_id), times after the earliest profiling start.

    Failed and cancelled records count for the zero; without a profiling record the earliest
    start of all is the zero.
    """
    zero = _zero(raw)
    itl, source = _itl(raw)
    table = raw.append_column("itl_s", itl)
    for name in _TIMES if zero is not None else ():
        index = table.schema.get_field_index(name)
        table = table.set_column(index, name, pc.subtract(table[name], pa.scalar(zero)))
    table = table.append_column("root_id", _roots(table["stream_id"], streams))
    table = _depths(table, streams)
    table = table.sort_by([("start_ns", "ascending"), ("request_id", "ascending")])
    table = table.append_column("ordinal", pa.array(range(table.num_rows), pa.int64()))
    return Finished(table.select(REQUESTS.names).cast(REQUESTS), zero, source)


def _zero(raw: pa.Table) -> int | None:
    profiling = raw.filter(pc.equal(raw["phase"], "profiling"))
    found: int | None = pc.min(profiling["start_ns"]).as_py()
    return pc.min(raw["start_ns"]).as_py() if found is None else found


def _itl(raw: pa.Table) -> tuple[Any, str | None]:
    """Return one ITL for the whole point, and its name: a point never mixes definitions."""
    kept = pc.and_(pc.equal(raw["phase"], "profiling"), pc.equal(raw["status"], "ok"))
    formula = _formula(raw)
    choices = (
        ("full_response", raw["full_itl_s"]),
        ("formula", formula),
        ("inter_token_latency", raw["plain_itl_s"]),
    )
    for name, column in choices:
        positive = _positive(column)
        if positive.filter(kept).null_count < pc.sum(pc.cast(kept, pa.int64())).as_py():
            return positive, name
    return formula, None


def _formula(raw: pa.Table) -> Any:
    """Return (E2EL − TTFT) / (OSL − 1) where OSL ≥ 2."""
    steps = pc.subtract(raw["osl_tokens"], 1)
    steps = pc.if_else(pc.greater(steps, 0), steps, pa.scalar(None, pa.int64()))
    spent = pc.subtract(raw["e2el_s"], raw["ttft_s"])
    return _positive(pc.divide(spent, pc.cast(steps, pa.float64())))


def _positive(column: Any) -> Any:
    """Return the column without zeros: a single-chunk answer has no inter-token latency."""
    return pc.if_else(pc.greater(column, 0), column, pa.scalar(None, pa.float64()))


def root_of(stream: str, streams: dict[str, Stream]) -> str:
    """Return the root of a stream: its own word, else the end of the chain of parents.

    A parent that never finished has no record and is the root we know. A cycle ends at the
    smallest id in it, so that all its members agree.
    """
    seen: dict[str, None] = {}
    while stream not in seen:
        seen[stream] = None
        known = streams.get(stream)
        if known is None or (known.root is None and known.parent is None):
            return stream
        if known.root is not None:
            return known.root
        stream = known.parent or stream
    walked = list(seen)
    return min(walked[walked.index(stream) :])


def _roots(column: Any, streams: dict[str, Stream]) -> pa.Array:
    roots = {stream: root_of(stream, streams) for stream in streams}
    return pa.array([roots.get(stream) for stream in column.to_pylist()], pa.string())


def _depths(table: pa.Table, streams: dict[str, Stream]) -> pa.Table:
    """Fill depths that the file lacks by walking parents."""
    if table["depth"].null_count == 0:
        return table
    known = {stream: depth_of(stream, streams) for stream in streams}
    pairs = zip(table["depth"].to_pylist(), table["stream_id"].to_pylist(), strict=True)
    depths = [known.get(stream, 0) if depth is None else depth for depth, stream in pairs]
    index = table.schema.get_field_index("depth")
    return table.set_column(index, "depth", pa.array(depths, pa.int64()))


def depth_of(stream: str, streams: dict[str, Stream]) -> int:
    """Return how many parents a stream has, each counted once."""
    seen: set[str] = set()
    while stream not in seen:
        seen.add(stream)
        known = streams.get(stream)
        if known is None or known.parent is None:
            break
        stream = known.parent
    return len(seen) - 1
