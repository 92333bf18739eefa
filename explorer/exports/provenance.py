"""Where a file's numbers come from: what any export says of itself, in every format.

JSON answers carry it as `meta.provenance`, Parquet and Arrow as the schema's metadata (key
`explorer`, with the unit and meaning of each column in the field's own metadata), CSV as comment
lines on top where `header=1` asks for them. Nothing in it depends on the moment of asking.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from explorer import __version__, i18n
from explorer.domain import view_state
from explorer.domain.lake import Snapshot
from explorer.domain.metrics import METRIC_VERSION
from explorer.domain.view_state import ViewState
from explorer.exports.column_units import unit
from explorer.queries import money

KEY = b"explorer"
"""The key of the schema's metadata: one JSON object."""
NOT_MEASURED = ("simulated", "mock")
_ADDRESS = "/:@?=&%+~,;.-_"
_PICKED = ("snap", "lang", "theme", "price")
"""Keys of an address that are no filter: they stand in fields of their own."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a file says of itself; `address` asks for the same rows for ever.

    `sources` are those of the rows (measured, third_party, simulated, mock); `filters` is what
    was asked, defaults written out where the answer fills them in.
    """

    what: str
    address: str
    snapshot: str | None = None
    date: str | None = None
    metric_version: int = METRIC_VERSION
    price_version: str = ""
    filters: str = ""
    sources: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)

    def facts(self) -> dict[str, Any]:
        """Return the facts in order, ready for JSON."""
        facts: dict[str, Any] = {
            "export": self.what,
            "product": f"Explorer {__version__}",
            "snapshot": self.snapshot,
            "date": self.date,
            "metric_version": self.metric_version,
            "price_version": self.price_version or None,
            "address": self.address,
            "filters": self.filters or None,
            "source": list(self.sources),
            "licence": i18n.text("en", "exports.licence"),
            "citation": self.citation(),
        }
        if not_measured := [one for one in self.sources if one in NOT_MEASURED]:
            facts["note"] = i18n.text("en", f"exports.note_{not_measured[0]}")
        return facts

    def citation(self) -> str:
        """Return how to cite these rows, in a line."""
        return i18n.text(
            "en",
            "exports.citation",
            product=f"Explorer {__version__}",
            snapshot=self.snapshot or "–",
            date=self.date or "–",
            address=self.address,
        )


def provenance(
    what: str,
    address: str,
    snapshot: Snapshot | None,
    state: ViewState,
    sources: Iterable[str | None] = (),
    units: Mapping[str, str] | None = None,
) -> Provenance:
    """Return the provenance of rows of a snapshot; `state` is the view as it was answered."""
    shown = {name: value for name, value in state.values.items() if name not in _PICKED}
    return Provenance(
        what=what,
        address=address,
        snapshot=snapshot.snap if snapshot else None,
        date=snapshot.time[:10] if snapshot else None,
        metric_version=snapshot.metric_version if snapshot else METRIC_VERSION,
        price_version=money.version(state),
        filters=view_state.format(ViewState(shown)),
        sources=tuple(sorted({one for one in sources if one})),
        units=units or {},
    )


def stamped(table: pa.Table, of: Provenance) -> pa.Table:
    """Return a table whose schema says where its rows come from and what each column's unit is."""
    fields = [_field(one, of.units) for one in table.schema]
    facts = json.dumps(of.facts(), ensure_ascii=False).encode()
    return table.cast(pa.schema(fields, metadata={KEY: facts}))


def read(table: pa.Table) -> dict[str, Any]:
    """Return the facts that a stamped table carries; empty where it carries none."""
    found = (table.schema.metadata or {}).get(KEY)
    return json.loads(found) if found else {}


def units(table: pa.Table) -> dict[str, str]:
    """Return the units that a stamped table's number columns carry."""
    return {
        one.name: one.metadata[b"unit"].decode()
        for one in table.schema
        if one.metadata and b"unit" in one.metadata
    }


def _field(one: pa.Field, own: Mapping[str, str]) -> pa.Field:
    held = dict(one.metadata or {})
    found = own.get(one.name) or unit(one.name)
    if found and is_number(one.type):
        held[b"unit"] = found.encode()
    return one.with_metadata(held) if held else one


def is_number(type_: pa.DataType) -> bool:
    """Tell whether values of a type have a unit."""
    return pa.types.is_integer(type_) or pa.types.is_floating(type_)


def comment(of: Provenance, table: pa.Table) -> bytes:
    """Return the lines that stand on top of a CSV file: `# key: value`, then `# units: a=s b=…`.

    No line holds a comma, a quote or a semicolon: a spreadsheet shows each in one cell, and
    readers that skip `#` lines skip it whole.
    """
    facts = of.facts() | {"units": " ".join(f"{a}={b}" for a, b in units(table).items()) or None}
    lines = [f"# {name}: {_plain(value)}" for name, value in facts.items() if value]
    return "".join(f"{line}\n" for line in lines).encode()


def _plain(value: Any) -> str:
    text = " ".join(value) if isinstance(value, list) else str(value)
    kept = {",": "%2C", ";": "%3B", '"': "'", "\n": " ", "\r": " "}
    return "".join(kept.get(letter, letter) for letter in text)


def tidy(address: str) -> str:
    """Return an address with everything quoted that a shell, a CSV cell or SQL would read."""
    return quote(address, safe=_ADDRESS).replace(",", "%2C")
