"""What an ingest ends with: counts, skips by reason, warnings, names no table has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from explorer.ingest.units import Skip

_SHOWN = 10


@dataclass(slots=True)
class Report:
    """The contract's fields. `read`, `skipped` and `ignored` share out the files met.

    `results` counts what the files state, by format, each once however often it was repeated;
    rows and runs of one measurement are one point.
    """

    read: int = 0
    points_written: int = 0
    points_unchanged: int = 0
    requests_written: int = 0
    conversations_written: int = 0
    skipped: list[Skip] = field(default_factory=list)
    ignored: int = 0
    warnings: list[dict[str, Any]] = field(default_factory=list)
    unknown_names: dict[str, dict[str, int]] = field(default_factory=dict)
    results: dict[str, int] = field(default_factory=dict)
    snapshot: str | None = None
    seconds: float = 0.0

    @property
    def exit_code(self) -> int:
        """Return 0 all understood, 3 something skipped, 2 nothing usable."""
        if not self.read:
            return 2
        return 3 if self.skipped else 0

    def as_json(self) -> dict[str, Any]:
        """Return the report as one JSON object."""
        return asdict(self)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Report:
        """Return the report that `as_json` gave."""
        return cls(**{**found, "skipped": [Skip(**skip) for skip in found["skipped"]]})

    def repeated(self) -> Report:
        """Return what the same ingest reports when it finds the lake as this one left it."""
        return replace(
            self,
            points_written=0,
            points_unchanged=self.points_written + self.points_unchanged,
            requests_written=0,
            conversations_written=0,
        )

    def lines(self) -> Iterator[str]:
        """Yield the report as people read it."""
        yield (
            f"{self.read} files read, {self.points_written} points written, "
            f"{self.points_unchanged} unchanged, {self.requests_written} requests, "
            f"{self.conversations_written} conversations, {len(self.skipped)} skipped, "
            f"{self.ignored} ignored, in {self.seconds:.1f} s."
        )
        for format_, n in sorted(self.results.items()):
            yield f"  found {format_}: {n}"
        yield from self._skips()
        for code, n in _counted(Counter(one["code"] for one in self.warnings)):
            yield f"  warning {code}: {n}"
        for kind, known in sorted(self.unknown_names.items()):
            words = ", ".join(f"{name} ({n})" for name, n in sorted(known.items()))
            yield f"  unknown {kind}: {words}"
        yield f"Snapshot {self.snapshot}." if self.snapshot else "The lake is still empty."

    def _skips(self) -> Iterator[str]:
        for reason, n in _counted(Counter(skip.reason for skip in self.skipped)):
            yield f"  skipped, {reason}: {n}"
            these = [skip for skip in self.skipped if skip.reason == reason]
            for skip in these[:_SHOWN]:
                yield f"    {skip.path}" + (f" ({skip.detail})" if skip.detail else "")
            if n > _SHOWN:
                yield f"    … and {n - _SHOWN} more; --json lists all"


def _counted(counter: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))
