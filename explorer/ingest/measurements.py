"""Parts to measurements: new parts meet one another and the parts of points that stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from explorer.ingest import pair
from explorer.ingest.gather import Gathered
from explorer.ingest.manifest import Part
from explorer.ingest.pair import Groups
from explorer.ingest.standing import Standing


def measurements(
    touched: Iterable[str], gathered: Gathered, standing: Standing
) -> list[list[Part]]:
    """Return the parts of every touched measurement, in order of rank, sorted by id.

    The outcome depends on the set of parts alone, not on the order they came in.
    """
    groups = Groups()
    for part in sorted(touched):
        _add(groups, part, gathered, standing)
    _join_artifacts(groups, gathered)
    for part in sorted(gathered.parts):
        _join_numbers(groups, gathered.parts[part], gathered, standing)
    return sorted(groups, key=lambda parts: parts[0]["part"])


def _add(groups: Groups, part: str, gathered: Gathered, standing: Standing) -> None:
    """Add a part, and when its point stands, all parts of that point with it."""
    new = gathered.parts.get(part)
    if new is not None:
        groups.add(new)
    if standing.point_of(part) is None:
        return
    for name, one in sorted(standing.parts_of(part).items()):
        groups.add(gathered.parts.get(name, one))
        if part in groups:
            groups.join(part, name)


def _join_artifacts(groups: Groups, gathered: Gathered) -> None:
    """Join a row and a run of one load that lie in the folders of one artifact."""
    rows: dict[object, list[str]] = defaultdict(list)
    runs: dict[object, list[str]] = defaultdict(list)
    for part, found in sorted(gathered.places.items()):
        for one in sorted(found):
            if one.artifact:
                (rows if one.is_row else runs)[one.artifact].append(part)
    for key, parts in rows.items():
        for row in parts:
            for run in runs.get(key, ()):
                if pair.complementary(gathered.parts[row], gathered.parts[run]):
                    groups.join(run, row)


def _join_numbers(groups: Groups, part: Part, gathered: Gathered, standing: Standing) -> None:
    """Join a new part with what states the same numbers, here or in the lake."""
    for other in _candidates(part, gathered, standing):
        name = other["part"]
        alive = name in gathered.parts or standing.point_of(name) is not None
        if name != part["part"] and alive:
            if name not in groups:
                _add(groups, name, gathered, standing)
            groups.join(part["part"], name)


def _candidates(part: Part, gathered: Gathered, standing: Standing) -> list[Part]:
    manifest = standing.manifest
    if part["ttft_s"] is None:
        named = manifest.of_artifact(part["artifact"]) if part["artifact"] else ()
        return [one for one in named if one["ttft_s"] is None and pair.complementary(part, one)]
    near = manifest.near(part["metrics"].get("concurrency"), *pair.reach(part["ttft_s"]))
    return [one for one in near if pair.same_numbers(part, one)]
