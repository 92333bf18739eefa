"""The grammar of AIPerf's conversation ids: dataset conversation, agent, kind of stream.

`<trace>[::sa:<agent>[:s<n>|:aux:<n>]|::fa:<n>|::wg:<g>_<m>|::aux:<n>]`; formats.md §1.
"""

from __future__ import annotations

from typing import NamedTuple


class ConversationRef(NamedTuple):
    """`agent` is null on the main line; `kind` is main, subagent or aux."""

    conversation: str | None
    agent: str | None
    kind: str


def parse(conversation_id: str | None, trace_id: str | None = None) -> ConversationRef:
    """Return what a conversation id says; `trace_id` names the conversation when it is absent.

    >>> parse("t1::sa:a7:s2")
    ConversationRef(conversation='t1', agent='sa:a7:s2', kind='subagent')
    """
    if not conversation_id:
        return ConversationRef(trace_id, None, "main")
    conversation, _, agent = conversation_id.partition("::")
    if not agent:
        return ConversationRef(conversation, None, "main")
    words = agent.split(":")
    return ConversationRef(conversation, agent, "aux" if "aux" in words else "subagent")
