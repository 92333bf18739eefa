"""The menu of a page's files: every table in four formats, and how to have its numbers again."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from explorer.components.view import Export, Words
from explorer.domain.lake import Snapshot

TABLES = ("csv", "parquet", "arrow", "json")
AGAIN = ("curl", "sql", "ipynb")
_HEADED = {"csv": "csv&header=1"}
"""A file that leaves carries its provenance, so a CSV gets its comment lines."""


def exports_menu(
    exports: tuple[Export, ...], snapshot: Snapshot | None, words: Words
) -> Component | None:
    """Return the menu, its links pinned to the snapshot shown; None where there is nothing."""
    if not exports or snapshot is None:
        return None
    return html.Details(
        [
            html.Summary(words("exports.menu")),
            html.Div([_rows(one, snapshot.snap, words) for one in exports], className="menu"),
        ],
        className="chip exports",
        **{"data-menu": "exports", "data-testid": "exports"},
    )


def _rows(export: Export, snap: str, words: Words) -> Component:
    title = words(f"exports.of.{export.name}")
    title = f"{title} · {export.of}" if export.of else title
    lines = [
        html.P(
            [_format(export.address, format_, title, snap, words) for format_ in formats],
            className="formats",
            **{"aria-label": words(f"exports.{line}"), "role": "group"},
        )
        for line, formats in (("tables", TABLES), ("again", AGAIN))
    ]
    return html.Div([html.P(title, className="group"), *lines], **{"data-export": export.name})


def _format(address: str, format_: str, title: str, snap: str, words: Words) -> Component:
    text = words(f"exports.format.{format_}")
    return html.A(
        text,
        href=format_address(address, _HEADED.get(format_, format_), snap),
        className="option",
        **{"aria-label": f"{text}: {title}"},
    )


def format_address(address: str, format_: str, snap: str) -> str:
    """Return where rows are had in a format, pinned to a snapshot unless they are already."""
    pinned = "snap=" in address
    parts = [*([] if pinned else [f"snap={snap}"]), f"format={format_}"]
    return f"{address}{'&' if '?' in address else '?'}{'&'.join(parts)}"
