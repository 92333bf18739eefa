"""Builds a size of the simulated corpus and brings it into a lake by the ordinary ingest."""

from __future__ import annotations

import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from explorer.demo.folders import build_dataset, build_fixed, build_point
from explorer.demo.plan import (
    CAPPED_DATASET,
    FULL_DATASET,
    AgenticPoint,
    Corpus,
    Size,
    corpus,
)
from explorer.demo.workload import Session, build_sessions, published_figures
from explorer.ingest.pipeline import ingest

Progress = Callable[[str, dict[str, Any]], None]
"""Called with a code (``figures``, ``built``, ``ingested``) and its arguments."""

_AHEAD = 3
_BATCH_LANES = 600
_DATASET_WEIGHT = 100
_SAMPLE_MAX_TURNS = 110


@cache
def all_sessions(dataset: str) -> list[Session]:
    """Return the 393 sessions of a dataset, generated once per process."""
    capped = dataset == CAPPED_DATASET
    return build_sessions(capped, prefix="sim256k" if capped else "sim")


def sample(sessions: list[Session], count: int) -> list[Session]:
    """Return so many sessions, spread evenly; a part of them leaves out the longest."""
    if count >= len(sessions):
        return sessions
    short = [one for one in sessions if len(one.turns) <= _SAMPLE_MAX_TURNS]
    return [short[place * len(short) // count] for place in range(count)]


def build(size: Size, out_dir: Path, workers: int = 1) -> Iterator[Path]:
    """Yield one folder after the other: datasets, fixed-sequence runs, agentic points.

    A folder may be deleted as soon as the next is asked for. With several workers, points are
    built ahead in other processes; order and content are the same.
    """
    for folder, _ in _build(corpus(size), out_dir, workers):
        yield folder


def _build(plan: Corpus, out_dir: Path, workers: int) -> Iterator[tuple[Path, int]]:
    """Yield folders with the weight they have in a batch (lanes; of a dataset as of a hundred)."""
    out_dir.mkdir(parents=True, exist_ok=True)
    for name, count in plan.datasets.items():
        yield build_dataset(name, sample(all_sessions(name), count), out_dir), _DATASET_WEIGHT
    for run in plan.fixed:
        yield build_fixed(run, out_dir), 1
    tasks = [(point, plan.datasets[point.dataset], out_dir) for point in plan.points]
    built = map(_point, tasks) if workers <= 1 else _ahead(tasks, workers)
    for point, folder in zip(plan.points, built, strict=True):
        yield folder, point.replay.lanes


def _point(task: tuple[AgenticPoint, int, Path]) -> Path:
    point, count, out_dir = task
    return build_point(point, sample(all_sessions(point.dataset), count), out_dir)


def _ahead(tasks: list[tuple[AgenticPoint, int, Path]], workers: int) -> Iterator[Path]:
    """Yield folders in order while the next few are being built."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        waiting: deque[Future[Path]] = deque()
        for task in tasks:
            waiting.append(pool.submit(_point, task))
            if len(waiting) > _AHEAD * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def batches(folders: Iterator[tuple[Path, int]]) -> Iterator[list[Path]]:
    """Group folders for one ingest each, so that little lies on disk at a time."""
    batch: list[Path] = []
    weight = 0
    for folder, lanes in folders:
        if batch and weight + lanes > _BATCH_LANES:
            yield batch
            batch, weight = [], 0
        batch.append(folder)
        weight += lanes
    if batch:
        yield batch


def figures(progress: Progress) -> None:
    """Report the published figures as the generated sessions have them."""
    for dataset in (CAPPED_DATASET, FULL_DATASET):
        progress("figures", {"dataset": dataset, **published_figures(all_sessions(dataset))})


def demo(lake_dir: Path, size: Size, progress: Progress, workers: int | None = None) -> None:
    """Build a size, ingest it into the lake batch by batch, and leave nothing else behind.

    Two processes build ahead of the ingest; for ``small`` their start would cost more than it
    saves. The lake is the same whatever the number.
    """
    workers = workers or (1 if size == "small" else 2)
    figures(progress)
    with tempfile.TemporaryDirectory(prefix="explorer-demo-") as scratch:
        ready = Path(scratch, "simulated")
        for batch in batches(_build(corpus(size), Path(scratch, "building"), workers)):
            ready.mkdir()
            for folder in batch:
                folder.rename(ready / folder.name)
            progress("built", {"folders": len(batch), "last": batch[-1].name})
            progress("ingested", {"report": ingest([ready], lake_dir)})
            shutil.rmtree(ready)
