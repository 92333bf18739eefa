"""The conversations that an address compares: found, measured, named; what names none is said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from explorer.components.conversation_shown import measured_of
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.errors import NotFoundError
from explorer.figures.conversation_charts import Side
from explorer.queries import conversations, replays
from explorer.queries.compare import SIDES
from explorer.queries.conversations import Conversation


@dataclass(frozen=True, slots=True)
class Chosen:
    """One side: its key in the address, its conversation, its point where one is named."""

    key: str
    found: Conversation
    point: dict[str, Any] | None
    side: Side


def choose(lake: Lake, state: ViewState, words: Words) -> tuple[list[Chosen], list[str]]:
    """Return the sides that are there, and what is wrong with the others, in words."""
    problems: list[str] = []
    made = (_side(lake, key, state, words, problems) for key in SIDES if state[key])
    return [one for one in made if one is not None], problems


def _side(
    lake: Lake, key: str, state: ViewState, words: Words, problems: list[str]
) -> Chosen | None:
    """Return one side; what names nothing is said, and the others are shown."""
    slug, written, point_id = addresses.named_conversation(state[key])
    try:
        found = conversations.one(lake, slug, written, state["snap"])
    except NotFoundError:
        problems.append(words("compare_conversations.bad", key=key, value=state[key][:80]))
        return None
    id_, point, measured = found.row["conversation"], None, {}
    if point_id:
        replayed = replays.points(lake, slug, id_, state["snap"]).points
        point = next((one for one in replayed if one["point_id"] == point_id), None)
        if point is None:
            bad = words("compare_conversations.bad_point", key=key, value=point_id[:40])
            problems.append(bad)
        else:
            rows = replays.measured(lake, point, id_, found.turns, state["phase"])
            measured = measured_of(rows)
    return Chosen(key, found, point, Side(f"{key.upper()} · {id_}", found.turns, measured))
