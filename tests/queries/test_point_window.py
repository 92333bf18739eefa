"""Distributions, samples, statistics, errors, siblings and request pages of a window."""

from __future__ import annotations

import math

import numpy as np
import pytest

from explorer.domain.metrics import by_key
from explorer.domain.ranges import COLUMNS, Range, of_bins
from explorer.queries import (
    distributions,
    errors,
    points,
    request_page,
    samples,
    siblings,
    window_stats,
)
from explorer.queries.request_columns import quantity, records, within
from explorer.queries.window import Window, span
from explorer.store.metric_sql import statement
from tests.lake_fixture import Sample, request_table


@pytest.fixture
def high(sample_lake: Sample):
    return sample_lake.lake, points.one(sample_lake.lake, sample_lake.ids["high"])


def rows(**having: object) -> list[dict]:
    """Return the sample's own requests that have these values."""
    return [
        row
        for row in request_table(8).to_pylist()
        if all(row[name] == value for name, value in having.items())
    ]


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    at = (len(ordered) - 1) * share
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


@pytest.mark.parametrize("column", distributions.COLUMNS)
def test_bins_hold_every_ok_request_once(high, column: str) -> None:
    found = distributions.distribution(*high, column, Window())
    kept = rows(phase="profiling", status="ok")
    speed = column == "interactivity_tps"
    values = [1 / row["itl_s"] if speed else row[column] for row in kept]
    assert sum(found.counts) == found.n == len(values)
    for low, top, count in zip(found.edges, found.edges[1:], found.counts, strict=False):
        assert count == sum(low < value <= top for value in values)
    slow = 1 / quantile([1 / value for value in values], 0.9) if speed else quantile(values, 0.9)
    assert found.percentiles["p90"] == pytest.approx(slow, rel=1e-12)


def test_a_range_of_the_quantity_itself_marks_bins_and_leaves_them_all(high) -> None:
    every = distributions.distribution(*high, "isl_tokens", Window())
    low, top = every.edges[5], every.edges[20]
    window = Window(ranges=(of_bins("isl_tokens", low, top),))
    found = distributions.distribution(*high, "isl_tokens", window)
    assert (found.edges, found.counts) == (every.edges, every.counts)
    inside = [0] * 5 + every.counts[5:20] + [0] * (len(every.counts) - 20)
    assert found.chosen == inside
    assert found.n == sum(inside) < every.n
    other = distributions.distribution(*high, "osl_tokens", window)
    assert other.chosen is None
    assert other.n == found.n


def test_average_in_flight_weighs_by_latency(high) -> None:
    found = distributions.distribution(*high, "isl_tokens", Window())
    kept = rows(phase="profiling", status="ok")
    weighed = sum(r["isl_tokens"] * r["e2el_s"] for r in kept) / sum(r["e2el_s"] for r in kept)
    assert found.in_flight_mean == pytest.approx(weighed, rel=1e-12)


@pytest.mark.parametrize(
    ("low", "top"), [(1, 1), (1, 2), (10, 170_000), (1023, 1024), (3, 868_000)]
)
def test_log_edges_enclose_and_stay_readable(low: float, top: float) -> None:
    edges = distributions.log_edges(low, top)
    assert edges[0] < low
    assert top <= edges[-1] * (1 + 1e-12)
    assert len(edges) <= 66


def test_cells_count_every_sample(high) -> None:
    found = samples.cells(*high, "ttft_s", Window())
    assert sum(found.n) == len(rows(phase="profiling", status="ok"))
    assert min(found.value) >= min(r["ttft_s"] for r in rows(status="ok")) - 1e-12


def test_statistics_equal_a_plain_recomputation_of_the_window(high) -> None:
    window = Window(from_s=5.0, to_s=20.0)
    found = window_stats.stats(*high, window)
    inside = [r for r in rows(phase="profiling") if 5e9 <= r["start_ns"] < 20e9]
    kept = [r for r in inside if r["status"] == "ok"]
    assert (found["requests"], found["ok"]) == (len(inside), len(kept))
    ttft = quantile([r["ttft_s"] for r in kept], 0.9)
    assert found["p90_ttft_s"] == pytest.approx(ttft, rel=1e-9)
    speed = 1 / quantile([r["itl_s"] for r in kept], 0.9)
    assert found["p90_interactivity_tps"] == pytest.approx(speed, rel=1e-9)
    seconds = (max(r["end_ns"] for r in kept) - min(r["start_ns"] for r in kept)) / 1e9
    tokens = sum(r["isl_tokens"] + r["osl_tokens"] for r in kept)
    assert found["total_tps_per_gpu"] == pytest.approx(tokens / seconds / 4, rel=1e-9)


WINDOWS = (
    Window(),
    Window("all", from_s=-3.0, to_s=12.5),
    Window(from_s=4.0, ranges=(Range("ttft_s", 0.2, None),)),
    Window(ranges=(Range("isl_tokens", 100, 9000), Range("interactivity_tps", None, 60.0))),
    Window(ranges=(Range("e2e_interactivity_tps", 1.0, 40.0), Range("queue_wait_s", 0.0, None))),
)


@pytest.mark.parametrize("window", WINDOWS)
def test_statistics_are_the_registry_s_own_sql(high, window: Window) -> None:
    lake, point = high
    condition, params = window.condition()
    metrics = [by_key()[key] for key in window_stats.KEYS]
    sql = statement(metrics, "{requests}", condition)
    told = lake.rows(sql, params, objects={"requests": point["requests_object"]})[0]
    found = window_stats.stats(lake, point, window)
    assert {key: found[key] for key in told} == pytest.approx(told, rel=1e-12)


@pytest.mark.parametrize("column", COLUMNS)
def test_a_range_chooses_the_same_requests_in_memory_and_in_sql(high, column: str) -> None:
    lake, point = high
    found = records(lake, point, Window())
    value = quantity(found, column)
    known = np.sort(value[~np.isnan(value)])
    ends = (known[len(known) // 4], known[-2]) if len(known) else (0.0, 1.0)
    window = Window(ranges=(Range(column, float(ends[0]), float(ends[1])),))
    condition, params = window.condition()
    sql = f"SELECT ordinal FROM {{requests}} WHERE {condition} ORDER BY ordinal"
    told = lake.rows(sql, params, objects={"requests": point["requests_object"]})
    kept = np.sort(found["ordinal"][within(found, window)])
    assert [row["ordinal"] for row in told] == kept.tolist()
    assert len(kept) == int(((known >= ends[0]) & (known <= ends[1])).sum())


def test_whole_phase_statistics_are_the_point_s_own(high) -> None:
    lake, point = high
    found = window_stats.stats(lake, point, Window())
    for key in ("p90_ttft_s", "p50_e2el_s", "mean_interactivity_tps", "total_tps", "duration_s"):
        assert found[key] == pytest.approx(point[key], rel=1e-12)


def test_an_empty_window_has_counts_of_zero_and_no_numbers(high) -> None:
    found = window_stats.stats(*high, Window(from_s=9000.0))
    assert found["requests"] == 0
    assert found["p90_ttft_s"] is None
    assert distributions.distribution(*high, "isl_tokens", Window(from_s=9000.0)) is None


def test_span_begins_at_zero_for_profiling_and_below_for_warmup(high) -> None:
    assert span(*high, Window())[0] == 0.0
    assert span(*high, Window("warmup"))[0] < 0
    assert span(*high, Window(from_s=50.0, to_s=40.0)) is None


def test_error_kinds_name_count_and_first_occurrence(high) -> None:
    kinds = errors.kinds(*high, Window())
    bad = [r for r in rows(phase="profiling") if r["status"] != "ok"]
    assert sum(kind["n"] for kind in kinds) == len(bad) == 2
    by_code = {kind["code"]: kind for kind in kinds}
    first = next(r for r in bad if r["error_code"] == 500)
    assert by_code[500]["first_s"] == pytest.approx(first["start_ns"] / 1e9)
    assert by_code[500]["first_request"] == first["request_id"]
    assert by_code[499]["status"] == "cancelled"
    assert len(errors.times(*high, Window())) == 2
    places = errors.conversations(*high, Window())
    assert [(one["conversation"], one["failed"], one["cancelled"]) for one in places] == [
        (first["conversation"], 1, 1)
    ]


def test_a_crashed_aggregate_still_names_its_kinds(sample_lake: Sample) -> None:
    point = points.one(sample_lake.lake, sample_lake.ids["crashed"])
    kinds = errors.kinds(sample_lake.lake, point, Window())
    assert [(kind["type"], kind["code"], kind["n"]) for kind in kinds] == [("HTTPError", 500, 32)]


def test_siblings_share_the_series_and_lead_to_neighbours(sample_lake: Sample) -> None:
    lake, ids = sample_lake.lake, sample_lake.ids
    point = points.one(lake, ids["low"])
    found = siblings.matrix(lake, point, "total_tps_per_gpu")
    by_id = {cell["point_id"]: at for at, cell in found.cells.items()}
    assert by_id[ids["low"]] == (("TP4", "", ""), 2)
    assert ids["split"] not in by_id
    assert ids["mock"] not in by_id
    assert (found.previous, found.following) == (None, ids["crashed"])


@pytest.mark.parametrize("sort", list(request_page.SORTS))
@pytest.mark.parametrize("descends", [False, True])
def test_requests_sort_by_every_column(high, sort: str, descends: bool) -> None:
    page = request_page.page(*high, Window(), sort=f"{'-' if descends else ''}{sort}", limit=500)
    values = [row[sort] for row in page.rows if row[sort] is not None]
    assert values == sorted(values, reverse=descends)
    assert page.total == len(page.rows) == len(rows(phase="profiling"))


def test_requests_are_searched_over_all_and_paged(high) -> None:
    whole = request_page.page(*high, Window(), search="CONV-1", limit=500)
    assert whole.total == len(rows(phase="profiling", conversation="conv-1"))
    first = request_page.page(*high, Window(), limit=7)
    second = request_page.page(*high, Window(), limit=7, offset=7)
    ids = [row["request_id"] for row in first.rows + second.rows]
    assert len(set(ids)) == 14
    assert [r["status"] for r in request_page.page(*high, Window(), failed=True).rows] == [
        "failed",
        "cancelled",
    ] or {r["status"] for r in request_page.page(*high, Window(), failed=True).rows} == {
        "failed",
        "cancelled",
    }


def test_search_text_is_a_value_not_sql(high) -> None:
    assert request_page.page(*high, Window(), search="' OR 1=1 --").total == 0
