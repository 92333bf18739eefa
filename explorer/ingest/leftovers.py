"""Files no unit used: traces of a run that left no result are said aloud, the rest is ignored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from explorer.errors import InputError
from explorer.ingest import opening
from explorer.ingest.aiperf_requests import is_request_export
from explorer.ingest.command_hints import program
from explorer.ingest.gpu_telemetry import is_telemetry
from explorer.ingest.scan import Found
from explorer.ingest.server_log import is_server_log
from explorer.ingest.units import Skip

_SHOWN = 5
_HEAD = 8_192
_SCRAPES = (b'"endpoint_url"', b'"timestamp_ns"', b'"metrics"')
Place = tuple[Path, str]


def no_results(files: Iterable[Found], used: set[Found]) -> tuple[list[Skip], set[Found]]:
    """Return a skip per folder that holds a run's logs but no result, and the files it covers.

    The folder is the highest one below which nothing was used; folders of one AgentX artifact
    are one skip.
    """
    busy = {place for found in used for place in _places(found)}
    groups: dict[Place, list[Found]] = defaultdict(list)
    for found in files:
        if found not in used and (place := _highest_idle(found, busy)):
            groups[place].append(found)
    skips = {
        place: covered
        for place, covered in sorted(groups.items(), key=lambda item: item[0][1])
        if any(is_evidence(found) for found in covered)
    }
    return _without_twins(skips, used), {one for covered in skips.values() for one in covered}


def _places(found: Found) -> list[Place]:
    """Return every folder above a file, highest first; the root is ""."""
    parts = found.folder.split("/") if found.folder else []
    return [(found.root, "/".join(parts[:depth])) for depth in range(len(parts) + 1)]


def _highest_idle(found: Found, busy: set[Place]) -> Place | None:
    return next((place for place in _places(found) if place not in busy), None)


def _without_twins(skips: dict[Place, list[Found]], used: set[Found]) -> list[Skip]:
    """Return one skip per artifact that nothing was used of."""
    seen = {found.artifact for found in used}
    found: list[Skip] = []
    for (_, folder), covered in skips.items():
        name = covered[0].artifact
        if name is not None and name in seen:
            continue
        seen.add(name)
        names = sorted({one.path.name for one in covered})
        detail = "only " + ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        shown = covered[0].shown
        place = shown.removesuffix(covered[0].rel) + folder if folder else str(Path(shown).parent)
        found.append(Skip(place, "no_result", detail))
    return found


def is_evidence(found: Found) -> bool:
    """Return whether a file comes from a benchmark's run: log, command, requests, scrapes."""
    try:
        head = opening.head(found.path, _HEAD)
    except (InputError, OSError):
        return False
    text = head[:_HEAD].decode("utf-8", "replace")
    command = found.path.suffix == ".txt" and program(text) is not None
    scrapes = all(key in head for key in _SCRAPES)
    return command or scrapes or _is_run_file(head)


def _is_run_file(head: bytes) -> bool:
    return is_server_log(head) or is_request_export(head) or is_telemetry(head)
