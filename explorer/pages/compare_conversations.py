"""`/compare/conversations?a=<dataset>/<id>@<point>&b=…`: up to four conversations, one scale."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from dash import html
from dash.development.base_component import Component

from explorer.components import exports_of
from explorer.components.chart_figure import chart_figure
from explorer.components.conversation_shown import point_name
from explorer.components.conversations_compared import Chosen, choose
from explorer.components.forms import search_form
from explorer.components.markup import raw
from explorer.components.view import View, Words
from explorer.domain import addresses
from explorer.domain.lake import Lake
from explorer.domain.units import MISSING, number, percent
from explorer.domain.view_state import ViewState
from explorer.figures.conversation_charts import charts
from explorer.figures.flame import clock
from explorer.figures.flame_svg import flame_svg
from explorer.queries.compare import SIDES

_NARROW = 560


def view(lake: Lake, params: Mapping[str, str], state: ViewState) -> View:
    """Return the comparison of the conversations that the address names."""
    words = Words(state)
    chosen, problems = choose(lake, state, words)
    title = words("compare_conversations.title")
    if chosen:
        title = words("compare_conversations.headline", n=len(chosen))
    body = [
        html.H1(title),
        html.P(words(f"compare_conversations.{'sub' if chosen else 'choose'}"), className="sub"),
        *[html.P(text, className="problem", role="status") for text in problems],
        *(_compared(chosen, state, words) if chosen else []),
        *_add(state, words),
    ]
    return View(
        title=f"{words('compare_conversations.title')} · {words('frame.name')}",
        body=html.Div(body, className="point compare-conversations", **{"data-testid": "compare"}),
        canonical=addresses.compare_conversations(state.having(lang=None, theme=None)),
        description=title,
        nav="compare",
        exports=tuple(
            export
            for one in chosen
            for export in exports_of.of_turns(
                one.found.dataset["dataset"], one.found.row["conversation"], state, one.side.label
            )
        ),
    )


def _compared(chosen: list[Chosen], state: ViewState, words: Words) -> list[Component]:
    figures = [chart_figure(chart, words) for chart in charts([one.side for one in chosen], words)]
    return [
        _totals(chosen, state, words),
        html.Section(html.Div(figures, className="charts")),
        _flames(chosen, words),
    ]


def _flames(chosen: list[Chosen], words: Words) -> Component:
    full = max(one.found.row["max_turn_tokens"] or 0 for one in chosen)
    pictures = [
        html.Div(
            [
                html.H3(one.side.label),
                raw(
                    flame_svg(one.found.turns, say=words, width=_NARROW, full=full),
                    className="scroll",
                    tabIndex=0,
                    role="region",
                    **{"aria-label": one.side.label},
                ),
            ]
        )
        for one in chosen
    ]
    title = html.H2(words("compare_conversations.flames"), id="flames")
    return html.Section([title, html.Div(pictures, className="compare-flames")])


def _totals(chosen: list[Chosen], state: ViewState, words: Words) -> Component:
    head = "".join(f'<th scope="col" class="n">{_name(one, state, words)}</th>' for one in chosen)
    columns = [_numbers(one) for one in chosen]
    body = "".join(
        f'<tr><th scope="row">{escape(words(f"compare_conversations.{name}"))}</th>'
        + "".join(f'<td class="n">{column[name]}</td>' for column in columns)
        + "</tr>"
        for name in columns[0]
        if any(column[name] != MISSING for column in columns)
    )
    table = f"<table><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>"
    title = html.H2(words("compare_conversations.totals"), id="totals")
    return html.Section([title, raw(table, className="scroll statistics", tabIndex=0)])


def _name(one: Chosen, state: ViewState, words: Words) -> str:
    slug, id_ = one.found.dataset["dataset"], one.found.row["conversation"]
    here = addresses.carried(state)
    if one.point:
        here = here.having(point=one.point["point_id"], phase=state["phase"])
    href = escape(addresses.conversation(slug, id_, here))
    measured = escape(point_name(one.point, words)) if one.point else ""
    leave = escape(addresses.compare_conversations(state.having(**{one.key: None})))
    return (
        f'<a href="{href}" data-nav="1">{escape(one.side.label)}</a><br>'
        f'<span class="ghost">{escape(slug)}</span><br><span class="ghost">{measured}</span> '
        f'<a class="ghost" href="{leave}" data-nav="1">'
        f"{escape(words('compare_conversations.remove'))}</a>"
    )


def _numbers(one: Chosen) -> dict[str, str]:
    row = one.found.row
    length = row["duration_ms"]
    return {
        "requests": f"{row['requests']:,}",
        "main_turns": f"{row['turns']:,}",
        "subagents": f"{row['subagents']:,}",
        "isl": f"{row['isl_tokens']:,}",
        "cached_tokens": f"{row['cached_tokens']:,}",
        "uncached": f"{row['uncached_tokens']:,}",
        "osl": f"{row['osl_tokens']:,}",
        "listorder": percent(row["listorder_cache_hit_ratio"]),
        "theoretical": percent(row["theoretical_cache_hit_ratio"]),
        "largest": f"{row['max_turn_tokens']:,}",
        "cuts": f"{row['compactions'] or 0:,}",
        "duration": MISSING if length is None else clock(length),
        **_measured(one),
    }


def _measured(one: Chosen) -> dict[str, str]:
    """Return what a point measured; missing without one, so that the rows stand for all sides."""
    found = list(one.side.measured.values())
    ttft = [each.ttft_s for each in found if each.ttft_s is not None]
    known = [each for each in found if each.cached_share() is not None]
    isl = sum(each.isl_tokens or 0 for each in known)
    share = sum(each.cached_tokens or 0 for each in known) / isl if isl else None
    return {
        "m_turns": f"{len(found):,}" if one.point else MISSING,
        "m_ttft": number(sum(ttft) / len(ttft) if ttft else None),
        "m_cached": percent(share),
        "m_failed": f"{sum(each.failed for each in found):,}" if one.point else MISSING,
    }


def _add(state: ViewState, words: Words) -> list[Component]:
    """Return the form that names one more conversation, while there is room."""
    free = next((key for key in SIDES if not state[key]), None)
    how = html.P(words("compare_conversations.how"), className="def")
    if free is None:
        return [how]
    texts = words("compare_conversations.add_label"), words("compare_conversations.add_go")
    form = search_form(addresses.compare_conversations(), state, free, texts)
    title = html.H2(words("compare_conversations.add"), id="add")
    return [html.Section([title, how, form])]
