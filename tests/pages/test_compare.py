"""The comparison's page without a browser: what it shows, offers, and says it cannot tell."""

from __future__ import annotations

import re

import pytest

from explorer.components.markup import to_html
from explorer.domain import view_state
from explorer.pages import compare
from explorer.store.lake import open_lake
from tests.lake_fixture import Sample


def draw(sample: Sample, query: str) -> str:
    for name, point_id in sample.ids.items():
        query = query.replace(f"<{name}>", point_id)
    return to_html(compare.view(sample.lake, {}, view_state.parse(query)).body)


def part(page: str, hook: str) -> str:
    found = re.search(rf'<(\w+)[^>]*data-testid="{hook}".*?</\1>', page, re.S)
    assert found, hook
    return found[0]


def test_what_differs_stands_first_and_what_is_the_same_is_folded(sample_lake: Sample) -> None:
    page = draw(sample_lake, "a=<low>&b=<high>")
    differs, same = part(page, "compare-differs"), part(page, "compare-same")
    assert "KV offload" in differs
    assert "Concurrency" in differs
    assert "Hardware" not in differs
    assert "Hardware" in same
    assert page.index("compare-differs") < page.index("compare-metrics")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    "names", ["<low>,<high>", "<low>,<high>,<other>,<crashed>", "<mock>,<split>"]
)
def test_every_comparison_is_drawn(sample_lake: Sample, names: str, lang: str) -> None:
    query = "&".join(f"{key}={name}" for key, name in zip("abcd", names.split(","), strict=False))
    page = draw(sample_lake, f"{query}&lang={lang}")
    assert 'data-testid="compare"' in page
    assert page.count("<li>") >= len(names.split(","))
    for hook in ("compare-points", "compare-tiers", "compare-origin"):
        assert f'data-testid="{hook}"' in page


def test_distributions_and_series_have_a_trace_for_each_point(sample_lake: Sample) -> None:
    page = draw(sample_lake, "a=<low>&b=<high>")
    for name in ("ttft_s", "isl_tokens", "ttft", "queue", "kv", "hits", "decode"):
        figure = part(page, f"chart-compare-{name}")
        assert figure.count("data-key=") == 2, name
        assert "<table>" in figure


def test_one_point_offers_its_siblings(sample_lake: Sample) -> None:
    page = draw(sample_lake, "a=<low>")
    offers = re.search(r'<ul class="offers">.*?</ul>', page, re.S)
    assert offers
    assert f"a={sample_lake.ids['low']}&amp;b=" in offers[0]
    assert sample_lake.ids["crashed"] in offers[0]
    assert 'name="b"' in page
    assert "compare-metrics" not in page


def test_without_points_the_newest_are_offered(sample_lake: Sample) -> None:
    page = draw(sample_lake, "")
    assert page.count('href="/compare?a=') >= 5
    assert 'name="a"' in page


def test_each_point_can_leave_or_become_the_base(sample_lake: Sample) -> None:
    page, ids = draw(sample_lake, "a=<low>&b=<high>"), sample_lake.ids
    links = re.findall(r'href="(/compare\?[^"]+)"', part(page, "compare-points"))
    assert links == [
        f"/compare?a={ids['high']}",
        f"/compare?a={ids['high']}&amp;b={ids['low']}",
        f"/compare?a={ids['low']}",
    ]


def test_what_names_no_point_is_said_and_the_others_stay(sample_lake: Sample) -> None:
    page = draw(sample_lake, "a=<low>&b=<high>&c=%3Cb%3Enone")
    assert "c=&lt;b&gt;none: no such point" in page
    assert 'data-testid="compare-metrics"' in page


def test_an_older_id_and_the_new_one_are_one_point(sample_lake: Sample) -> None:
    page = draw(sample_lake, "a=<other>&b=<other-alias>")
    assert "it is shown once" in page


def test_points_that_answer_another_question_carry_a_mark(sample_lake: Sample) -> None:
    page = draw(sample_lake, "a=<low>&b=<split>")
    assert "Not the same question: model, scenario, workload" in page
    assert "Not the same question" not in draw(sample_lake, "a=<low>&b=<high>")


def test_a_window_says_so_and_has_a_way_out(sample_lake: Sample) -> None:
    page = draw(sample_lake, "a=<low>&b=<high>&from=2&to=12")
    assert "Window: 2 s to 12 s" in page
    assert "data-clear-window" in page
    assert "No intervals over a window" in page


def test_what_cannot_be_told_is_not_told(sample_lake: Sample) -> None:
    page = draw(sample_lake, "a=<low>&b=<crashed>")
    assert "no request with both latencies is known of B" in page


@pytest.mark.real_data
def test_the_sentence_of_lmcache_is_right(real_lake) -> None:
    query = "a=zfrerhlzyib3&b=4tzpxcrmfopj"
    page = to_html(compare.view(open_lake(real_lake), {}, view_state.parse(query)).body)
    for said in (
        "A request takes 70.9 s longer on B than on A: 107 s against 36.0 s on average.",
        "Most of the difference lies before the first token. It goes with the cache",
        "55.9 s of it (78.8 %) pass before the first token, 15.1 s (21.2 %) after it.",
        "the server's queue was not recorded for A and B",
        "B computes 90,136 of 90,136 prompt tokens a request (0.0 % from cache), "
        "A 7,079 of 87,285 (91.9 %).",
        "An output token takes 30.7 ms on B and 13.3 ms on A",
        "On the 171 turns that both replayed, B takes 66.5 s longer",
    ):
        assert said in page, said
