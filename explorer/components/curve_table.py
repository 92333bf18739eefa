"""The table twin of the curves: every point shown, in words and tabular figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import numpy as np
from dash.development.base_component import Component

from explorer.components import names
from explorer.components.curve_legend import csv_address
from explorer.components.markup import raw
from explorer.components.modes import FOLDED
from explorer.components.view import Words
from explorer.domain import addresses, metrics, view_state
from explorer.domain.curve_points import CurvePoints, Ints
from explorer.domain.units import number, shown
from explorer.domain.view_state import ViewState
from explorer.figures.marks import colour_class

Curve = Mapping[str, Any]
ROWS = 60
"""Rows that each of the two tables shows at first."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of several curves in an order, before their points are read: of thousands few are shown.

    `owner` is a row's curve by its place in `curves`, `place` its point's place in that.
    """

    curves: Sequence[Curve]
    owner: Ints
    place: Ints

    def __len__(self) -> int:
        return len(self.owner)

    def at(self, rows: slice | Ints) -> Rows:
        """Return some of the rows."""
        return Rows(self.curves, self.owner[rows], self.place[rows])

    def parted(self) -> tuple[Rows, Rows]:
        """Return the rows on a frontier, and the others."""
        won = np.zeros(len(self), dtype=bool)
        for mine, points in self._by_curve():
            won[mine] = points.won[self.place[mine]]
        return self.at(np.flatnonzero(won)), self.at(np.flatnonzero(~won))

    def read(self) -> list[tuple[Curve, Mapping[str, Any]]]:
        """Return each row's curve and point."""
        found: dict[int, Mapping[str, Any]] = {}
        for mine, points in self._by_curve():
            found.update(zip(mine.tolist(), points.some(self.place[mine]), strict=True))
        return [(self.curves[owner], found[at]) for at, owner in enumerate(self.owner.tolist())]

    def _by_curve(self) -> Iterator[tuple[Ints, CurvePoints]]:
        for owner in np.unique(self.owner).tolist():
            yield np.flatnonzero(self.owner == owner), CurvePoints.of(self.curves[owner]["points"])


def curve_table(
    curves: Sequence[Curve], meta: Mapping[str, Any], state: ViewState, words: Words
) -> Component:
    """Return the table: points on a frontier first, the others below, the limits' misses marked.

    A heading sorts by its column, again to turn round; beyond ROWS the rest is one link away.
    """
    won, rest = ordered(curves, state["sort"]).parted()
    draw = partial(_part, head=_head(meta, state, words), meta=meta, state=state, words=words)
    parts = [draw(words("curves.on_frontier", n=len(won)), won)]
    if len(rest):
        caption = words("curves.off_frontier", n=len(rest))
        opened = state["rows"] == "all" or len(rest) <= ROWS
        folded = "" if opened or not FOLDED else ' data-folded=""'
        # what a reader opens has a name, by which it stays so
        mark = " open" if opened else f'{folded} data-testid="off-frontier"'
        inner = "" if folded else draw(caption, rest)
        parts.append(f"<details{mark}><summary>{escape(caption)}</summary>{inner}</details>")
    csv = escape(csv_address(state))
    parts.append(f'<p class="ghost"><a href="{csv}" download>{escape(words("curves.csv"))}</a></p>')
    return raw("".join(parts), className="twin", **{"data-testid": "curve-table"})


def _part(
    caption: str,
    rows: Rows,
    head: str,
    meta: Mapping[str, Any],
    state: ViewState,
    words: Words,
) -> str:
    """Return a table of the first rows, or of all, with the way to the others."""
    shown = rows if state["rows"] == "all" else rows.at(slice(ROWS))
    inner = _table(caption, shown.read(), head, meta, state, words)
    if len(shown) < len(rows):
        href = escape(addresses.curves(state.having(rows="all")))
        text = escape(words("curves.all_rows", n=f"{len(rows) - len(shown):,}"))
        inner += f'<p><a href="{href}" data-nav="1">{text}</a></p>'
    return inner


def ordered(curves: Sequence[Curve], sort: str | None) -> Rows:
    """Return points by the column that an address names, else as they come; missing ones last."""
    every = [CurvePoints.of(curve["points"]) for curve in curves]
    owner = np.repeat(np.arange(len(every)), [len(points) for points in every])
    place = np.concatenate([points.places() for points in every] or [owner])
    rows = Rows(curves, owner, place)
    name = (sort or "").removeprefix("-")
    if name not in _SORTED:
        return rows
    both = zip(curves, every, strict=True)
    keys = [key for curve, points in both for key in _SORTED[name](curve, points)]
    known = [row for row, key in enumerate(keys) if key is not None]
    missing = [row for row, key in enumerate(keys) if key is None]
    known.sort(key=keys.__getitem__, reverse=(sort or "").startswith("-"))
    return rows.at(np.array(known + missing, dtype=np.int64))


def _column(name: str) -> Callable[[Curve, CurvePoints], list[Any]]:
    return lambda _, points: points.column(name)


def _tiers(_: Curve, points: CurvePoints) -> list[Any]:
    backends, tiers = (points.column(name) for name in ("kv_offload_backend", "kv_offload"))
    return [backend or tier for backend, tier in zip(backends, tiers, strict=True)]


_SORTED: Mapping[str, Callable[[Curve, CurvePoints], list[Any]]] = {
    "curve": lambda curve, points: [curve["curve_id"]] * len(points),
    "shape": _column("parallelism"),
    "sessions": _column("concurrency"),
    "precision": _column("precision"),
    "offload": _tiers,
    "x": _column("x"),
    "y": _column("y"),
    "ttft": _column("ttft"),
}


def _head(meta: Mapping[str, Any], state: ViewState, words: Words) -> str:
    texts = [
        ("curve", "", words("curves.col.curve")),
        ("shape", "", words("curves.col.shape")),
        ("sessions", "n", words("curves.col.sessions")),
        ("precision", "", words("curves.col.precision")),
        ("offload", "", words("curves.col.offload")),
        ("x", "n", names.metric(meta["x"], words)),
        ("y", "n", names.metric(meta["y"], words)),
        ("ttft", "n", f"TTFT {names.statistic(meta['stat'], words)}, s"),
    ]
    cells = "".join(_heading(name, css, text, state) for name, css, text in texts)
    note = escape(words("curves.col.note"))
    return f'<thead><tr>{cells}<th scope="col">{note}</th></tr></thead>'


def _heading(name: str, css: str, text: str, state: ViewState) -> str:
    now = state["sort"] or ""
    down = now.startswith("-")
    mine = now.removeprefix("-") == name
    first = f"-{name}" if css else name
    following = (name if down else f"-{name}") if mine else first
    said = f' aria-sort="{"descending" if down else "ascending"}"' if mine else ""
    arrow = ("\u2009↓" if down else "\u2009↑") if mine else ""
    href = escape(addresses.curves(state.having(sort=following)))
    return (
        f'<th scope="col" class="{css}"{said}>'
        f'<a href="{href}" data-nav="1">{escape(text)}{arrow}</a></th>'
    )


def _table(
    caption: str,
    rows: Sequence[tuple[Curve, Mapping[str, Any]]],
    head: str,
    meta: Mapping[str, Any],
    state: ViewState,
    words: Words,
) -> str:
    query = view_state.format(addresses.carried(state))
    tail = escape(f"?{query}") if query else ""
    curve_names = {curve["curve_id"]: escape(names.curve(curve, words)) for curve, _ in rows}
    dated = state["runs"] == "all" or bool({"date", "run"} & set(state["split"]))
    units = (metrics.by_key()[meta["x"]].unit, metrics.by_key()[meta["y"]].unit)
    body = "".join(
        _row(curve, point, curve_names[curve["curve_id"]], tail, units, dated, words)
        for curve, point in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f"<table><caption>{escape(caption)}</caption>{head}<tbody>{body}</tbody></table></div>"
    )


def _row(
    curve: Curve,
    point: Mapping[str, Any],
    name: str,
    tail: str,
    units: tuple[str, str],
    dated: bool,
    words: Words,
) -> str:
    href = escape(addresses.point(point["point_id"])) + tail
    late = " bad" if "ttft_max" in point["misses"] else ""
    conc = "" if point["concurrency"] is None else f"{point['concurrency']:g}"
    return (
        f'<tr data-row="{escape(point["point_id"])}">'
        f'<td><i class="{colour_class(curve["hw"])}"></i>'
        f'<a href="{href}" data-nav="1">{name}</a></td>'
        f"<td>{escape(point['parallelism'] or '')}</td>"
        f'<td class="n">{conc}</td>'
        f"<td>{escape((point['precision'] or '').upper())}</td>"
        f"<td>{escape(names.offload(point, words))}</td>"
        f'<td class="n">{shown(point["x"], units[0])}</td>'
        f'<td class="n">{shown(point["y"], units[1])}</td>'
        f'<td class="n{late}">{number(point["ttft"])}</td>'
        f"<td>{escape(_notes(point, dated, words))}</td></tr>"
    )


def _notes(point: Mapping[str, Any], dated: bool, words: Words) -> str:
    notes = []
    if point["status"] == "partial":
        notes.append(words("curves.partial"))
    if point["valid"] is False:
        notes.append(words("curves.invalid_short"))
    notes += [words(f"curves.missed.{name}") for name in point["misses"]]
    if point["careful"] and point["status"] == "ok":
        notes.append(words("curves.careful"))
    if point["date"] and dated:
        notes.append(str(point["date"]))
    if (point["spec"] or "none") != "none":
        notes.append(names.filter_value("spec", point["spec"], words))
    return " · ".join(notes)
