"""What every answer looks like: {"data", "meta"}, or {"error": {code, message, hint}}."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pyarrow as pa

from explorer.domain.lake import Snapshot
from explorer.domain.metrics import METRIC_VERSION
from explorer.domain.view_state import ViewState
from explorer.exports.provenance import Provenance
from explorer.exports.reproduce import Kind
from explorer.queries import money


@dataclass(frozen=True, slots=True)
class Answer:
    """What a resource answers: `table` gives the same rows for csv, parquet and arrow.

    `extra` joins the envelope's meta. `bare` answers (the OpenAPI document) have no envelope;
    their data may be bytes of type `mime`, offered as a download where `file` names one.
    `sources` are those of the rows, `units` of columns whose names do not say them; `kind` and
    `figures` are what a notebook computes anew (exports/reproduce.py). `used` are values of the
    path and parameters that the answer filled in or resolved: its address names them.
    """

    data: Any
    snapshot: Snapshot | None = None
    state: ViewState = field(default_factory=ViewState)
    next: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    table: Callable[[], pa.Table] | None = None
    bare: bool = False
    mime: str = "application/json"
    file: str | None = None
    sources: Iterable[str | None] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    kind: Kind = "rows"
    figures: Mapping[str, Any] = field(default_factory=dict)
    used: Mapping[str, str] = field(default_factory=dict)


class Moved(Exception):
    """The resource has another address now; `values` are the path's values there."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__()
        self.values = values


def envelope(answer: Answer, of: Provenance) -> Any:
    """Return the document of an answer."""
    return answer.data if answer.bare else {"data": answer.data, "meta": meta(answer, of)}


def meta(answer: Answer, of: Provenance) -> dict[str, Any]:
    """Return which state of the lake, which metrics and which prices an answer is made of."""
    snapshot = answer.snapshot
    return {
        **answer.extra,
        "snapshot": snapshot.snap if snapshot else None,
        "metric_version": snapshot.metric_version if snapshot else METRIC_VERSION,
        "price_version": money.version(answer.state),
        "next": answer.next,
        "provenance": of.facts(),
    }


def failure(code: str, message: str, hint: str) -> dict[str, Any]:
    """Return the document of an error."""
    return {"error": {"code": code, "message": message, "hint": hint or None}}


def encode(document: Any) -> bytes:
    """Return JSON; NaN and infinities become null."""
    return msgspec.json.encode(document)
