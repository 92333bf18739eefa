"""Ranked tables, un-merge, ruler, bands, areas, bootstrap: against plain Python on real points."""

from __future__ import annotations

import itertools

import pytest

from explorer import tables
from explorer.domain import metrics, view_state
from explorer.queries import bootstrap, history
from explorer.queries.curves import curves
from explorer.queries.defaults import effective
from explorer.queries.lines import sides, vertices
from explorer.queries.ranking import ranking
from explorer.queries.reading import area, bands, baseline, ruler
from explorer.queries.takeaway import takeaway
from explorer.queries.unmerge import unmerge
from explorer.store import objects
from explorer.store.lake import open_lake
from tests.lake_fixture import build, request_table
from tests.oracle import curves as oracle

KIMI = "model=kimik2.5&scenario=agentic"
B200, MI355X = "kimik2.5~b200~vllm", "kimik2.5~mi355x~vllm"
STORED = (
    "SELECT * FROM {points} WHERE model = 'kimik2.5' AND scenario = 'agentic' "
    "AND status <> 'failed' ORDER BY point_id"
)


@pytest.fixture(scope="module")
def lake(real_lake):
    return open_lake(real_lake)


@pytest.fixture(scope="module")
def rows(lake):
    return lake.rows(STORED)


@pytest.fixture(scope="module")
def rates():
    return {hw: one["own"] for hw, one in tables.prices().items()}


def ask(lake, query):
    found = curves(lake, view_state.parse(query))
    return found["data"], found["meta"]


def by_id(data, curve_id):
    return next(curve for curve in data if curve["curve_id"] == curve_id)


def line_of(rows, hw):
    pairs = [
        (row["p90_interactivity_tps"], row["total_tps_per_gpu"])
        for row in rows
        if row["hw"] == hw and row["status"] == "ok"
    ]
    return oracle.frontier(pairs)


@pytest.mark.real_data
def test_every_point_of_every_view_is_the_stored_number(lake):
    stored = {row["point_id"]: row for row in lake.rows("SELECT * FROM {points}")}
    prices = tables.prices()
    seen = 0
    for query in (KIMI, "model=dsr1&workload=1k1k&stat=p99", "model=dsr1&workload=8k1k&stat=p50"):
        data, meta = ask(lake, query + "&y=usd_per_mtok_total&cost_max=1000000")
        for curve, point in ((one, point) for one in data for point in one["points"]):
            row = stored[point["point_id"]]
            assert point["x"] == row[meta["x"]]
            assert point["ttft"] == row[f"{meta['stat']}_ttft_s"]
            cost = prices[curve["hw"]]["own"] / (row["total_tps_per_gpu"] * 3600 / 1e6)
            assert point["y"] == pytest.approx(cost, rel=1e-12)
            assert point["at_limit"]["cost_max"] == point["y"]
            seen += 1
    assert seen >= 200


@pytest.mark.real_data
@pytest.mark.parametrize("ttft_max", [2, 5, 60])
def test_ranked_tables_agree_with_a_hand_computation(lake, rows, rates, ttft_max):
    data, _ = ask(lake, f"{KIMI}&ttft_max={ttft_max}")
    found = ranking(data)
    ids = [one.point["point_id"] for one in found.cheapest]
    assert ids == oracle.cheapest(rows, rates, ttft_max)
    fast = [one.point["point_id"] for one in found.fastest]
    assert fast == oracle.fastest(rows, rates, ttft_max)
    assert found.meeting == len(ids) > 0


@pytest.mark.real_data
def test_five_seconds_of_ttft_leave_the_eight_gpu_points_of_b200(lake):
    data, _ = ask(lake, f"{KIMI}&hw=b200&ttft_max=5")
    shapes = {point["parallelism"] for curve in data for point in curve["points"]}
    assert shapes == {"TP8"}


@pytest.mark.real_data
def test_own_rates_and_bases_reach_the_ranking(lake, rows):
    data, _ = ask(lake, f"{KIMI}&ttft_max=5&rate.b200=0.5&rate.mi355x=3")
    ids = [one.point["point_id"] for one in ranking(data).cheapest]
    assert ids == oracle.cheapest(rows, {"b200": 0.5, "mi355x": 3.0}, 5)


@pytest.mark.real_data
def test_frontiers_ruler_areas_and_bands_are_the_oracles(lake, rows):
    data, meta = ask(lake, KIMI)
    lines = {name: line_of(rows, hw) for name, hw in ((B200, "b200"), (MI355X, "mi355x"))}
    assert {curve["curve_id"]: vertices(curve) for curve in data} == lines
    for one in ruler(data, 50.0, B200, sides(meta)):
        assert one.y == pytest.approx(oracle.height(lines[one.curve["curve_id"]], 50.0), rel=1e-12)
        assert one.interpolated
    low, high = lines[B200][0][0], lines[MI355X][-1][0]
    found = bands(data, B200, sides(meta))
    assert found.shared == (low, high)
    for name, line in lines.items():
        assert found.area[name][0] == pytest.approx(oracle.area(line, low, high), rel=1e-9)
        for index, (a, b) in enumerate(itertools.pairwise(found.edges)):
            best = oracle.bucket(line, a, b, b == found.edges[-1])
            cell = found.cells[name][index]
            assert (cell and cell[0]["y"]) == best
            base = oracle.bucket(lines[B200], a, b, b == found.edges[-1])
            assert cell is None or base is None or cell[1] == best / base


@pytest.mark.real_data
def test_the_take_away_holds_on_a_fine_grid(lake, rows):
    data, _ = ask(lake, KIMI)
    said = takeaway(data, True)
    assert said.code == "lead_cross"
    found = oracle.leaders({B200: line_of(rows, "b200"), MI355X: line_of(rows, "mi355x")})
    assert min(found[said.facts["high"]]) >= said.facts["x"] - 0.1
    assert max(found[said.facts["low"]]) <= said.facts["x"] + 0.1


@pytest.mark.real_data
def test_unmerging_b200_tells_the_offload_story_of_four_gpus(lake):
    data, meta = ask(lake, KIMI)
    found = unmerge(by_id(data, B200), sides(meta))
    assert len(found.parts) == 4
    pairs = {
        (pair.on["parallelism"], pair.on["concurrency"]): pair
        for pair in found.pairs
        if pair.switch == "offload"
    }
    assert set(pairs) == {("TP4", c) for c in (12.0, 14.0, 16.0, 18.0, 20.0)} | {("TP8", 16.0)}
    assert all(pair.y_ratio > 1.7 for key, pair in pairs.items() if key[0] == "TP4")
    assert pairs[("TP8", 16.0)].y_ratio < 1
    assert pairs[("TP4", 16.0)].on["status"] == "partial"


@pytest.mark.real_data
def test_each_vertex_names_its_winner_and_what_the_best_other_loses(lake, rows):
    data, meta = ask(lake, KIMI)
    for one in unmerge(by_id(data, B200), sides(meta)).won:
        x, y = one.point["x"], one.point["y"]
        others = {}
        for row in rows:
            if row["hw"] == "b200" and row["status"] == "ok":
                key = (row["parallelism"], row["kv_offload_backend"] or "none")
                pair = (row["p90_interactivity_tps"], row["total_tps_per_gpu"])
                others.setdefault(key, []).append(pair)
        others.pop((one.settings[0], one.settings[4]))
        best = None
        for pairs in others.values():
            line = oracle.frontier(pairs)
            value = line[0][1] if x < line[0][0] else oracle.height(line, x)
            best = value if value is not None and (best is None or value > best) else best
        assert (one.best and one.best.y) == (best and pytest.approx(best, rel=1e-12))
        assert best is None or one.best.ratio == pytest.approx(y / best, rel=1e-12)


@pytest.mark.real_data
def test_bootstrap_bands_are_those_of_plain_python(lake):
    query = f"{KIMI}&hw=b200&offload=none&conc=1,2,4,8"
    data, meta = ask(lake, query)
    (curve,) = [one for one in data if one["curve_id"] == B200]
    found = bootstrap.bands(lake, data, meta)[B200]
    points = []
    able = [point for point in curve["points"] if point["eligible"]]
    for point in able:
        (row,) = lake.rows(
            "SELECT requests_object FROM {points} WHERE point_id = ?", [point["point_id"]]
        )
        requests = lake.rows(
            "SELECT root_id, itl_s, isl_tokens, osl_tokens FROM {r} "
            "WHERE phase = 'profiling' AND status = 'ok' ORDER BY ordinal",
            objects={"r": row["requests_object"]},
        )
        blocks = {request["root_id"] for request in requests}
        seed = f"{bootstrap.SEED}:{row['requests_object']}"
        drawn = oracle.redrawn(requests, seed, bootstrap.DRAWS) if len(blocks) > 1 else None
        points.append(((point["x"], point["y"]), drawn))
    assert found.drawn == sum(drawn is not None for _, drawn in points) > 2
    line = oracle.frontier([pair for pair, _ in points])
    low, high = line[0][0], line[-1][0]
    stops = [low + (high - low) * step / bootstrap.STOPS for step in range(bootstrap.STOPS + 1)]
    expected = {
        stop: interval
        for stop, interval in zip(stops, oracle.band(points, stops, bootstrap.DRAWS), strict=True)
        if interval
    }
    assert [stop for stop, _, _ in found.stops] == list(expected)
    for stop, least, most in found.stops:
        assert (least, most) == pytest.approx(expected[stop], rel=1e-9)


def test_one_replay_cannot_be_drawn_again(tmp_path):
    sample = build(tmp_path / "lake")
    name = objects.put_table(sample.folder, request_table(1), "requests")
    metric = metrics.by_key()["p90_interactivity_tps"]
    assert bootstrap.factors_of(sample.lake, name, metric) is None


def test_axes_not_made_of_requests_have_no_band(sample_lake):
    data, meta = ask(sample_lake.lake, "x=concurrency")
    found = bootstrap.bands(sample_lake.lake, data, meta)
    assert data
    assert all(not band.stops and set(band.fixed) == {"axis"} for band in found.values())


def test_draws_are_the_same_on_every_machine():
    counts = bootstrap.draws(5, "fixed")
    assert counts.shape == (bootstrap.DRAWS, 5)
    assert set(counts.sum(axis=1).tolist()) == {5}
    assert counts[:3].tolist() == bootstrap.draws(5, "fixed")[:3].tolist()


def test_area_is_null_where_a_line_does_not_reach():
    line = [(1.0, 4.0), (3.0, 2.0)]
    assert area(line, 1.0, 3.0) == 6.0
    assert area(line, 1.5, 2.5) == 3.0
    assert area(line, 0.0, 3.0) is None


@pytest.mark.real_data
def test_history_reads_each_day_on_what_was_known_then(lake):
    state = view_state.parse("model=dsr1&scenario=fixed&workload=1k1k&at=40&stat=p50")
    found = history.history(lake, state)
    shown = effective(lake, state)
    assert found.at == 40
    assert len(found.days) > 3
    for curve, days in found.days:
        for day in days:
            till = curves(lake, shown.having(date=day.date, hw=(curve["hw"],), at=None))
            now = next(one for one in till["data"] if one["engine"] == curve["engine"])
            expected = oracle.height(vertices(now), 40.0)
            assert day.y == (None if expected is None else pytest.approx(expected, rel=1e-12))


@pytest.mark.real_data
def test_changelog_entries_come_once_with_their_points(lake):
    found = history.history(lake, view_state.parse("model=kimik2.7"))
    (entry,) = found.changes
    assert entry.date == "2026-07-09"
    assert len(entry.points) == 5


@pytest.mark.real_data
def test_splitting_by_date_shows_older_runs_with_their_true_date(lake):
    data, _ = ask(lake, "model=dsr1&workload=1k1k&stat=p50&hw=b200&engine=trt&split=date")
    dates = [curve["split"]["date"] for curve in data]
    assert len(dates) == len(set(dates)) > 2
    assert all(
        str(point["date"]) == str(curve["split"]["date"])
        for curve in data
        for point in curve["points"]
    )


def test_the_baseline_falls_back_to_the_first_line(sample_lake):
    data, _ = ask(sample_lake.lake, "")
    assert baseline(data, "no-such-curve") == data[0]["curve_id"]
