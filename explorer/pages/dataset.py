"""`/datasets/<slug>`: one trace set: totals, distributions, its conversations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html
from dash.development.base_component import Component

from explorer.components import exports_of, names
from explorer.components.chart_figure import chart_figure
from explorer.components.conversation_rows import conversations as rows_section
from explorer.components.frame import link
from explorer.components.key_numbers import key_numbers, large
from explorer.components.view import View, Words
from explorer.domain import addresses, view_state
from explorer.domain.lake import Lake
from explorer.domain.units import number, percent
from explorer.domain.view_state import ViewState
from explorer.figures.dataset_charts import charts
from explorer.queries import conversations, datasets
from explorer.store.cache import Memo

ROWS = "rows-"
_VIEWS: Memo[tuple[str, str, str], View] = Memo(32)
"""(snapshot, dataset, address) → page: the first answer and the live page that follows are one."""


def view(lake: Lake, params: Mapping[str, str], state: ViewState) -> View:
    """Return the page of a dataset."""
    key = (lake.snapshot(state["snap"]).snap, params["slug"], view_state.format(state))
    return _VIEWS.get(key, lambda: _draw(lake, params["slug"], state))


def _draw(lake: Lake, slug: str, state: ViewState) -> View:
    words = Words(state)
    row = datasets.one(lake, slug, state["snap"])
    points = datasets.replayed(lake, state["snap"]).get(slug, 0)
    title = names.dataset(row)
    body = [
        html.P(_trail(row, points, state, words), className="trail"),
        html.H1(title),
        html.P(_under(row, points, words), className="sub under"),
        html.P(_headline(row, words), className="take"),
        *[html.P(text, className="mark") for text in _marks(row, words)],
        key_numbers(_figures(row, words)),
        *_distributions(lake, row, words),
        *_conversations(lake, row, state, words),
    ]
    return View(
        title=f"{title} · {words('frame.name')}",
        body=html.Div(body, className="point dataset", **{"data-testid": "dataset-page"}),
        canonical=addresses.dataset(slug, state.having(lang=None, theme=None)),
        description=_headline(row, words),
        nav="datasets",
        exports=exports_of.of_dataset(slug, state),
    )


def _trail(row: dict[str, Any], points: int, state: ViewState, words: Words) -> list[Component]:
    carried = addresses.carried(state)
    ways = [link(words("dataset.back"), addresses.datasets(carried))]
    if points:
        here = carried.having(dataset=(row["dataset"],))
        ways.append(link(words("dataset.curves"), addresses.curves(here)))
    ways.append(html.A(words("dataset.api"), href=addresses.api_dataset(row["dataset"])))
    return ways


def _under(row: dict[str, Any], points: int, words: Words) -> str:
    parts = (row["dataset"], row["format"], row["variant"], row["version"], *row["models"])
    said = [part for part in parts if part]
    return " · ".join([*said, words("dataset.n_points", n=points)])


def _headline(row: dict[str, Any], words: Words) -> str:
    isl, cached = row["isl_tokens"], row["cached_tokens"]
    return words(
        "dataset.headline" if row["structured"] else "dataset.headline_stream",
        conversations=f"{row['conversations']:,}",
        turns=f"{row['turns'] or 0:,}",
        requests=f"{row['requests'] or 0:,}",
        subagents=f"{row['subagents'] or 0:,}",
        isl=large(isl),
        cached=percent(cached / isl if isl and cached is not None else None),
    )


def _marks(row: dict[str, Any], words: Words) -> list[str]:
    """Return what a reader must know before reading a number."""
    said = [] if row["structured"] else [words("dataset.stream")]
    if row["duplicates"]:
        said.append(words("dataset.duplicates", n=f"{row['duplicates']:,}"))
    if row["unknown_fields"]:
        fields = ", ".join(f"{name} ({n:,})" for name, n in row["unknown_fields"].items())
        said.append(words("dataset.unknown", fields=fields))
    return said


def _figures(row: dict[str, Any], words: Words) -> list[tuple[str, str, str]]:
    requests = row["requests"] or 0

    def mean(name: str) -> str:
        return words("dataset.figure_sub_mean", n=number((row[name] or 0) / (requests or 1)))

    agents = words("dataset.figure_sub_agents", n=f"{row['subagents'] or 0:,}")
    figures = [
        ("requests", f"{requests:,}", agents if row["structured"] else ""),
        ("isl", large(row["isl_tokens"]), mean("isl_tokens")),
        ("osl", large(row["osl_tokens"]), mean("osl_tokens")),
        ("listorder", percent(row["listorder_cache_hit_ratio"]), words("dataset.figure_sub_flame")),
        (
            "theoretical",
            percent(row["theoretical_cache_hit_ratio"]),
            words("dataset.figure_sub_ceiling"),
        ),
    ]
    if row["structured"]:
        turns = words("dataset.figure_sub_turns", n=f"{row['turns'] or 0:,}")
        figures.insert(0, ("conversations", f"{row['conversations']:,}", turns))
    return [(words(f"dataset.figure_{name}"), value, below) for name, value, below in figures]


def _distributions(lake: Lake, row: dict[str, Any], words: Words) -> list[Component]:
    found = datasets.distributions(lake, row)
    drawn = charts(found, words, structured=bool(row["structured"]))
    if not drawn:
        return []
    figures = [chart_figure(chart, words) for chart in drawn]
    return [
        html.Section(
            [
                html.H2(words("dataset.distributions"), id="distributions"),
                html.P(words("dataset.distributions_note"), className="def"),
                html.Div(figures, className="charts three"),
            ]
        )
    ]


def _conversations(
    lake: Lake, row: dict[str, Any], state: ViewState, words: Words
) -> list[Component]:
    if not row["structured"]:
        return []
    starts = [word.removeprefix(ROWS) for word in state["open"] if word.startswith(ROWS)]
    offset = int(starts[0]) if starts and starts[0].isdecimal() else 0
    page = conversations.page(
        lake,
        row["dataset"],
        snap=state["snap"],
        search=state["q"],
        sort=state["sort"],
        offset=offset,
    )
    return [rows_section(page, row["dataset"], state, words)]
