"""`/e/v1/<kind>`: an address in, a complete document out; kept until what it shows changes."""

from __future__ import annotations

import logging
from html import escape

import flask

from explorer.components.view import Words
from explorer.domain import addresses, view_state
from explorer.domain.lake import Lake, Snapshot
from explorer.domain.view_state import ViewState
from explorer.embeds import styles
from explorer.embeds.check import report
from explorer.embeds.document import Html, document, inside, outward, page
from explorer.embeds.kinds import BY_NAME, Kind
from explorer.errors import ExplorerError, NotFoundError, UsageError
from explorer.exports.ready import IMMUTABLE, NEVER, SHORT, Answer, Ready, Standing
from explorer.store.cache import Memo

log = logging.getLogger(__name__)
PREFIX = "/e/v1"
_BRIEF = "public, max-age=60"
"""How long a browser keeps that there is nothing here: results may come."""
_KEPT_BYTES = 32_000_000


def blueprint(lake: Lake, ready: Ready) -> flask.Blueprint:
    """Return the embeds of a lake; what they answer is kept in `ready`."""
    embeds = flask.Blueprint("embeds", __name__, url_prefix=PREFIX)
    shelf = Shelf(lake)

    def embed(kind: str) -> Answer:
        query = flask.request.query_string.decode("utf-8", "replace")
        answer, kept = shelf.answer(kind, query)
        if kept:
            ready.keep(flask.request.environ, answer)
        return answer

    embeds.add_url_rule("/<kind>", "embed", embed)
    return embeds


class Shelf:
    """Draws embeds, each once for a snapshot and canonical address."""

    def __init__(self, lake: Lake) -> None:
        self._lake, self._standing = lake, Standing(lake)
        self._drawn: Memo[tuple[str, str, str], Answer] = Memo(
            _KEPT_BYTES, lambda answer: 2 * len(answer.body)
        )

    def answer(self, name: str, query: str) -> tuple[Answer, bool]:
        """Return the answer at an address, and whether it may be kept."""
        asked = view_state.parse(query)
        kind = BY_NAME.get(name)
        if kind is None:
            known = ", ".join(BY_NAME)
            return _refused(NotFoundError(f"No embed {name!r}.", hint=f"Known: {known}."), asked)
        try:
            return self._found(kind, asked)
        except ExplorerError as error:
            checked = report(kind, asked, error) if asked["check"] else ""
            return _refused(error, asked, checked)
        except Exception:
            log.exception("embed %s?%s", name, query)
            return _refused(ExplorerError(Words(asked)("embeds.broken")), asked)

    def _found(self, kind: Kind, asked: ViewState) -> tuple[Answer, bool]:
        snapshot = self._lake.snapshot(asked["snap"])
        for name in kind.needs:
            if not asked[name]:
                raise UsageError(Words(asked)("embeds.check.missing", key=name, kind=kind.name))
        state = asked.only(kind.keys)
        if asked["check"]:
            made = self._document(kind, snapshot, state, report(kind, asked))
            return _answer(made, cache=NEVER), False
        key = (snapshot.snap, kind.name, view_state.format(state))
        return self._drawn.get(key, lambda: self._draw(kind, snapshot, state)), True

    def _draw(self, kind: Kind, snapshot: Snapshot, state: ViewState) -> Answer:
        pin = state["snap"]
        still = self._standing.pinned(pin) if pin else self._standing.current(snapshot.snap)
        made = self._document(kind, snapshot, state)
        return _answer(made, cache=IMMUTABLE if pin else SHORT, still=still)

    def _document(
        self, kind: Kind, snapshot: Snapshot, state: ViewState, checked: Html = ""
    ) -> str:
        drawn = kind.draw(self._lake, state)
        return document(kind.name, drawn, snapshot, state, kind.sheets, checked)


def _answer(html: str, **how: object) -> Answer:
    headers = (("Content-Security-Policy", styles.policy()),)
    return Answer(html.encode(), headers=headers, **how)  # type: ignore[arg-type]


def _refused(error: ExplorerError, asked: ViewState, checked: Html = "") -> tuple[Answer, bool]:
    """Return the box that says why there is no picture and what to do next."""
    words = Words(asked)
    status = error.http_status
    title = words.or_key(f"embeds.error_{status}", words("embeds.error"))
    why = words.or_key(f"embeds.why_{status}", "")
    newest = addresses.curves(inside(asked).only(("lang", "theme")))
    link = outward(f'<a href="{escape(newest)}">{escape(words("embeds.home"))}</a>')
    inner = (
        f'{checked}<div class="box" role="alert"><h1 class="title">{escape(title)}</h1>'
        f'<p>{escape(why)}</p><p class="ghost" lang="en">{escape(str(error))}</p>'
        f"<p>{link}</p></div>"
    )
    html = page("error", title, inner, asked, (), "")
    return _answer(html, status=status, cache=_BRIEF if not checked else NEVER), False
