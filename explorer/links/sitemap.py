"""`/robots.txt` and `/sitemap.xml`: what there is to index, of the newest snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

import flask

from explorer.domain import addresses
from explorer.domain.lake import Lake
from explorer.errors import ExplorerError
from explorer.links.site import Site

MOST = 50_000
"""Addresses a sitemap may hold (sitemaps.org); with more there is an index of several."""
_XMLNS = "http://www.sitemaps.org/schemas/sitemap/0.9"
_POINTS = "SELECT point_id, date FROM {points} ORDER BY point_id"
_DATASETS = "SELECT dataset FROM {datasets} ORDER BY dataset"
_CONVERSATIONS = """
SELECT dataset, conversation FROM {conversations}
WHERE conversation NOT IN ('.', '..') ORDER BY dataset, position
"""
"""Those of all datasets; `.` and `..` are no names in an address."""
_SHORT = "public, max-age=3600"
_ROBOTS = """User-agent: *
Disallow: /api/
Disallow: /_
Disallow: /*?
Allow: /$
Sitemap: {base}/sitemap.xml
"""
Entry = tuple[str, str]


def robots(site: Site) -> flask.Response:
    """Answer that pages may be indexed, endless combinations of filters not."""
    response = flask.Response(_ROBOTS.format(base=site.base), mimetype="text/plain")
    response.headers["Cache-Control"] = _SHORT
    return response


def answer(site: Site) -> flask.Response:
    """Answer the sitemap, `?part=n` of one too long for one file, or the index of its parts."""
    try:
        entries = list(_entries(site.lake))
    except ExplorerError:  # an empty lake has a first page all the same
        entries = [("/", "")]
    parts = -(-len(entries) // MOST)
    asked = flask.request.args.get("part", "")
    if parts > 1 and not asked:
        text = _index(site.base, parts)
    else:
        part = int(asked) if asked.isascii() and asked.isdigit() else 1
        text = _urls(site.base, entries[(part - 1) * MOST : part * MOST])
    response = flask.Response(text, mimetype="application/xml")
    response.headers["Cache-Control"] = _SHORT
    response.add_etag()
    response.make_conditional(flask.request)
    return response


def _entries(lake: Lake) -> Iterator[Entry]:
    """Yield every page worth finding: address and the day of what it shows."""
    newest = lake.snapshot()
    day = newest.time[:10]
    yield addresses.curves(), day
    yield addresses.datasets(), day
    yield addresses.snapshots(), day
    for row in lake.rows(_DATASETS, snap=newest.snap):
        yield addresses.dataset(row["dataset"]), day
    for row in lake.rows(_POINTS, snap=newest.snap):
        yield addresses.point(row["point_id"]), row["date"] or day
    for row in lake.rows(_CONVERSATIONS, snap=newest.snap):
        yield addresses.conversation(row["dataset"], row["conversation"]), day


def _urls(base: str, entries: Sequence[Entry]) -> str:
    rows = "".join(
        f"<url><loc>{escape(base + address)}</loc>"
        f"{f'<lastmod>{escape(day[:10])}</lastmod>' if day else ''}</url>\n"
        for address, day in entries
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{_XMLNS}">\n{rows}</urlset>\n'


def _index(base: str, parts: int) -> str:
    rows = "".join(
        f"<sitemap><loc>{escape(base)}/sitemap.xml?part={part}</loc></sitemap>\n"
        for part in range(1, parts + 1)
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="{_XMLNS}">\n{rows}'
        "</sitemapindex>\n"
    )
