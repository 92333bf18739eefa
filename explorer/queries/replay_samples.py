"""What re-drawing a point needs of its requests: the replay, its tokens and samples, as columns."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from explorer.domain import metrics
from explorer.domain.lake import Lake
from explorer.store.cache import Memo

SAMPLES = tuple(dict.fromkeys(metrics.samples().values()))
Columns = Mapping[str, npt.NDArray[Any]]
_READ: Memo[str, Columns] = Memo(
    8_000_000, lambda columns: sum(one.size for one in columns.values())
)
"""Requests object → its columns: 64 MB at most."""
_AT_ONCE = 300_000
"""Requests that one scan reads, about."""
_SQL = """
SELECT parse_filename(filename, true) AS object, root_id, coalesce(isl_tokens, 0) AS input,
  coalesce(osl_tokens, 0) AS output, {samples}
FROM {{requests}} WHERE phase = 'profiling' AND status = 'ok'
"""


def read(lake: Lake, name: str) -> Columns:
    """Return a requests object's kept requests: block, tokens, each of SAMPLES or NaN.

    A block is the place of the request's replay (`root_id`) among all, in order.
    """
    return _READ.get(name, lambda: _scan(lake, [name])[name])


def read_ahead(lake: Lake, sizes: Mapping[str, int]) -> None:
    """Read objects that `read` will be asked for, many in a scan: a scan each takes ten times.

    `sizes` says about how many requests each has.
    """
    missing = [name for name in sizes if name not in _READ.held(sizes)]
    while missing:
        sums = itertools.accumulate(sizes[name] for name in missing)
        some = max(sum(total <= _AT_ONCE for total in sums), 1)
        for name, columns in _scan(lake, missing[:some]).items():
            _READ.put(name, columns)
        missing = missing[some:]


def _scan(lake: Lake, names: Sequence[str]) -> dict[str, pa.Table]:
    samples = ", ".join(
        f"CASE WHEN {one.usable} THEN ({one.value})::DOUBLE END AS sample_{index}"
        for index, one in enumerate(SAMPLES)
    )
    rows = lake.arrow(_SQL.format(samples=samples), objects={"requests": list(names)})
    place = pc.index_in(rows["object"], pa.array(names)).to_numpy()
    if (np.diff(place) < 0).any():  # rows come file by file, but nothing says so
        rows, place = rows.take(np.argsort(place, kind="stable")), np.sort(place)
    ends = np.searchsorted(place, np.arange(len(names) + 1))
    spans = zip(names, ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    return {name: _columns(rows.slice(start, end - start)) for name, start, end in spans}


def _columns(rows: pa.Table) -> Columns:
    """Return the columns of an object's rows, apart from the scan that read them."""
    roots = rows["root_id"].combine_chunks().dictionary_encode(null_encoding="encode")
    place = pc.rank(roots.dictionary, tiebreaker="dense")
    block = place.take(roots.indices).cast(pa.int64()).to_numpy() - 1
    kept = (name for name in rows.column_names if name not in ("object", "root_id"))
    return {"block": block, **{name: np.array(rows[name].to_numpy()) for name in kept}}
