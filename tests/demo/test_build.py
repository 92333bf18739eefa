"""The demo reaches the lake through the ordinary ingest, batch by batch."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from explorer.demo import build
from explorer.demo.plan import CAPPED_DATASET, FULL_DATASET, Corpus, corpus
from explorer.store import snapshots, tables


def _tiny() -> Corpus:
    """Return one point per kind of metrics file, an edge case and a few rows, made short."""
    plan = corpus("small")
    kinds = {}
    for point in plan.points:
        one = point.deployment
        key = (point.metrics, point.layout, one.prefill is None, point.replay.fail_ratio == 1.0)
        kinds.setdefault(key, point)
    points = [
        replace(point, replay=replace(point.replay, duration_s=600.0, lanes=8))
        for point in kinds.values()
    ]
    return Corpus({CAPPED_DATASET: 12, FULL_DATASET: 2}, tuple(points), plan.fixed[:4])


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("demo") / "lake"
    heard: list[tuple[str, dict[str, Any]]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "corpus", lambda _: _tiny())
        patch.setattr(build, "_BATCH_LANES", 250)
        build.demo(folder, "small", lambda code, args: heard.append((code, args)), workers=1)
    return folder, heard


def _rows(folder: Path) -> list[dict[str, Any]]:
    current = snapshots.read_current(folder)
    assert current is not None
    return tables.read_rows(folder, "points", snapshots.load(folder, current).tables["points"])


def test_every_point_is_simulated_and_dated(lake: Any) -> None:
    rows = _rows(lake[0])
    plan = _tiny()
    fixed = sum(len(run.sequences) * len(run.lanes) for run in plan.fixed)
    assert len(rows) == len(plan.points) + fixed
    assert {row["source"] for row in rows} == {"simulated"}
    assert all(row["date"] and row["run_id"].startswith("simulated-") for row in rows)


def test_names_and_shapes_are_known_to_the_tables(lake: Any) -> None:
    for row in _rows(lake[0]):
        assert None not in (row["hw"], row["engine"], row["model"], row["gpus"]), row["point_id"]
    for _, args in lake[1]:
        if "report" in args:
            assert args["report"].unknown_names == {}
            assert args["report"].skipped == []


def test_runs_bind_to_the_dataset_they_replayed(lake: Any) -> None:
    bound = {row["dataset"] for row in _rows(lake[0]) if row["scenario"] == "agentic"}
    assert bound == {CAPPED_DATASET}


def test_files_agree_with_each_other_so_ingest_finds_nothing_to_warn_of(lake: Any) -> None:
    codes = Counter(one["code"] for row in _rows(lake[0]) for one in row["warnings"] or ())
    assert set(codes) <= {"short_window", "no_request_succeeded"}


def test_a_crash_stays_as_a_failed_point(lake: Any) -> None:
    statuses = Counter(row["status"] for row in _rows(lake[0]))
    assert statuses["failed"] == 1
    assert statuses["ok"] > 10


def test_the_lake_has_requests_series_and_telemetry(lake: Any) -> None:
    agentic = [row for row in _rows(lake[0]) if row["scenario"] == "agentic"]
    assert all(row["requests_object"] for row in agentic)
    assert sum(row["series_object"] is not None for row in agentic) == len(agentic)
    assert any(row["gpu_object"] for row in agentic)


def test_progress_tells_the_published_figures_first(lake: Any) -> None:
    codes = [code for code, _ in lake[1]]
    assert codes[:2] == ["figures", "figures"]
    assert codes.count("built") == codes.count("ingested") > 1


def test_workers_build_the_same_folders_in_the_same_order(tmp_path: Path) -> None:
    plan = replace(_tiny(), datasets={CAPPED_DATASET: 12, FULL_DATASET: 2}, fixed=())
    plan = replace(plan, points=plan.points[:2])

    def contents(workers: int) -> list[tuple[str, bytes]]:
        out = tmp_path / str(workers)
        return [
            (path.relative_to(out).as_posix(), path.read_bytes())
            for folder, _ in build._build(plan, out, workers)
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        ]

    assert contents(1) == contents(2)


@pytest.mark.parametrize(("size", "points", "replays"), [("full", 1500, 400), ("huge", 1500, 415)])
def test_sizes_cover_what_they_promise(size: Any, points: int, replays: int) -> None:
    plan = corpus(size)
    rows = sum(len(run.sequences) * len(run.lanes) for run in plan.fixed)
    deployments = [p.deployment for p in plan.points] + [run.deployment for run in plan.fixed]
    assert len(plan.points) + rows >= points
    assert len(plan.points) >= replays
    assert len({one.model for one in deployments}) >= 5
    assert len({one.hw for one in deployments}) >= 6
    assert len({one.engine for one in deployments}) >= 3
    assert len({run.date for run in plan.fixed}) >= 40
    assert len({point.name for point in plan.points}) == len(plan.points)


def test_curves_of_the_full_size_have_eight_concurrencies() -> None:
    curves: dict[tuple[str, str, str, bool], set[int]] = {}
    for point in corpus("full").points:
        one = point.deployment
        key = (one.model, one.hw, one.engine, one.prefill is not None)
        curves.setdefault(key, set()).add(point.replay.lanes)
    assert min(len(lanes) for lanes in curves.values()) >= 8
