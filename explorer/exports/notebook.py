"""A notebook (nbformat 4.5) that loads a view's rows, computes its numbers anew and draws them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from explorer.exports.provenance import Provenance

NEEDS = ("pandas", "pyarrow")
"""What its cells import; matplotlib draws where it is installed."""
_LOAD = '''\
import io
import json
import os
import urllib.request
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

EXPLORER = os.environ.get("EXPLORER", {base!r})
ADDRESS = {address!r}
FILE = Path({file!r})  # beside this notebook: then no server is asked


def load():
    """Return the rows as an Arrow table, from the file or from the server."""
    if FILE.exists():
        return pq.read_table(FILE)
    with urllib.request.urlopen(EXPLORER + ADDRESS) as answer:
        return pq.read_table(io.BytesIO(answer.read()))


table = load()
rows = table.to_pandas()
facts = json.loads(table.schema.metadata[b"explorer"])
units = {{
    one.name: one.metadata[b"unit"].decode()
    for one in table.schema
    if one.metadata and b"unit" in one.metadata
}}
assert facts["snapshot"] == {snapshot!r}, facts["snapshot"]
rows'''
_CURVES = """\
# Which points win, computed anew: nobody eligible on the curve is as good on both axes and better
# on one.
SIGN = {{"higher": 1, "lower": -1, "none": 0}}
SX, SY = SIGN[{x!r}], SIGN[{y!r}]


def wins(curve):
    able = curve[curve.eligible]
    return [
        bool(
            mine.eligible
            and not (
                (SX * (able.x - mine.x) >= 0)
                & (SY * (able.y - mine.y) >= 0)
                & ((SX * (able.x - mine.x) > 0) | (SY * (able.y - mine.y) > 0))
                & bool(SX and SY)
            ).any()
        )
        for mine in curve.itertuples()
    ]


on_frontier = pd.Series(False, index=rows.index)
for _, curve in rows.groupby("curve_id"):
    on_frontier[curve.index] = wins(curve)
computed = on_frontier.rename("on_frontier")
assert {policy!r} != "plain" or (on_frontier == rows.on_frontier).all()
rows[on_frontier].sort_values(["curve_id", "x"])"""
_DRAW_CURVES = """\
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("Install matplotlib for the picture.")
else:
    for label, curve in rows.groupby("label"):
        won = curve[curve.on_frontier].sort_values("x")
        (line,) = plt.plot(won.x, won.y, marker="o", label=label)
        rest = curve[~curve.on_frontier]
        plt.scatter(rest.x, rest.y, color=line.get_color(), alpha=0.3, s=12)
    plt.xlabel({x!r} + ", " + units.get("x", ""))
    plt.ylabel({y!r} + ", " + units.get("y", ""))
    plt.legend(fontsize=7)
    plt.show()"""
_REQUESTS = """\
# The numbers of the point's page, computed anew from its requests: kept are those of the profiling
# phase that ended well.
kept = rows[(rows.phase == "profiling") & (rows.status == "ok")]


def quantiles(values, name):
    ranks = {{"p50": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999}}
    good = values[values > 0]
    found = {{rank + "_" + name: good.quantile(share) for rank, share in ranks.items()}}
    ends = {{"mean": good.mean(), "min": good.min(), "max": good.max()}}
    return found | {{rank + "_" + name: value for rank, value in ends.items()}}


def speeds(values, name):
    swapped = {{"min": "max", "max": "min"}}
    found = {{}}
    for key, value in quantiles(values, "x").items():
        rank = key.removesuffix("_x")
        found[swapped.get(rank, rank) + "_" + name] = 1 / value
    return found


seconds = kept.end_s.max() - kept.start_s.min()
computed = {{
    **quantiles(kept.ttft_s, "ttft_s"),
    **quantiles(kept.e2el_s, "e2el_s"),
    **quantiles(kept.itl_s, "itl_s"),
    **quantiles(kept.isl_tokens, "isl_tokens"),
    **quantiles(kept.osl_tokens, "osl_tokens"),
    **speeds(kept.itl_s, "interactivity_tps"),
    "duration_s": seconds,
    "input_tps": kept.isl_tokens.sum() / seconds,
    "output_tps": kept.osl_tokens.sum() / seconds,
    "total_tps": (kept.isl_tokens.sum() + kept.osl_tokens.sum()) / seconds,
}}
SHOWN = {shown}  # on the page
compared = pd.DataFrame({{"shown": pd.Series(SHOWN, dtype=float), "computed": pd.Series(computed)}})
compared = compared.dropna()
compared["off_by"] = (compared.computed / compared.shown - 1).abs()
assert (compared.off_by < 1e-9).all(), compared
compared"""
_DRAW_REQUESTS = """\
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("Install matplotlib for the picture.")
else:
    plt.scatter(kept.start_s, kept.ttft_s, s=4)
    plt.xlabel("start, s")
    plt.ylabel("TTFT, s")
    plt.yscale("log")
    plt.show()"""
_TURNS = """\
# The totals of the conversation's page, computed anew from its turns.
computed = {{
    name: float(rows[name].sum())
    for name in ("isl_tokens", "cached_tokens", "uncached_tokens", "osl_tokens")
}}
computed["requests"] = float(len(rows))
SHOWN = {shown}  # on the page
compared = pd.DataFrame({{"shown": pd.Series(SHOWN, dtype=float), "computed": pd.Series(computed)}})
compared = compared.dropna()
assert (compared.shown == compared.computed).all(), compared
compared"""
_ROWS = """\
computed = rows.mean(numeric_only=True)
rows.describe()"""


def text(
    of: Provenance,
    file: str,
    address: str,
    base: str,
    kind: str,
    shown: Mapping[str, Any],
) -> str:
    """Return a notebook as JSON text; the same rows give the same bytes.

    It reads `file` beside it, else `address` of the server (EXPLORER, else `base`), and leaves
    what it computed in `computed`.
    """
    load = _LOAD.format(base=base, address=address, file=file, snapshot=of.snapshot)
    cells = [_words(of), _code(load), *[_code(one) for one in _kind(kind, shown)]]
    document = {
        "cells": [{**cell, "id": _id(place, cell)} for place, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "explorer": of.facts(),
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _kind(kind: str, shown: Mapping[str, Any]) -> list[str]:
    """Return the code that computes and draws a kind of rows."""
    if kind == "curves":
        sides, policy = shown["directions"], shown["policy"]
        axes = {"x": shown["x"], "y": shown["y"]}
        return [
            _CURVES.format(x=sides["x"], y=sides["y"], policy=policy),
            _DRAW_CURVES.format(**axes),
        ]
    numbers = {name: value for name, value in shown.items() if isinstance(value, (int, float))}
    if kind == "requests":
        return [_REQUESTS.format(shown=_dict(numbers)), _DRAW_REQUESTS]
    return [_TURNS.format(shown=_dict(numbers))] if kind == "turns" else [_ROWS]


def _dict(numbers: Mapping[str, float]) -> str:
    lines = "".join(f"    {name!r}: {value!r},\n" for name, value in numbers.items())
    return f"{{\n{lines}}}" if lines else "{}"


def _words(of: Provenance) -> dict[str, Any]:
    facts = {name: value for name, value in of.facts().items() if value}
    lines = [f"# Explorer: {of.what}", ""]
    for name, value in facts.items():
        said = ", ".join(value) if isinstance(value, list) else value
        lines.append(f"- **{name}**: {said}")
    lines += ["", f"Needs: {', '.join(NEEDS)}; matplotlib for the picture."]
    return {"cell_type": "markdown", "metadata": {}, "source": _source("\n".join(lines))}


def _code(source: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": _source(source),
    }


def _source(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _id(place: int, cell: Mapping[str, Any]) -> str:
    digest = blake2b("".join(cell["source"]).encode(), digest_size=4).hexdigest()
    return f"cell-{place}-{digest}"
