"""What a page returns: its title, its status, its body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dash.development.base_component import Component

from explorer import i18n
from explorer.domain.view_state import ViewState


@dataclass(frozen=True, slots=True)
class Export:
    """Rows of a page that leave as files: `name` is their key in i18n (`exports.of.<name>`).

    `address` is the API's, without a format; `of` tells rows of one kind apart.
    """

    name: str
    address: str
    of: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """One rendered page; `canonical` is its address without language and theme.

    `in_parts` says that the page can be drawn anew part by part, see `Begun`.
    """

    title: str
    body: Component | list[Component]
    canonical: str
    description: str = ""
    status: int = 200
    nav: str = ""
    exports: tuple[Export, ...] = ()
    in_parts: bool = False


@dataclass(frozen=True, slots=True)
class Begun:
    """A page whose parts are drawn as they are asked for, in the order in which readers need them.

    `view` has no body yet. Each part draws one `still` component; its name is its `data-part`.
    `first` names the part that takes longest, `below` those under what a window shows at first: the
    others are to be on the screen before them.
    """

    view: View
    parts: dict[str, Callable[[], Component]]
    first: str
    below: tuple[str, ...]


class Words:
    """Translates for one reader: `words("frame.counts", points=3, requests=9)`."""

    def __init__(self, state: ViewState) -> None:
        self.lang: str = state["lang"]

    @staticmethod
    def of(lang: str) -> Words:
        """Return the words of a language."""
        return Words(ViewState().having(lang=lang))

    def __call__(self, key: str, /, **params: Any) -> str:
        return i18n.text(self.lang, key, **params)

    def or_key(self, key: str, fallback: str, /, **params: Any) -> str:
        """Return the string, or the fallback (a name that needs no translation)."""
        return self(key, **params) if i18n.has(self.lang, key) else fallback
