"""Chips of the curves that are not filters: prices, time, how the picture is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer import tables
from explorer.components import names
from explorer.components.frame import link
from explorer.components.markup import Html
from explorer.components.menus import chip, group, number_form, numbers_form, option
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.queries import money
from explorer.queries.facets import accuracies, dates, quick

_QUICK_VALUES = {
    "valid": True,
    "partial": True,
    "offload": ("none",),
    "spec": ("none",),
    "mode": ("agg",),
}


def unzoomed(axis: str = "") -> dict[str, None]:
    """Return the changes that take the zoom of an axis, or of both, out of an address."""
    axes = (axis,) if axis else ("x", "y")
    return {f"{name}_{end}": None for name in axes for end in ("from", "to")}


def choice_options(
    state: ViewState, key: str, values: Iterable[str], words_at: str, words: Words
) -> list[Html]:
    """Return one option per value of a one-valued key, worded at `<words_at>.<value>`."""
    return [
        option(
            words(f"{words_at}.{value}"),
            addresses.curves(state.having(**{key: value})),
            chosen=state[key] == value,
        )
        for value in values
    ]


def price_chip(state: ViewState, hardware: Sequence[str], words: Words) -> Component:
    """Return the chip of the price basis, its version, and the reader's own rates and power."""
    basis = state["price"].partition("@")[0]
    own = bool(state["rate"] or state["kw"])
    value = words("curves.basis.mine") if own else words(f"curves.basis.{basis}")
    changed = own or "price" in state.values
    items = _prices(state, hardware, words)
    return chip(words("curves.price"), value, items, on=changed, name="price")


def _prices(state: ViewState, hardware: Sequence[str], words: Words) -> Iterator[Any]:
    basis, _, pinned = state["price"].partition("@")
    suffix = f"@{pinned}" if pinned else ""
    bases = [
        option(
            words(f"curves.basis.{name}"),
            addresses.curves(state.having(price=name + suffix)),
            chosen=name == basis,
        )
        for name in money.BASES
    ]
    versions = [
        option(
            version,
            addresses.curves(state.having(price=f"{basis}@{version}")),
            chosen=version == money.version(state),
        )
        for version in sorted(tables.table("prices")["versions"], reverse=True)
    ]
    yield group(words("curves.price_basis"), bases)
    yield group(words("curves.price_version"), versions)
    yield from _own_rates(state, hardware, words)


def _own_rates(state: ViewState, hardware: Sequence[str], words: Words) -> list[Any]:
    """Return the form of own $/GPU-hour and kW for the hardware in view, and the way back."""
    table = money.rates(state)
    fields = []
    for hw in hardware:
        rate, kw = table.get(hw, (None, None))
        for stem, known in (("rate", rate), ("kw", kw)):
            mine = state[stem].get(hw)
            label = words(f"curves.own_{stem}", hw=names.hardware(hw, words))
            value = "" if mine is None else f"{mine:g}"
            fields.append((f"{stem}.{hw}", label, value, "" if known is None else f"{known:g}"))
    kept = {
        stem: {hw: value for hw, value in state[stem].items() if hw not in hardware}
        for stem in ("rate", "kw")
    }
    parts: list[Any] = [
        html.P(words("curves.own_rates"), className="group"),
        numbers_form(state.having(**kept), fields, words("curves.set"), "/"),
    ]
    if state["rate"] or state["kw"]:
        clear = addresses.curves(state.having(rate=None, kw=None))
        parts.append(option(words("curves.own_clear"), clear, chosen=False))
    return parts


def time_chip(lake: Lake, state: ViewState, shown: ViewState, words: Words) -> Component:
    """Return the chip of time: as of which day, which runs, by day or run, over a life."""
    value = state["date"] or words("curves.date_now")
    on = any(state[name] for name in ("date", "view")) or state["runs"] != "newest"
    return chip(words("curves.time"), value, _times(lake, state, shown, words), on=on, name="time")


def _times(lake: Lake, state: ViewState, shown: ViewState, words: Words) -> Iterator[Html]:
    newest = option(
        words("curves.date_now"),
        addresses.curves(state.having(date=None)),
        chosen=not state["date"],
    )
    as_of = [
        option(
            day.value,
            addresses.curves(state.having(date=day.value)),
            chosen=state["date"] == day.value,
            note=f"{day.points:,}",
        )
        for day in dates(lake, shown)
    ]
    compared = [
        option(
            words(f"curves.split_by.{name}"),
            addresses.curves(state.toggled("split", name)),
            chosen=name in state["split"],
        )
        for name in ("date", "run")
    ]
    runs = choice_options(state, "runs", ("newest", "all"), "curves.which_runs", words)
    yield option(
        words("curves.view_history"),
        addresses.curves(state.having(view=None if state["view"] == "history" else "history")),
        chosen=state["view"] == "history",
    )
    yield group(words("curves.compare_in_time"), compared)
    yield group(words("curves.runs"), runs)
    yield group(words("curves.as_of"), [newest, *as_of])


def picture_chip(state: ViewState, words: Words) -> Component:
    """Return the chip of the picture: scale, labels, uncertainty, ruler."""
    on = any(name in state.values for name in ("scale", "label", "bands", "at"))
    value = words(f"curves.scale.{state['scale']}")
    return chip(words("curves.picture"), value, _ways(state, words), on=on, name="picture")


def _ways(state: ViewState, words: Words) -> Iterator[Html]:
    uncertain = [
        option(
            words(f"curves.bands.{'on' if on else 'off'}"),
            addresses.curves(state.having(bands=on)),
            chosen=state["bands"] is on,
        )
        for on in (False, True)
    ]
    ruler: list[Any] = [
        number_form(state, "at", words("curves.ruler_at"), words("curves.set"), "/")
    ]
    if state["at"] is not None:
        clear = addresses.curves(state.having(at=None))
        ruler.append(option(words("curves.ruler_clear"), clear, chosen=False))
    scales = [
        option(
            words(f"curves.scale.{name}"),
            addresses.curves(state.having(scale=name, **unzoomed())),
            chosen=state["scale"] == name,
        )
        for name in ("lin", "logx", "logy", "log")
    ]
    labels = choice_options(state, "label", ("conc", "shape", "none"), "curves.label_of", words)
    yield group(words("curves.scale_title"), scales)
    yield group(words("curves.label_title"), labels)
    yield group(words("curves.bands_title"), uncertain)
    yield group(words("curves.ruler"), ruler)


def quick_filters(lake: Lake, state: ViewState, shown: ViewState, words: Words) -> list[Component]:
    """Return one-click filters with how many points each leaves; none when none changes a thing."""
    found = quick(lake, shown)
    items: list[Component] = []
    for name, n in found.items():
        value = _QUICK_VALUES[name]
        on = state[name] == value
        target = state.having(**{name: None if on else value, "point": None})
        items.append(_toggle(words(f"curves.quick.{name}"), f"{n:,}", target, on))
    judged = accuracies(lake, shown)
    if judged:
        items.append(_accuracy(judged, state, words))
    if not items:
        return []
    label = html.Span(words("curves.quick_title"), className="ghost")
    named = {"aria-label": words("curves.quick_title")}
    return [html.Div([label, *items], className="bar quick", role="group", **named)]


def _accuracy(judged: int, state: ViewState, words: Words) -> Component:
    """Return the chip of the lowest accuracy that a point with an evaluation may have."""
    asked = state["accuracy_min"]
    return chip(
        words("curves.accuracy_min"),
        words("curves.no_limit") if asked is None else f"{asked:g}",
        _accurate(judged, state, words),
        on=asked is not None,
        name="accuracy_min",
    )


def _accurate(judged: int, state: ViewState, words: Words) -> Iterator[Any]:
    label = words("curves.accuracy_at_least", n=f"{judged:,}")
    yield number_form(state, "accuracy_min", label, words("curves.set"), "/")
    if state["accuracy_min"] is not None:
        clear = addresses.curves(state.having(accuracy_min=None))
        yield option(words("curves.clear_limit"), clear, chosen=False)


def _toggle(text: str, note: str, target: ViewState, on: bool) -> Component:
    mark = {"aria-current": "true"} if on else {}
    inside = [text, " ", html.Span(note, className="n")]
    css = "pick on" if on else "pick"
    return link(inside, addresses.curves(target), className=css, **mark)
