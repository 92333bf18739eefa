"""A point's numbers: the few that matter, large, and the table of statistics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import names
from explorer.components.markup import raw, to_html
from explorer.components.view import Words
from explorer.domain.metrics import by_key
from explorer.domain.units import MISSING, number, percent
from explorer.queries.window_stats import QUANTITIES

Numbers = Mapping[str, Any]
KEY_FIGURES = (
    ("p90_ttft_s", "p50_ttft_s"),
    ("p90_interactivity_tps", "p50_interactivity_tps"),
    ("p90_e2el_s", "p50_e2el_s"),
)
_STATISTICS = ("mean", "p50", "p75", "p90", "p95", "p99")
_MS = 1000.0


def key_figures(numbers: Numbers, point: Mapping[str, Any], words: Words) -> Component:
    """Return the numbers one looks for first; each with its other statistic below."""
    cells = [_figure(numbers, first, second, words) for first, second in KEY_FIGURES]
    basis = "total_tps_per_gpu" if numbers.get("total_tps_per_gpu") is not None else "total_tps"
    cells.append(_throughput(numbers, basis, words))
    overall = _overall(point)
    if overall is not None:
        cells.append(
            _cell(names.quantity("overall_cache_hit_ratio", words), percent(overall), "", "")
        )
    inside = to_html(html.Dl(cells, className="figures"))
    return raw(inside, className="key-figures", **{"data-testid": "key-figures"})


def _overall(point: Mapping[str, Any]) -> float | None:
    if point["overall_cache_hit_ratio"] is not None:
        return float(point["overall_cache_hit_ratio"])
    tiers = ("gpu", "cpu", "external")
    known = [point[f"{tier}_cache_hit_ratio"] for tier in tiers]
    known = [value for value in known if value is not None]
    return sum(known) if known else None


def _figure(numbers: Numbers, first: str, second: str, words: Words) -> Component:
    found = by_key()[first]
    if numbers.get(first) is None and numbers.get(f"p95_{found.quantity}") is not None:
        first = f"p95_{found.quantity}"
    value, other = numbers.get(first), numbers.get(second)
    label = names.metric(first, words)
    if found.unit == "s":
        text, unit = duration(value)
    else:
        text, unit = number(value), names.unit(found, words)
    below = (
        ""
        if other is None
        else "p50 " + (" ".join(duration(other)) if found.unit == "s" else number(other))
    )
    return _cell(label, text, "" if value is None else unit, below)


def duration(seconds: float | None) -> tuple[str, str]:
    """Return a latency and its unit, in ms below a second.

    >>> duration(0.0528), duration(71.2)
    (('52.8', 'ms'), ('71.2', 's'))
    """
    if seconds is not None and abs(seconds) < 1:
        return number(seconds * _MS), "ms"
    return number(seconds), "s"


def _throughput(numbers: Numbers, basis: str, words: Words) -> Component:
    label = words(f"point.figure_{basis}")
    value, out = numbers.get(basis), numbers.get(basis.replace("total", "output"))
    below = "" if out is None else words("point.figure_output", value=number(out))
    return _cell(label, number(value), "" if value is None else "tok/s", below)


def _cell(label: str, value: str, unit: str, below: str) -> Component:
    return html.Div(
        [
            html.Dt(label),
            html.Dd([html.B(value), html.Span(f" {unit}") if unit else None]),
            html.Dd(below, className="below") if below else None,
        ]
    )


def under(point: Mapping[str, Any], words: Words) -> str:
    """Return what a point measured, in a line: model, scenario, date, requests."""
    scenario = point["scenario"]
    parts = [
        names.model(point["model"], words),
        (point["precision"] or "").upper(),
        words.or_key(f"value.scenario.{scenario}", scenario) if scenario else "",
        point["workload"] or "",
        point["date"] or "",
    ]
    if point["requests_total"] is not None and point["requests_ok"] is not None:
        counts = {"ok": f"{point['requests_ok']:,}", "total": f"{point['requests_total']:,}"}
        parts.append(words("point.sub_requests", **counts))
    return " · ".join(part for part in parts if part)


def headline(numbers: Numbers, point: Mapping[str, Any], words: Words) -> str:
    """Return what the numbers of a window say, in a sentence; empty where they say nothing."""
    ttft, speed = numbers.get("p90_ttft_s"), numbers.get("p90_interactivity_tps")
    if ttft is None and numbers.get("total_tps") is None:
        return words("point.headline_none") if point["status"] == "failed" else ""
    if numbers.get("total_tps_per_gpu") is not None:
        rate = words("point.headline_tps_gpu", value=number(numbers["total_tps_per_gpu"]))
    else:
        rate = words("point.headline_tps", value=number(numbers.get("total_tps")))
    said = words(
        "point.headline",
        ttft=" ".join(duration(ttft)),
        speed=f"{number(speed)} tok/s",
        throughput=rate,
    )
    overall = point["overall_cache_hit_ratio"]
    hits = words("point.headline_hits", value=percent(overall)) if overall is not None else ""
    return f"{said} {hits}".strip()


def statistics(numbers: Numbers, note: str, words: Words) -> Component:
    """Return the table of quantities by statistic; rows without any number are left out."""
    shown = [
        statistic
        for statistic in _STATISTICS
        if any(numbers.get(f"{statistic}_{quantity}") is not None for quantity in QUANTITIES)
    ]
    head = "".join(f'<th scope="col" class="n">{names.statistic(s, words)}</th>' for s in shown)
    body = "".join(
        _row(numbers, quantity, shown, words)
        for quantity in QUANTITIES
        if any(numbers.get(f"{statistic}_{quantity}") is not None for statistic in shown)
    )
    first = f'<th scope="col">{words("point.quantity")}</th>'
    table = f"<table><thead><tr>{first}{head}</tr></thead><tbody>{body}</tbody></table>"
    return html.Section(
        [
            html.H2(words("point.statistics"), id="statistics"),
            html.P(note, className="def"),
            raw(
                table,
                className="scroll",
                tabIndex="0",
                role="region",
                **{"aria-labelledby": "statistics"},
            ),
        ],
        className="statistics",
        **{"data-testid": "statistics"},
    )


def _row(numbers: Numbers, quantity: str, statistics: list[str], words: Words) -> str:
    unit = names.unit(by_key()[f"mean_{quantity}"], words)
    values = [numbers.get(f"{statistic}_{quantity}") for statistic in statistics]
    known = [value for value in values if value is not None]
    scale, unit = (_MS, "ms") if unit == "s" and max(known) < 1 else (1.0, unit)
    cells = "".join(
        f'<td class="n">{MISSING if value is None else number(value * scale)}</td>'
        for value in values
    )
    label = f"{names.quantity(quantity, words)}, {unit}"
    return f'<tr><th scope="row">{label}</th>{cells}</tr>'
