"""One curve un-merged: a sentence per switch, which setting won where, every on/off pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import names
from explorer.components.curve_sections import point_link, share, table
from explorer.components.frame import link
from explorer.components.markup import anchor
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.units import MISSING, number
from explorer.domain.view_state import ViewState
from explorer.figures.curves_svg import Line
from explorer.queries.lines import Curve, Point
from explorer.queries.unmerge import SETTINGS, Loss, Pair, Settings, Unmerged, Won

_LABELLED = 6
SHADES = 6


def parts(found: Unmerged, words: Words) -> list[Line]:
    """Return the lines of an un-merged curve, one a configuration, with their names."""
    varying = _varying(found)
    return [
        Line(
            [(point["x"], point["y"]) for point in part.line],
            setting_names(part.settings, words, varying) if index < _LABELLED else "",
            min(index, SHADES - 1),
            frozenset(point["point_id"] for point in part.points),
        )
        for index, part in enumerate(found.parts)
    ]


def _varying(found: Unmerged) -> set[str]:
    """Return the settings in which a curve's parts differ."""
    columns = zip(*(part.settings for part in found.parts), strict=True)
    return {name for name, column in zip(SETTINGS, columns, strict=True) if len(set(column)) > 1}


def setting_names(settings: Settings | None, words: Words, varying: set[str] | None = None) -> str:
    """Return a configuration in words; of `varying` settings only, where given."""
    if settings is None:
        return ""
    texts = [
        _setting(name, value, words)
        for name, value in zip(SETTINGS, settings, strict=True)
        if varying is None or name in varying or (not varying and name == SETTINGS[0])
    ]
    return " · ".join(text for text in texts if text)


def _setting(name: str, value: str | None, words: Words) -> str:
    if value is None:
        return ""
    if name == "parallelism":
        return value
    if name == "offload":
        if value == "none":
            return words("curves.switch_off.offload")
        return words.or_key(f"value.backend.{value}", value)
    return names.filter_value(name, value, words)


def section(
    curve: Curve, found: Unmerged, meta: Mapping[str, Any], state: ViewState, words: Words
) -> list[Component]:
    """Return the section of an un-merged curve."""
    varying = _varying(found)
    name = names.curve(curve, words)
    body: list[Component] = [
        html.H2(words("curves.unmerged_title", curve=name, n=len(found.parts))),
        *_story(found.pairs, meta, words),
    ]
    if found.won:
        body.append(_won_table(curve, found.won, varying, meta, state, words))
        body.append(html.P(words("curves.unmerged_note"), className="ghost"))
    if found.pairs:
        body.append(_pairs_table(curve, found.pairs, varying, meta, state, words))
    merge = addresses.curves(state.having(unmerge=None))
    body.append(html.P(link(words("curves.merge_again"), merge), className="ghost"))
    return [html.Section(body, className="unmerged", **{"data-testid": "unmerged"})]


def _story(pairs: Sequence[Pair], meta: Mapping[str, Any], words: Words) -> list[Component]:
    """Return one sentence per switch, setting and shape: on against off at the same load."""
    groups: dict[tuple[str, str, str], list[Pair]] = {}
    for pair in pairs:
        on = pair.on["kv_offload_backend"] or pair.on["kv_offload"]
        what = on if pair.switch == "offload" else pair.on["spec"]
        groups.setdefault((pair.switch, what or "", pair.on["parallelism"] or ""), []).append(pair)
    lines = [html.Li(_sentence(*group, members, meta, words)) for group, members in groups.items()]
    return [html.Ul(lines, className="story")] if lines else []


def _sentence(
    switch: str,
    what: str,
    shape: str,
    members: Sequence[Pair],
    meta: Mapping[str, Any],
    words: Words,
) -> str:
    """Return what a switch did at one shape; partial runs speak only where alone."""
    whole = [pair for pair in members if not _partial(pair)]
    told = whole or members
    loads = [pair.on["concurrency"] for pair in told if pair.on["concurrency"] is not None]
    said = words(
        "curves.story",
        shape=shape,
        what=_setting(switch, what, words),
        off=words(f"curves.switch_off.{switch}"),
        y=_range([ratio for pair in told if (ratio := pair.y_ratio)]),
        x=_range([ratio for pair in told if (ratio := pair.x_ratio)]),
        y_name=names.amid(names.metric(meta["y"], words)),
        x_name=names.amid(names.metric(meta["x"], words)),
        loads=_range_of(loads),
        n=len(told),
    )
    if not whole:
        return f"{said} {words('curves.story_partial')}"
    left = len(members) - len(whole)
    return f"{said} {words('curves.story_more', n=left)}" if left else said


def _partial(pair: Pair) -> bool:
    return "partial" in (pair.on["status"], pair.off["status"])


def _range(ratios: Sequence[float]) -> str:
    """Return the span of some ratios: 1.71–1.86×."""
    if not ratios:
        return MISSING
    low, high = number(min(ratios)), number(max(ratios))
    return f"{low}×" if low == high else f"{low}–{high}×"


def _range_of(values: Sequence[float]) -> str:
    if not values:
        return MISSING
    low, high = min(values), max(values)
    return f"{low:g}" if low == high else f"{low:g}–{high:g}"


def _won_table(
    curve: Curve,
    won: Sequence[Won],
    varying: set[str],
    meta: Mapping[str, Any],
    state: ViewState,
    words: Words,
) -> Component:
    switches = [name for name in ("offload", "spec") if any(name in one.switched for one in won)]
    head = [
        (names.metric(meta["x"], words), "n"),
        (names.metric(meta["y"], words), "n"),
        (words("curves.col.winner"), ""),
        (words("curves.col.alternative"), ""),
        *((words(f"curves.col.against_{name}"), "") for name in switches),
    ]
    rows = [
        (
            number(one.point["x"]),
            number(one.point["y"]),
            point_link(curve, one.point, _winner(one, varying, words), state),
            _loss(one.best, varying, words),
            *(_against(one, name, words) for name in switches),
        )
        for one in won
    ]
    return table(words("curves.won_caption"), head, rows)


def _winner(one: Won, varying: set[str], words: Words) -> str:
    conc = one.point["concurrency"]
    load = "" if conc is None else names.sessions(conc, words)
    return " · ".join(part for part in (setting_names(one.settings, words, varying), load) if part)


def _loss(loss: Loss | None, varying: set[str], words: Words) -> str:
    if loss is None:
        return words("curves.none_reaches")
    text = words(
        "curves.loses",
        what=setting_names(loss.settings, words, varying),
        y=number(loss.y),
        share=_lost(loss),
    )
    return f"{text} {words('curves.interpolated_short')}" if loss.interpolated else text


def _lost(loss: Loss) -> str:
    """Return how far an alternative is from the winner, in percent of the winner."""
    if not loss.ratio:
        return MISSING
    percent = (1 / loss.ratio - 1) * 100
    return f"{percent:+.1f} %".replace("-", "−")


def _against(one: Won, switch: str, words: Words) -> str:
    if switch not in one.switched:
        return MISSING
    loss = one.switched[switch]
    off = (one.point["spec"] if switch == "spec" else one.point["kv_offload"]) or "none"
    side = words(f"curves.switch_{'on' if off == 'none' else 'off'}.{switch}")
    if loss is None:
        return words("curves.side_not_reaching", side=side)
    return f"{side} {number(loss.y)} ({_lost(loss)})"


def _pairs_table(
    curve: Curve,
    pairs: Sequence[Pair],
    varying: set[str],
    meta: Mapping[str, Any],
    state: ViewState,
    words: Words,
) -> Component:
    x, y = (names.metric(meta[axis], words) for axis in ("x", "y"))
    head = [
        (words("curves.col.settings"), ""),
        (words("curves.col.sessions"), "n"),
        (words("curves.col.with"), ""),
        (words("curves.col.tier_share"), "n"),
        (f"{y}: {words('curves.col.off_on')}", "n"),
        (words("curves.col.ratio"), "n"),
        (f"{x}: {words('curves.col.off_on')}", "n"),
        (words("curves.col.ratio"), "n"),
        (words("curves.col.note"), ""),
    ]
    rows = [_pair(curve, pair, state, words) for pair in pairs]
    return table(words("curves.pairs_caption"), head, rows)


def _pair(curve: Curve, pair: Pair, state: ViewState, words: Words) -> tuple[Any, ...]:
    on, off = pair.on, pair.off
    what = (
        names.offload(on, words)
        if pair.switch == "offload"
        else names.filter_value("spec", on["spec"], words)
    )
    partial = [words("curves.partial")] if _partial(pair) else []
    conc = "" if on["concurrency"] is None else f"{on['concurrency']:g}"
    tier = share(on) if pair.switch == "offload" else MISSING
    return (
        on["parallelism"] or "",
        conc,
        point_link(curve, on, what, state),
        tier,
        _off_on(off, on, "y", state),
        f"{number(pair.y_ratio)}×",
        _off_on(off, on, "x", state),
        f"{number(pair.x_ratio)}×",
        " · ".join(partial),
    )


def _off_on(off: Point, on: Point, axis: str, state: ViewState) -> list[Any]:
    href = addresses.point(off["point_id"], addresses.carried(state))
    return [anchor(number(off[axis]), href), f" → {number(on[axis])}"]
