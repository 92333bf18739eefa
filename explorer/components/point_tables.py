"""Tables of a point's page: requests, errors, the siblings' matrix, the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components.frame import link
from explorer.components.markup import raw
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.units import MISSING, number
from explorer.domain.view_state import ViewState
from explorer.figures.chart import clock
from explorer.queries.request_page import RequestPage

Row = Mapping[str, Any]
_COLUMNS = (
    ("start_s", "start", ""),
    ("conversation", "conversation", ""),
    ("turn", "turn", "n"),
    ("isl_tokens", "isl", "n"),
    ("cached_tokens", "cached", "n"),
    ("osl_tokens", "osl", "n"),
    ("queue_wait_s", "wait", "n"),
    ("ttft_s", "ttft", "n"),
    ("e2el_s", "e2el", "n"),
    ("interactivity_tps", "speed", "n"),
    ("status", "status", ""),
)


def request_rows(
    page: RequestPage, point: Row, state: ViewState, words: Words, *, note: str, part_href: str
) -> Component:
    """Return the table of requests; a heading sorts by its column, again to turn round.

    `note` is HTML over it. With scripts the table scrolls over all rows (assets/point_rows.js):
    it asks `part_href`, `{n}` in it being the first row wanted. Rows are numbered from 2 on, the
    headings being row 1.
    """
    columns = [column for column in _COLUMNS if column[0] in page.known]
    head = "".join(_heading(column, point, page.sort, state, words) for column in columns)
    body = "".join(
        _request(row, index, columns, point, state, words)
        for index, row in enumerate(page.rows, page.offset + 2)
    )
    region = "".join(
        f' {_ATTRIBUTES.get(name, name)}="{escape(value)}"'
        for name, value in _region(words("point.requests"), "requests-table").items()
    )
    return raw(
        f'<p class="def">{note}</p><div class="scroll rows"{region}>'
        f'<table aria-rowcount="{page.total + 1}"><thead><tr aria-rowindex="1">{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>",
        className="rows-part",
        **{
            "data-rows-total": str(page.total),
            "data-rows-offset": str(page.offset),
            "data-rows-href": part_href,
        },
    )


_ATTRIBUTES = {"tabIndex": "tabindex"}


def _heading(
    column: tuple[str, str, str], point: Row, sort: str, state: ViewState, words: Words
) -> str:
    name, label, css = column
    now = sort.removeprefix("-") == name
    down = now and sort.startswith("-")
    following = name if down or not now else f"-{name}"
    if not now and css == "n":
        following = f"-{name}"
    target = state.having(sort=None if following == "start_s" else following, open=None)
    href = escape(addresses.point(point["point_id"], target) + "#requests")
    order = ' aria-sort="descending"' if down else ' aria-sort="ascending"' if now else ""
    mark = (" ↓" if down else " ↑") if now else ""
    text = escape(words(f"point.request.{label}"))
    return (
        f'<th scope="col" class="{css}"{order}><a href="{href}" data-nav="1">{text}{mark}</a></th>'
    )


def _request(
    row: Row,
    index: int,
    columns: Sequence[tuple[str, str, str]],
    point: Row,
    state: ViewState,
    words: Words,
) -> str:
    cells = "".join(
        f'<td class="{css}">{_request_cell(name, row, point, state, words)}</td>'
        for name, _, css in columns
    )
    css = "" if row["status"] == "ok" else ' class="not-ok"'
    request = escape(row["request_id"] or "")
    return f'<tr{css} aria-rowindex="{index}" data-request="{request}">{cells}</tr>'


def _request_cell(name: str, row: Row, point: Row, state: ViewState, words: Words) -> str:
    if name == "start_s":
        state = addresses.carried(state).having(phase=row["phase"], req=row["request_id"])
        href = escape(addresses.timeline(point["point_id"], state))
        return f'<a href="{href}" data-nav="1">{clock(round(row[name], 2))}</a>'
    if name == "conversation":
        return _conversation(row, point, state)
    if name == "status":
        return _status(row, words)
    value = row[name]
    if isinstance(value, int):
        return f"{value:,}"
    return number(value)


def _conversation(row: Row, point: Row, state: ViewState) -> str:
    """Return the conversation, linked to its turn in the dataset where one is bound."""
    agent = f' <span class="ghost">{escape(row["agent"])}</span>' if row["agent"] else ""
    if row["conversation"] is None:
        return MISSING
    text = escape(row["conversation"])
    turn = row["dataset_ref"]
    if turn is None:
        return text + agent
    place = None if turn["turn"] is None else str(turn["turn"])
    phase = None if row["phase"] == "profiling" else row["phase"]
    state = addresses.carried(state).having(
        turn=place, agent=turn["agent"], point=point["point_id"], phase=phase
    )
    href = escape(addresses.conversation(turn["dataset"], turn["conversation"], state))
    return f'<a href="{href}" data-nav="1">{text}</a>{agent}'


def _status(row: Row, words: Words) -> str:
    if row["status"] == "ok":
        return "ok"
    parts = [row["error_type"] or "", "" if row["error_code"] is None else str(row["error_code"])]
    why = escape(" ".join(part for part in parts if part))
    status = escape(words(f"point.error.{row['status']}"))
    return f'<span class="bad">{status}</span> {why}'


def error_table(kinds: Sequence[Row], words: Words) -> Component:
    """Return failures by kind, with when and where each began."""
    timed = any(kind.get("first_s") is not None for kind in kinds)
    columns = ["kind", "n", *(["conversations", "first", "where", "line"] if timed else [])]
    numeric = ("n", "conversations")
    head = "".join(
        f'<th scope="col" class="{"n" if name in numeric else ""}">'
        f"{escape(words(f'point.error.{name}'))}</th>"
        for name in columns
    )
    body = "".join(_error(kind, timed, words) for kind in kinds)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return raw(table, className="scroll", **_region(words("point.errors"), "errors-table"))


def _region(label: str, hook: str) -> dict[str, str]:
    """Return what makes a sideways-scrolling table reachable by keyboard, and its hook."""
    return {"tabIndex": "0", "role": "region", "aria-label": label, "data-testid": hook}


def _error(kind: Row, timed: bool, words: Words) -> str:
    code = f" {kind['code']}" if kind.get("code") is not None else ""
    name = f"{kind.get('type') or words('point.error.unnamed')}{code}"
    status = words(f"point.error.{kind['status']}")
    cells = f'<th scope="row">{escape(name)} <span class="ghost">{escape(status)}</span></th>'
    cells += f'<td class="n">{kind["n"]:,}</td>'
    if timed:
        turn = "" if kind["first_turn"] is None else f" · {kind['first_turn']}"
        where = f"{kind['first_conversation'] or MISSING}{turn}"
        cells += (
            f'<td class="n">{kind["conversations"]:,}</td>'
            f"<td>{clock(round(kind['first_s'], 1))}</td>"
            f'<td>{escape(where)}</td><td class="line">{escape(kind["line"] or "")}</td>'
        )
    return f"<tr>{cells}</tr>"


def sibling_matrix(
    matrix: Any, point: Row, metric: str, state: ViewState, words: Words
) -> Component:
    """Return parallelism × offload by sessions; shade is the metric, the point itself is framed."""
    known = [cell["value"] for cell in matrix.cells.values() if cell["value"] is not None]
    top = max(known, default=0.0)
    head = "".join(f'<th scope="col" class="n">{c:,}</th>' for c in matrix.concurrencies)
    body = "".join(
        f'<tr><th scope="row">{escape(_shape(row, words))}</th>'
        + "".join(
            _sibling(matrix.cells.get((row, c)), point, top, state, words)
            for c in matrix.concurrencies
        )
        + "</tr>"
        for row in matrix.rows
    )
    first = (
        f'<th scope="col">{escape(words("point.shape"))} \\ {escape(words("point.sessions"))}</th>'
    )
    return raw(
        f"<table><thead><tr>{first}{head}</tr></thead><tbody>{body}</tbody></table>",
        className="scroll matrix",
        **_region(words("point.siblings"), "siblings"),
    )


def _shape(row: tuple[str, str, str], words: Words) -> str:
    shape, offload, backend = row
    if not offload:
        return shape
    name = (
        words.or_key(f"value.backend.{backend}", backend)
        if backend
        else (words.or_key(f"value.offload.{offload}", offload))
    )
    return f"{shape} · {name}"


def _sibling(cell: Row | None, point: Row, top: float, state: ViewState, words: Words) -> str:
    if cell is None:
        return "<td></td>"
    here = cell["point_id"] == point["point_id"]
    value = cell["value"]
    shade = 0 if value is None or top <= 0 else round(value / top * 60)
    text = number(value) if value is not None else words(f"point.status.{cell['status']}")
    css = " ".join(
        ["n", "cell", *(["here"] if here else []), *(["part"] * (cell["status"] != "ok"))]
    )
    href = escape(addresses.point(cell["point_id"], state.only(("snap", "lang", "theme", "phase"))))
    current = ' aria-current="page"' if here else ""
    return (
        f'<td class="{css}" style="--shade:{shade}%"><a href="{href}" data-nav="1"{current}>'
        f"{escape(text)}</a></td>"
    )


def log_lines(lines: Sequence[Row], total: int, words: Words) -> Component:
    """Return lines kept of the server's log, with their numbers."""
    body = "".join(
        f'<tr><td class="n ghost">{line["line"]:,}</td>'
        f'<td class="line">{escape(line["text"])}</td></tr>'
        for line in lines
    )
    return html.Div(
        [
            html.P(words("point.log_note", n=f"{total:,}"), className="def"),
            raw(
                f"<table><tbody>{body}</tbody></table>",
                className="scroll log",
                **_region(words("point.log"), "log-lines"),
            )
            if lines
            else html.P(words("point.log_none"), className="why"),
        ]
    )


def pager(href: str, label: str, first: str, first_label: str, offset: int) -> Component:
    """Return the way to the next rows, and back to the first."""
    parts = []
    if href:
        parts.append(link(label, href, className="btn"))
    if offset:
        parts.append(link(first_label, first, className="btn"))
    return html.P(parts, className="buttons pager")
