"""The chips above the curves: they read as a sentence and every choice is a link."""

from __future__ import annotations

from collections.abc import Iterator
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
from explorer.queries.facets import Choice, facets, tasks

_FACETS = ("model", "scenario", "hw", "engine", "precision", "offload", "workload", "source")
_SINGLE = ("model", "scenario")
_SEARCHED = 7
"""Menus longer than this have a box to search them."""
_GROUPS = ("speed", "latency", "throughput", "cost", "power", "cache", "load", "tokens")


def controls(lake: Lake, state: ViewState, shown: ViewState, words: Words) -> Component:
    """Return all chips; `state` is the address, `shown` it with the defaults filled in."""
    choices = facets(lake, shown, _FACETS)
    return html.Div(
        [
            *(
                _facet_chip(choices[name], state, shown, name, words)
                for name in _FACETS
                if len(choices[name]) > 1 or state[name]
            ),
            *(_axis_chip(lake, state, shown, axis, words) for axis in ("x", "y")),
            _stat_chip(state, words),
            _split_chip(state, words),
            _frontier_chip(state, words),
            *_limit_chips(state, words),
            price_chip(state, tuple(choice.value for choice in choices["hw"]), words),
            time_chip(lake, state, shown, words),
            picture_chip(state, words),
            _reset(state, words),
        ],
        className="bar",
        role="toolbar",
        **{"aria-label": words("curves.controls")},
    )


def _frontier_chip(state: ViewState, words: Words) -> Component:
    return chip(
        words("curves.frontier"),
        words(f"curves.policy.{state['frontier']}"),
        _policies(state, words),
        on=state["frontier"] != "plain",
        name="frontier",
    )


def _policies(state: ViewState, words: Words) -> Iterator[Html]:
    yield from choice_options(state, "frontier", ("plain", "e2e", "all"), "curves.policy", words)
    yield note(words(f"curves.policy_note.{state['frontier']}"))


def _facet_chip(
    choices: list[Choice], state: ViewState, shown: ViewState, name: str, words: Words
) -> Component:
    return chip(
        words(f"curves.filter.{name}"),
        _summary(name, shown, words),
        _values(choices, state, set(shown[name]), name, words),
        on=bool(state[name]),
        name=name,
        search=words("curves.search_menu") if len(choices) > _SEARCHED else "",
    )


def _values(
    choices: list[Choice], state: ViewState, chosen: set[str], name: str, words: Words
) -> Iterator[Html]:
    """Yield the values of a filter: of a model and a scenario one is chosen, of others any."""
    single = name in _SINGLE
    if not single:
        everything = addresses.curves(state.having(**{name: None}))
        yield option(words("curves.all"), everything, chosen=not state[name])
    for choice in choices:
        value = choice.value
        one = state.having(**{name: (value,), "point": None}) if single else None
        target = addresses.curves(one or state.toggled(name, value))
        text = names.filter_value(name, value, words)
        yield option(text, target, chosen=value in chosen, note=f"{choice.points:,}")


def _summary(name: str, shown: ViewState, words: Words) -> str:
    values = [names.filter_value(name, value, words) for value in shown[name]]
    return ", ".join(values) if values else words("curves.all")


def _axis_chip(
    lake: Lake, state: ViewState, shown: ViewState, axis: str, words: Words
) -> Component:
    key = metrics.axis_key(state[axis], state["stat"]) or state[axis]
    return chip(
        words(f"curves.{axis}"),
        names.metric(key, words),
        _quantities(lake, state, shown, axis, words),
        name=axis,
        search=words("curves.search_menu"),
    )


def _quantities(
    lake: Lake, state: ViewState, shown: ViewState, axis: str, words: Words
) -> Iterator[Html]:
    """Yield the quantities of an axis by group, last the accuracies that the view's points have."""
    judged = [f"{metrics.ACCURACY}{task}" for task in tasks(lake, shown)]
    by_group = {
        name: [*dict.fromkeys(m.quantity for m in metrics.METRICS if m.group == name)]
        for name in _GROUPS
    }
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
            yield group(words(f"curves.group.{name}"), options)


def _stat_chip(state: ViewState, words: Words) -> Component:
    items = (
        option(
            names.statistic(stat, words),
            addresses.curves(state.having(stat=stat)),
            chosen=state["stat"] == stat,
        )
        for stat in STATS
    )
    return chip(words("curves.stat"), names.statistic(state["stat"], words), items, name="stat")


def _split_chip(state: ViewState, words: Words) -> Component:
    items = (
        option(
            words(f"curves.split_by.{name}"),
            addresses.curves(state.toggled("split", name)),
            chosen=name in state["split"],
        )
        for name in SPLITS
    )
    chosen = ", ".join(words(f"curves.split_by.{name}") for name in state["split"])
    value = chosen or words("curves.split_none")
    return chip(words("curves.split"), value, items, on=bool(state["split"]), name="split")


def _limit_chips(state: ViewState, words: Words) -> list[Component]:
    chips = []
    for name in ("ttft_max", "speed_min", "e2e_min", "cost_max"):
        value = words("curves.no_limit") if state[name] is None else f"{state[name]:g}"
        short, items = words(f"curves.limit_short.{name}"), _limit(state, name, words)
        chips.append(chip(short, value, items, on=state[name] is not None, name=name))
    return chips


def _limit(state: ViewState, name: str, words: Words) -> Iterator[Any]:
    yield number_form(state, name, words(f"curves.limit.{name}"), words("curves.set"), "/")
    if state[name] is not None:
        clear = addresses.curves(state.having(**{name: None}))
        yield option(words("curves.clear_limit"), clear, chosen=False)
    yield _limit_mode(state, words)


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
