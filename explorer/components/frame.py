"""The frame around every page: header, navigation, language, theme, snapshot, problems."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from dash import html
from dash.development.base_component import Component

from explorer.components.exports_menu import exports_menu
from explorer.components.share import share
from explorer.components.still import part
from explorer.components.view import View, Words
from explorer.domain import addresses
from explorer.domain.lake import Snapshot
from explorer.domain.metrics import METRIC_VERSION
from explorer.domain.view_state import ViewState

_THEMES = ("auto", "light", "dark")


def link(text: str | Component, href: str, **props: object) -> Component:
    """Return a link inside the product: with scripts the page changes in place."""
    return html.A(text, href=href, **{"data-nav": "1", **props})


def frame(
    view: View,
    state: ViewState,
    path: str,
    snapshot: Snapshot | None,
    shown: str = "",
    base: str = "",
) -> Component:
    """Return the whole page of a view; `shown` is the address as the browser spells it.

    A live page whose `data-shown` is the browser's address is the one that was asked for. `base`
    is where readers reach the server, `https://host`: what is shared begins with it.
    """
    parts = {name: draw() for name, draw in around(view, state, path, snapshot, base).items()}
    return html.Div(
        [
            parts["header"],
            parts["notes"],
            html.Main(view.body, id="main", tabIndex=-1),
            parts["footer"],
        ],
        id="page-root",
        className="page",
        **{
            **{f"data-{name}": value for name, value in about(view, state).items()},
            "data-status": str(view.status),
            **({"data-parts": "1"} if view.in_parts else {}),
            **({"data-shown": shown} if shown else {}),
        },
    )


def about(view: View, state: ViewState) -> dict[str, str]:
    """Return what the document takes over from a page: its title, language and theme."""
    return {"title": view.title, "lang": Words(state).lang, "theme": state["theme"]}


def around(
    view: View, state: ViewState, path: str, snapshot: Snapshot | None, base: str
) -> dict[str, Callable[[], Component]]:
    """Return what draws the parts of every page that stand around its body, see `Begun`."""
    words = Words(state)

    def notes() -> Component:
        said = [*_problems(state, words), *_versions(snapshot, words)]
        return part("notes", html.Div(said))

    return {
        "notes": notes,
        "header": lambda: part("header", _header(view, state, path, snapshot, words, base)),
        "footer": lambda: part("footer", _footer(snapshot, words)),
    }


def _header(
    view: View,
    state: ViewState,
    path: str,
    snapshot: Snapshot | None,
    words: Words,
    base: str,
) -> Component:
    carried = addresses.carried(state)
    places = (
        ("curves", addresses.curves(carried)),
        ("compare", addresses.compare(carried)),
        ("datasets", addresses.datasets(carried)),
    )
    nav = [
        link(
            words(f"frame.{name}"),
            href,
            className="on" if name == view.nav else None,
            **({"aria-current": "page"} if name == view.nav else {}),
        )
        for name, href in places
    ]
    return html.Header(
        [
            html.A(words("frame.skip"), href="#main", className="skip"),
            link(words("frame.name"), addresses.curves(carried), className="brand"),
            html.Nav(
                [*nav, html.A(words("frame.api"), href=addresses.api_docs())],
                **{"aria-label": words("frame.navigation")},
            ),
            html.Span(className="sp"),
            *_snapshot_note(snapshot, state, path, words),
            share(view, state, path, snapshot, base),
            exports_menu(view.exports, snapshot, words, addresses.embed_of(path, state)),
            _language(state, path, words),
            _theme(state, path, words),
        ],
        className="top",
    )


def _snapshot_note(
    snapshot: Snapshot | None, state: ViewState, path: str, words: Words
) -> list[Component]:
    """Return which snapshot is shown, as the way to all of them; from a pin, the way out of it."""
    if snapshot is None:
        return []
    name = snapshot.name or snapshot.snap[:8]
    text = words("frame.snapshot", name=name, date=snapshot.time[:10])
    every = addresses.snapshots(addresses.carried(state))
    note = link(text, every, className="ghost snapshot", title=snapshot.snap)
    if not state["snap"]:
        return [note]
    newest = _here(path, state.having(snap=None))
    return [note, link(words("snapshots.unpin"), newest, className="ghost snapshot")]


def _versions(snapshot: Snapshot | None, words: Words) -> list[Component]:
    """Return what is to be said of a snapshot whose numbers other formulas made."""
    if snapshot is None or snapshot.metric_version == METRIC_VERSION:
        return []
    versions = {"theirs": snapshot.metric_version, "ours": METRIC_VERSION}
    return [html.P(words("snapshots.metric_version", **versions), className="problem", role="note")]


def _here(path: str, state: ViewState) -> str:
    return addresses.with_query(quote(path), state)


def _language(state: ViewState, path: str, words: Words) -> Component:
    other = "en" if words.lang == "zh" else "zh"
    return link(
        words("frame.other_language"),
        _here(path, state.having(lang=other)),
        className="ghost",
        lang=other,
        **{"data-testid": "lang-switch"},
    )


def _theme(state: ViewState, path: str, words: Words) -> Component:
    following = _THEMES[(_THEMES.index(state["theme"]) + 1) % len(_THEMES)]
    return link(
        words(f"frame.theme_{state['theme']}"),
        _here(path, state.having(theme=following)),
        className="ghost",
        title=words("frame.theme_next", theme=words(f"frame.theme_{following}")),
        **{"data-testid": "theme-switch"},
    )


def _problems(state: ViewState, words: Words) -> list[Component]:
    return [
        html.P(
            words(f"frame.{problem.code}", key=problem.key, value=problem.value[:80]),
            className="problem",
            role="status",
        )
        for problem in state.problems
    ]


def _footer(snapshot: Snapshot | None, words: Words) -> Component:
    counts = (
        words("frame.counts", points=f"{snapshot.points:,}", requests=f"{snapshot.requests:,}")
        if snapshot
        else words("frame.empty")
    )
    return html.Footer([html.Span(counts), html.Span(words("frame.footer"))])
