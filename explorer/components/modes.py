"""How pages are drawn just now, for all that draw: `with FILE.on(): …`, then `if FILE: …`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Mode:
    """Something that holds for all that is drawn in a `with`, in one thread; false elsewhere."""

    def __init__(self, name: str) -> None:
        self._var = ContextVar(name, default=False)

    @contextmanager
    def on(self) -> Iterator[None]:
        """Let it hold inside a `with`, which must not reach over a `yield`."""
        before = self._var.set(True)
        try:
            yield
        finally:
            self._var.reset(before)

    def __bool__(self) -> bool:
        return self._var.get()


FILE = Mode("file")
"""The page becomes a file: no server will say what its dots are, so each has its link."""
FOLDED = Mode("folded")
"""The page is drawn in place: what closed details hold is asked for when a reader comes near."""


def folded() -> dict[str, str]:
    """Return the attribute by which assets/page.js knows `<details>` whose inside is left out.

    They need a `data-menu` or a `data-testid` as their name in their part of the page.
    """
    return {"data-folded": ""} if FOLDED else {}
