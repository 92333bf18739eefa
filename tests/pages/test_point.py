"""The point's page without a browser: what it says, and what it says it cannot."""

from __future__ import annotations

import re

import pytest

from explorer import i18n
from explorer.components.markup import to_html
from explorer.components.point_facts import warning
from explorer.components.view import Words
from explorer.domain import view_state
from explorer.errors import NotFoundError
from explorer.figures.point_charts import SECTIONS
from explorer.pages import point
from tests.api.conftest import server
from tests.lake_fixture import ALIAS, Sample

HOOKS = (
    "isl", "osl", "ttft", "interactivity", "kv", "queue", "hits", "throughput", "sources",
    "unique", "inflight", "power",
)  # fmt: skip
NAMES = ("low", "high", "other", "split", "crashed", "unpriced", "mock")


def draw(sample: Sample, name: str, query: str = "") -> str:
    params = {"point_id": sample.ids[name]}
    return to_html(point.view(sample.lake, params, view_state.parse(query)).body)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("query", ["", "phase=warmup", "phase=all", "lang=zh"])
def test_every_chart_of_the_contract_is_drawn_or_explained(
    sample_lake: Sample, name: str, query: str
) -> None:
    page = draw(sample_lake, name, query)
    for hook in HOOKS:
        assert page.count(f'data-testid="chart-{hook}"') == 1, hook
    assert 'data-testid="point-page"' in page
    assert 'data-testid="phase-toggle"' in page


@pytest.mark.parametrize("name", NAMES)
def test_no_chart_is_blank(sample_lake: Sample, name: str) -> None:
    page = draw(sample_lake, name)
    for drawing in re.findall(r'<svg class="chart".*?</svg></div>', page, re.S):
        assert re.search(r'<path class="[^"]+" data-key="[^"]+" d="M', drawing), name


def test_an_aggregate_has_numbers_and_reasons(sample_lake: Sample) -> None:
    page = draw(sample_lake, "other")
    assert "<svg" not in page
    assert "800 ms" in page
    assert i18n.text("en", "point.reason.no_requests") in page
    assert i18n.text("en", "point.reason.no_series") in page


def test_charts_carry_title_desc_table_and_source(sample_lake: Sample) -> None:
    page = draw(sample_lake, "low")
    figures = re.findall(r"<figure.*?</figure>", page, re.S)
    assert len(figures) >= 12
    for figure in figures:
        assert "<title" in figure
        assert "<desc" in figure
        assert "<table>" in figure
        assert "Source:" in figure


def test_phases_stand_apart_and_say_how_many(sample_lake: Sample) -> None:
    page = draw(sample_lake, "high")
    toggle = re.search(r"<nav[^>]*phase-toggle.*?</nav>", page, re.S)
    assert toggle
    assert re.findall(r'class="n">([\d,]+)<', toggle[0]) == ["8", "88", "96"]
    assert "phase=warmup" in toggle[0]


def test_a_window_decides_numbers_charts_and_requests(sample_lake: Sample) -> None:
    whole, part = draw(sample_lake, "high"), draw(sample_lake, "high", "from=5&to=20")
    pick = re.compile(r"Computed from (\d+) ok requests")
    assert int(pick.search(part)[1]) < int(pick.search(whole)[1])
    assert '"low":5.0,"high":20.0' in part
    assert "of 88 in this window" in whole
    assert "of 88 in this window" not in part


def test_failures_are_in_view(sample_lake: Sample) -> None:
    page = draw(sample_lake, "high")
    assert 'data-testid="errors-table"' in page
    assert "HTTPError 500" in page
    assert "2 requests did not end well" in page


def test_mock_simulated_and_third_party_say_so(sample_lake: Sample) -> None:
    assert i18n.text("en", "frame.mock") in draw(sample_lake, "mock")
    assert i18n.text("en", "point.third_party") in draw(sample_lake, "split")
    assert i18n.text("en", "frame.mock") not in draw(sample_lake, "low")


def test_unknown_gpus_mean_whole_deployment_and_it_is_said(sample_lake: Sample) -> None:
    page = draw(sample_lake, "mock")
    assert i18n.text("en", "point.whole_deployment") in page


def test_links_lead_to_curve_timeline_api_and_keep_the_language(sample_lake: Sample) -> None:
    page = draw(sample_lake, "low", "lang=zh")
    point_id = sample_lake.ids["low"]
    assert f'href="/?point={point_id}&amp;lang=zh"' in page
    assert f'href="/points/{point_id}/timeline?lang=zh"' in page
    assert f'href="/api/v1/points/{point_id}"' in page


def test_one_chart_alone_is_drawn_from_more_samples(sample_lake: Sample) -> None:
    small = draw(sample_lake, "low")
    large = draw(sample_lake, "low", "view=queue")
    assert small.count('<svg class="chart"') > large.count('<svg class="chart"') == 1
    assert 'height="420"' in large
    assert draw(sample_lake, "low", "view=nonsense").count('<svg class="chart"') == small.count(
        '<svg class="chart"'
    )


def test_numbers_alone_are_the_same_numbers(sample_lake: Sample) -> None:
    pick = re.compile(r'data-testid="statistics".*?</table>', re.S)
    whole = draw(sample_lake, "high", "from=5&to=20")
    alone = draw(sample_lake, "high", "from=5&to=20&view=numbers")
    assert "<svg" not in alone
    assert pick.search(alone)[0] == pick.search(whole)[0]


def test_an_older_id_shows_the_point_it_became(sample_lake: Sample) -> None:
    assert sample_lake.ids["other"] in draw(sample_lake, ALIAS)


def test_an_unknown_id_is_not_found(sample_lake: Sample) -> None:
    with pytest.raises(NotFoundError):
        point.view(sample_lake.lake, {"point_id": "nothing"}, view_state.parse(""))


def test_every_chart_has_words_in_both_languages() -> None:
    for lang in i18n.LANGUAGES:
        for section, makers in SECTIONS.items():
            assert i18n.has(lang, f"point.section.{section}")
            assert all(i18n.has(lang, f"point.chart.{name}.title") for name in makers)


@pytest.mark.parametrize("lang", i18n.LANGUAGES)
def test_a_warning_without_words_shows_its_code_and_arguments(lang: str) -> None:
    words = Words(view_state.parse(f"lang={lang}"))
    assert warning({"code": "never_heard", "params": {"n": 3}}, words) == "never_heard n=3"


def test_a_forged_address_does_not_break_out(sample_lake: Sample) -> None:
    page = draw(sample_lake, "high", "q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&sort=%27;drop")
    assert "<script>alert" not in page


def test_a_range_cuts_numbers_errors_and_rows_and_says_what_it_leaves(sample_lake: Sample) -> None:
    whole = draw(sample_lake, "high")
    part = draw(sample_lake, "high", "where=isl_tokens:1..9000")
    pick = re.compile(r"Computed from (\d+) ok requests")
    assert 0 < int(pick.search(part)[1]) < int(pick.search(whole)[1])
    assert 'data-clear-range="isl_tokens"' in part
    assert i18n.text("en", "point.unsplit") in part
    assert i18n.text("en", "point.unsplit") not in whole
    count = re.compile(r'aria-rowcount="(\d+)"')
    assert int(count.search(part)[1]) < int(count.search(whole)[1])
    links = re.findall(r'href="(/api/v1/points/[^"]+)"', part)
    asked = [one for one in links if "/series?" in one or "/requests?" in one]
    assert asked
    assert all("where=isl_tokens:1..9000" in one for one in asked)


def test_every_bin_is_a_link_that_chooses_it(sample_lake: Sample) -> None:
    page = draw(sample_lake, "high", "from=5")
    figure = re.search(r'<figure[^>]*chart-isl".*?</figure>', page, re.S)[0]
    rows = re.findall(
        r'<tr><th scope="row"><a href="([^"]+)"[^>]*>.*?</th><td class="n">(\d+)<', figure
    )
    assert len(rows) > 3
    for href, n in rows:
        query = href.replace("&amp;", "&").partition("?")[2]
        state = view_state.parse(query)
        assert state["from"] == 5
        params = {"point_id": sample_lake.ids["high"]}
        body = to_html(point.view(sample_lake.lake, params, state).body)
        assert f"Computed from {n} ok requests" in body


@pytest.mark.parametrize(
    ("view", "there", "not_there"),
    [
        ("numbers", "statistics", "requests-table"),
        ("charts&open=ttft,isl", "chart-isl", "statistics"),
        ("rows&open=rows-50", "requests-table", "chart-ttft"),
    ],
)
def test_scripts_ask_for_parts_of_the_page(
    sample_lake: Sample, view: str, there: str, not_there: str
) -> None:
    page = draw(sample_lake, "high", f"view={view}&lang=en")
    assert f'data-testid="{there}"' in page
    assert f'data-testid="{not_there}"' not in page


def test_rows_are_numbered_among_all_of_them(sample_lake: Sample) -> None:
    page = draw(sample_lake, "high", "view=rows&open=rows-80")
    assert re.findall(r'aria-rowindex="(\d+)"', page) == ["1", *map(str, range(82, 90))]
    assert "rows-{n}" in page


def test_the_csv_has_every_row_of_the_window_or_says_how_many(sample_lake: Sample) -> None:
    client = server(sample_lake.lake).test_client()
    for query, rows in (("", 88), ("from=5&to=20", None), ("where=isl_tokens:1..9000", None)):
        page = draw(sample_lake, "high", query)
        total = int(re.search(r'aria-rowcount="(\d+)"', page)[1]) - 1
        (href,) = re.findall(r'<a [^>]*href="([^"]+)"[^>]*>CSV<', page)
        answer = client.get(href.replace("&amp;", "&"))
        assert answer.status_code == 200
        assert len(answer.text.strip().splitlines()) - 1 == total
        assert rows in (None, total)
