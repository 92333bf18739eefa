"""Sessions as WEKA trace files: prefix-chained ids of full 64-token blocks, local to a trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from explorer.demo.replay import outer_order
from explorer.demo.workload import BLOCK_TOKENS, Session, SubAgent, Turn

_MAIN_MODEL = "simulated-coder-large"
_SMALL_MODEL = "simulated-coder-small"


class _Ids:
    """Hands out block ids of one trace as text, so that long lists join fast."""

    def __init__(self) -> None:
        self._next = 1

    def extend(self, known: list[str], shared_tokens: int, isl_tokens: int) -> list[str]:
        """Return a prompt's ids: the shared leading blocks, then new ones."""
        ids = known[: shared_tokens // BLOCK_TOKENS]
        missing = isl_tokens // BLOCK_TOKENS - len(ids)
        ids.extend(map(str, range(self._next, self._next + missing)))
        self._next += missing
        return ids


def _request(turn: Turn, ids: list[str], model: str, kind: str = "n") -> str:
    head = (
        f'{{"t":{turn.start_s!r},"type":"{kind}","model":"{model}","in":{turn.isl_tokens},'
        f'"out":{turn.osl_tokens},"hash_ids":['
    )
    return f'{head}{",".join(ids)}],"api_time":{turn.api_s!r},"think_time":{turn.delay_s!r}}}'


class _TraceText:
    """Writes one session; keeps the ids that the next turn of a stream extends."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.ids = _Ids()
        self.main: list[str] = []
        self.agent_prefix: list[str] = []

    def entries(self) -> list[str]:
        written = []
        for _, kind, number in outer_order(self.session):
            if kind == "main":
                turn = self.session.turns[number]
                self.main = self.ids.extend(self.main, turn.shared_tokens, turn.isl_tokens)
                written.append(_request(turn, self.main, _MAIN_MODEL))
            elif kind == "side":
                turn = self.session.sides[number].turn
                ids = self.ids.extend([], 0, turn.isl_tokens)
                written.append(_request(turn, ids, _SMALL_MODEL))
            else:
                written.append(self._subagent(self.session.subagents[number]))
        return written

    def _subagent(self, agent: SubAgent) -> str:
        known, requests = self.agent_prefix, []
        for turn in agent.turns:
            known = self.ids.extend(known, turn.shared_tokens, turn.isl_tokens)
            requests.append(_request(turn, known, _SMALL_MODEL))
            if not self.agent_prefix:
                self.agent_prefix = known[: self.session.subagent_system_tokens // BLOCK_TOKENS]
        total = sum(turn.isl_tokens + turn.osl_tokens for turn in agent.turns)
        head = {
            "t": agent.start_s,
            "type": "subagent",
            "agent_id": agent.agent_id,
            "subagent_type": agent.kind,
            "duration_ms": int(agent.duration_s * 1000),
            "total_tokens": total,
            "tool_use_count": len(agent.turns) - 1,
            "status": "completed",
            "models": [_SMALL_MODEL],
        }
        text = json.dumps(head, separators=(",", ":"))[:-1]
        return f'{text},"requests":[{",".join(requests)}]}}'


def trace_text(session: Session) -> str:
    """Return the session as one WEKA trace (JSON)."""
    parent = [*session.turns, *(side.turn for side in session.sides)]
    inner = [turn for agent in session.subagents for turn in agent.turns]
    head: dict[str, Any] = {
        "id": session.session_id,
        "models": [_MAIN_MODEL, _SMALL_MODEL],
        "block_size": BLOCK_TOKENS,
        "hash_id_scope": "local",
        "system_tokens": session.system_tokens,
        "source": "simulated",
    }
    totals = {
        "totals": {
            "parent_tokens": _tokens(parent),
            "subagent_tokens": _tokens(inner),
            "combined_tokens": _tokens([*parent, *inner]),
            "subagent_count": len(session.subagents),
        }
    }
    opening = json.dumps(head, separators=(",", ":"))[:-1]
    closing = json.dumps(totals, separators=(",", ":"))[1:]
    return f'{opening},"requests":[{",".join(_TraceText(session).entries())}],{closing}'


def _tokens(turns: list[Turn]) -> dict[str, int]:
    return {
        "input": sum(turn.isl_tokens for turn in turns),
        "output": sum(turn.osl_tokens for turn in turns),
    }


def write_traces(sessions: list[Session], folder: Path) -> None:
    """Write one JSON file per session."""
    folder.mkdir(parents=True, exist_ok=True)
    for session in sessions:
        folder.joinpath(f"{session.session_id}.json").write_text(trace_text(session), "utf-8")
