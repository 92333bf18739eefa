"""Which views a site holds: addresses read, checked, and spelled in one canonical way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from explorer.domain import addresses, view_state
from explorer.domain.view_state import ViewState
from explorer.embeds import kinds
from explorer.errors import UsageError
from explorer.pages.registry import find
from explorer.queries.nearest import nearest

EMBED = "/e/v1/"
_LIVE = {
    "compare_timelines": "it draws from a server: publish each point's timeline instead",
    "snapshots": "it lists what a server holds",
    "share": "it leads to another address: publish that one",
}
"""Pages that have no static form, and why."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A view of the site: an unquoted path and a state without its pin."""

    path: str
    state: ViewState

    @property
    def address(self) -> str:
        """The canonical address, without a pin."""
        return addresses.page(self.path, self.state)

    @property
    def kind(self) -> str:
        """The kind of an embed, or an empty text for a page."""
        return self.path.removeprefix(EMBED) if self.path.startswith(EMBED) else ""

    def pinned(self, snap: str) -> str:
        """Return the address at a snapshot."""
        return addresses.page(self.path, self.state.having(snap=snap))


def read(lines: Iterable[str]) -> list[Wanted]:
    """Return the views of lines: one address each, `#` starts a comment, a whole URL is fine.

    UsageError names every line that is no view, all at once.
    """
    found: dict[str, Wanted] = {}
    bad: list[str] = []
    for number, text in _named(lines):
        try:
            one = _view(text)
        except ValueError as error:
            bad.append(f"{number}: {text}: {error}")
        else:
            found.setdefault(one.address, one)
    if bad:
        raise UsageError(
            "No site: " + "; ".join(bad) + ".", hint="Correct these lines; nothing was written."
        )
    if not found:
        raise UsageError(
            "No view is named.", hint="Give --view ADDRESS, or --views FILE with one a line."
        )
    return list(found.values())


def pins(lines: Iterable[str]) -> list[str]:
    """Return the snapshots that good lines pin, each once: a site shows one, whatever they say."""
    queries = (urlsplit(text).query for _, text in _named(lines))
    return sorted({pin for query in queries if (pin := view_state.parse(query)["snap"])})


def _named(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield each line's number and address, without comments and empty ones."""
    for number, line in enumerate(lines, 1):
        text = line.partition(" #")[0].strip()
        if text and not text.startswith("#"):
            yield number, text


def _view(text: str) -> Wanted:
    """Return the view of an address; ValueError says what is wrong with it."""
    parts = urlsplit(text)
    path = _path(parts.path)
    state = view_state.parse(parts.query)
    if state.problems:
        raise ValueError(_problem(state))
    kind = path.removeprefix(EMBED) if path.startswith(EMBED) else ""
    if kind:
        return Wanted(path, _embed(kind, state))
    page = find(path)
    if page is None:
        raise ValueError("no page has this path")
    if page[0].name in _LIVE:
        raise ValueError(_LIVE[page[0].name])
    return Wanted(path, state.having(snap=None))


def _path(quoted: str) -> str:
    """Return a path unquoted, in the spelling of today."""
    path = unquote(quoted)
    today = addresses.respelled(path, "")
    return unquote(today) if today else path


def _problem(state: ViewState) -> str:
    first = state.problems[0]
    if first.code == "bad_value":
        return f"{first.value!r} is no value of {first.key}"
    if first.code == "bad_range":
        return f"the range {first.value} of {first.key} does not end after it begins"
    return f"no key {first.key!r}; {nearest(first.key, view_state.BY_NAME)}"


def _embed(kind: str, state: ViewState) -> ViewState:
    known = kinds.BY_NAME.get(kind)
    if known is None:
        raise ValueError(f"no embed {kind!r}; {nearest(kind, kinds.BY_NAME)}")
    if missing := [name for name in known.needs if not state[name]]:
        raise ValueError(f"this embed needs {', '.join(missing)}")
    return state.only(known.keys).having(snap=None, check=None)


def embeds_of(views: Sequence[Wanted]) -> list[Wanted]:
    """Return the embeds that show what pages show, and those named, in every language and theme.

    A theme or language that a view names is no part of its picture: each is made.
    """
    bare: dict[str, Wanted] = {}
    for one in views:
        made = one if one.kind else _embed_of(one)
        if made:
            made = Wanted(made.path, made.state.having(lang=None, theme=None))
            bare.setdefault(made.address, made)
    return [
        Wanted(one.path, one.state.having(lang=lang, theme=theme))
        for one in bare.values()
        for lang in ("en", "zh")
        for theme in ("auto", "light", "dark")
    ]


def _embed_of(one: Wanted) -> Wanted | None:
    address = addresses.embed_of(one.path, one.state)
    if address is None:
        return None
    path, _, query = address.partition("?")
    kind = path.removeprefix(EMBED)
    try:
        return Wanted(path, _embed(kind, view_state.parse(query)))
    except ValueError:
        return None
