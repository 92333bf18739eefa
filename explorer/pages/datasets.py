"""`/datasets`: every trace set of the lake."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import exports_of, names
from explorer.components.markup import raw
from explorer.components.view import View, Words
from explorer.domain import addresses
from explorer.domain.lake import Lake
from explorer.domain.units import number, percent
from explorer.domain.view_state import ViewState
from explorer.queries import datasets
from explorer.queries.paging import MAX_LIMIT

_COLUMNS = (
    "name", "conversations", "turns", "subagents", "requests", "isl", "osl", "listorder",
    "theoretical", "models", "points",
)  # fmt: skip
_TEXTS = frozenset({"name", "models"})


def view(lake: Lake, params: Mapping[str, str], state: ViewState) -> View:
    """Return the list of datasets."""
    words = Words(state)
    rows = datasets.many(lake, state["snap"], limit=MAX_LIMIT).rows
    title = _headline(rows, words) if rows else words("datasets.none")
    text = words("datasets.sub" if rows else "datasets.none_text")
    table = _table(rows, datasets.replayed(lake, state["snap"]), state, words) if rows else []
    return View(
        title=f"{words('datasets.title')} · {words('frame.name')}",
        body=html.Div(
            [html.H1(title), html.P(text, className="sub"), *table],
            className="datasets",
            **{"data-testid": "datasets-page"},
        ),
        canonical=addresses.datasets(state.having(lang=None, theme=None)),
        description=title,
        nav="datasets",
        exports=exports_of.of_datasets(state),
    )


def _headline(rows: list[dict[str, Any]], words: Words) -> str:
    return words(
        "datasets.headline",
        datasets=len(rows),
        conversations=f"{sum(row['conversations'] or 0 for row in rows):,}",
        requests=f"{sum(row['requests'] or 0 for row in rows):,}",
    )


def _table(
    rows: list[dict[str, Any]], points: Mapping[str, int], state: ViewState, words: Words
) -> list[Component]:
    head = "".join(
        f'<th scope="col" class="{"" if name in _TEXTS else "n"}">'
        f"{escape(words('datasets.' + name))}</th>"
        for name in _COLUMNS
    )
    body = "".join(_row(row, points.get(row["dataset"], 0), state, words) for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return [
        raw(table, className="scroll", tabIndex=0, **{"data-testid": "datasets-table"}),
        html.P(words("datasets.rules"), className="rules"),
    ]


def _row(row: dict[str, Any], points: int, state: ViewState, words: Words) -> str:
    href = addresses.dataset(row["dataset"], addresses.carried(state))
    about = " · ".join(part for part in (row["format"], row["variant"], row["version"]) if part)
    name = (
        f'<th scope="row"><a href="{escape(href)}" data-nav="1">'
        f"{escape(names.dataset(row))}</a><br><span class=ghost>{escape(about)}</span></th>"
    )
    numbers = (
        f"{row['conversations']:,}" if row["structured"] else "–",
        f"{row['turns'] or 0:,}" if row["structured"] else "–",
        f"{row['subagents'] or 0:,}" if row["structured"] else "–",
        f"{row['requests'] or 0:,}",
        number(row["isl_tokens"]),
        number(row["osl_tokens"]),
        percent(row["listorder_cache_hit_ratio"]),
        percent(row["theoretical_cache_hit_ratio"]),
    )
    cells = "".join(f'<td class="n">{cell}</td>' for cell in numbers)
    models = f"<td class=models>{escape(', '.join(row['models']) or '–')}</td>"
    return f'<tr>{name}{cells}{models}<td class="n">{_points(row, points, state)}</td></tr>'


def _points(row: dict[str, Any], points: int, state: ViewState) -> str:
    if not points:
        return "–"
    href = addresses.curves(addresses.carried(state).having(dataset=(row["dataset"],)))
    return f'<a href="{escape(href)}" data-nav="1">{points:,}</a>'
