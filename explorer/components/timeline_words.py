"""What a timeline shows, in a sentence: for its page and its embed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.components.point_numbers import duration
from explorer.components.view import Words
from explorer.domain.view_state import ViewState
from explorer.queries.timeline import Counts


def summary(point: Mapping[str, Any], counts: Counts, state: ViewState, words: Words) -> str:
    """Return how many requests of the phase there are, over which time, and how they ended."""
    phase = state["phase"]
    said = words(
        "timeline_page.summary",
        n=f"{counts.sum(phase):,}",
        phase=words(f"timeline.phase_{phase}"),
        trees=f"{counts.trees:,}",
        span=" ".join(duration(counts.span_s)),
        **{one: f"{counts.sum(phase, one):,}" for one in ("ok", "failed", "cancelled")},
    )
    if point["requests_overflow"]:
        said += " " + words("timeline_page.overflow", n=f"{point['requests_overflow']:,}")
    return said
