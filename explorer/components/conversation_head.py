"""The top of a conversation's page: ways, title, what it says, numbers, the controls."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from explorer.components.conversation_shown import Shown, point_name
from explorer.components.frame import link
from explorer.components.key_numbers import key_numbers, large
from explorer.components.menus import chip, option
from explorer.components.names import dataset
from explorer.domain import addresses
from explorer.domain.units import percent

SECTIONS = ("flame", "dag", "growth", "prefix", "turns")
_FORMATS = ("csv", "parquet")


def head(shown: Shown) -> list[Component]:
    """Return everything above the flame graph."""
    words = shown.words
    said = [html.P(text, className="take") for text in (headline(shown), *measured(shown)) if text]
    return [
        html.P(_trail(shown), className="trail"),
        html.H1(shown.id),
        html.P(_under(shown), className="sub under"),
        *said,
        *[html.P(text, className="mark") for text in _marks(shown)],
        key_numbers(_figures(shown)),
        html.Div(_controls(shown), className="bar"),
        html.Nav(
            [html.A(words(f"conversation.{name}"), href=f"#{name}") for name in SECTIONS],
            className="jump",
            **{"aria-label": words("conversation.sections")},
        ),
    ]


def _trail(shown: Shown) -> list[Component]:
    words, carried = shown.words, addresses.carried(shown.state)
    point = shown.point["point_id"] if shown.point else None
    key = addresses.conversation_key(shown.slug, shown.id, point)
    return [
        link(dataset(shown.found.dataset), addresses.dataset(shown.slug, carried)),
        link(words("conversation.compare"), addresses.compare_conversations(carried.having(a=key))),
        html.A(words("dataset.api"), href=addresses.api_conversation(shown.slug, shown.id)),
    ]


def _under(shown: Shown) -> str:
    row = shown.found.row
    counts = {name: f"{row[name] or 0:,}" for name in ("turns", "subagents", "requests")}
    return " · ".join([shown.words("conversation.sub", **counts), *row["models"]])


def headline(shown: Shown) -> str:
    """Return what the trace says, in a sentence or two."""
    row, words = shown.found.row, shown.words
    isl, cached = row["isl_tokens"], row["cached_tokens"]
    said = words(
        "conversation.headline",
        largest=f"{row['max_isl_tokens'] or 0:,}",
        cached=percent(cached / isl if isl and cached is not None else None),
        isl=large(isl),
    )
    cuts = row["compactions"] or 0
    more = words("conversation.headline_cut" if cuts == 1 else "conversation.headline_cuts", n=cuts)
    return f"{said} {more}" if cuts else said


def measured(shown: Shown) -> list[str]:
    """Return what the chosen point measured, beside what the trace allows for the same turns."""
    if shown.point is None:
        return []
    words, name = shown.words, point_name(shown.point, shown.words)
    if not shown.measured:
        return [words("conversation.measured_empty", point=name)]
    failed = sum(one.failed for one in shown.measured.values())
    counts = {"point": name, "all": len(shown.found.turns), "failed": f"{failed:,}"}
    turns = [turn for turn in shown.found.turns if turn.ordinal in shown.measured]
    known = [
        (turn, one)
        for turn in turns
        if (one := shown.measured[turn.ordinal]).cached_share() is not None
    ]
    if not known:
        return [words("conversation.measured_nocache", turns=len(turns), **counts)]
    share = sum(one.cached_tokens or 0 for _, one in known) / sum(
        one.isl_tokens or 0 for _, one in known
    )
    theory = sum(turn.cached_tokens for turn, _ in known) / sum(t.isl_tokens for t, _ in known)
    block = shown.found.row["block_tokens"] or 0
    evicted = sum(
        (one.cached_share() or 0) * turn.isl_tokens < turn.cached_tokens - block
        for turn, one in known
    )
    return [
        words(
            "conversation.measured",
            turns=len(turns),
            cached=percent(share),
            theory=percent(theory),
            evicted=evicted,
            **counts,
        )
    ]


def _marks(shown: Shown) -> list[str]:
    words, state = shown.words, shown.state
    said = []
    if state["turn"] is not None and shown.turn is None:
        agent = state["agent"] or words("conversation.main_line")
        said.append(words("conversation.no_turn", turn=state["turn"], agent=agent))
    if shown.found.row["duplicate_of"]:
        said.append(words("conversation.duplicate", id=shown.found.row["duplicate_of"]))
    if shown.point and shown.point["source"] in ("simulated", "mock"):
        said.append(words(f"frame.{shown.point['source']}"))
    return said


def _figures(shown: Shown) -> list[tuple[str, str, str]]:
    row, words = shown.found.row, shown.words
    figures = (
        ("requests", f"{row['requests'] or 0:,}", ("turns", f"{row['turns'] or 0:,}")),
        ("isl", large(row["isl_tokens"]), ("largest", f"{row['max_turn_tokens'] or 0:,}")),
        ("uncached", large(row["uncached_tokens"]), ("unique", f"{row['unique_blocks'] or 0:,}")),
        ("osl", large(row["osl_tokens"]), None),
    )
    made = [
        (
            words(f"conversation.figure_{name}"),
            value,
            words(f"conversation.sub_{below[0]}", n=below[1]) if below else "",
        )
        for name, value, below in figures
    ]
    for name, rule in (("listorder", "flame"), ("theoretical", "ceiling")):
        ratio = percent(row[f"{name}_cache_hit_ratio"])
        below = words(f"dataset.figure_sub_{rule}")
        made.append((words(f"conversation.figure_{name}"), ratio, below))
    return made


def _controls(shown: Shown) -> list[Component]:
    return [_points(shown), *_phase(shown), _downloads(shown)]


def _points(shown: Shown) -> Component:
    """Return the menu of points that replayed this conversation."""
    words, state = shown.words, shown.state
    nothing = words(
        "conversation.measured_none" if shown.replayed.points else "conversation.measured_nowhere"
    )
    now = None if shown.point is None else shown.point["point_id"]
    items: list[Component] = [
        option(nothing, shown.here(state.having(point=None, phase=None)), chosen=now is None)
    ]
    items += [
        option(
            point_name(point, words),
            shown.here(state.having(point=point["point_id"])),
            chosen=point["point_id"] == now,
            note=words("conversation.measured_n", n=f"{point['requests']:,}"),
        )
        for point in shown.replayed.points
    ]
    if not shown.replayed.points:
        items.append(html.P(words("conversation.nowhere"), className="group"))
    if shown.replayed.unseen:
        note = words("conversation.unseen", n=f"{shown.replayed.unseen:,}")
        items.append(html.P(note, className="group"))
    value = nothing if shown.point is None else point_name(shown.point, words)
    label = words("conversation.measured_at")
    return chip(label, value, items, on=now is not None, name="point")


def _phase(shown: Shown) -> list[Component]:
    if shown.point is None:
        return []
    words, state = shown.words, shown.state
    links = [
        link(
            words(f"conversation.phase_{name}"),
            shown.here(state.having(phase=name)),
            className="on" if state["phase"] == name else None,
            **({"aria-current": "true"} if state["phase"] == name else {}),
        )
        for name in ("profiling", "warmup", "all")
    ]
    label = words("conversation.phase")
    return [
        html.Nav(links, className="toggle", **{"aria-label": label, "data-testid": "phase-toggle"})
    ]


def _downloads(shown: Shown) -> Component:
    """Return the menu of files; the PNG is drawn from the SVG by the browser (flame.js)."""
    words, state = shown.words, shown.state.only(("snap",))
    picture = shown.state.only(("snap", "lang"))
    svg = addresses.with_query(addresses.api_conversation(shown.slug, shown.id, "flame"), picture)
    turns = addresses.with_query(addresses.api_conversation(shown.slug, shown.id), state)
    joint = "&" if "?" in turns else "?"
    stem = f"{shown.slug}-{shown.id}"
    profile = addresses.api_conversation(shown.slug, shown.id, "speedscope")
    files = [
        ("svg", svg, f"{stem}.svg", {}),
        ("png", svg, f"{stem}.png", {"data-png": f"{stem}.png"}),
        *((name, f"{turns}{joint}format={name}", f"{stem}.{name}", {}) for name in _FORMATS),
        ("json", turns, f"{stem}.json", {}),
        (
            "speedscope",
            addresses.with_query(profile, state),
            f"{stem}.speedscope.json",
            {},
        ),
    ]
    items = [
        html.A(
            words(f"conversation.download_{name}"),
            href=href,
            download=file,
            className="option",
            **more,
        )
        for name, href, file, more in files
    ]
    label = words("conversation.download")
    return chip("", label, items, name="download")
