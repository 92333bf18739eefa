"""The comparison embed: up to four points, ratios to the first, what differs, their latencies."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from explorer.components import compare_heads, compare_tables, names
from explorer.components.compare_story import story
from explorer.components.conversation_shown import point_name
from explorer.components.markup import to_html
from explorer.components.view import Words
from explorer.domain import addresses
from explorer.domain.lake import Lake
from explorer.domain.view_state import ViewState
from explorer.embeds import charts
from explorer.embeds.document import Embed, Html, inside
from explorer.embeds.notices import of_point
from explorer.errors import NotFoundError
from explorer.figures import compare_charts
from explorer.figures.chart import Chart
from explorer.figures.compare_charts import COLOURS
from explorer.queries import compare, overlays
from explorer.queries.compare import METRICS, Chosen
from explorer.queries.window import Window

_FEW = ("p90_ttft_s", "p90_interactivity_tps", "total_tps_per_gpu", "total_tps")
_SOME = (
    "p50_ttft_s", "p90_ttft_s", "p50_interactivity_tps", "p90_interactivity_tps", "p90_e2el_s",
    "total_tps_per_gpu", "total_tps", "usd_per_mtok_total", "overall_cache_hit_ratio",
)  # fmt: skip
NUMBERS = {"small": _FEW, "medium": _SOME, "large": METRICS}
OVERLAID = {
    "small": ("ttft_s",),
    "medium": ("ttft_s", "interactivity_tps"),
    "large": ("ttft_s", "interactivity_tps", "e2el_s", "osl_tokens"),
}


def draw(lake: Lake, state: ViewState) -> Embed:
    """Return the points of keys a to d beside one another; the first named is the base."""
    words = Words(state)
    chosen, unknown = compare.choose(lake, state)
    missing = [one for one in unknown if one.code == "unknown"]
    if missing:
        raise NotFoundError(
            words("embeds.no_point", key=missing[0].key, value=missing[0].point_id[:80])
        )
    titles = compare_heads.labels(chosen, words)
    window = _window(state)
    drawn = _distributions(lake, chosen, titles, window, state, words)
    return Embed(
        title=_title(chosen, titles, words),
        caption=_story(lake, chosen, window, words),
        body=_heads(chosen, titles, state, words)
        + _numbers(lake, chosen, titles, window, state, words)
        + charts.blocks(drawn, state["size"]),
        legend=_settings(chosen, titles, words),
        more=charts.tables(drawn),
        page=addresses.compare(inside(state)),
        notices=_notices(lake, chosen, state, words),
        counted=" ".join(charts.absent(drawn)),
    )


def _title(chosen: Sequence[Chosen], titles: Sequence[str], words: Words) -> str:
    """Return what all share, and what tells them apart."""
    shared = {"model": names.model, "hw": names.hardware, "engine": names.engine}
    values = {name: {one.point[name] for one in chosen} for name in shared}
    alike = {name: found for name, (found, *rest) in values.items() if not rest}
    what = [shared[name](found, words) for name, found in alike.items()]
    points = words("curves.comma").join(titles)
    return words("embeds.compare_title", what=" · ".join(what), points=points) if what else points


def _window(state: ViewState) -> Window:
    return Window("profiling", state["from"], state["to"])


def _heads(chosen: Sequence[Chosen], titles: Sequence[str], state: ViewState, words: Words) -> Html:
    items = "".join(
        f'<li><i class="k-line c-{colour}"></i><b>{escape(title)}</b> '
        f'<a href="{escape(_page(one, state))}">{escape(point_name(one.point, words))}</a></li>'
        for one, title, colour in zip(chosen, titles, COLOURS, strict=False)
    )
    return f'<ul class="legend sides" data-testid="compare">{items}</ul>'


def _page(one: Chosen, state: ViewState) -> str:
    return addresses.point(one.point["point_id"], addresses.carried(state))


def _numbers(
    lake: Lake,
    chosen: Sequence[Chosen],
    titles: Sequence[str],
    window: Window,
    state: ViewState,
    words: Words,
) -> Html:
    """Return metrics with ratios; its heading leaves, as the picture has a title of its own."""
    found = compare.table(lake, chosen, window, NUMBERS[state["size"]])
    if not found:
        return ""
    title, _, *rest = compare_tables.metric_table(found, titles, words)
    return to_html([title, *rest])


def _settings(chosen: Sequence[Chosen], titles: Sequence[str], words: Words) -> Html:
    """Return what differs; what is the same stays on the page."""
    title, table, _ = compare_tables.settings([one.point for one in chosen], titles, words)
    return to_html([title, table])


def _distributions(
    lake: Lake,
    chosen: Sequence[Chosen],
    titles: Sequence[str],
    window: Window,
    state: ViewState,
    words: Words,
) -> list[Chart]:
    points = [one.point for one in chosen]
    made = []
    for quantity in OVERLAID[state["size"]]:
        found = overlays.overlay(lake, points, quantity, window)
        if found is not None:
            one = (quantity, found.edges, found.shares, found.counts, titles, words)
            made.append(compare_charts.distribution(*one))
    return made


def _story(lake: Lake, chosen: Sequence[Chosen], window: Window, words: Words) -> str:
    """Return in which part of a request the difference of the second to the first lies."""
    if len(chosen) < 2:
        return ""
    sides = [(one.key.upper(), compare.spent(lake, one.point, window)) for one in chosen[:2]]
    return " ".join(story(sides[0], sides[1], None, words)[:2])


def _notices(lake: Lake, chosen: Sequence[Chosen], state: ViewState, words: Words) -> list[str]:
    """Return cautions, each once with the letters of the points it is about."""
    said: dict[str, list[str]] = {}
    for one in chosen:
        for text in of_point(lake, one.point, state, words):
            said.setdefault(text, []).append(one.key.upper())
    asked = [component.children for component in compare_heads.unlike(chosen, words)]
    return [*(f"{', '.join(letters)}: {text}" for text, letters in said.items()), *asked]
