"""What a mark of the curves says in a line, and where it leads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from html import escape
from typing import Any

from explorer.components import names
from explorer.components.view import Words
from explorer.domain import addresses, metrics, view_state
from explorer.domain.curve_points import CurvePoints, Ints
from explorer.domain.units import number, plain
from explorer.domain.view_state import ViewState

Curve = Mapping[str, Any]
Point = Mapping[str, Any]


def tips(
    data: Sequence[Curve], meta: Mapping[str, Any], words: Words
) -> tuple[Callable[[Curve, Point], str], Callable[[Curve, Point], str]]:
    """Return what says a point in one line, in full and without the curve, as escaped text.

    Its TTFT is always in it.
    """
    named = {curve["curve_id"]: escape(names.curve(curve, words)) for curve in data}
    a, b, c, d = map(escape, between(meta, words))
    x_unit, y_unit = (metrics.by_key()[meta[axis]].unit for axis in ("x", "y"))

    @cache
    def escaped(text: str) -> str:
        return escape(text)

    def short(curve: Curve, point: Point) -> str:
        return (
            f"{escaped(names.configuration(point, words))}{a}{plain(point['x'], x_unit)}{b}"
            f"{plain(point['y'], y_unit)}{c}{number(point['ttft'])}{d}"
            f"{escaped(cautions(point, words))}"
        )

    def full(curve: Curve, point: Point) -> str:
        return f"{named[curve['curve_id']]} · {short(curve, point)}"

    return full, short


def between(meta: Mapping[str, Any], words: Words) -> tuple[str, str, str, str]:
    """Return what stands between a point's settings, x, y, TTFT and cautions in its line."""
    x_unit, y_unit = (names.after(metrics.by_key()[meta[axis]], words) for axis in ("x", "y"))
    ttft = f"TTFT {names.statistic(meta['stat'], words)}"
    return " · ", f" {x_unit} · ", f" {y_unit} · {ttft} ", " s"


def hrefs(state: ViewState) -> tuple[str, str]:
    """Return what stands before and after a point's id in the address of its page."""
    query = view_state.format(addresses.carried(state))
    return addresses.point(""), f"?{query}" if query else ""  # ids are letters and digits


def cautions(point: Point, words: Words) -> str:
    """Return what is to be said against a point, as the end of its line."""
    return _caution(words.lang, point["status"], point["careful"], point["valid"])


def all_cautions(points: CurvePoints, places: Ints, words: Words) -> list[str]:
    """Return what is to be said against some points of a curve, per point."""
    columns = (points.column(name, places) for name in ("status", "careful", "valid"))
    return [_caution(words.lang, *row) for row in zip(*columns, strict=True)]


@cache
def _caution(lang: str, status: str, careful: bool, valid: bool | None) -> str:
    words, said = Words.of(lang), ""
    if status == "partial":
        said = f" · {words('curves.partial')}"
    elif careful:
        said = f" · {words('curves.careful')}"
    if valid is False:
        said += f" · {words('curves.invalid_short')}"
    return said
