"""The first requests of a timeline as a table, readable without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from dash.development.base_component import Component

from explorer.components.markup import raw
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.units import MISSING, number
from explorer.domain.view_state import ViewState
from explorer.figures.chart import clock

Row = Mapping[str, Any]
_NUMBERS = (
    ("isl_tokens", "isl"),
    ("cached_tokens", "cached"),
    ("osl_tokens", "osl"),
    ("ttft_s", "ttft"),
    ("e2el_s", "e2el"),
)


def timeline_table(
    rows: Sequence[Row], point: Row, state: ViewState, words: Words, caption: str
) -> Component:
    """Return rows of queries/requests.py; a start selects its request, a turn opens its dataset."""
    names = ("start", "conversation", "turn", *(label for _, label in _NUMBERS), "status")
    plain = ("start", "conversation", "status")
    head = "".join(
        f'<th scope="col" class="{"" if name in plain else "n"}">'
        f"{escape(words(f'point.request.{name}'))}</th>"
        for name in names
    )
    body = "".join(_row(row, point, state, words) for row in rows)
    return raw(
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>",
        className="scroll rows timeline-rows",
        tabIndex="0",
        role="region",
        **{"aria-label": caption, "data-testid": "timeline-rows"},
    )


def _row(row: Row, point: Row, state: ViewState, words: Words) -> str:
    here = state.having(req=row["request_id"])
    start = clock(round(row["start_s"], 2))
    agent = f' <span class="ghost">{escape(row["agent"])}</span>' if row["agent"] else ""
    cells = [
        f"<td>{_link(addresses.timeline(point['point_id'], here), start)}</td>",
        f"<td>{_turn(row, point, state)}{agent}</td>",
        f'<td class="n">{MISSING if row["turn"] is None else row["turn"]}</td>',
        *(f'<td class="n">{_number(row[name])}</td>' for name, _ in _NUMBERS),
        f"<td>{_status(row, words)}</td>",
    ]
    css = "" if row["status"] == "ok" else ' class="not-ok"'
    return f'<tr{css} data-request="{escape(row["request_id"] or "")}">{"".join(cells)}</tr>'


def _turn(row: Row, point: Row, state: ViewState) -> str:
    """Return the conversation's name, linked to the dataset's own turn where that is known."""
    name = row["conversation"] or MISSING
    reference = row["dataset_ref"]
    if reference is None:
        return escape(name)
    turn = reference["turn"]
    target = addresses.carried(state).having(
        turn=None if turn is None else str(turn),
        agent=reference["agent"],
        point=point["point_id"],
    )
    href = addresses.conversation(reference["dataset"], reference["conversation"], target)
    return _link(href, name)


def _link(href: str, text: str) -> str:
    return f'<a href="{escape(href)}" data-nav="1">{escape(text)}</a>'


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else number(value)


def _status(row: Row, words: Words) -> str:
    if row["status"] == "ok":
        return "ok"
    parts = [row["error_type"], row["error_code"]]
    why = escape(" ".join(str(part) for part in parts if part is not None))
    status = escape(words(f"timeline.status_{row['status']}"))
    return f'<span class="bad">{status}</span> {why}'
