"""The table twin of a conversation's pictures: a row a turn, in plain HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from explorer.domain.turns import Turn
from explorer.domain.units import number, percent
from explorer.figures.flame import clock
from explorer.figures.flame_rows import Measured

Say = Callable[..., str]
Href = Callable[[Turn], str]

_COLUMNS = ("turn", "agent", "time", "isl", "cached", "share", "uncached", "osl", "ceiling", "join")
_MEASURED = ("m_cached", "m_ttft", "m_wait", "m_failed")
_TEXT = frozenset({"agent"})


def turns_table(
    turns: Sequence[Turn],
    *,
    say: Say,
    href: Href,
    selected: int | None = None,
    measured: Mapping[int, Measured] | None = None,
) -> str:
    """Return the turns as one `<table>`; with `measured` (by ordinal) its columns follow."""
    names = (*_COLUMNS, *(_MEASURED if measured else ()))
    head = "".join(_head(name, say) for name in names)
    rows = "".join(_row(turn, href, selected, measured) for turn in turns)
    return (
        f'<table class="turns"><caption>{escape(say("turns.caption", n=len(turns)))}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _head(name: str, say: Say) -> str:
    side = "" if name in _TEXT else ' class="n"'
    return f'<th scope="col"{side}>{escape(say("turns." + name))}</th>'


def _row(
    turn: Turn, href: Href, selected: int | None, measured: Mapping[int, Measured] | None
) -> str:
    share = turn.cached_tokens / turn.isl_tokens if turn.isl_tokens else None
    numbers = (
        clock(turn.t_ms),
        f"{turn.isl_tokens:,}",
        f"{turn.cached_tokens:,}",
        percent(share),
        f"{turn.uncached_tokens:,}",
        f"{turn.osl_tokens:,}",
        f"{turn.time_order_cached_tokens:,}",
        "–" if turn.join_turn is None else str(turn.join_turn),
        *(_measured(measured.get(turn.ordinal)) if measured else ()),
    )
    here = ' aria-current="true"' if turn.ordinal == selected else ""
    cells = "".join(f'<td class="n">{cell}</td>' for cell in numbers)
    return (
        f'<tr{here}><td class="n"><a href="{escape(href(turn))}" data-nav="">{turn.turn}</a></td>'
        f"<td>{escape(turn.agent or '–')}</td>{cells}</tr>"
    )


def _measured(found: Measured | None) -> tuple[str, ...]:
    if found is None:
        return ("–",) * len(_MEASURED)
    return (
        percent(found.cached_share()),
        number(found.ttft_s),
        number(found.wait_s),
        f"{found.failed} / {found.replays}",
    )
