"""Two hundred numbers of real points: card, table, chart, CSV and API say what the oracle says."""

from __future__ import annotations

import csv
import io
import random
import re

import pytest

from explorer import tables
from explorer.app import create_app
from explorer.domain.units import number, percent
from explorer.settings import Settings
from explorer.store.lake import open_lake

pytestmark = pytest.mark.real_data

DSR1 = "model=dsr1&hw=b200,b300,h200,mi300x,mi355x&rows=all"
VIEWS = {
    "model=kimik2.5&scenario=agentic": ("p90_interactivity_tps", "total_tps_per_gpu"),
    "model=kimik2.5&scenario=agentic&x=ttft_s&y=usd_per_mtok_total": ("p90_ttft_s", "usd"),
    "model=kimik2.5&scenario=agentic&stat=p50&y=output_tps_per_gpu": (
        "p50_interactivity_tps",
        "output_tps_per_gpu",
    ),
    f"{DSR1}&workload=8k1k&stat=mean&y=usd_per_mtok_total": (
        "mean_interactivity_tps",
        "usd",
    ),
    f"{DSR1}&workload=1k1k&stat=p99": (
        "p99_interactivity_tps",
        "total_tps_per_gpu",
    ),
}
SAMPLED = 40
"""Points of each view: two hundred in all."""


@pytest.fixture(scope="module")
def client(real_lake):
    return create_app(Settings(lake=real_lake)).test_client()


@pytest.fixture(scope="module")
def stored(real_lake):
    rows = open_lake(real_lake).rows("SELECT * FROM {points}")
    return {row["point_id"]: row for row in rows}


def oracle(row, key: str) -> float:
    if key != "usd":
        return row[key]
    return tables.prices()[row["hw"]]["own"] / (row["total_tps_per_gpu"] * 3600 / 1e6)


def of_chart(page: str) -> dict[str, str]:
    marks = re.findall(r'<a data-point-id="(\w+)"[^>]*aria-label="([^"]*)"', page)
    return dict(marks)


def of_table(page: str) -> dict[str, list[str]]:
    found = {}
    for point_id, row in re.findall(r'<tr data-row="(\w+)">(.*?)</tr>', page):
        cells = re.findall(r"<td[^>]*>(.*?)</td>", row)
        found[point_id] = [re.sub(r"<[^>]+>", "", cell) for cell in cells]
    return found


def of_card(page: str) -> dict[str, str]:
    card = re.search(r'data-testid="point-card".*?</aside>', page, re.DOTALL)[0]
    return dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", card))


@pytest.mark.parametrize("query", VIEWS)
def test_sampled_numbers_are_the_oracles_everywhere(client, stored, query):
    x_key, y_key = VIEWS[query]
    page = client.get(f"/?{query}").text
    data = client.get(f"/api/v1/curves?{query}").json["data"]
    points = {point["point_id"]: point for curve in data for point in curve["points"]}
    text = client.get(f"/api/v1/curves?{query}&format=csv").text
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    table = list(csv.DictReader(io.StringIO("\n".join(lines))))
    columns = {name.split(" ")[0]: name for name in table[0]}
    exported = {row[columns["point_id"]]: row for row in table}
    chart, twin = of_chart(page), of_table(page)
    names = sorted(points)
    dice = random.Random(query)
    sampled = dice.sample(names, min(SAMPLED, len(names)))
    for point_id in sampled:
        row = stored[point_id]
        x, y = oracle(row, x_key), oracle(row, y_key)
        assert points[point_id]["x"] == pytest.approx(x, rel=1e-12)
        assert points[point_id]["y"] == pytest.approx(y, rel=1e-12)
        for axis, value in (("x", x), ("y", y)):
            assert float(exported[point_id][columns[axis]]) == pytest.approx(value, rel=1e-12)
        assert twin[point_id][5:7] == [number(x), number(y)]
        assert f"· {number(x)} " in chart[point_id]
        assert f"· {number(y)} " in chart[point_id]
    assert len(sampled) >= SAMPLED


@pytest.mark.parametrize("query", VIEWS)
def test_the_cards_numbers_are_the_points(client, stored, query):
    data = client.get(f"/api/v1/curves?{query}").json["data"]
    names = sorted(point["point_id"] for curve in data for point in curve["points"])
    for point_id in random.Random(query).sample(names, 8):
        row = stored[point_id]
        facts = of_card(client.get(f"/?{query}&point={point_id}").text)
        assert facts["Total throughput per GPU"].startswith(number(row["total_tps_per_gpu"]))
        cost = oracle(row, "usd")
        assert facts["Cost per M tokens"] == f"${number(cost)} /Mtok"
        speeds = f"{number(row['p50_interactivity_tps'])} / {number(row['p90_interactivity_tps'])}"
        assert facts["Interactivity p50 / p90"].startswith(speeds)
        api = client.get(f"/api/v1/points/{point_id}").json["data"]["metrics"]
        assert api["usd_per_mtok_total"] == pytest.approx(cost, rel=1e-12)
        assert api["total_tps_per_gpu"] == row["total_tps_per_gpu"]


def test_the_card_names_the_accuracies_of_a_point(client, stored):
    judged = client.get("/api/v1/points?model=dsr1&accuracy_min=0.01&limit=5").json["data"]
    assert judged
    for point in judged:
        facts = of_card(client.get(f"/?model=dsr1&point={point['point_id']}").text)
        for task, value in point["accuracy"].items():
            assert facts[f"Accuracy, {task}"] == percent(value)
