"""How keys are written for people: models, hardware, engines, metrics, filter values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from explorer import tables
from explorer.components.view import Words
from explorer.domain.curve_points import CurvePoints, Ints
from explorer.domain.metrics import ACCURACY, Metric, by_key, is_accuracy

_VENDORS = ("NVIDIA ", "AMD ", " NVL72")


def model(key: str | None, words: Words) -> str:
    """Return a model's name."""
    return (tables.label("models", key) or key) if key else words("curves.unknown_model")


def hardware(key: str | None, words: Words) -> str:
    """Return hardware without its vendor: B200, MI355X."""
    if not key:
        return words("curves.unknown_hw")
    label = tables.label("hardware", key) or key
    for vendor in _VENDORS:
        label = label.replace(vendor, "")
    return label


def engine(key: str | None, words: Words) -> str:
    """Return an engine's name."""
    return (tables.label("engines", key) or key) if key else words("curves.unknown_engine")


def curve(one: Mapping[str, Any], words: Words) -> str:
    """Return a curve's name: hardware · engine and what splits it."""
    parts = [hardware(one["hw"], words), engine(one["engine"], words)]
    for name, value in one["split"].items():
        alone = filter_value(_KEY_OF.get(name, name), value, words)
        parts.append(words.or_key(f"value.{name}.{value}", alone))  # "no offload", never "none"
    return " · ".join(parts)


_KEY_OF = {
    "kv_offload": "offload",
    "dataset_raw": "dataset",
    "harness_minor": "harness",
}


def filter_value(name: str, value: Any, words: Words) -> str:
    """Return how one value of a filter is written."""
    if value is None:
        return words("curves.unknown")
    text = str(value)
    if name == "model":
        return model(text, words)
    if name == "hw":
        return hardware(text, words)
    if name == "engine":
        return engine(text, words)
    if name == "precision":
        return text.upper()
    if name == "conc":
        return text.removesuffix(".0")
    return words.or_key(f"value.{name}.{text}", text)


def statistic(name: str, words: Words) -> str:
    """Return a statistic's name: p90, mean."""
    return words.or_key(f"stat.{name}", name)


def quantity(name: str, words: Words) -> str:
    """Return a quantity's name without statistic and unit."""
    if is_accuracy(name):
        return words("metric.accuracy", task=name.removeprefix(ACCURACY))
    return words(f"metric.{name}")


def metric(key: str, words: Words) -> str:
    """Return a metric's name with its statistic: interactivity p90."""
    found: Metric = by_key()[key]
    name = quantity(found.quantity, words)
    return f"{name} {statistic(found.statistic, words)}" if found.statistic else name


def amid(name: str) -> str:
    """Return a metric's name amid a sentence: a word small, an abbreviation as it is."""
    return name[:1].lower() + name[1:] if name[1:2].islower() else name


def unit(found: Metric, words: Words) -> str:
    """Return a unit as people write it."""
    return words.or_key(f"unit.{found.unit}", found.unit)


def after(found: Metric, words: Words) -> str:
    """Return what stands after a number of `units.plain`: its unit, for a ratio the sign."""
    return "%" if found.unit == "ratio" else unit(found, words)


def offload(point: Mapping[str, Any], words: Words) -> str:
    """Return how a point offloads KV: the backend's name, else the tier, else a dash."""
    backend, tier = point.get("kv_offload_backend"), point.get("kv_offload")
    if (tier or "none") == "none":
        return words("curves.no_offload")
    return words.or_key(f"value.backend.{backend}", str(backend)) if backend else str(tier)


def sessions(n: float, words: Words) -> str:
    """Return how many sessions, or requests, were in flight."""
    if n == 1:
        return words("curves.one_session")
    return words("curves.n_sessions", n=f"{n:,.0f}" if n == int(n) else f"{n:,g}")


SETTINGS = ("parallelism", "concurrency", "kv_offload", "kv_offload_backend", "spec")
"""What a point's line of settings is made of."""


def configuration(point: Mapping[str, Any], words: Words) -> str:
    """Return a point's settings in a line: TP8 · 8 sessions · LMCache."""
    return _configuration(words.lang, *map(point.get, SETTINGS))


def configurations(points: CurvePoints, places: Ints, words: Words) -> list[str]:
    """Return the settings of some points of a curve, a line each."""
    columns = (points.column(name, places) for name in SETTINGS)
    return [_configuration(words.lang, *row) for row in zip(*columns, strict=True)]


@lru_cache(maxsize=20_000)
def _configuration(
    lang: str,
    parallelism: str | None,
    concurrency: float | None,
    kv_offload: str | None,
    backend: str | None,
    spec: str | None,
) -> str:
    """Return settings in a line; a chart says those of every point at every redraw."""
    words = Words.of(lang)
    parts = [parallelism or ""]
    if concurrency is not None:
        parts.append(sessions(concurrency, words))
    if (kv_offload or "none") != "none":
        parts.append(offload({"kv_offload": kv_offload, "kv_offload_backend": backend}, words))
    if (spec or "none") != "none":
        parts.append(words.or_key(f"value.spec.{spec}", str(spec)))
    return " · ".join(part for part in parts if part)


def dataset(row: Mapping[str, Any]) -> str:
    """Return a dataset's name: the table's label, else as its folder or user calls it."""
    return tables.label("datasets", row["dataset"]) or row["name"] or row["dataset"]
