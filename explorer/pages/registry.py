"""Pages: one file per address, listed here and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from explorer.components.view import Begun, View
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.pages import (
    compare,
    compare_conversations,
    compare_timelines,
    conversation,
    curves,
    dataset,
    datasets,
    point,
    share,
    snapshots,
    timeline,
)

Draw = Callable[[Lake, Mapping[str, str], ViewState], View]
Begin = Callable[[Lake, Mapping[str, str], ViewState], Begun | None]


@dataclass(frozen=True, slots=True)
class Page:
    """An address pattern, the function that draws it, the styles its first paint waits for.

    `begin` draws it part by part, where the page is drawn anew in place.
    """

    name: str
    pattern: re.Pattern[str]
    draw: Draw
    styles: tuple[str, ...] = ()
    begin: Begin | None = None


def _page(name: str, pattern: str, draw: Draw, *styles: str, begin: Begin | None = None) -> Page:
    return Page(name, re.compile(pattern), draw, styles, begin)


PAGES: tuple[Page, ...] = (
    _page("curves", r"/", curves.view, begin=curves.begun),
    _page("datasets", r"/datasets", datasets.view, "conversations"),
    _page("dataset", r"/datasets/(?P<slug>[^/]+)", dataset.view, "conversations", "point"),
    _page(
        "conversation",
        r"/datasets/(?P<slug>[^/]+)/conversations/(?P<conversation>[\s\S]+)",
        conversation.view,
        "conversations",
        "point",
    ),
    _page("compare", r"/compare", compare.view, "point", "compare"),
    _page(
        "compare_conversations",
        r"/compare/conversations",
        compare_conversations.view,
        "conversations",
        "point",
    ),
    _page("compare_timelines", r"/compare/timelines", compare_timelines.view, "timeline", "point"),
    _page("point", r"/points/(?P<point_id>[^/]+)", point.view, "point"),
    _page("timeline", r"/points/(?P<point_id>[^/]+)/timeline", timeline.view, "timeline", "point"),
    _page("snapshots", r"/snapshots", snapshots.view, "share"),
    _page("share", r"/s/(?P<code>.+)", share.view),
)


def find(path: str) -> tuple[Page, dict[str, str]] | None:
    """Return the page of a path and the values in it; None when no page has it."""
    for page in PAGES:
        if match := page.pattern.fullmatch(path.rstrip("/") or "/"):
            return page, match.groupdict()
    return None
