"""The curves page without a browser: the same numbers as the API, honest counts, safe links."""

from __future__ import annotations

import re
from html import unescape

import pytest

from explorer.app import create_app
from explorer.domain import metrics
from explorer.domain.units import number, percent
from explorer.settings import Settings

LINK = re.compile(r'<a [^>]*href="([^"]+)"[^>]*>(.*?)</a>')
KIMI = "model=kimik2.5&scenario=agentic"
pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def client(real_lake):
    return create_app(Settings(lake=real_lake)).test_client()


def rows(html):
    found = {}
    for row in re.findall(r'<tr data-row="(\w+)">(.*?)</tr>', html):
        cells = re.findall(r"<td[^>]*>(.*?)</td>", row[1])
        found[row[0]] = [re.sub(r"<[^>]+>", "", cell) for cell in cells]
    return found


@pytest.mark.parametrize(
    "query",
    [
        KIMI,
        f"{KIMI}&x=ttft_s",
        f"{KIMI}&x=e2el_s&stat=p50",
        f"{KIMI}&y=usd_per_mtok_total&price=rental",
        "model=dsr1&workload=8k1k&hw=b200,h200&stat=mean",
    ],
)
def test_table_chart_and_api_show_the_same_points_and_numbers(client, query):
    page = client.get(f"/?{query}").text
    data = client.get(f"/api/v1/curves?{query}").json["data"]
    points = {point["point_id"]: point for curve in data for point in curve["points"]}
    table = rows(page)
    assert set(table) == set(points) == set(re.findall(r'<a data-point-id="(\w+)"', page))
    for point_id, cells in table.items():
        assert cells[5] == number(points[point_id]["x"])
        assert cells[6] == number(points[point_id]["y"])


def test_every_point_is_shown_or_counted(client):
    found = client.get(f"/api/v1/curves?{KIMI}").json
    shown = sum(len(curve["points"]) for curve in found["data"])
    assert shown == 42
    assert found["meta"]["dropped"] == {"failed": 1}
    page = client.get(f"/?{KIMI}").text
    assert "43 points: 42 shown, 4 of them partial runs, off the frontier, 1 failed" in page


def test_every_metric_can_stand_on_a_logarithmic_axis(client):
    quantities = dict.fromkeys(metric.quantity for metric in metrics.METRICS)
    for address in ("/", "/e/v1/curve"):
        for quantity in quantities:
            for axis in ("x", "y"):
                answer = client.get(f"{address}?{KIMI}&{axis}={quantity}&scale=log")
                assert answer.status_code == 200, (address, axis, quantity)


@pytest.mark.parametrize("address", ["/", "/e/v1/curve"])
def test_points_that_a_logarithmic_axis_cannot_show_are_counted(client, address):
    query = f"{KIMI}&x=cpu_cache_hit_ratio"
    data = client.get(f"/api/v1/curves?{query}").json["data"]
    zero = sum(point["x"] == 0 for curve in data for point in curve["points"])
    assert zero > 0
    assert f"{zero} at zero" in client.get(f"{address}?{query}&scale=logx").text
    assert "at zero" not in client.get(f"{address}?{query}").text
    zoomed = client.get(f"{address}?{query}&scale=logx&x_from=0.2&x_to=0.4").text
    assert f"{zero} at zero" in zoomed
    assert "outside this zoom" in zoomed


def test_partial_points_are_hollow_and_off_the_frontier_unless_asked(client):
    for extra, on in (("", False), ("&partial=1", True)):
        data = client.get(f"/api/v1/curves?{KIMI}{extra}").json["data"]
        partial = [p for c in data for p in c["points"] if p["status"] == "partial"]
        assert len(partial) == 4
        assert any(point["on_frontier"] for point in partial) is on


def test_ttft_limit_leaves_only_tp8_of_b200(client):
    data = client.get(f"/api/v1/curves?{KIMI}&hw=b200&ttft_max=5").json["data"]
    assert {p["parallelism"] for c in data for p in c["points"]} == {"TP8"}


def test_the_crashed_point_is_on_no_curve_but_findable(client):
    query = "model=kimik2.5&conc=32&hw=b200"
    points = client.get(f"/api/v1/points?{query}").json["data"]
    crashed = [point for point in points if point["status"] == "failed"]
    assert len(crashed) == 1
    assert crashed[0]["requests_failed"] == 32
    assert client.get(f"/points/{crashed[0]['point_id']}").status_code == 200
    curves = client.get("/api/v1/curves?model=kimik2.5").json["data"]
    assert crashed[0]["point_id"] not in {p["point_id"] for c in curves for p in c["points"]}


def test_the_accuracy_on_a_task_is_an_axis_like_the_others(client):
    query = f"{KIMI}&y=accuracy_gsm8k"
    found = client.get(f"/api/v1/curves?{query}").json
    assert found["meta"]["y"] == "accuracy_gsm8k"
    points = [point for curve in found["data"] for point in curve["points"]]
    assert len(points) > 10
    for point in points:
        whole = client.get(f"/api/v1/points/{point['point_id']}").json["data"]
        assert point["y"] == whole["accuracy"]["gsm8k"]
    page = client.get(f"/?{query}").text
    assert "Accuracy, gsm8k" in page
    assert f"{percent(points[0]['y'])}</td>" in page
    assert "y=accuracy_gsm8k" in client.get(f"/?{KIMI}").text  # the menu of the axis offers it
    for address in ("/e/v1/curve", "/api/v1/curves", "/_redraw/"):
        for more in ("", "&lang=zh&scale=log", "&bands=1&at=20", "&view=history", "&format=sql"):
            assert client.get(f"{address}?{query}{more}").status_code in (200, 204), (address, more)


def test_a_task_without_results_leaves_an_empty_chart_that_says_so(client):
    page = client.get(f"/?{KIMI}&x=accuracy_none-such").text
    assert "42 without a value on x" in page
    assert client.get(f"/api/v1/curves?{KIMI}&x=accuracy_").status_code == 400


@pytest.mark.parametrize(
    ("query", "why", "ways"),
    [
        (f"{KIMI}&hw=h100", "The filter “Hardware” leaves nothing.", ["Without it: 42 points"]),
        (
            f"{KIMI}&ttft_max=0.001",
            "The filter “TTFT ≤” leaves nothing.",
            ["Without it: 42 points"],
        ),
        (f"{KIMI}&ttft_max=0", "The filter “TTFT ≤” leaves nothing.", ["Without it: 42 points"]),
        (
            f"{KIMI}&date=2020-01-01",
            "The filter “As of” leaves nothing.",
            ["Without it: 42 points"],
        ),
        (
            "model=dsr1&hw=h100",
            "No point here has a value at p90.",
            ["mean: 10 points", "p50: 10 points", "p99: 10 points"],
        ),
    ],
)
def test_an_empty_chart_names_what_took_the_points_and_each_way_back_shows_them(
    client, query, why, ways
):
    page = client.get(f"/?{query}").text
    (nothing,) = re.findall(r'<div class="nothing".*?</div>', page)
    assert why in nothing
    links = {unescape(text): unescape(href) for href, text in LINK.findall(nothing)}
    assert sorted(links) == sorted(ways)
    for text, href in links.items():
        n = text.split(": ")[1].split(" ")[0]
        assert f" points: {n} shown" in client.get(href).text


def test_points_that_cannot_win_are_not_no_points(client):
    page = client.get("/?model=dsr1&frontier=e2e").text
    assert "no point can be on the frontier" in page
    assert "47 shown" in page


@pytest.mark.parametrize(
    "query", ["x_to=1e308", "y_to=-1e308&scale=log", "rate.b200=1e300", "date=x", "date=2026-99-99"]
)
def test_what_is_no_number_or_day_is_said_and_changes_nothing(client, query):
    page = client.get(f"/?{KIMI}&{query}")
    assert page.status_code == 200
    assert 'class="problem"' in page.text
    assert "42 shown" in page.text


def test_a_ratio_reads_as_a_percentage_wherever_a_point_is_said(client):
    page = client.get(f"/?{KIMI}&x=overall_cache_hit_ratio&at=0.9").text
    labels = re.findall(r'aria-label="([^"]*TTFT[^"]*)"', page)
    assert len(labels) > 10
    assert all(re.search(r" · [0-9.]+ % · ", one) for one in labels)
    assert "At 90.0 %" in page
    assert "%" in re.search(r"<h1>(.*?)</h1>", page)[1]
