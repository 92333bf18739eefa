"""Points compared: numbers against plain Python over the exports, and what is not known."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path

import pytest

from explorer.domain import view_state
from explorer.domain.difference import difference
from explorer.queries import bootstrap, compare, overlays, points, siblings
from explorer.queries.compare import Chosen
from explorer.queries.window import Window
from explorer.store import objects
from explorer.store.lake import open_lake
from tests.lake_fixture import Sample, request_table
from tests.oracle import compare as oracle
from tests.oracle import requests

FOLDER = "agentx-ci/2026-06/kimik2.5-fp4-b200-vllm-agentic-lmcache"
WITH, WITHOUT = "zfrerhlzyib3", "4tzpxcrmfopj"
WHOLE = Window()


@pytest.fixture(scope="module")
def lake(real_lake):
    return open_lake(real_lake)


@pytest.fixture(scope="module")
def chosen(lake):
    found, unknown = compare.choose(lake, view_state.parse(f"a={WITH}&b={WITHOUT}"))
    assert unknown == []
    return found


@pytest.fixture(scope="module")
def records(real_data: Path):
    """Return the two runs' records, with LMCache and without."""
    return [
        requests.load(next((real_data / FOLDER).glob(f"agentic_*_tp4_conc16_offload{name}_*/*/"
                                                     "profile_export.jsonl")))
        for name in ("lmcache", "none")
    ]  # fmt: skip


@pytest.mark.real_data
def test_values_and_ratios_are_those_of_the_exports(lake, chosen, records):
    table = compare.table(lake, chosen, WHOLE)
    expected = [requests.metrics(one) for one in records]
    seen = 0
    for key, cells in table.items():
        if key in expected[0]:
            for cell, numbers in zip(cells, expected, strict=True):
                assert cell.value == pytest.approx(numbers[key], rel=1e-9), key
                assert cell.ratio == pytest.approx(numbers[key] / expected[0][key], rel=1e-9)
            seen += 1
    assert seen >= 13
    assert all(len(cells) == 2 for cells in table.values())


def _percentile(tag: str, p: float):
    def statistic(records):
        values = [requests.value(record, tag) for record in records]
        return requests.percentile(requests.positive(values), p)

    return statistic


def _interactivity(records):
    return 1 / requests.percentile(requests.positive([requests.itl(r) for r in records]), 0.9)


def _tokens(records):
    return sum(
        requests.value(r, tag) or 0
        for r in records
        for tag in ("input_sequence_length", "output_sequence_length")
    )


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("key", "statistic"),
    [
        ("p90_ttft_s", _percentile("time_to_first_token", 0.9)),
        ("p50_e2el_s", _percentile("request_latency", 0.5)),
        ("p90_interactivity_tps", _interactivity),
    ],
)
def test_intervals_are_those_of_plain_python(lake, chosen, records, key, statistic):
    seeds = [f"{bootstrap.SEED}:{one.point['requests_object']}" for one in chosen]
    sides = list(zip(records, seeds, strict=True))
    cell = compare.table(lake, chosen, WHOLE)[key][1]
    low, high = oracle.interval(sides, statistic, bootstrap.DRAWS)
    assert (cell.low, cell.high) == pytest.approx((low, high), rel=1e-9)
    assert cell.low < cell.ratio < cell.high


@pytest.mark.real_data
def test_throughput_is_drawn_over_the_runs_own_window(lake, chosen, records):
    seeds = [f"{bootstrap.SEED}:{one.point['requests_object']}" for one in chosen]
    low, high = oracle.interval(list(zip(records, seeds, strict=True)), _tokens, bootstrap.DRAWS)
    cell = compare.table(lake, chosen, WHOLE)["total_tps_per_gpu"][1]
    whole = [_tokens(requests.kept(one)) for one in records]
    scale = cell.ratio / (whole[1] / whole[0])
    assert (cell.low, cell.high) == pytest.approx((low * scale, high * scale), rel=1e-9)


@pytest.mark.real_data
def test_where_time_goes_is_that_of_the_exports(lake, chosen, records):
    for one, export in zip(chosen, records, strict=True):
        found = compare.spent(lake, one.point, WHOLE)
        expected = oracle.spent(export, one.point["overall_cache_hit_ratio"])
        for name, value in expected.items():
            assert getattr(found, name) == pytest.approx(value, rel=1e-9), name
        assert found.queue_s is None


@pytest.mark.real_data
def test_lmcache_is_faster_before_the_first_token_and_it_goes_with_the_cache(lake, chosen):
    found = difference(*(compare.spent(lake, one.point, WHOLE) for one in chosen))
    assert (found.place, found.reason) == ("first", "cache")
    assert found.total_s == pytest.approx(70.94185, abs=1e-4)
    assert found.first_s / found.total_s == pytest.approx(0.7876, abs=1e-4)
    assert found.computed_ratio == pytest.approx(12.733, abs=1e-3)


@pytest.mark.real_data
def test_the_same_turns_say_so_too(lake, chosen, records):
    found = compare.pairs(lake, *(one.point for one in chosen))
    expected = oracle.matched(*records)
    assert found.n == expected["n"] == 171
    for name, side in (("a", found.base), ("b", found.other)):
        assert side.ttft_s == pytest.approx(expected[f"{name}_ttft_s"], rel=1e-9)
        assert side.e2el_s == pytest.approx(expected[f"{name}_e2el_s"], rel=1e-9)


@pytest.mark.real_data
def test_the_twin_without_offload_is_offered_first(lake, chosen):
    first = siblings.candidates(lake, chosen[0].point)[0]
    assert first["point_id"] == WITHOUT


@pytest.mark.real_data
def test_servers_that_recorded_their_queue_split_the_time_to_the_first_token(lake):
    found, _ = compare.choose(lake, view_state.parse("a=pfbzjgrc77km&b=cumt2pv2qda7"))
    for one in found:
        spent = compare.spent(lake, one.point, WHOLE)
        assert 0 < spent.queue_s < spent.ttft_s
        assert spent.queue_s + spent.prefill_s == pytest.approx(spent.ttft_s)


def test_unknown_and_repeated_points_are_named(sample_lake: Sample):
    ids = sample_lake.ids
    query = f"a={ids['low']}&b=nothing&c={ids['low']}&d={ids['high']}"
    found, unknown = compare.choose(sample_lake.lake, view_state.parse(query))
    assert [(one.key, one.point["point_id"]) for one in found] == [
        ("a", ids["low"]),
        ("d", ids["high"]),
    ]
    assert [(one.key, one.code) for one in unknown] == [("b", "unknown"), ("c", "twice")]


def pick(sample: Sample, *names: str) -> list[Chosen]:
    rows = [points.one(sample.lake, sample.ids[name]) for name in names]
    return [Chosen(key, row) for key, row in zip("abcd", rows, strict=False)]


def test_without_requests_there_is_a_ratio_and_no_interval(sample_lake: Sample):
    cell = compare.table(sample_lake.lake, pick(sample_lake, "low", "other"), WHOLE)["p90_ttft_s"]
    assert cell[0].why == "base"
    assert cell[1].why == "no_requests"
    assert cell[1].ratio == cell[1].value / cell[0].value
    assert cell[1].low is None


def test_one_conversation_has_no_interval_and_says_why(tmp_path: Path, sample_lake: Sample):
    name = objects.put_table(sample_lake.folder, request_table(1), "requests")
    base, other = pick(sample_lake, "low", "high")
    alone = Chosen("b", other.point | {"requests_object": name})
    cell = compare.table(sample_lake.lake, [base, alone], WHOLE)["p90_ttft_s"][1]
    assert (cell.why, cell.low) == ("one_block", None)


def test_a_window_has_numbers_of_its_own_and_no_intervals(sample_lake: Sample):
    both = pick(sample_lake, "low", "high")
    whole = compare.table(sample_lake.lake, both, WHOLE)
    part = compare.table(sample_lake.lake, both, Window("profiling", 2, 12))
    assert part["p90_ttft_s"][1].value != whole["p90_ttft_s"][1].value
    assert part["p90_ttft_s"][1].why == "window"
    assert "kv_pool_tokens" not in part


def test_a_point_beside_itself_has_the_ratio_one(sample_lake: Sample):
    one = pick(sample_lake, "high")[0]
    table = compare.table(sample_lake.lake, [one, Chosen("b", one.point)], WHOLE)
    assert all(math.isclose(cells[1].ratio, 1) for cells in table.values() if cells[1].ratio)
    cell = table["p90_ttft_s"][1]
    assert (cell.low, cell.high) == (1.0, 1.0)


def test_shared_bins_hold_every_request_of_each_point(sample_lake: Sample):
    rows = [one.point for one in pick(sample_lake, "low", "high", "other")]
    found = overlays.overlay(sample_lake.lake, rows, "ttft_s", WHOLE)
    assert found.counts == [22, 86, 0]
    assert found.shares[2] is None
    for share in found.shares[:2]:
        assert len(share) == len(found.edges) - 1
        assert math.isclose(math.fsum(share), 1)


@pytest.mark.parametrize("blocks", [2, 15, 701])
def test_draws_are_those_of_pythons_own_generator(blocks: int):
    dice = random.Random("fixed")
    for row in bootstrap.draws(blocks, "fixed")[:20]:
        chosen = Counter(dice.choices(range(blocks), k=blocks))
        assert row.tolist() == [chosen[block] for block in range(blocks)]
