"""An embed's styles and script, inside its answer: one request, nothing to wait for."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from functools import cache

from explorer.settings import CHECKOUT

ASSETS = CHECKOUT / "assets"
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DARK_IF_LIKED = "@media (prefers-color-scheme: dark)"
_DARK_BY_NAME = ':root[data-theme="dark"]'


@cache
def css(names: tuple[str, ...], theme: str) -> str:
    """Return stylesheets of assets/ as one, only with the colours that a theme may show.

    Paper is light: dark rules hold on screens only. `theme` is auto, light or dark.
    """
    text = "".join((ASSETS / f"{name}.css").read_text() for name in names)
    return "".join(_themed(rule, theme) for rule in _rules(_small(text)))


def _small(text: str) -> str:
    text = re.sub(r"\s+", " ", _COMMENT.sub("", text))
    return re.sub(r" ?([{};]) ?|(:) ", lambda found: found[1] or found[2], text).strip()


def _rules(text: str) -> Iterator[str]:
    """Yield the rules of the outermost level."""
    depth = start = 0
    for at, letter in enumerate(text):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "}" and depth == 0:
            yield text[start : at + 1]
            start = at + 1


def _themed(rule: str, theme: str) -> str:
    compact = _small(_DARK_IF_LIKED)
    if rule.startswith(compact):
        liked = rule.replace(compact, compact.replace("@media ", "@media screen and "), 1)
        return liked if theme == "auto" else ""
    if rule.startswith(_DARK_BY_NAME):
        return f"@media screen{{{rule}}}" if theme == "dark" else ""
    return rule


@cache
def script() -> str:
    """Return the embeds' one script, without its comments and indentation."""
    lines = (line.strip() for line in (ASSETS / "embed.js").read_text().splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


@cache
def policy() -> str:
    """Return the Content-Security-Policy: this one script, and nothing from anywhere.

    It says nothing of frame-ancestors: even `*` shuts out hosts without an address of the web,
    such as files, and notebooks that run in a sandbox.
    """
    digest = base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
