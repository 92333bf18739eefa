"""The chips above the curves: they read as a sentence and every choice is a link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import names
from explorer.components.curve_choices import (
    choice_options,
    picture_chip,
    price_chip,
    time_chip,
    unzoomed,
)
from explorer.components.frame import link
from explorer.components.markup import Html
from explorer.components.menus import chip, group, note, number_form, option
from explorer.components.view import Words
from explorer.domain import addresses, metrics
from explorer.domain.lake import Lake
from explorer.domain.view_state import SPLITS, STATS, ViewState
from explorer.queries.facets import Choice, dates, facets, tasks

_FACETS = ("model", "scenario", "hw", "engine", "precision", "offload", "workload", "source")
_SINGLE = ("model", "scenario")
_SEARCHED = 7
"""Menus longer than this have a box to search them."""
_GROUPS = ("speed", "latency", "throughput", "cost", "power", "cache", "load", "tokens")


def controls(lake: Lake, state: ViewState, shown: ViewState, words: Words) -> Component:
    """Return all chips; `state` is the address, `shown` it with the defaults filled in."""
    choices = facets(lake, shown, _FACETS)
    judged = [f"{metrics.ACCURACY}{task}" for task in tasks(lake, shown)]
    return html.Div(
        [
            *(
                _facet_chip(choices[name], state, shown, name, words)
                for name in _FACETS
                if len(choices[name]) > 1 or state[name]
            ),
            _axis_chip(state, "x", judged, words),
            _axis_chip(state, "y", judged, words),
            _stat_chip(state, words),
            _split_chip(state, words),
            _frontier_chip(state, words),
            *_limit_chips(state, words),
            price_chip(state, tuple(choice.value for choice in choices["hw"]), words),
            time_chip(dates(lake, shown), state, words),
            picture_chip(state, words),
            _reset(state, words),
        ],
        className="bar",
        role="toolbar",
        **{"aria-label": words("curves.controls")},
    )


def _frontier_chip(state: ViewState, words: Words) -> Component:
    items = choice_options(state, "frontier", ("plain", "e2e", "all"), "curves.policy", words)
    return chip(
        words("curves.frontier"),
        words(f"curves.policy.{state['frontier']}"),
        [*items, note(words(f"curves.policy_note.{state['frontier']}"))],
        on=state["frontier"] != "plain",
        name="frontier",
    )


def _facet_chip(
    choices: list[Choice], state: ViewState, shown: ViewState, name: str, words: Words
) -> Component:
    chosen = set(shown[name])
    items = []
    if name not in _SINGLE:
        everything = addresses.curves(state.having(**{name: None}))
        items.append(option(words("curves.all"), everything, chosen=not state[name]))
    for choice in choices:
        target = (
            state.having(**{name: (choice.value,), "point": None})
            if name in _SINGLE
            else state.toggled(name, choice.value)
        )
        text = names.filter_value(name, choice.value, words)
        is_chosen = choice.value in chosen
        items.append(
            option(text, addresses.curves(target), chosen=is_chosen, note=f"{choice.points:,}")
        )
    value = _summary(name, shown, words)
    search = words("curves.search_menu") if len(choices) > _SEARCHED else ""
    return chip(
        words(f"curves.filter.{name}"), value, items, on=bool(state[name]), name=name, search=search
    )


def _summary(name: str, shown: ViewState, words: Words) -> str:
    values = [names.filter_value(name, value, words) for value in shown[name]]
    return ", ".join(values) if values else words("curves.all")


def _axis_chip(state: ViewState, axis: str, judged: Sequence[str], words: Words) -> Component:
    """Return the menu of an axis; `judged` are the accuracies that points of the view have."""
    by_group = {
        name: [*dict.fromkeys(m.quantity for m in metrics.METRICS if m.group == name)]
        for name in _GROUPS
    }
    groups = []
    for name, quantities in (*by_group.items(), ("quality", judged)):
        options = [
            option(
                names.quantity(quantity, words),
                addresses.curves(state.having(**{axis: quantity, **unzoomed(axis)})),
                chosen=state[axis] == quantity,
            )
            for quantity in quantities
        ]
        if options:
            groups.append(group(words(f"curves.group.{name}"), options))
    key = metrics.axis_key(state[axis], state["stat"]) or state[axis]
    return chip(
        words(f"curves.{axis}"),
        names.metric(key, words),
        groups,
        name=axis,
        search=words("curves.search_menu"),
    )


def _stat_chip(state: ViewState, words: Words) -> Component:
    items = [
        option(
            names.statistic(stat, words),
            addresses.curves(state.having(stat=stat)),
            chosen=state["stat"] == stat,
        )
        for stat in STATS
    ]
    return chip(words("curves.stat"), names.statistic(state["stat"], words), items, name="stat")


def _split_chip(state: ViewState, words: Words) -> Component:
    items = [
        option(
            words(f"curves.split_by.{name}"),
            addresses.curves(state.toggled("split", name)),
            chosen=name in state["split"],
        )
        for name in SPLITS
    ]
    chosen = ", ".join(words(f"curves.split_by.{name}") for name in state["split"])
    value = chosen or words("curves.split_none")
    return chip(words("curves.split"), value, items, on=bool(state["split"]), name="split")


def _limit_chips(state: ViewState, words: Words) -> list[Component]:
    chips = []
    for name in ("ttft_max", "speed_min", "e2e_min", "cost_max"):
        value = words("curves.no_limit") if state[name] is None else f"{state[name]:g}"
        items: list[Any] = [
            number_form(state, name, words(f"curves.limit.{name}"), words("curves.set"), "/")
        ]
        if state[name] is not None:
            clear = addresses.curves(state.having(**{name: None}))
            items.append(option(words("curves.clear_limit"), clear, chosen=False))
        items.append(_limit_mode(state, words))
        short = words(f"curves.limit_short.{name}")
        chips.append(chip(short, value, items, on=state[name] is not None, name=name))
    return chips


def _limit_mode(state: ViewState, words: Words) -> Html:
    return group(
        words("curves.limit_mode"),
        [
            option(
                words(f"curves.limit_{mode}"),
                addresses.curves(state.having(limit=mode)),
                chosen=state["limit"] == mode,
            )
            for mode in ("drop", "mark")
        ],
    )


def _reset(state: ViewState, words: Words) -> Component | None:
    bare = addresses.carried(state)
    if bare == state.having(point=None):
        return None
    return link(words("curves.reset"), addresses.curves(bare), className="chip plain")
