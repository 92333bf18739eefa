"""A route's answer without a web server: the blueprint and the command line ask alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pyarrow as pa

from explorer.api import formats, parameters
from explorer.api.envelope import Answer
from explorer.api.formats import Encoded, Wanted
from explorer.api.parameters import Arguments
from explorer.api.route import Route
from explorer.domain.lake import Lake
from explorer.exports.provenance import provenance
from explorer.queries import money, paging

_AT_ONCE = 200_000
"""Rows of a page where nobody waits for its first bytes: each page asks the whole question."""


def settled(lake: Lake, route: Route, arguments: Arguments) -> Arguments:
    """Return arguments of one snapshot and price table: those of `snap`, of the cursor, or now."""
    if not route.pure:
        return arguments
    state, cursor = arguments.state, arguments.own.get("cursor")
    if arguments.pin:
        state = money.dated(lake, state)
    snap = arguments.pin or (paging.decode(cursor).snap if cursor else None)
    return replace(arguments, state=state.having(snap=lake.snapshot(snap).snap))


def encode(route: Route, values: Mapping[str, str], arguments: Arguments, found: Answer) -> Encoded:
    """Return an answer in the form asked for, with where its rows come from."""
    header = arguments.own.get("header") == "1"
    wanted = Wanted(arguments.own.get("format") or "json", header, arguments.base)
    places = {name: found.used.get(name, value) for name, value in values.items()}
    own = {name: found.used.get(name, value) for name, value in arguments.own.items()}
    address = route.canonical(places, replace(arguments, own=own))
    of = provenance(route.name, address, found.snapshot, found.state, found.sources, found.units)
    return formats.encode(found, wanted, route.name, of)


def whole(
    lake: Lake, route: Route, values: Mapping[str, str], query: Mapping[str, str], base: str = ""
) -> Encoded:
    """Return all rows of a question, every page of it; UsageError names a wrong parameter.

    `base` is the server that texts name.
    """
    asked = dict(query)
    if any(one.name == "limit" and not one.view for one in route.parameters):
        asked["limit"] = str(paging.MAX_LIMIT)
    pages = list(_pages(lake, route, values, asked))
    arguments = settled(lake, route, parameters.read(asked.items(), route.parameters))
    arguments = replace(arguments, base=base)
    first = pages[0]
    if len(pages) == 1:
        return encode(route, values, arguments, first)
    tables = [page.table for page in pages if page.table]
    joined = replace(
        first,
        data=[row for page in pages for row in page.data],
        next=None,
        sources=[one for page in pages for one in page.sources],
        table=lambda: pa.concat_tables([make() for make in tables]),
    )
    return encode(route, values, arguments, joined)


def _pages(
    lake: Lake, route: Route, values: Mapping[str, str], asked: Mapping[str, str]
) -> Iterator[Answer]:
    cursor: str | None = ""
    while cursor is not None:
        pairs = {**asked, "cursor": cursor} if cursor else asked
        arguments = settled(lake, route, parameters.read(pairs.items(), route.parameters))
        if "limit" in arguments.own:
            arguments = replace(arguments, own={**arguments.own, "limit": _AT_ONCE})
        page = route.ask(lake, values, arguments)
        yield page
        cursor = page.next
