"""The points of a comparison: who is who, which one leaves, which one could join."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import names
from explorer.components.conversation_shown import point_name
from explorer.components.forms import search_form
from explorer.components.frame import link
from explorer.components.point_facts import warning
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.view_state import ViewState
from explorer.figures.compare_charts import COLOURS
from explorer.queries.compare import SIDES, Chosen

Point = Mapping[str, Any]
_TOLD = ("offload", "concurrency", "parallelism", "hw", "engine", "spec", "precision", "model")
_MOST = 3
"""Differing settings in a short name; the table of settings has them all."""
_QUESTION = ("model", "scenario", "workload", "dataset_raw", "harness", "source")
"""Fields that decide what was asked of the server."""
_SHOWN = 12


def labels(chosen: Sequence[Chosen], words: Words) -> list[str]:
    """Return a short name of each: its letter and what tells it from the others."""
    rows = [_told(one.point, words) for one in chosen]
    differ = [name for name in _TOLD if len({row[name] for row in rows}) > 1][:_MOST]
    return [
        " · ".join([one.key.upper(), *(row[name] for name in differ if row[name])])
        for one, row in zip(chosen, rows, strict=True)
    ]


def _told(point: Point, words: Words) -> dict[str, str]:
    sessions = point["concurrency"]
    return {
        "model": names.model(point["model"], words),
        "precision": (point["precision"] or "").upper(),
        "hw": names.hardware(point["hw"], words),
        "engine": names.engine(point["engine"], words),
        "parallelism": point["parallelism"] or "",
        "concurrency": "" if sessions is None else names.sessions(sessions, words),
        "offload": _offload(point, words),
        "spec": names.filter_value("spec", point["spec"], words) if point["spec"] else "",
    }


def _offload(point: Point, words: Words) -> str:
    if (point["kv_offload"] or "none") == "none":
        return words("compare.no_offload")
    return names.offload(point, words)


def unlike(chosen: Sequence[Chosen], words: Words) -> list[Component]:
    """Return what says that the points were not asked the same, if they were not."""
    stated = {name: {one.point[name] for one in chosen} - {None} for name in _QUESTION}
    fields = [name for name, values in stated.items() if len(values) > 1]
    if not fields:
        return []
    told = words("compare.field_list").join(words(f"compare.field.{name}") for name in fields)
    return [html.P(words("compare.unlike", fields=told), className="mark")]


def heads(
    chosen: Sequence[Chosen], titles: Sequence[str], state: ViewState, words: Words
) -> Component:
    """Return a card a point: letter and colour, its page, cautions, the ways to change it."""
    cards = [
        html.Li(
            [
                html.H2([html.I(className=f"c-{colour}"), title]),
                html.P(_page(one.point, state, words)),
                html.P(_counts(one.point, words), className="ghost"),
                *[html.P(text, className="note") for text in _cautions(one.point, words)],
                html.P(_ways(one, chosen, state, words), className="ways"),
            ]
        )
        for one, title, colour in zip(chosen, titles, COLOURS, strict=False)
    ]
    return html.Ul(cards, className="sides", **{"data-testid": "compare-points"})


def _page(point: Point, state: ViewState, words: Words) -> Component:
    return link(
        point_name(point, words), addresses.point(point["point_id"], addresses.carried(state))
    )


def _counts(point: Point, words: Words) -> str:
    parts = [names.model(point["model"], words), point["workload"] or ""]
    if point["requests_total"] is not None and point["requests_ok"] is not None:
        counts = {"ok": f"{point['requests_ok']:,}", "total": f"{point['requests_total']:,}"}
        parts.append(words("point.sub_requests", **counts))
    return " · ".join(part for part in parts if part)


def _cautions(point: Point, words: Words) -> list[str]:
    """Return what makes a point a doubtful side of a comparison."""
    said = []
    if point["source"] in ("simulated", "mock"):
        said.append(words(f"frame.{point['source']}"))
    if point["status"] != "ok":
        said.append(words(f"curves.status.{point['status']}"))
    if point["valid"] is False:
        reasons = ", ".join(point["invalid_reasons"] or []) or words("point.fact.unknown")
        said.append(words("point.invalid_reasons", reasons=reasons))
    found = [one for one in point["warnings"] or [] if one["code"] == "short_window"]
    return said + [warning(one, words) for one in found]


def _ways(one: Chosen, chosen: Sequence[Chosen], state: ViewState, words: Words) -> list[Component]:
    base = chosen[0]
    leave = {"aria-label": f"{words('compare.remove')}: {one.key.upper()}"}
    rest = [other for other in chosen if other is not one]
    made = [link(words("compare.remove"), addresses.compare(_of(rest, state)), **leave)]
    if one is base:
        return [html.Span(words("compare.base")), *made] if len(chosen) > 1 else made
    swapped = [one, *rest]
    label = {"aria-label": f"{words('compare.make_base')}: {one.key.upper()}"}
    return [
        link(words("compare.make_base"), addresses.compare(_of(swapped, state)), **label),
        *made,
    ]


def _of(chosen: Sequence[Chosen], state: ViewState) -> ViewState:
    """Return a state with these points under a, b, … in this order."""
    ids = [one.point["point_id"] for one in chosen]
    ids += [None] * (len(SIDES) - len(ids))
    return state.having(**dict(zip(SIDES, ids, strict=True)))


def adding(
    chosen: Sequence[Chosen], candidates: Sequence[Point], state: ViewState, words: Words
) -> Component | None:
    """Return the points that could join as links, and a field for any other; None when full."""
    if len(chosen) == len(SIDES):
        return None
    ids = {one.point["point_id"] for one in chosen}
    offered = [one for one in candidates if one["point_id"] not in ids][:_SHOWN]
    inside = [
        html.P(words(f"compare.{_heading(chosen, offered)}"), className="def"),
        html.Ul([_candidate(one, chosen, state, words) for one in offered], className="offers"),
        _form(chosen, state, words),
    ]
    title = words("compare.add_title" if chosen else "compare.choose_title")
    if len(chosen) < 2:
        return html.Section([html.H2(title, id="add"), *inside], className="add")
    return html.Details([html.Summary(title), *inside], className="add")


def _heading(chosen: Sequence[Chosen], offered: Sequence[Point]) -> str:
    if not chosen:
        return "choose"
    return "offers" if offered else "no_offers"


def _candidate(one: Point, chosen: Sequence[Chosen], state: ViewState, words: Words) -> Component:
    ids = [other.point["point_id"] for other in chosen] + [one["point_id"]]
    target = state.having(**dict(zip(SIDES, ids, strict=False)))
    text = names.configuration(one, words) if chosen else point_name(one, words)
    parts = [text or one["point_id"]]
    if chosen and one.get("date"):
        parts.append(one["date"])
    if one["status"] != "ok":
        parts.append(words(f"point.status.{one['status']}"))
    return html.Li(link(" · ".join(parts), addresses.compare(target)))


def _form(chosen: Sequence[Chosen], state: ViewState, words: Words) -> Component:
    """Return the field for a point's id; works without scripts."""
    texts = words("compare.id_label"), words("compare.id_go")
    return search_form(addresses.compare(), _of(chosen, state), SIDES[len(chosen)], texts)
