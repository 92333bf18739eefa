"""What changed between two snapshots, in words and tables; links are pinned on both sides."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import names
from explorer.components.forms import hidden
from explorer.components.frame import link
from explorer.components.markup import raw
from explorer.components.view import Words
from explorer.domain import addresses, metrics
from explorer.domain.lake import Snapshot
from explorer.domain.units import MISSING, number, percent
from explorer.domain.view_state import ViewState
from explorer.queries.snapshot_changes import KINDS, Change, Changes, Field

MOST = 200
_FIELDS = 6
_LONGEST = 40


def title(found: Changes, words: Words) -> str:
    """Return which two snapshots are compared."""
    until = _name(found.until)
    if found.since is None:
        return words("snapshots.first_title", until=until)
    return words("snapshots.changes_title", since=_name(found.since), until=until)


def _name(one: Snapshot) -> str:
    return one.name or one.snap[:8]


def body(found: Changes, state: ViewState, words: Words) -> list[Component]:
    """Return the counts, what else is different, and a table for each kind of change."""
    counts = {kind: f"{n:,}" for kind, n in found.counts.items()}
    said = words("snapshots.said", **counts) if found.rows else words("snapshots.same")
    return [
        html.P([said, " ", *_versions(found, words)], className="sub"),
        *(_section(found, kind, state, words) for kind in KINDS if found.counts[kind]),
        html.P(html.A(words("snapshots.api"), href=_api(found)), className="ghost"),
    ]


def _api(found: Changes) -> str:
    since = found.since.snap if found.since else None
    return addresses.api_snapshot_changes(found.until.snap, since)


def _versions(found: Changes, words: Words) -> list[str]:
    """Return what is said of versions that are not the same on both sides."""
    if found.since is None:
        return []
    said = []
    for name in ("metric_version", "price_version"):
        before, after = getattr(found.since, name), getattr(found.until, name)
        if before != after:
            said.append(words(f"snapshots.{name}_changed", before=before, after=after))
    return said


def _section(found: Changes, kind: str, state: ViewState, words: Words) -> Component:
    rows = [row for row in found.rows if row.kind == kind]
    head = [words("snapshots.point"), words(f"snapshots.what_{kind}"), words("snapshots.links")]
    more = []
    if len(rows) > MOST:
        more = [html.P(words("snapshots.more", shown=MOST, n=f"{len(rows):,}"), className="ghost")]
    label = words(f"snapshots.{kind}_title", n=f"{len(rows):,}")
    return html.Section(
        [
            html.H2(label, id=kind),
            html.Div(
                html.Table(
                    [
                        html.Thead(html.Tr([html.Th(text, scope="col") for text in head])),
                        html.Tbody([_row(found, row, state, words) for row in rows[:MOST]]),
                    ]
                ),
                className="scroll",
                tabIndex=0,
                role="region",
                **{"aria-label": label, "data-testid": f"changes-{kind}"},
            ),
            *more,
        ]
    )


def _row(found: Changes, row: Change, state: ViewState, words: Words) -> Component:
    facts = row.facts
    named = [
        names.model(facts["model"], words),
        names.hardware(facts["hw"], words),
        names.engine(facts["engine"], words),
        names.configuration(facts, words),
    ]
    said = _fields(row.fields, words) if row.kind == "changed" else _said(facts)
    return html.Tr(
        [
            html.Th([_joined(named), html.Br(), html.Code(row.point_id)], scope="row"),
            html.Td(said),
            html.Td(_links(found, row, state, words)),
        ]
    )


def _joined(parts: Sequence[str]) -> str:
    return " · ".join(part for part in parts if part)


def _said(facts: Any) -> str:
    return _joined([str(facts[name] or "") for name in ("date", "workload", "status")])


def _links(found: Changes, row: Change, state: ViewState, words: Words) -> list[Component | str]:
    """Return the point's page before and after, each pinned."""
    sides = []
    if row.kind != "added" and found.since:
        sides.append(("before", found.since.snap))
    if row.kind != "removed":
        sides.append(("after", found.until.snap))
    made: list[Component | str] = []
    for name, snap in sides:
        href = addresses.point(row.point_id, addresses.carried(state).having(snap=snap))
        made += [" "] * bool(made) + [link(words(f"snapshots.{name}"), href)]
    return made


def _fields(fields: Sequence[Field], words: Words) -> list[Component | str]:
    """Return the first values that differ, from → to, and how many more there are."""
    plain = [one for one in fields if not one.key.endswith("_object")]
    if not plain:
        return [words("snapshots.reread")]
    lines = [html.Li(_field(one, words)) for one in plain[:_FIELDS]]
    if len(plain) > _FIELDS:
        rest = [html.Li(_field(one, words)) for one in plain[_FIELDS:]]
        summary = html.Summary(words("snapshots.fields_more", n=len(plain) - _FIELDS))
        return [html.Ul(lines), html.Details([summary, html.Ul(rest)])]
    return [html.Ul(lines)]


def _field(one: Field, words: Words) -> str:
    metric = metrics.by_key().get(one.key)
    label = names.metric(one.key, words) if metric else one.key
    before, after = (_value(value, metric, words) for value in (one.before, one.after))
    return f"{label}: {before} → {after}"


def _value(value: Any, metric: metrics.Metric | None, words: Words) -> str:
    if value is None:
        return MISSING
    if metric is not None:
        if metric.unit == "ratio":
            return percent(value)
        return f"{number(value, 4)} {names.unit(metric, words)}"
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def form(every: Sequence[Snapshot], state: ViewState, words: Words) -> Component:
    """Return the choice of two snapshots, the two newest chosen; works without scripts."""
    chosen = (("a", every[1].snap), ("b", every[0].snap))
    selects = "".join(
        f"<label>{escape(words(f'snapshots.from_{name}'))} "
        f'<select name="{name}">{_options(every, snap)}</select></label> '
        for name, snap in chosen
    )
    button = f'<button type="submit">{escape(words("snapshots.show"))}</button>'
    return raw(
        f'<form class="pair" method="get" action="/snapshots" data-nav="1">'
        f"{hidden(addresses.carried(state))}{selects}{button}</form>"
    )


def _options(every: Sequence[Snapshot], chosen: str) -> str:
    return "".join(
        f'<option value="{one.snap}"{" selected" if one.snap == chosen else ""}>'
        f"{escape(_name(one))} · {one.time[:16].replace('T', ' ')}</option>"
        for one in every
    )
