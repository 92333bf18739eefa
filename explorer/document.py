"""The HTML document around a page: what stands before its first chart, and what is loaded after.

A browser that meets scripts and stylesheets in a document asks for all of them before it draws a
line, and one that draws while it reads lays the page out again for each bite. So the document
names the chart that the first paint waits for, and a few lines of script ask for the rest once it
is on the screen. Without scripts nothing but the page is ever asked for.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape

from explorer.components.view import View
from explorer.domain.view_state import ViewState
from explorer.pages.registry import find
from explorer.settings import CHECKOUT

ASSETS = CHECKOUT / "assets"
CORE_STYLES = ("tokens", "layout", "series")
FIRST_CHART = "first-chart"
"""The id of what a first paint waits for: the reader gets one picture, not eight halves of it."""

_DOCUMENT = """<!doctype html>
<html lang="{lang}" data-theme="{theme}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<meta name="description" content="{description}">
{about}
{icon}
<style>{core}</style>
{head_css}{expected}
</head>
<body>
<div id="first-paint">{first}</div>
{app_entry}
<footer class="scripts"><noscript>{rest_css}</noscript>{config}
<template id="late">{rest_css}{scripts}</template>
<script id="_dash-renderer">{loader}</script></footer>
</body>
</html>"""

_ICON = (
    '<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns=%27http://www.w3.org/2000/svg%27 '
    "viewBox=%270 0 16 16%27%3E%3Crect width=%2716%27 height=%2716%27 rx=%273%27 fill=%27%2314181b"
    "%27/%3E%3Cpath d=%27M3 4c5 0 8 3 10 8%27 fill=%27none%27 stroke=%27%235ec0a0%27 "
    "stroke-width=%271.6%27/%3E%3Ccircle cx=%278.6%27 cy=%276.2%27 r=%271.9%27 fill=%27%23fff"
    '%27/%3E%3C/svg%3E">'
)
"""A curve and its point, inside the document: a browser asks for a file again at every address."""
_EXPECTED = f'<link rel="expect" href="#{FIRST_CHART}" blocking="render">'
_LOADER = """(function () {
  const late = document.getElementById("late").content;
  let begun = false;
  function begin() {
    if (begun) return;
    begun = true;
    document.head.append(...late.querySelectorAll("link"));
    const scripts = Array.from(late.querySelectorAll("script"), ({src}) =>
      Object.assign(document.createElement("script"), {src, async: false}));
    scripts.at(-1).onload = () => (window.renderer = new DashRenderer());
    document.body.append(...scripts);
  }
  if (document.hidden) return begin();
  requestAnimationFrame(() => setTimeout(begin));
  setTimeout(begin, 3000);
})();"""


def document(
    page: str, view: View, state: ViewState, path: str, about: str, parts: dict[str, str]
) -> str:
    """Return the document of a page whose HTML is `page`; `parts` are Dash's own, by its names."""
    needed, rest = _styles(parts["css"], path)
    return _DOCUMENT.format(
        lang=state["lang"],
        theme=state["theme"],
        title=escape(view.title),
        description=escape(view.description),
        about=about,
        icon=_ICON,
        core=_core_css(),
        head_css="\n".join(needed),
        expected=_EXPECTED if f'id="{FIRST_CHART}"' in page else "",
        first=page,
        app_entry=parts["app_entry"],
        rest_css="".join(rest),
        config=parts["config"],
        scripts=parts["scripts"],
        loader=_LOADER,
    )


def loader_hash() -> str:
    """Return what a Content-Security-Policy names the loader by."""
    digest = base64.b64encode(hashlib.sha256(_LOADER.encode()).digest()).decode()
    return f"'sha256-{digest}'"


@cache
def _core_css() -> str:
    """Return the styles that every first paint needs; inside the answer they cost no round trip."""
    return "".join((ASSETS / f"{name}.css").read_text() for name in CORE_STYLES)


def _styles(links: str, path: str) -> tuple[list[str], list[str]]:
    """Return the stylesheet links that a page's first paint waits for, and the others."""
    found = find(path)
    needed = found[0].styles if found else ()
    lines = [
        line
        for line in links.splitlines()
        if not any(f"/{name}.css" in line for name in CORE_STYLES)
    ]
    head = [line for line in lines if any(f"/{name}.css" in line for name in needed)]
    return head, [line for line in lines if line not in head]
