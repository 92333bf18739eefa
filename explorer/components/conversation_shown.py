"""What a conversation's page shows: the conversation, its points, what one measured, words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from explorer.components import names
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.turns import Turn
from explorer.domain.view_state import ViewState
from explorer.figures.flame_rows import Measured
from explorer.queries.conversations import Conversation
from explorer.queries.replays import Replayed, Strip

MEASURED = ("replays", "failed", "isl_tokens", "cached_tokens", "ttft_s", "wait_s")


@dataclass(frozen=True)
class Shown:
    """`point` measured, `measured` is by ordinal; `strips` are the chosen turn's."""

    found: Conversation
    state: ViewState
    words: Words
    replayed: Replayed
    point: dict[str, Any] | None
    measured: Mapping[int, Measured]
    turn: Turn | None
    strips: list[Strip]

    @cached_property
    def slug(self) -> str:
        """The dataset."""
        return str(self.found.dataset["dataset"])

    @cached_property
    def id(self) -> str:
        """The conversation."""
        return str(self.found.row["conversation"])

    def here(self, state: ViewState) -> str:
        """Return this conversation's address in another state."""
        return addresses.conversation(self.slug, self.id, state)

    def href(self, turn: Turn) -> str:
        """Return where a turn's bar, box or row leads."""
        before, after = self._around[turn.agent]
        return f"{before}{turn.turn}{after}"

    @cached_property
    def _around(self) -> dict[str | None, tuple[str, str]]:
        """Each agent's address around a turn's number: formatting one takes 50 µs."""
        return {agent: self._split(agent) for agent in {turn.agent for turn in self.found.turns}}

    def _split(self, agent: str | None) -> tuple[str, str]:
        address = self.here(self.state.having(turn="0", agent=agent))
        before, _, after = address.partition("turn=0")
        return f"{before}turn=", after

    @cached_property
    def selected(self) -> int | None:
        """The chosen turn's ordinal."""
        return None if self.turn is None else self.turn.ordinal


def measured_of(rows: Mapping[int, Mapping[str, Any]]) -> dict[int, Measured]:
    """Return a query's rows as what the figures draw."""
    return {at: Measured(**{name: row[name] for name in MEASURED}) for at, row in rows.items()}


def point_name(point: Mapping[str, Any], words: Words) -> str:
    """Return a point in a line: hardware · engine · settings · date."""
    parts = [
        names.hardware(point["hw"], words),
        names.engine(point["engine"], words),
        names.configuration(point, words),
        point["date"] or "",
    ]
    return " · ".join(part for part in parts if part)


def turn_name(turn: Turn, words: Words) -> str:
    """Return a turn's name: Turn 7, or agent_001, turn 7."""
    if turn.agent is None:
        return words("conversation.fact.turn", turn=turn.turn)
    return words("conversation.fact.agent_turn", agent=turn.agent, turn=turn.turn)
