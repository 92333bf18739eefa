"""The table twin of the curves: every point shown, in words and tabular figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from dash.development.base_component import Component

from explorer.components import names
from explorer.components.markup import raw
from explorer.components.view import Words
from explorer.domain import addresses, metrics
from explorer.domain.units import number, percent
from explorer.domain.view_state import ViewState
from explorer.figures.marks import colour_class

Curve = Mapping[str, Any]


def curve_table(
    curves: Sequence[Curve], meta: Mapping[str, Any], state: ViewState, words: Words
) -> Component:
    """Return the table: points on a frontier first, the others below, the limits' misses marked."""
    rows = [(curve, point) for curve in curves for point in curve["points"]]
    won = [row for row in rows if row[1]["on_frontier"]]
    rest = [row for row in rows if not row[1]["on_frontier"]]
    head = _head(meta, words)
    parts = [_table(words("curves.on_frontier", n=len(won)), won, head, meta, state, words)]
    if rest:
        inner = _table(words("curves.off_frontier", n=len(rest)), rest, head, meta, state, words)
        opened = " open" if len(rest) <= 60 else ""
        summary = escape(words("curves.off_frontier", n=len(rest)))
        parts.append(f"<details{opened}><summary>{summary}</summary>{inner}</details>")
    return raw("".join(parts), className="twin", **{"data-testid": "curve-table"})


def _head(meta: Mapping[str, Any], words: Words) -> str:
    texts = [
        ("", words("curves.col.curve")),
        ("", words("curves.col.shape")),
        ("n", words("curves.col.sessions")),
        ("", words("curves.col.precision")),
        ("", words("curves.col.offload")),
        ("n", names.metric(meta["x"], words)),
        ("n", names.metric(meta["y"], words)),
        ("n", f"TTFT {names.statistic(meta['stat'], words)}, s"),
        ("", words("curves.col.note")),
    ]
    cells = "".join(f'<th scope="col" class="{cls}">{escape(text)}</th>' for cls, text in texts)
    return f"<thead><tr>{cells}</tr></thead>"


def _table(
    caption: str,
    rows: Sequence[tuple[Curve, Mapping[str, Any]]],
    head: str,
    meta: Mapping[str, Any],
    state: ViewState,
    words: Words,
) -> str:
    body = "".join(_row(curve, point, meta, state, words) for curve, point in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f"<table><caption>{escape(caption)}</caption>{head}<tbody>{body}</tbody></table></div>"
    )


def _row(
    curve: Curve,
    point: Mapping[str, Any],
    meta: Mapping[str, Any],
    state: ViewState,
    words: Words,
) -> str:
    href = addresses.point(point["point_id"], addresses.carried(state))
    late = " bad" if "ttft_max" in point["misses"] else ""
    conc = "" if point["concurrency"] is None else f"{point['concurrency']:g}"
    return (
        f'<tr data-row="{escape(point["point_id"])}">'
        f'<td><i class="{colour_class(curve["hw"])}"></i>'
        f'<a href="{escape(href)}" data-nav="1">{escape(names.curve(curve, words))}</a></td>'
        f"<td>{escape(point['parallelism'] or '')}</td>"
        f'<td class="n">{conc}</td>'
        f"<td>{escape((point['precision'] or '').upper())}</td>"
        f"<td>{escape(names.offload(point, words))}</td>"
        f'<td class="n">{_value(meta["x"], point["x"])}</td>'
        f'<td class="n">{_value(meta["y"], point["y"])}</td>'
        f'<td class="n{late}">{number(point["ttft"])}</td>'
        f"<td>{escape(_notes(point, words))}</td></tr>"
    )


def _value(key: str, value: float) -> str:
    return percent(value) if metrics.by_key()[key].unit == "ratio" else number(value)


def _notes(point: Mapping[str, Any], words: Words) -> str:
    notes = []
    if point["status"] == "partial":
        notes.append(words("curves.partial"))
    if point["valid"] is False:
        notes.append(words("curves.invalid_short"))
    notes += [words(f"curves.missed.{name}") for name in point["misses"]]
    if (point["spec"] or "none") != "none":
        notes.append(names.filter_value("spec", point["spec"], words))
    return " · ".join(notes)
