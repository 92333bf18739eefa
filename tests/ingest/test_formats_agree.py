"""One run, its server metrics in one format at a time: the same series and totals from each.

JSONL and Parquet hold every scrape (four a second), JSON slices of 1 s, CSV totals of the phase.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.domain.answers import Timed
from explorer.ingest.pipeline import ingest
from explorer.queries import points, series
from explorer.queries.window import Window
from explorer.store.lake import open_lake

pytestmark = pytest.mark.real_data
RUN = "aiperf/c_weka_agentic_c6"
KINDS = ("jsonl", "parquet", "json", "csv")
SLICE_S, SCRAPE_S = 1.0, 0.25
TOTALS = (
    "gpu_cache_hit_ratio",
    "cpu_cache_hit_ratio",
    "overall_cache_hit_ratio",
    "theoretical_cache_hit_ratio",
    "spec_acceptance_length",
    "peak_kv_usage_ratio",
)
LEVELS = ("requests_running", "requests_waiting", "kv_usage_ratio")
RATES = (
    "prompt_tps",
    "generation_tps",
    "gpu_hit_ratio",
    "cpu_hit_ratio",
    "miss_ratio",
    "offload_to_cpu_bps",
    "offload_to_gpu_bps",
    "spec_acceptance_length",
)
COUNTS = ("unique_input_tokens", "prompt_tokens_by_source", "preemptions")


@pytest.fixture(scope="module")
def runs(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, Any]]:
    """Return format → (lake, point) of the run with only that format of server metrics."""
    found = {}
    for kind in KINDS:
        folder = tmp_path_factory.mktemp(kind)
        (folder / "in" / "c6").mkdir(parents=True)
        for path in (real_data / RUN).iterdir():
            other = path.name.startswith("server_metrics_export") and path.suffix != f".{kind}"
            if path.is_file() and not other:
                shutil.copyfile(path, folder / "in" / "c6" / path.name)
        ingest([folder / "in"], folder / "lake")
        lake = open_lake(folder / "lake")
        (row,) = lake.rows("SELECT point_id FROM {points}")
        found[kind] = lake, points.one(lake, row["point_id"])
    return found


def timed(runs: dict[str, tuple[Any, Any]], kind: str, window: Window, budget: int) -> Timed:
    lake, point = runs[kind]
    return series.collect(lake, point, window, budget)


def test_the_page_says_which_was_used(runs) -> None:
    assert [runs[kind][1]["series_source"] for kind in KINDS] == ["jsonl", "parquet", "json", None]
    for kind in ("jsonl", "parquet", "json"):
        for row in timed(runs, kind, Window(), 20).of("kv_usage_ratio"):
            assert row["source"] == kind
    assert timed(runs, "csv", Window(), 20).reason("kv_usage_ratio") == "not_in_csv"


@pytest.mark.parametrize("kind", KINDS)
def test_totals_are_the_same(runs, kind: str) -> None:
    point = runs[kind][1]
    for key in TOTALS:
        assert point[key] == pytest.approx(runs["jsonl"][1][key], rel=1e-12), key
    assert round(point["gpu_cache_hit_ratio"], 3) == 0.505
    assert round(point["cpu_cache_hit_ratio"], 3) == 0.418
    assert round(point["theoretical_cache_hit_ratio"], 3) == 0.948


@pytest.mark.parametrize("name", [*LEVELS, *RATES, *COUNTS])
def test_parquet_gives_the_series_of_the_scrapes(runs, name: str) -> None:
    """Parquet starts with its first sample inside the phase: equal from the next one on."""
    window = Window("profiling", 4 * SCRAPE_S, None)
    one, two = (timed(runs, kind, window, 60).of(name) for kind in ("jsonl", "parquet"))
    assert [row["engine"] for row in one] == [row["engine"] for row in two]
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a["t_s"], b["t_s"])
        assert np.allclose(a["value"], b["value"], rtol=1e-9, atol=1e-9, equal_nan=True)


@pytest.mark.parametrize("name", LEVELS)
def test_json_levels_lie_within_what_was_scraped_a_slice_around(runs, name: str) -> None:
    fine = timed(runs, "jsonl", Window(), 600).of(name)
    coarse = timed(runs, "json", Window(), 600).of(name)
    assert [row["engine"] for row in fine] == [row["engine"] for row in coarse]
    for a, b in zip(fine, coarse, strict=True):
        for t, value in zip(b["t_s"], b["value"], strict=True):
            near = a["value"][np.abs(a["t_s"] - t) <= 2 * SLICE_S]
            assert near.min() - 1e-9 <= value <= near.max() + 1e-9


@pytest.mark.parametrize("name", RATES)
def test_json_rates_lie_within_what_was_scraped_a_slice_around(runs, name: str) -> None:
    """A slice's gain is that of scrapes up to a slice apart: its rate lies between the lowest and
    the highest of rates over as long, begun up to a slice earlier or later; a ratio's likewise.
    """
    coarse = timed(runs, "json", Window(), 60).of(name)
    fine = timed(runs, "jsonl", Window(), 240).of(name)
    assert [row["engine"] for row in fine] == [row["engine"] for row in coarse]
    for a, b in zip(fine, coarse, strict=True):
        width = float(np.median(np.diff(b["t_s"])))
        known = 0
        for t, value in zip(b["t_s"], b["value"], strict=True):
            near = a["value"][np.abs(a["t_s"] - t) <= width / 2 + 2 * SLICE_S]
            near = near[np.isfinite(near)]
            if not np.isfinite(value) or not len(near):
                continue
            known += 1
            assert near.min() * (1 - 1e-9) <= value <= near.max() * (1 + 1e-9), (name, t)
        assert known >= len(b["t_s"]) // 2


@pytest.mark.parametrize("name", [name for name in RATES if name.endswith("ps")])
def test_json_rates_add_up_to_what_was_scraped_but_for_a_slice_at_each_end(runs, name: str) -> None:
    def total(kind: str) -> tuple[float, float]:
        row = timed(runs, kind, Window(), 60).of(name)[0]
        width = np.diff(row["t_s"]).mean()
        return float(np.nansum(row["value"]) * width), float(np.nanmax(row["value"]))

    (fine, highest), (coarse, _) = total("jsonl"), total("json")
    assert abs(coarse - fine) <= 2 * SLICE_S * highest
    assert coarse == pytest.approx(fine, rel=0.05)


@pytest.mark.parametrize("name", COUNTS)
def test_json_counts_are_at_most_a_slice_away(runs, name: str) -> None:
    fine = timed(runs, "jsonl", Window(), 600).of(name)
    coarse = timed(runs, "json", Window(), 600).of(name)
    assert [row["name"] for row in fine] == [row["name"] for row in coarse]
    for a, b in zip(fine, coarse, strict=True):
        first = np.interp(SLICE_S, a["t_s"], a["value"])
        low = np.interp(b["t_s"] - SLICE_S, a["t_s"], a["value"], left=0.0)
        high = np.interp(b["t_s"] + SLICE_S, a["t_s"], a["value"])
        assert (b["value"] >= low - first - 1e-6).all()
        assert (b["value"] <= high + first + 1e-6).all()


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "json"])
def test_tokens_by_source_add_up_to_what_the_requests_sent(runs, kind: str) -> None:
    lake, point = runs[kind]
    rows = timed(runs, kind, Window(), 60).of("prompt_tokens_by_source")
    total = sum(row["value"][-1] for row in rows)
    (sent,) = lake.rows(
        "SELECT sum(isl_tokens) AS n FROM {r} WHERE phase = 'profiling'",
        objects={"r": point["requests_object"]},
    )
    assert total == pytest.approx(sent["n"], rel=0.005)
