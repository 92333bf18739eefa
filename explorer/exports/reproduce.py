"""A view's numbers again, without this server's pages: as curl, SQL or a notebook.

Each text asks for the very rows that an export holds, pinned to their snapshot, and finds them in
a Parquet file beside it where there is one. What it computes anew it compares with what was shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from explorer.exports import notebook, sql
from explorer.exports.provenance import Provenance, tidy

Kind = Literal["curves", "requests", "turns", "rows"]


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose rows: `name` is their files' stem, `columns` their table's.

    `base` is the server's address; `shown` are the numbers of the figure: for curves `directions`
    and `policy`, for requests the point's metrics, for turns the conversation's totals.
    """

    of: Provenance
    name: str
    columns: tuple[str, ...]
    base: str
    kind: Kind = "rows"
    shown: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Format:
    """How a text is made, its type, its file's ending; `inline` ones are read in the browser."""

    make: Callable[[Subject], str]
    mime: str
    ending: str
    inline: bool


def address_of(of: Provenance, format_: str = "") -> str:
    """Return the address of rows in a format, safe inside quotes of shell, SQL and Python."""
    address = tidy(of.address)
    if not format_:
        return address
    return f"{address}{'&' if '?' in address else '?'}format={format_}"


def _curl(subject: Subject) -> str:
    """Return a shell script that fetches the rows in every tabular format."""
    calls = [
        f'curl -fsS "$EXPLORER{address_of(subject.of, asked)}" -o {subject.name}.{ending}'
        for asked, ending in (
            ("json", "json"), ("parquet", "parquet"), ("csv&header=1", "csv"), ("arrow", "arrows"),
        )
    ]  # fmt: skip
    return "\n".join(
        [
            "#!/bin/sh",
            "set -e",
            *sql.heading(subject.of, "#"),
            f'EXPLORER="${{EXPLORER:-{tidy(subject.base)}}}"',
            *calls,
            "",
        ]
    )


def _sql(subject: Subject) -> str:
    remote = subject.base + address_of(subject.of, "parquet")
    return sql.text(
        subject.of, f"{subject.name}.parquet", tidy(remote), subject.columns, subject.kind,
        subject.shown,
    )  # fmt: skip


def _ipynb(subject: Subject) -> str:
    return notebook.text(
        subject.of, f"{subject.name}.parquet", address_of(subject.of, "parquet"),
        tidy(subject.base), subject.kind, subject.shown,
    )  # fmt: skip


_PLAIN = "text/plain; charset=utf-8"
FORMATS: Mapping[str, Format] = {
    "curl": Format(_curl, _PLAIN, "sh", inline=True),
    "sql": Format(_sql, _PLAIN, "sql", inline=True),
    "ipynb": Format(_ipynb, "application/x-ipynb+json", "ipynb", inline=False),
}
