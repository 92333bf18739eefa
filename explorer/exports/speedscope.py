"""A conversation as a speedscope file: its tokens as one profile, its time as one per agent.

File format: https://www.speedscope.app/file-format-schema.json. Frame names are plain English
identifiers, as column names are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from explorer import __version__
from explorer.domain.turns import Turn

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
MAIN = "main"


class _Frames:
    """Frame names and their indices, in order of first use."""

    def __init__(self) -> None:
        self._at: dict[str, int] = {}

    def index(self, name: str) -> int:
        return self._at.setdefault(name, len(self._at))

    def listed(self) -> list[dict[str, str]]:
        return [{"name": name} for name in self._at]


def speedscope(name: str, turns: Sequence[Turn]) -> dict[str, Any]:
    """Return a speedscope file of a conversation as a plain value, ready for JSON.

    Profile `tokens`: Σ weights = Σ input + Σ output tokens; a sub-agent's tokens stand under the
    turn that spawned it. Profiles `time: …` in ms, one per agent, and one more for each lane
    that overlapping requests of one agent need; turns without a duration have none there.
    """
    frames = _Frames()
    profiles = [_tokens(turns, frames), *_times(turns, frames)]
    return {
        "$schema": SCHEMA,
        "exporter": f"explorer@{__version__}",
        "name": name,
        "activeProfileIndex": 0,
        "shared": {"frames": frames.listed()},
        "profiles": profiles,
    }


def _tokens(turns: Sequence[Turn], frames: _Frames) -> dict[str, Any]:
    samples: list[list[int]] = []
    weights: list[int] = []
    for turn in turns:
        parts = (
            ("cached input", turn.cached_tokens),
            ("uncached input", turn.uncached_tokens),
            ("output", turn.osl_tokens),
        )
        for part, tokens in parts:
            if tokens:
                samples.append([frames.index(frame) for frame in (*_stack(turn), part)])
                weights.append(tokens)
    return {
        "type": "sampled",
        "name": "tokens",
        "unit": "none",
        "startValue": 0,
        "endValue": sum(weights),
        "samples": samples,
        "weights": weights,
    }


def _stack(turn: Turn) -> tuple[str, ...]:
    if turn.agent is None:
        return MAIN, f"turn {turn.turn}"
    under = () if turn.parent_turn is None else (f"turn {turn.parent_turn}",)
    return MAIN, *under, _agent(turn), f"{turn.agent} turn {turn.turn}"


def _agent(turn: Turn) -> str:
    return f"{turn.agent} ({turn.agent_type})" if turn.agent_type else turn.agent or MAIN


def _times(turns: Sequence[Turn], frames: _Frames) -> list[dict[str, Any]]:
    agents: dict[str, list[Turn]] = defaultdict(list)
    for turn in turns:
        if turn.end_ms is not None:
            agents[_agent(turn)].append(turn)
    return [
        _time(f"time: {agent}" if lane == 0 else f"time: {agent} ({lane + 1})", members, frames)
        for agent, own in agents.items()
        for lane, members in enumerate(_lanes(own))
    ]


def _lanes(turns: Sequence[Turn]) -> list[list[Turn]]:
    """Return turns in the fewest lanes in which none overlaps the next."""
    lanes: list[list[Turn]] = []
    for turn in sorted(turns, key=lambda turn: (turn.t_ms, turn.ordinal)):
        free = next((lane for lane in lanes if lane[-1].stop_ms <= turn.t_ms), None)
        if free is None:
            lanes.append([turn])
        else:
            free.append(turn)
    return lanes


def _time(name: str, turns: Sequence[Turn], frames: _Frames) -> dict[str, Any]:
    events = [
        {"type": kind, "frame": frames.index(_stack(turn)[-1]), "at": at}
        for turn in turns
        for kind, at in (("O", turn.t_ms), ("C", turn.stop_ms))
    ]
    return {
        "type": "evented",
        "name": name,
        "unit": "milliseconds",
        "startValue": turns[0].t_ms,
        "endValue": turns[-1].stop_ms,
        "events": events,
    }
