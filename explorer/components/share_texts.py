"""What a reader takes away from a view: links, embed, Markdown, picture, citation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from explorer.components.embed_code import iframe
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.lake import Snapshot
from explorer.domain.share_code import BrokenCodeError, encode
from explorer.domain.view_state import ViewState

_TEX = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip
_MARKDOWN = re.compile(r"([\\\[\]<`])")


@dataclass(frozen=True)
class Shared:
    """A view to share: its title, (unquoted) path, state and snapshot; `base` is `https://host`."""

    title: str
    path: str
    state: ViewState
    snapshot: Snapshot
    base: str
    words: Words

    @property
    def address(self) -> str:
        """The whole address."""
        return self.base + addresses.page(self.path, self.state)

    @cached_property
    def code(self) -> str | None:
        """The share code; None for an address too long for one."""
        try:
            return encode(addresses.page(self.path, self.state))
        except BrokenCodeError:
            return None

    @property
    def short(self) -> str:
        """The short link, else the whole address."""
        return self.base + addresses.share(self.code) if self.code else self.address

    @property
    def card(self) -> str:
        """The address of the picture; empty for an address too long for a code."""
        return self.base + addresses.card(self.code) if self.code else ""


def embeds(shared: Shared) -> dict[str, str]:
    """Return kind of embed → iframe: what shows the view, and curves as a table too."""
    address = addresses.embed_of(shared.path, shared.state)
    found = {"embed": address} if address else {}
    if shared.path == "/":
        found["embed_table"] = addresses.embed("table", shared.state)
    return {name: iframe(shared.base + href, shared.title) for name, href in found.items()}


def markdown(shared: Shared) -> str:
    """Return the picture as Markdown, linked to the view; a plain link without one."""
    title = _MARKDOWN.sub(r"\\\1", shared.title)
    inside = f"![{title}]({shared.card})" if shared.card else title
    return f"[{inside}]({shared.short})"


def bibtex(shared: Shared) -> str:
    """Return a BibTeX entry: title, address, the snapshot and its date."""
    snapshot = shared.snapshot
    note = shared.words("share.cite_note", snap=snapshot.snap, date=snapshot.time[:10])
    key = f"explorer-{snapshot.snap[:8]}-{(shared.code or 'view')[-6:].strip('-_')}"
    lines = {
        "title": f"{{{tex(shared.title)}}}",
        "author": "{{" + tex(shared.words("share.cite_author")) + "}}",
        "year": snapshot.time[:4],
        "month": str(int(snapshot.time[5:7])),
        "howpublished": f"{{\\url{{{shared.short}}}}}",
        "note": f"{{{tex(note)}}}",
    }
    body = ",\n".join(f"  {name} = {text}" for name, text in lines.items())
    return f"@misc{{{key},\n{body}\n}}"


def tex(text: str) -> str:
    """Return a text that TeX prints as it is."""
    return "".join(_TEX.get(letter, letter) for letter in text)
