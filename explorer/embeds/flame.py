"""The flame embed: a conversation's turns, theory alone or beside what a point measured."""

from __future__ import annotations

from html import escape

from explorer.components.conversation_head import headline, measured
from explorer.components.conversation_shown import Shown, measured_of, turn_name
from explorer.components.names import dataset
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.embeds.document import Embed, Html, inside
from explorer.embeds.notices import of_point
from explorer.errors import NotFoundError
from explorer.figures.context_growth import context_growth
from explorer.figures.flame import flame, tip
from explorer.figures.flame_rows import blocks
from explorer.figures.turns_table import turns_table
from explorer.queries import conversations, points, replays
from explorer.queries.conversations import Conversation
from explorer.queries.replays import Replayed

MOST = {"small": 120, "medium": 300, "large": 600}
"""Turns drawn as rows; of a longer conversation those around the chosen one."""
_BEFORE = 20
_TABLE = 40


def draw(lake: Lake, state: ViewState) -> Embed:
    """Return the flame graph of the conversation that key `a` names, its turn highlighted."""
    shown = _shown(lake, state)
    words, turns = shown.words, shown.found.turns
    only = _drawn(shown, MOST[state["size"]])
    picture = flame(
        turns,
        say=words,
        href=shown.href,
        selected=shown.selected,
        measured=shown.measured or None,
        only=only,
    )
    whole = len(only) == len(turns)
    return Embed(
        title=title(shown.found, words),
        caption=" ".join(text for text in (headline(shown), *measured(shown)) if text),
        about=_about(shown),
        body=_chosen(shown) + ("" if whole else _overview(shown)) + _rows(picture, words),
        more=_table(shown, only),
        page=shown.here(shown.state),
        notices=_notices(lake, shown, state),
        counted=_counted(only, len(turns), words),
    )


def title(found: Conversation, words: Words) -> str:
    """Return what a conversation's picture calls itself."""
    id_ = found.row["conversation"]
    return words("embeds.flame_title", id=id_, dataset=dataset(found.dataset))


def _shown(lake: Lake, state: ViewState) -> Shown:
    slug, written, point_id = addresses.named_conversation(state["a"])
    snap = state["snap"]
    found = conversations.one(lake, slug, written, snap)
    id_ = found.row["conversation"]
    if not found.turns:
        raise NotFoundError(f"No turns are kept of conversation {id_!r}.")
    point = points.one(lake, point_id, snap) if point_id else None
    rows = replays.measured(lake, point, id_, found.turns, state["phase"]) if point else {}
    return Shown(
        found=found,
        state=inside(state).having(a=None, point=point["point_id"] if point else None),
        words=Words(state),
        replayed=Replayed([], 0),
        point=point,
        measured=measured_of(rows),
        turn=found.find(state["turn"], state["agent"]),
        strips=[],
    )


def _drawn(shown: Shown, most: int) -> range:
    """Return the ordinals that get a row: all, or those from a little before the chosen turn."""
    n = len(shown.found.turns)
    first = max(0, min((shown.selected or 0) - _BEFORE, n - most))
    return range(first, min(n, first + most))


def _counted(only: range, n: int, words: Words) -> str:
    if len(only) == n:
        return words("embeds.rows_all", n=f"{n:,}")
    ends = {"first": f"{only[0] + 1:,}", "last": f"{only[-1] + 1:,}"}
    return words("embeds.rows_some", n=f"{n:,}", **ends)


def _about(shown: Shown) -> str:
    row = shown.found.row
    counts = {name: f"{row[name] or 0:,}" for name in ("turns", "subagents", "requests")}
    return " · ".join([shown.words("conversation.sub", **counts), *row["models"]])


def _notices(lake: Lake, shown: Shown, state: ViewState) -> list[str]:
    words = shown.words
    said = of_point(lake, shown.point, state, words) if shown.point else []
    if state["turn"] is not None and shown.turn is None:
        agent = state["agent"] or words("conversation.main_line")
        said.append(words("conversation.no_turn", turn=state["turn"], agent=agent))
    return said


def _chosen(shown: Shown) -> Html:
    """Return the chosen turn in words: the picture may have to be scrolled to it."""
    if shown.turn is None:
        return ""
    rows = (row for block in blocks(shown.found.turns, shown.measured) for row in block.rows)
    row = next(row for row in rows if row.turn.ordinal == shown.selected)
    name, said = turn_name(shown.turn, shown.words), tip(row, shown.words)
    rest = said.split(" · ", 1)[-1]
    href = escape(shown.href(shown.turn))
    return f'<p class="chosen"><a href="{href}">{escape(name)}</a> {escape(rest)}</p>'


def _overview(shown: Shown) -> Html:
    return f'<div class="overview">{context_growth(shown.found.turns, say=shown.words)}</div>'


def _rows(picture: Html, words: Words) -> Html:
    label = escape(words("conversation.flame"))
    return (
        f'<div class="flame-box" data-testid="flame-graph" role="region" tabindex="0" '
        f'aria-label="{label}">{picture}</div>'
    )


def _table(shown: Shown, only: range) -> Html:
    """Return the first rows drawn as numbers; the page has them all."""
    turns = shown.found.turns[only.start : only.start + _TABLE]
    table = turns_table(
        turns, say=shown.words, href=shown.href, selected=shown.selected,
        measured=shown.measured or None,
    )  # fmt: skip
    label = escape(shown.words("conversation.turns"))
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">{table}</div>'
