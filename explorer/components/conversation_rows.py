"""The table of a dataset's conversations: searched and sorted on the server, a page at a time."""

from __future__ import annotations

from html import escape
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components.forms import search_form
from explorer.components.frame import link
from explorer.components.markup import raw
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.units import MISSING, percent
from explorer.domain.view_state import ViewState
from explorer.figures.flame import clock
from explorer.queries.conversations import PAGE, Rows

_ANCHOR = "#conversations"
_COLUMNS = (
    ("conversation", "conversation", ""),
    ("turns", "turns", "n"),
    ("requests", "requests", "n"),
    ("subagents", "subagents", "n"),
    ("isl_tokens", "isl_tokens", "n"),
    ("listorder_cache_hit_ratio", "cached", "n"),
    ("osl_tokens", "osl_tokens", "n"),
    ("max_isl_tokens", "max_isl_tokens", "n"),
    ("compactions", "compactions", "n"),
    ("duration_ms", "duration_ms", "n"),
    ("", "models", ""),
)
_LABELS = {name: label for name, label, _ in _COLUMNS}


def conversations(page: Rows, slug: str, state: ViewState, words: Words) -> Component:
    """Return the section: search, downloads, the rows, the way to more."""
    upto = min(page.offset + PAGE, page.total)
    sort = page.sort.removeprefix("-")
    note = words(
        "dataset.conversations_note",
        shown=f"{page.offset + 1 if page.rows else 0:,}–{upto:,}",
        total=f"{page.total:,}",
        sort=words(f"dataset.column.{_LABELS.get(sort, 'position')}"),
    )
    rows = (
        _table(page, slug, state, words)
        if page.rows
        else html.P(words("dataset.conversations_none"), className="why")
    )
    return html.Section(
        [
            html.H2(words("dataset.conversations"), id=_ANCHOR[1:]),
            html.P(note, className="def"),
            html.Div(
                [_search(slug, state, words), *_downloads(slug, state, words)], className="bar"
            ),
            rows,
            html.P(_ways(page, upto, slug, state, words), className="buttons"),
        ],
        className="conversations",
    )


def _search(slug: str, state: ViewState, words: Words) -> Component:
    rest = state.having(q=None, open=None)
    texts = words("dataset.search"), words("dataset.search_go")
    return search_form(addresses.dataset(slug), rest, "q", texts, state["q"] or "")


def _downloads(slug: str, state: ViewState, words: Words) -> list[Component]:
    path = addresses.with_query(addresses.api_conversations(slug), state.only(("q", "snap")))
    asked = f"{path}{'&' if '?' in path else '?'}limit=1000"
    sort = f"&sort={state['sort']}" if state["sort"] else ""
    return [
        html.A(words(key), href=f"{asked}{sort}&format={name}", className="chip plain")
        for name, key in (("csv", "dataset.download"), ("parquet", "dataset.download_parquet"))
    ]


def _ways(page: Rows, upto: int, slug: str, state: ViewState, words: Words) -> list[Component]:
    ways = []
    if upto < page.total:
        following = addresses.dataset(slug, state.having(open=(f"rows-{upto}",))) + _ANCHOR
        label = words("dataset.more", n=min(PAGE, page.total - upto))
        ways.append(link(label, following, className="btn"))
    if page.offset:
        first = addresses.dataset(slug, state.having(open=None)) + _ANCHOR
        ways.append(link(words("dataset.first_page"), first, className="btn"))
    return ways


def _table(page: Rows, slug: str, state: ViewState, words: Words) -> Component:
    head = "".join(_heading(*column, page.sort, slug, state, words) for column in _COLUMNS)
    body = "".join(_row(row, slug, state, words) for row in page.rows)
    return raw(
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>",
        className="scroll rows",
        tabIndex=0,
        **{"data-testid": "conversations-table"},
    )


def _heading(
    name: str, label: str, css: str, sort: str, slug: str, state: ViewState, words: Words
) -> str:
    text = escape(words(f"dataset.column.{label}"))
    if not name:
        return f'<th scope="col" class="{css}">{text}</th>'
    now, down = sort.removeprefix("-") == name, sort.startswith("-")
    following = f"-{name}" if (css == "n" and not now) or (now and not down) else name
    href = escape(addresses.dataset(slug, state.having(sort=following, open=None)) + _ANCHOR)
    order = ' aria-sort="descending"' if now and down else ' aria-sort="ascending"' if now else ""
    mark = (" ↓" if down else " ↑") if now else ""
    return (
        f'<th scope="col" class="{css}"{order}><a href="{href}" data-nav="1">{text}{mark}</a></th>'
    )


def _row(row: dict[str, Any], slug: str, state: ViewState, words: Words) -> str:
    href = addresses.conversation(slug, row["conversation"], addresses.carried(state))
    repeat = row["duplicate_of"]
    same = escape(words("dataset.duplicate_of", id=repeat)) if repeat else ""
    name = f'<a href="{escape(href)}" data-nav="1">{escape(row["conversation"])}</a>'
    duration = row["duration_ms"]
    cells = (
        f"{row['turns']:,}",
        f"{row['requests']:,}",
        f"{row['subagents']:,}",
        f"{row['isl_tokens']:,}",
        percent(row["listorder_cache_hit_ratio"]),
        f"{row['osl_tokens']:,}",
        f"{row['max_isl_tokens']:,}",
        f"{row['compactions']:,}" if row["compactions"] else MISSING,
        MISSING if duration is None else clock(duration),
    )
    numbers = "".join(f'<td class="n">{cell}</td>' for cell in cells)
    models = escape(", ".join(row["models"]))
    ghost = f' <span class="ghost">{same}</span>' if same else ""
    return f'<tr><th scope="row">{name}{ghost}</th>{numbers}<td class="models">{models}</td></tr>'
