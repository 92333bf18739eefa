"""Under the chart: the curves by name with what one can do to each, the marks' meaning, hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from dash import html
from dash.development.base_component import Component

from explorer.components import names
from explorer.components.curve_choices import unzoomed
from explorer.components.markup import Html, anchor
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.curve_points import CurvePoints
from explorer.domain.metrics import is_accuracy
from explorer.domain.view_state import ViewState
from explorer.figures.curve_marks import crowd
from explorer.figures.marks import colour_class, dash, ring_dash, shape_markup
from explorer.figures.scales import Scale, zoomed

Curve = Mapping[str, Any]
API_KEYS = (
    "model", "scenario", "workload", "dataset", "hw", "engine", "precision", "spec", "mode",
    "offload", "conc", "source", "run", "x", "y", "stat", "split", "frontier", "ttft_max",
    "speed_min", "e2e_min", "cost_max", "limit_stat", "limit", "valid", "partial", "accuracy_min",
    "date", "runs", "price", "rate", "kw", "snap",
)  # fmt: skip
"""Keys of the address that change numbers: what a download carries on."""


_ALONE = 40
"""Curves beyond which none is shown alone: its address names all the others."""


def legend(curves: Sequence[Curve], state: ViewState, words: Words) -> Component:
    """Return the curves by name: show only one, hide one, un-merge one; hidden ones come back."""
    hidden = set(state["hide"])
    every = {curve["curve_id"] for curve in curves}
    items = "".join(_entry(curve, every, hidden, state, words) for curve in curves)
    if hidden & every:
        show = addresses.curves(state.having(hide=None))
        items += f"<li>{anchor(words('curves.show_all'), show, 'act')}</li>"
    named = {"aria-label": words("curves.legend"), "data-html": items}
    return html.Ul(className="legend", **named)


def _entry(curve: Curve, every: set[str], hidden: set[str], state: ViewState, words: Words) -> str:
    curve_id = curve["curve_id"]
    name = names.curve(curve, words)
    gone = curve_id in hidden
    acts = [_hide(curve_id, gone, name, state, words)]
    if 1 < len(every) <= _ALONE and every - hidden != {curve_id}:
        only = state.having(hide=tuple(every - {curve_id}), point=None)
        acts.insert(0, _act(words("curves.only"), name, only, words))
    apart = state["unmerge"] == curve_id
    if not gone:
        target = state.having(unmerge=None if apart else curve_id)
        text = words("curves.merge") if apart else words("curves.unmerge")
        acts.append(_act(text, name, target, words))
    css = ' class="gone"' if gone else ""
    return (
        f'<li{css}><div class="swatch">{swatch(curve)}</div>'
        f'<span class="name">{escape(name, quote=False)}</span>{"".join(acts)}</li>'
    )


def _hide(curve_id: str, gone: bool, name: str, state: ViewState, words: Words) -> Html:
    text = words("curves.show") if gone else words("curves.hide")
    return _act(text, name, state.toggled("hide", curve_id), words)


def _act(text: str, name: str, target: ViewState, words: Words) -> Html:
    label = words("curves.act_on", act=text, curve=name)
    return anchor(text, addresses.curves(target), "act", aria_label=label)


def swatch(curve: Curve) -> str:
    """Return a curve's line and mark as a small `<svg>`."""
    pattern = f' stroke-dasharray="{dash(curve["engine"])}"' if dash(curve["engine"]) else ""
    shade = curve.get("shade", 0)
    return (
        f'<svg class="k {colour_class(curve["hw"])}" width="34" height="14" aria-hidden="true">'
        f'<g class="s{shade}"><g class="line"><line x1="1" x2="33" y1="7" y2="7"{pattern}/></g>'
        f'<svg x="17" y="7" overflow="visible"><g class="shape">'
        f"{shape_markup(curve['engine'])}</g></svg></g></svg>"
    )


def key(curves: Sequence[Curve], state: ViewState, labelled: bool, words: Words) -> Component:
    """Return what the marks and labels mean; only what is in the picture is explained."""
    seen = _seen(curves)
    items = [
        f'<div class="swatch">{_ring(backend)}</div>{escape(_ring_text(backend, words))}'
        for backend in sorted(seen.backends)
    ]
    if seen.arc:
        items.append(f'<div class="swatch">{_arc()}</div>{escape(words("curves.key_arc"))}')
    if seen.hollow:
        items.append(f'<i class="k-hollow"></i>{escape(words("curves.key_hollow"))}')
    if seen.beaten:
        items.append(f'<i class="k-faint"></i>{escape(words("curves.key_faint"))}')
    if crowd(curves).dots:
        items.append(escape(words("curves.key_crowd")))
    if seen.flag:
        items.append(f'<b class="k-flag">!</b>{escape(words("curves.key_flag"))}')
    if state["bands"]:
        items.append(escape(words("curves.key_band")))
    if labelled:
        items.append(escape(words(f"curves.key_label.{state['label']}")))
    return html.Ul(className="key", **{"data-html": "".join(f"<li>{one}</li>" for one in items)})


@dataclass(slots=True)
class _Seen:
    """What a picture holds that needs a word."""

    backends: set[str] = field(default_factory=set)
    arc: bool = False
    hollow: bool = False
    beaten: bool = False
    flag: bool = False


def _seen(curves: Sequence[Curve]) -> _Seen:
    """Return what marks the points of a picture have."""
    seen = _Seen()
    for points in (CurvePoints.of(curve["points"]) for curve in curves):
        ringed = np.flatnonzero(points.ringed)
        if len(ringed):
            seen.backends |= {name or "" for name in points.column("kv_offload_backend", ringed)}
            seen.arc = seen.arc or bool(points.served[ringed].any())
        seen.hollow = seen.hollow or not points.able.all()
        seen.beaten = seen.beaten or not points.won.all()
        seen.flag = seen.flag or bool(points.doubtful.any())
    return seen


def _ring_text(backend: str, words: Words) -> str:
    name = words.or_key(f"value.backend.{backend}", backend) or words("curves.unknown_backend")
    return words("curves.key_ring", backend=name)


def _ring(backend: str) -> str:
    pattern = ring_dash(backend)
    return (
        '<svg class="k hw-none" width="20" height="20" aria-hidden="true"><circle '
        f'class="offload-ring" cx="10" cy="10" r="8" stroke-dasharray="{pattern}"/></svg>'
    )


def _arc() -> str:
    return (
        '<svg class="k hw-none" width="20" height="20" aria-hidden="true"><circle '
        'class="tier-arc" cx="10" cy="10" r="7" pathLength="100" stroke-dasharray="65 100"/></svg>'
    )


def hands(sx: Scale, sy: Scale, state: ViewState, words: Words) -> Component:
    """Return zoom and downloads as links and buttons; saving a picture needs scripts."""
    chart = words("curves.chart")
    parts = [_act(words("curves.zoom_in"), chart, state.having(**_ranges(sx, sy, 0.5)), words)]
    if any(name in state.values for name in unzoomed()):
        out, whole = state.having(**_ranges(sx, sy, 2.0)), state.having(**unzoomed())
        parts.append(_act(words("curves.zoom_out"), chart, out, words))
        parts.append(_act(words("curves.zoom_reset"), chart, whole, words))
    saves = "".join(
        f'<button class="act save" data-save="{kind}" type="button">{escape(text)}</button>'
        for kind, text in (("svg", words("curves.save_svg")), ("png", words("curves.save_png")))
    )
    hint = f'<span class="ghost hint">{escape(words("curves.zoom_hint"))}</span>'
    named = {"aria-label": words("curves.hands"), "data-html": "".join(parts) + saves + hint}
    return html.Div(className="hands", role="group", **named)


def _ranges(sx: Scale, sy: Scale, factor: float) -> dict[str, float]:
    found: dict[str, float] = {}
    for axis, one in (("x", sx), ("y", sy)):
        low, high = zoomed(one, factor)
        found |= {f"{axis}_from": low, f"{axis}_to": high}
    return found


def csv_address(state: ViewState) -> str:
    """Return the API's address of the same curves as CSV."""
    address = addresses.api_curves(state.only(API_KEYS))
    return address + ("&" if "?" in address else "?") + "format=csv"


def explained(meta: Mapping[str, Any], metric_of: Mapping[str, Any], words: Words) -> Component:
    """Return what each axis is, in words and as its formula, closed until asked for."""
    parts = ""
    for axis in ("x", "y"):
        found = metric_of[meta[axis]]
        said = escape(words(f"explain.{explain_key(found.quantity)}"), quote=False)
        name = escape(names.metric(found.key, words), quote=False)
        parts += (
            f"<dt>{escape(words(f'curves.{axis}'))} · {name}</dt>"
            f"<dd>{said} <code>{escape(found.formula, quote=False)}</code></dd>"
        )
    inner = f"<summary>{escape(words('curves.explain_axes'))}</summary><dl>{parts}</dl>"
    named = {"data-testid": "explain-axes", "data-html": inner}
    return html.Details(className="explain", **named)


def explain_key(quantity: str) -> str:
    """Return under which key a quantity is explained."""
    return "accuracy" if is_accuracy(quantity) else quantity


def provenance(meta: Mapping[str, Any], snapshot: str, words: Words) -> str:
    """Return the line that a saved picture carries: snapshot, prices."""
    price = f"{meta['price']['basis']}@{meta['price']['version']}"
    return words("curves.provenance_line", snapshot=escape(snapshot), price=price)
