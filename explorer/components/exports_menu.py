"""The menu of a page's files: every table in four formats, and how to have its numbers again."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from explorer.components.modes import FOLDED, folded
from explorer.components.view import Export, Words
from explorer.domain import addresses
from explorer.domain.lake import Snapshot

TABLES = ("csv", "parquet", "arrow", "json")
AGAIN = ("curl", "sql", "ipynb")
PICTURES = ("svg", "png")
_HEADED = {"csv": "csv&header=1"}
"""A file that leaves carries its provenance, so a CSV gets its comment lines."""


def exports_menu(
    exports: tuple[Export, ...],
    snapshot: Snapshot | None,
    words: Words,
    embed: str | None = None,
) -> Component | None:
    """Return the menu, its links pinned to the snapshot shown; None where there is nothing.

    `embed` is the address of the embed that shows the page's picture, where there is one.
    """
    if not exports or snapshot is None:
        return None
    return html.Details(
        [
            html.Summary(words("exports.menu")),
            None if FOLDED else _menu(exports, snapshot.snap, words, embed),
        ],
        className="chip exports",
        **{"data-menu": "exports", "data-testid": "exports", **folded()},
    )


def _menu(exports: tuple[Export, ...], snap: str, words: Words, embed: str | None) -> Component:
    rows = [_rows(one, snap, words) for one in exports]
    pictures = _pictures(embed, snap, words) if embed else []
    return html.Div([*rows, *pictures], className="menu")


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


def _pictures(embed: str, snap: str, words: Words) -> list[Component]:
    title = words("exports.of.picture")
    links = [
        html.A(
            words(f"exports.format.{ending}"),
            href=_pinned(addresses.picture(embed, ending), snap),
            className="option",
            **{"aria-label": f"{words(f'exports.format.{ending}')}: {title}"},
        )
        for ending in PICTURES
    ]
    group = html.P(links, className="formats", role="group", **{"aria-label": title})
    return [html.Div([html.P(title, className="group"), group], **{"data-export": "picture"})]


def format_address(address: str, format_: str, snap: str) -> str:
    """Return where rows are had in a format, pinned to a snapshot unless they are already."""
    return _with(_pinned(address, snap), f"format={format_}")


def _pinned(address: str, snap: str) -> str:
    return address if "snap=" in address else _with(address, f"snap={snap}")


def _with(address: str, part: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{part}"
