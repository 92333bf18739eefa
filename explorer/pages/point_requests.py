"""The requests of a point's page: searched, filtered, sorted, a part at a time."""

from __future__ import annotations

from html import escape

from dash import html
from dash.development.base_component import Component

from explorer.components import point_tables
from explorer.components.forms import search_form
from explorer.components.frame import link
from explorer.components.view import Words
from explorer.domain import addresses, view_state
from explorer.domain.view_state import ViewState
from explorer.pages.point_sections import Shown
from explorer.queries import request_page
from explorer.queries.paging import MAX_LIMIT
from explorer.queries.request_page import RequestPage

_ROWS, _FAILED = "rows-", "not-ok"
PART = 100
"""Rows that one answer brings while one scrolls."""
_CUT = ("snap", "phase", "from", "to", "where", "engine_id")


def cut(shown: Shown) -> ViewState:
    """Return what an API link carries on, so that it answers the page's own window."""
    return shown.state.only(_CUT)


def section(shown: Shown) -> list[Component]:
    """Return the table of requests with search, filter and pages."""
    words = shown.words
    title = html.H2(words("point.requests"), id="requests")
    page = _page(shown, request_page.PAGE)
    if page is None:
        why = html.P(words("point.requests_none"), className="why")
        return [html.Section([title, why], className="requests")]
    table = (
        _table(shown, page) if page.rows else html.P(words("point.requests_empty"), className="why")
    )
    parts = [
        title,
        html.Div(_filters(shown, page.total), className="bar"),
        table,
        _pager(shown, page),
    ]
    return [html.Section(parts, className="requests")]


def rows(shown: Shown) -> list[Component]:
    """Return a part of the rows alone: what the table asks for as one scrolls."""
    page = _page(shown, PART)
    return [_table(shown, page)] if page is not None else []


def _page(shown: Shown, limit: int) -> RequestPage | None:
    state = shown.state
    return request_page.page(
        shown.lake,
        shown.point,
        shown.window,
        search=state["q"],
        sort=state["sort"],
        offset=_offset(state),
        failed=_FAILED in state["open"],
        limit=limit,
        snap=state["snap"],
    )


def _table(shown: Shown, page: RequestPage) -> Component:
    """Return the rows with where they stand; `{n}` in the address of a part is its first row."""
    state, words = shown.state, shown.words
    upto = page.offset + len(page.rows)
    seen = f'<span class="rows-seen">{page.offset + 1 if page.rows else 0:,}–{upto:,}</span>'
    note = words("point.requests_note", shown="{shown}", total=f"{page.total:,}", sort=_by(page))
    part = state.having(view="rows", open=(f"{_ROWS}N", *[_FAILED] * (_FAILED in state["open"])))
    return point_tables.request_rows(
        page,
        shown.point,
        state,
        words,
        note=escape(note).replace("{shown}", seen),
        part_href=shown.here(part).replace(f"{_ROWS}N", f"{_ROWS}{{n}}"),
    )


def _by(page: RequestPage) -> str:
    return page.sort.removeprefix("-").removesuffix("_s").removesuffix("_tokens")


def _pager(shown: Shown, page: RequestPage) -> Component:
    """Return the ways to the next rows and back to the first, for pages without scripts."""
    upto = page.offset + len(page.rows)
    failed = _FAILED in shown.state["open"]
    following = shown.here(_open(shown.state, upto, failed)) + "#requests"
    return point_tables.pager(
        following if upto < page.total else "",
        shown.words("point.more", n=min(request_page.PAGE, page.total - upto)),
        shown.here(_open(shown.state, 0, failed)) + "#requests",
        shown.words("point.first_page"),
        page.offset,
    )


def _offset(state: ViewState) -> int:
    """Return from which row on the table starts."""
    starts = [word.removeprefix(_ROWS) for word in state["open"] if word.startswith(_ROWS)]
    return int(starts[0]) if starts and starts[0].isdecimal() else 0


def _open(state: ViewState, offset: int, failed: bool) -> ViewState:
    opened = [f"{_ROWS}{offset}"] * bool(offset) + [_FAILED] * failed
    return state.having(open=tuple(opened))


def _filters(shown: Shown, total: int) -> list[Component]:
    """Return the search field, the switch to failures, and the download."""
    words, state = shown.words, shown.state
    failed = _FAILED in state["open"]
    switch = html.Nav(
        [
            link(
                words(f"point.filter_{name}"),
                shown.here(_open(state, 0, only)) + "#requests",
                className="on" if only == failed else None,
                **({"aria-current": "true"} if only == failed else {}),
            )
            for name, only in (("all", False), ("failed", True))
        ],
        className="toggle",
        **{"aria-label": words("point.request.status")},
    )
    return [_search(state, shown.point["point_id"], words), switch, _download(shown, total)]


def _download(shown: Shown, total: int) -> Component:
    """Return the rows as CSV: all of a window; of ranges or failures as many as one answer has."""
    words, state, point_id = shown.words, shown.state, shown.point["point_id"]
    failed = _FAILED in state["open"]
    if not failed and not shown.window.ranges and not state["engine_id"]:
        address = addresses.api_point(point_id, "timeline")
        query = view_state.format(state.only(("snap", "phase", "from", "to")))
        text = words("point.download")
    else:
        address = addresses.api_point(point_id, "requests")
        query = f"{view_state.format(cut(shown))}&limit={MAX_LIMIT}"
        query += "&status=cancelled,failed" if failed else ""
        some = total > MAX_LIMIT
        text = words("point.download_first" if some else "point.download", n=f"{MAX_LIMIT:,}")
    return html.A(text, href=f"{address}?format=csv&{query}".rstrip("&"), className="chip plain")


def _search(state: ViewState, point_id: str, words: Words) -> Component:
    rest = state.having(q=None, open=None)
    texts = words("point.search"), words("point.search_go")
    return search_form(addresses.point(point_id), rest, "q", texts, state["q"] or "")
