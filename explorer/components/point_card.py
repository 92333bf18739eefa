"""The card beside the curves: one point's settings, numbers, cache, cautions, links."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import names
from explorer.components.frame import link
from explorer.components.markup import raw
from explorer.components.view import Words
from explorer.domain import addresses, metrics
from explorer.domain.units import MISSING, number, percent, with_unit
from explorer.domain.view_state import ViewState

Point = Mapping[str, Any]
_FACTS = (
    ("p50_interactivity_tps", "p90_interactivity_tps"),
    ("p50_ttft_s", "p90_ttft_s"),
    ("p50_e2el_s", "p90_e2el_s"),
    ("p90_e2e_interactivity_tps",),
    ("total_tps_per_gpu",),
    ("output_tps_per_gpu",),
    ("usd_per_mtok_total",),
)


def point_card(point: Point | None, state: ViewState, words: Words) -> Component:
    """Return the card of a point as `queries.points.payload` gives it; without one, how to read."""
    if point is None:
        inside = [html.H2(words("curves.card_none")), html.P(words("curves.card_none_text"))]
        return html.Aside(inside, className="card", **{"data-testid": "point-card"})
    carried = addresses.carried(state)
    return html.Aside(
        [
            html.H2(_heading(point, words)),
            html.P(_under(point, words), className="ghost"),
            _facts(point, words),
            *_tiers(point, words),
            html.P(
                [
                    link(
                        words("curves.open_point"),
                        addresses.point(point["point_id"], carried),
                        className="btn p",
                    ),
                    link(
                        words("curves.compare_point"),
                        addresses.compare(carried.having(a=point["point_id"])),
                        className="btn",
                    ),
                    html.A(
                        words("curves.json"),
                        href=addresses.api_point(point["point_id"]),
                        className="btn",
                    ),
                ],
                className="buttons",
            ),
            *_provenance(point, words),
            *_cautions(point, words),
        ],
        className="card",
        **{"data-testid": "point-card", "data-point": point["point_id"], "aria-live": "polite"},
    )


def _heading(point: Point, words: Words) -> str:
    parts = [names.hardware(point["hw"], words), names.engine(point["engine"], words)]
    return " · ".join([*parts, names.configuration(point, words)])


def _under(point: Point, words: Words) -> str:
    parts = [names.model(point["model"], words), (point["precision"] or "").upper()]
    if point["date"]:
        parts.append(str(point["date"]))
    if point["requests_total"] is not None:
        parts.append(
            words(
                "curves.requests_ok",
                ok=f"{point['requests_ok'] or 0:,}",
                total=f"{point['requests_total']:,}",
            )
        )
    return " · ".join(part for part in parts if part)


def _facts(point: Point, words: Words) -> Component:
    pairs: list[Component] = []
    for keys in _FACTS:
        found = metrics.by_key()[keys[0]]
        values = [point["metrics"].get(key) for key in keys]
        label = names.quantity(found.quantity, words)
        stats = " / ".join(
            names.statistic(metrics.by_key()[key].statistic, words)
            for key in keys
            if metrics.by_key()[key].statistic
        )
        if found.unit == "$/Mtok":
            text = with_unit(values[0], found.unit)
        else:
            text = " / ".join(number(value) for value in values)
            text += "" if text.endswith(MISSING) else f" {found.unit}"
        pairs += [html.Dt(f"{label} {stats}".strip()), html.Dd(text)]
    for task, value in sorted((point["accuracy"] or {}).items()):
        pairs += [html.Dt(words("metric.accuracy", task=task)), html.Dd(percent(value))]
    return html.Dl(pairs)


def _tiers(point: Point, words: Words) -> list[Component]:
    """Return where prompt tokens came from, as one bar and in words."""
    ratios = point["metrics"]
    gpu = ratios.get("gpu_cache_hit_ratio")
    tier = ratios.get("cpu_cache_hit_ratio")
    tier = ratios.get("external_cache_hit_ratio") if tier is None else tier
    if gpu is None and tier is None:
        theory = ratios.get("theoretical_cache_hit_ratio")
        text = words("curves.no_tiers")
        if theory is not None:
            text += " " + words("curves.theory", value=percent(theory))
        return [html.P(text, className="note")]
    rest = max(0.0, 1.0 - (gpu or 0.0) - (tier or 0.0))
    parts = (("hit", gpu), ("tier", tier), ("miss", rest))
    said = words("curves.tiers", hbm=percent(gpu), tier=percent(tier), miss=percent(rest))
    bar = "".join(
        f'<span class="{name}" style="width:{(value or 0) * 100:.2f}%"></span>'
        for name, value in parts
    )
    return [
        html.P(words("curves.prompt_from"), className="ghost"),
        raw(bar, className="tier", role="img", **{"aria-label": escape(said)}),
        html.P(said, className="ghost"),
    ]


def _provenance(point: Point, words: Words) -> list[Component]:
    if not (point["provenance_url"] or "").startswith("https://"):
        return []
    return [
        html.P(
            html.A(
                words("curves.provenance"),
                href=point["provenance_url"],
                rel="noopener external",
            ),
            className="ghost",
        )
    ]


def _cautions(point: Point, words: Words) -> list[Component]:
    notes = []
    if point["source"] in ("simulated", "mock"):
        notes.append(words(f"frame.{point['source']}"))
    if point["status"] != "ok":
        notes.append(words(f"curves.status.{point['status']}"))
    if point["valid"] is False:
        notes.append(words("curves.invalid"))
    if point["requests_failed"]:
        notes.append(words("curves.n_failed", n=f"{point['requests_failed']:,}"))
    if point["warnings"]:
        n = len(point["warnings"])
        notes.append(words("curves.n_warnings", n=n) if n > 1 else words("curves.one_warning"))
    return [html.P(note, className="note") for note in notes]
