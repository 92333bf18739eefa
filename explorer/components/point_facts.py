"""The facts beside a point's charts: configuration, counts, cache, price, run, cautions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer import tables
from explorer.components import names
from explorer.components.markup import raw
from explorer.components.view import Words
from explorer.domain.units import number, percent, with_unit
from explorer.domain.view_state import ViewState
from explorer.figures.chart import clock

Point = dict[str, Any]
Pair = tuple[str, str]
_GAP = 0.15


def facts(point: Point, state: ViewState, words: Words) -> Component:
    """Return everything known of a point that is no chart."""
    return html.Aside(
        [
            *_warnings(point, words),
            *_list("configuration", configuration(point, words), words),
            *_list("counts", _counts(point, words), words, _errors(point, words)),
            *_cache(point, words),
            *_list("money", _money(point, state, words), words),
            *_list("accuracy", _accuracy(point), words),
            *_list("run", run_facts(point, words), words, _provenance(point, words)),
            *_files(point, words),
        ],
        className="card facts",
        **{"aria-label": words("point.facts")},
    )


def _list(
    name: str, pairs: Iterable[Pair], words: Words, more: Iterable[Component] = ()
) -> list[Component]:
    """Return a titled list of facts; nothing when none is known."""
    rows = [part for label, value in pairs for part in (html.Dt(label), html.Dd(value))]
    if not rows:
        return []
    return [html.H2(words(f"point.fact.{name}")), html.Dl(rows), *more]


def configuration(point: Point, words: Words) -> list[Pair]:
    """Return what was run on what, as (label, value); what is not stated is left out."""
    unknown = words("point.fact.unknown")
    gpus = f"{point['gpus']:,}" if point["gpus"] else unknown
    version = point["engine_version"]
    engine = names.engine(point["engine"], words) + (f" {version}" if version else "")
    known: list[tuple[str, str | None]] = [
        ("model", names.model(point["model"], words)),
        ("precision", (point["precision"] or "").upper()),
        ("hardware", names.hardware(point["hw"], words)),
        ("gpus", gpus),
        ("engine", engine),
        ("parallelism", point["parallelism"]),
        ("mode", _word("mode", point["mode"], words)),
        *((role, _role(point, role, words)) for role in ("prefill", "decode")),
        ("spec", _word("spec", point["spec"], words)),
        ("offload", _offload(point, words)),
        ("dram", f"{point['allocated_dram_gb']:,.0f} GB" if point["allocated_dram_gb"] else None),
        ("kv_transfer", point["kv_transfer"]),
        ("router", point["router"]),
        (
            "kv_pool",
            with_unit(point["kv_pool_tokens"], "tokens") if point["kv_pool_tokens"] else None,
        ),
        ("concurrency", f"{point['concurrency']:g}" if point["concurrency"] is not None else None),
        ("scenario", _word("scenario", point["scenario"], words)),
        ("workload", point["workload"]),
        ("dataset", _dataset(point)),
    ]
    return [(words(f"point.fact.{name}"), value) for name, value in known if value]


def _word(kind: str, value: str | None, words: Words) -> str | None:
    return words.or_key(f"value.{kind}.{value}", value) if value else None


def _offload(point: Point, words: Words) -> str | None:
    if not point["kv_offload"]:
        return None
    tier = _word("offload", point["kv_offload"], words) or ""
    if point["kv_offload"] == "none":
        return tier
    backend = _word("backend", point["kv_offload_backend"], words)
    version = point["kv_offload_backend_version"]
    return " · ".join(part for part in (tier, backend, version) if part)


def _role(point: Point, role: str, words: Words) -> str | None:
    if point["mode"] != "disagg" or not point[f"{role}_tp"]:
        return None
    workers = point[f"{role}_workers"] or 1
    gpus = point[f"{role}_gpus"] or workers * point[f"{role}_tp"]
    return words("point.fact.roles", workers=workers, tp=point[f"{role}_tp"], gpus=gpus)


def _dataset(point: Point) -> str | None:
    slug = point["dataset"]
    return (tables.label("datasets", slug) or slug) if slug else point["dataset_raw"]


def _counts(point: Point, words: Words) -> list[Pair]:
    shown = (
        ("total", "requests_total"),
        ("ok", "requests_ok"),
        ("failed", "requests_failed"),
        ("cancelled", "requests_cancelled"),
        ("overflow", "requests_overflow"),
        ("warmup", "requests_warmup"),
    )
    pairs = [
        (words(f"point.fact.{name}"), f"{point[key]:,}")
        for name, key in shown
        if point[key] is not None and (point[key] or name in ("total", "ok", "failed"))
    ]
    if point["success_ratio"] is not None:
        pairs.append((names.quantity("success_ratio", words), percent(point["success_ratio"])))
    return pairs


def _errors(point: Point, words: Words) -> list[Component]:
    """Return failures by kind, and why cancelled ones stand apart."""
    lines = [
        html.Li([_kind(error, words), html.Span(f"{error['n']:,}", className="n")])
        for error in point["errors"] or []
    ]
    made: list[Component] = [html.Ul(lines, className="kinds")] if lines else []
    if point["requests_cancelled"]:
        made.append(html.P(words("point.fact.cancelled_note"), className="ghost"))
    return made


def _kind(error: dict[str, Any], words: Words) -> str:
    code = f" {error['code']}" if error.get("code") is not None else ""
    return f"{error.get('type') or words('point.error.unnamed')}{code}"


def _cache(point: Point, words: Words) -> list[Component]:
    """Return the tiers as a bar, the ratios, and the definition they follow."""
    gpu, second = point["gpu_cache_hit_ratio"], point["cpu_cache_hit_ratio"]
    name = "cpu"
    if second is None and point["external_cache_hit_ratio"] is not None:
        second, name = point["external_cache_hit_ratio"], "external"
    title = html.H2(words("point.fact.cache"))
    theory = _theory(point, words)
    if gpu is None and second is None:
        return [title, html.P([words("point.fact.no_cache"), theory], className="ghost")]
    miss = max(0.0, 1.0 - (gpu or 0.0) - (second or 0.0))
    parts = (("hit", "gpu", gpu), ("tier", name, second), ("miss", "miss", miss))
    pairs = [
        part
        for _, label, value in parts
        if value is not None
        for part in (html.Dt(words(f"point.trace.{label}")), html.Dd(percent(value)))
    ]
    said = f"point.cache_source.{point['cache_source']}"
    definition = words.or_key(said, words("point.fact.cache_unknown"))
    return [
        title,
        _bar(parts, words),
        html.Dl(pairs),
        html.P([definition, theory], className="ghost"),
    ]


def _bar(parts: Iterable[tuple[str, str, float | None]], words: Words) -> Component:
    known = [(css, label, value) for css, label, value in parts if value]
    spans = "".join(
        f'<span class="{css}" style="width:{v * 100:.2f}%"></span>' for css, _, v in known
    )
    said = ", ".join(f"{words(f'point.trace.{label}')} {percent(v)}" for _, label, v in known)
    return raw(spans, className="tier", role="img", **{"aria-label": said})


def _theory(point: Point, words: Words) -> str:
    ceiling, overall = point["theoretical_cache_hit_ratio"], point["overall_cache_hit_ratio"]
    if ceiling is None:
        return ""
    said = " " + words("point.fact.theory", value=percent(ceiling))
    if overall is not None and ceiling - overall > _GAP:
        gap = f"{(ceiling - overall) * 100:.1f}"
        said += " " + words("point.fact.theory_gap", gap=gap, overall=percent(overall))
    return said + _behind(point, ceiling, words)


def _behind(point: Point, ceiling: float, words: Words) -> str:
    """Return how much of the gap between theory and HBM the tier behind it fills, where wide."""
    gpu = point["gpu_cache_hit_ratio"]
    name = "cpu" if point["cpu_cache_hit_ratio"] is not None else "external"
    second = point[f"{name}_cache_hit_ratio"]
    if gpu is None or not second or ceiling - gpu <= _GAP:
        return ""
    return " " + words(
        "point.fact.theory_behind",
        gpu=percent(gpu),
        gap=f"{(ceiling - gpu) * 100:.1f}",
        filled=f"{second * 100:.1f}",
        tier=words(f"point.trace.{name}"),
    )


def _money(point: Point, state: ViewState, words: Words) -> list[Pair]:
    if point["price_rate"] is None:
        return []
    price = words(
        "point.fact.rate", price=words.or_key(f"value.price.{state['price']}", state["price"])
    )
    pairs = [
        (price, f"${point['price_rate']:g} /GPU·h"),
        (words("point.fact.cost"), with_unit(point["usd_per_mtok_total"], "$/Mtok")),
    ]
    if point["price_kw"] is not None:
        pairs.append((words("point.fact.kw"), f"{point['price_kw']:g} kW"))
    for key in ("measured_power_w", "measured_j_per_tok_total"):
        if point[key] is not None:
            unit = "W" if key.endswith("_w") else "J/tok"
            pairs.append((names.quantity(key, words), with_unit(point[key], unit)))
    return pairs


def _accuracy(point: Point) -> list[Pair]:
    return [(task, percent(value)) for task, value in sorted((point["accuracy"] or {}).items())]


def run_facts(point: Point, words: Words) -> list[Pair]:
    """Return when and how a point was measured, as (label, value)."""
    harness = " ".join(part for part in (point["harness"], point["harness_version"]) if part)
    valid = {True: "yes", False: "no"}.get(point["valid"])
    known: list[tuple[str, str | None]] = [
        ("date", point["date"]),
        ("status", words(f"point.status.{point['status']}")),
        ("valid", words(f"point.{valid}") if valid else None),
        ("harness", harness),
        ("window", _duration(point["duration_s"])),
        ("planned", _duration(point["planned_duration_s"])),
        ("wall", _duration(point["wall_duration_s"])),
        ("itl", _word_of("itl_source", point["itl_source"], words)),
        ("throughput", _word_of("throughput_source", point["throughput_source"], words)),
        ("series", _word_of("from", point["series_source"], words)),
        ("image", point["image"]),
        ("commit", (point["commit"] or "")[:12]),
        ("point_id", point["point_id"]),
        ("revision", point["revision"]),
    ]
    return [(words(f"point.fact.{name}"), value) for name, value in known if value]


def _word_of(kind: str, value: str | None, words: Words) -> str | None:
    return words.or_key(f"point.{kind}.{value}", value) if value else None


def _duration(seconds: float | None) -> str | None:
    return None if seconds is None else clock(round(seconds, 1 if seconds < 60 else 0))


def _provenance(point: Point, words: Words) -> list[Component]:
    url = point["provenance_url"] or ""
    if not url.startswith(("https://", "http://")):
        return [html.P(words("point.fact.no_provenance"), className="ghost")]
    return [html.P(html.A(words("point.fact.provenance"), href=url, rel="noopener external"))]


def _warnings(point: Point, words: Words) -> list[Component]:
    """Return every caution in words: the harness's verdict, the status, the readers' warnings."""
    said: list[list[str]] = []
    if point["status"] != "ok":
        said.append([words(f"curves.status.{point['status']}")])
    if point["valid"] is False:
        reasons = ", ".join(point["invalid_reasons"] or []) or words("point.fact.unknown")
        said.append([words("point.invalid_reasons", reasons=reasons)])
    said += _by_code(point["warnings"] or [], words)
    if not said:
        return []
    return [
        html.H2(words("point.fact.warnings")),
        html.Ul([_caution(texts, words) for texts in said], className="cautions"),
    ]


def _by_code(warnings: Iterable[dict[str, Any]], words: Words) -> list[list[str]]:
    """Return warnings in words, those of one code together."""
    found: dict[str, list[str]] = {}
    for one in warnings:
        found.setdefault(one["code"], []).append(warning(one, words))
    return list(found.values())


def _caution(texts: list[str], words: Words) -> Component:
    """Return one caution; the same about other fields is folded away below it."""
    first, *others = texts
    if not others:
        return html.Li(first)
    title = html.Summary(words("point.fact.alike", n=len(others)))
    return html.Li([first, html.Details([title, *(html.P(text) for text in others)])])


def warning(one: dict[str, Any], words: Words) -> str:
    """Return what a warning's code means; a code without words is shown with its arguments."""
    params = {name: _plain(value) for name, value in (one.get("params") or {}).items()}
    try:
        return words(f"point.warning.{one['code']}", **params)
    except KeyError:
        return " ".join([one["code"], *(f"{name}={value}" for name, value in params.items())])


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return number(value, 4)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _files(point: Point, words: Words) -> list[Component]:
    """Return what the point was read from and what commands and settings said, folded away."""
    made = []
    if sources := point["sources"]:
        lines = [
            html.Li([one["path"], html.Span(f"{one['bytes']:,} B", className="n")])
            for one in sources
        ]
        title = html.Summary(words("point.fact.files", n=len(sources)))
        made.append(html.Details([title, html.Ul(lines, className="files")]))
    if config := point["config"]:
        title = html.Summary(words("point.fact.config", n=len(config)))
        text = escape(json.dumps(config, indent=1, ensure_ascii=False, sort_keys=True), quote=False)
        made.append(html.Details([title, raw(text, className="code")]))
    return made
