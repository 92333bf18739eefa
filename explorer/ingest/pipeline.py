"""From PATHs to a snapshot: scan, read in parsing processes, pair, normalise, publish once."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from explorer.domain.identity import canonical
from explorer.ingest import leftovers, meta, scan
from explorer.ingest.gather import Gathered
from explorer.ingest.manifest import Manifest, code_version, scan_key
from explorer.ingest.measurements import measurements
from explorer.ingest.normalize import Surroundings, point_row
from explorer.ingest.report import Report
from explorer.ingest.sandbox import Outcome, Pool
from explorer.ingest.scan import Found
from explorer.ingest.standing import Standing, conversations_by_dataset
from explorer.ingest.units import Skip, Sorted, Unit, sort_files
from explorer.store.snapshots import read_current
from explorer.store.writer import PublishResult, publish
from explorer.tables import price_version

MAX_NESTED_ARCHIVES = 3
_BATCH = 64
_SETTLED_SECONDS = 3
Progress = Callable[[int, int, str], None]


@dataclass(slots=True)
class _Run:
    """One ingest while it lasts."""

    lake: Path
    manifest: Manifest
    pool: Pool
    progress: Progress
    gathered: Gathered = field(default_factory=Gathered)
    files: list[Found] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    skips: dict[Found, Skip] = field(default_factory=dict)
    completions: dict[tuple[Path, str], dict[str, Any]] = field(default_factory=dict)
    temporary: list[str] = field(default_factory=list)


def ingest(
    paths: Iterable[Path],
    lake: Path,
    *,
    meta_file: Path | None = None,
    jobs: int = 2,
    progress: Progress | None = None,
    pool: Pool | None = None,
) -> Report:
    """Read everything below the paths into the lake and return the report.

    Writes nothing when nothing is new. `progress` hears (done, all, name) after each unit. A
    `pool` handed in is used instead of `jobs` new processes, and left open for the next ingest.
    """
    started = time.monotonic()
    given = meta.read_meta(meta_file) if meta_file else {}
    files = scan.walk(paths, lake)
    with Manifest(lake) as manifest, nullcontext(pool) if pool else Pool(jobs) as workers:
        run = _Run(lake, manifest, workers, progress or (lambda *_: None))
        try:
            _collect(run, files)
            report = _again(run, given)
            if report is None:
                _read(run)
                report = _publish(run, given)
                manifest.put_scan(_repeat_key(run, given), report.repeated().as_json())
        finally:
            for folder in run.temporary:
                shutil.rmtree(folder, ignore_errors=True)
    report.seconds = round(time.monotonic() - started, 3)
    return report


def _again(run: _Run, given: dict[str, Any]) -> Report | None:
    """Return the report of an ingest that would find the lake as the same one left it."""
    known = run.manifest.scan(_repeat_key(run, given))
    return Report.from_json(known) if known else None


def _repeat_key(run: _Run, given: dict[str, Any]) -> str:
    """Return a key of all that an ingest's outcome depends on: input, completions, snapshot."""
    units = sorted((unit.found.shown, unit.key) for unit in run.units)
    skips = sorted((skip.path, skip.reason, skip.detail) for skip in run.skips.values())
    files = sorted((found.shown, found.path.stat().st_size) for found in run.files)
    said = sorted((str(root), folder, said) for (root, folder), said in run.completions.items())
    text = canonical([code_version(), read_current(run.lake), units, skips, files, said, given])
    return hashlib.sha256(text.encode()).hexdigest()


def _collect(run: _Run, files: list[Found]) -> None:
    """Sort files into units; archives are unpacked in a parsing process and sorted as folders."""
    for _ in range(MAX_NESTED_ARCHIVES + 1):
        done = sort_files(files, _classify(run, files))
        run.files += files
        run.units += done.units
        run.skips |= done.skips
        _complete(run, done)
        if not done.archives:
            return
        files = _unpack(run, done.archives)
    run.skips |= {found: Skip(found.shown, "nested_archive") for found in done.archives}


def _classify(run: _Run, files: list[Found]) -> dict[str, dict[str, Any]]:
    """Return what each file is: as remembered of the same listing, else judged anew.

    Files changed in the last seconds may change again within one tick of their clock: a listing
    with such a file is not remembered.
    """
    stats = [(str(found.path), found.path.stat()) for found in files]
    key = scan_key((path, stat.st_size, stat.st_mtime_ns) for path, stat in stats)
    known = run.manifest.scan(key)
    if known is None:
        known = _judge(run, files)
        newest = max((stat.st_mtime for _, stat in stats), default=0.0)
        if time.time() - newest > _SETTLED_SECONDS:
            run.manifest.put_scan(key, known)
    return known


def _judge(run: _Run, files: list[Found]) -> dict[str, dict[str, Any]]:
    """Return what each file is, judged in parsing processes; a fatal file costs itself only."""
    batches = [files[at : at + _BATCH] for at in range(0, len(files), _BATCH)]
    verdicts: dict[str, dict[str, Any]] = {}
    while batches:
        again: list[list[Found]] = []
        for outcome in run.pool.run([_classifying(batch) for batch in batches]):
            verdicts |= {one["path"]: one for one in outcome.records}
            left = [path for path in outcome.task["classify"] if path not in verdicts]
            if left and len(outcome.task["classify"]) == 1:
                verdicts[left[0]] = {"reason": outcome.reason, "detail": outcome.detail}
            elif left:
                again += [[found] for found in files if str(found.path) in set(left)]
        batches = again
    return verdicts


def _classifying(batch: list[Found]) -> dict[str, Any]:
    return {"classify": [str(found.path) for found in batch], "bytes": 0}


def _complete(run: _Run, done: Sorted) -> None:
    for found in done.completions:
        run.completions[found.root, found.folder] = meta.read_meta(found.path)
        run.gathered.use(found)


def _unpack(run: _Run, archives: list[Found]) -> list[Found]:
    tasks = []
    for found in archives:
        folder = tempfile.mkdtemp(prefix="explorer-unpack-")
        run.temporary.append(folder)
        size = found.path.stat().st_size
        tasks.append({"unpack": str(found.path), "to": folder, "bytes": size})
    named = {str(found.path): found for found in archives}
    files: list[Found] = []
    for outcome in run.pool.run(tasks):
        found = named[outcome.task["unpack"]]
        if outcome.reason:
            run.skips[found] = Skip(found.shown, outcome.reason, outcome.detail)
        else:
            run.gathered.use(found)
            files += scan.unpacked(Path(outcome.task["to"]), found)
    return sorted(files)


def _read(run: _Run) -> None:
    """Take each unit from the manifest, else read it in a parsing process."""
    waiting: dict[str, list[Unit]] = {}
    for unit in run.units:
        known = run.manifest.unit(unit.key)
        if known is not None and run.gathered.objects_exist(known, run.lake):
            run.gathered.take(unit, known)
        else:
            waiting.setdefault(unit.key, []).append(unit)
    tasks = [{**units[0].task(run.lake), "key": key} for key, units in waiting.items()]
    tasks.sort(key=lambda task: -task["bytes"])
    for done, outcome in enumerate(run.pool.run(tasks), 1):
        body = _body(outcome)
        for unit in waiting[outcome.task["key"]]:
            run.gathered.take(unit, body)
        if outcome.reason not in ("crashed", "timeout"):
            run.manifest.put_unit(outcome.task["key"], body)
        run.progress(done, len(tasks), waiting[outcome.task["key"]][0].found.shown)


def _body(outcome: Outcome) -> dict[str, Any]:
    if outcome.reason:
        return {"records": [], "skips": [[outcome.reason, outcome.detail]], "failed": True}
    records = [one for one in outcome.records if one["kind"] != "skips"]
    skips = [skip for one in outcome.records if one["kind"] == "skips" for skip in one["skips"]]
    return {"records": records, "skips": skips, "failed": False}


def _publish(run: _Run, given: dict[str, Any]) -> Report:
    """Pair, normalise and publish; again when another ingest published in between.

    Its points may be the other halves of ours.
    """
    while True:
        before = read_current(run.lake)
        rows, around, result = _publish_once(run, given)
        parent = result.snapshot.parent if result.snapshot else None
        wrote = result.snapshot is not None and result.snapshot.snap != before
        if not wrote or parent == before:
            return _report(run, rows, around, result)


def _publish_once(
    run: _Run, given: dict[str, Any]
) -> tuple[list[dict[str, Any]], Surroundings, PublishResult]:
    gathered, standing = run.gathered, Standing(run.lake, run.manifest)
    gathered.settle(run.manifest, standing, given, run.completions)
    news = [one["fields"]["dataset"] for one in gathered.datasets]
    conversations = [row for one in gathered.datasets for row in one["conversations"]]
    around = Surroundings(
        datasets={**standing.datasets, **conversations_by_dataset(news, conversations)},
        accuracy=run.manifest.accuracy,
    )
    touched = gathered.touched | standing.to_rebind(around.datasets)
    rows = [point_row(parts, around) for parts in measurements(touched, gathered, standing)]
    replaced = {old for row in rows for old in standing.points_of(row) if old != row["point_id"]}
    result = publish(
        run.lake,
        points=rows,
        remove=sorted(replaced),
        datasets=[one["fields"] for one in gathered.datasets],
        conversations=conversations,
        price_version=price_version(),
    )
    return rows, around, result


def _report(
    run: _Run, rows: list[dict[str, Any]], around: Surroundings, result: PublishResult
) -> Report:
    gathered = run.gathered
    skips = [*run.skips.values(), *gathered.skips]
    unusable = run.skips.keys() | gathered.unusable
    unused = [found for found in run.files if found not in unusable]
    folders, covered = leftovers.no_results(unused, gathered.used)
    written = {*result.keys("points", "added"), *result.keys("points", "changed")}
    conversations = [result.keys("conversations", kind) for kind in ("added", "changed")]
    return Report(
        read=len(gathered.used),
        points_written=len(written),
        points_unchanged=len(result.keys("points", "unchanged")),
        requests_written=sum(_recorded(row) for row in rows if row["point_id"] in written),
        conversations_written=sum(map(len, conversations)),
        skipped=sorted({*skips, *folders}, key=lambda skip: (skip.path, skip.reason)),
        ignored=len([one for one in unused if one not in gathered.used and one not in covered]),
        warnings=[
            {"point_id": row["point_id"], **warning}
            for row in sorted(rows, key=lambda row: row["point_id"])
            for warning in row["warnings"]
        ]
        + gathered.warnings,
        unknown_names={kind: dict(names) for kind, names in around.unknown.items()},
        results=gathered.results(),
        snapshot=result.snapshot.snap if result.snapshot else None,
    )


def _recorded(row: dict[str, Any]) -> int:
    if not row["requests_object"]:
        return 0
    return int((row["requests_total"] or 0) + (row["requests_warmup"] or 0))
