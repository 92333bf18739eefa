"""SQL that gives a view's rows again from its Parquet file, in the DuckDB shell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from explorer.domain.metrics import request_metrics
from explorer.exports.provenance import Provenance
from explorer.store.metric_sql import statement

_SIGNS = {"higher": (">=", ">"), "lower": ("<=", "<")}
_CURVES = """\
-- Which points win is computed anew: nobody eligible on the curve is as good on both axes and
-- better on one.
SELECT {columns}
FROM shown AS mine ORDER BY place;
"""
_WINS = """\
eligible AND NOT EXISTS (
    SELECT 1 FROM shown AS other
    WHERE other.curve_id = mine.curve_id AND other.eligible
      AND other.x {xe} mine.x AND other.y {ye} mine.y AND (other.x {x} mine.x OR other.y {y} mine.y)
  ) AS on_frontier"""
_AGAIN = """
-- The numbers of the point's page from these requests: kept are those of the phase with status ok.
CREATE OR REPLACE TEMP VIEW requests AS SELECT *,
  round(credit_s * 1e9)::BIGINT AS credit_ns, round(start_s * 1e9)::BIGINT AS start_ns,
  round(first_token_s * 1e9)::BIGINT AS first_token_ns, round(end_s * 1e9)::BIGINT AS end_ns
FROM shown;
"""


def heading(of: Provenance, mark: str) -> list[str]:
    """Return what a text says of its rows, as comment lines."""
    facts = of.facts()
    keys = ("export", "product", "snapshot", "date", "source", "note", "filters", "licence")
    found = [(key, facts.get(key)) for key in keys]
    return [f"{mark} {key}: {_plain(value)}" for key, value in found if value]


def _plain(value: Any) -> str:
    text = ", ".join(value) if isinstance(value, list) else str(value)
    return " ".join(text.split())


def text(
    of: Provenance,
    file: str,
    remote: str,
    columns: Sequence[str],
    kind: str,
    shown: Mapping[str, Any],
) -> str:
    """Return statements whose first SELECT gives the rows of `file`, column by column.

    `remote` is where DuckDB reads the same file with its httpfs extension. Curves get their
    frontier computed anew, requests a last statement with the point's numbers.
    """
    lines = [
        *heading(of, "--"),
        f"-- Reads {file} from this folder; with the httpfs extension the address works as well:",
        f"--   {remote}",
        "CREATE OR REPLACE TEMP VIEW shown AS SELECT *, file_row_number AS place",
        f"FROM read_parquet('{file}', file_row_number = true);",
        "",
    ]
    return "\n".join(lines) + _rows(columns, kind, shown) + _more(kind)


def _rows(columns: Sequence[str], kind: str, shown: Mapping[str, Any]) -> str:
    names = [f'"{name}"' for name in columns]
    sides = shown.get("directions", {})
    again = kind == "curves" and shown.get("policy") == "plain"
    if again and all(sides.get(axis) in _SIGNS for axis in ("x", "y")):
        (xe, x), (ye, y) = _SIGNS[sides["x"]], _SIGNS[sides["y"]]
        wins = _WINS.format(xe=xe, x=x, ye=ye, y=y)
        parts = [wins if name == '"on_frontier"' else name for name in names]
        return _CURVES.format(columns=",\n  ".join(parts))
    return f"SELECT {', '.join(names)} FROM shown ORDER BY place;\n"


def _more(kind: str) -> str:
    if kind != "requests":
        return ""
    measured = statement(request_metrics(), "requests", "phase = 'profiling'")
    return f"{_AGAIN}{measured.strip()};\n"
