"""Strings under which a result row and its run folder meet, whichever is read first."""

from __future__ import annotations

from pathlib import Path

ARTIFACT_PREFIXES = ("bmk_agentic_", "server_logs_", "agentic_", "bmk_")
"""What CI puts before one measurement's common name; the longest that fits is cut off."""

_DECIMALS = 5
"""Digits that nested rows keep of a second."""


def artifact(path: Path) -> tuple[Path, str] | None:
    """Return the CI artifact folder a file lies in and the measurement's common name.

    >>> artifact(Path("dl/agentic_m_tp8_conc1/aiperf_artifacts/profile_export_aiperf.json"))[1]
    'm_tp8_conc1'
    """
    for folder in path.parents:
        for prefix in ARTIFACT_PREFIXES:
            if folder.name.startswith(prefix) and len(folder.name) > len(prefix):
                return folder, folder.name.removeprefix(prefix)
    return None


def folder_keys(path: Path) -> list[str]:
    """Return the key of a file's artifact: its common name within its download folder."""
    found = artifact(path)
    return [f"folder:{found[0].parent.name}/{found[1]}"] if found else []


def mean_keys(
    concurrency: float | None, mean_ttft_s: float | None, mean_e2el_s: float | None
) -> list[str]:
    """Return the key of a measurement by its load and its two mean latencies.

    Rows without a run id are computed from a run's own requests, so these agree to every digit
    that a row keeps; two measurements never share both means.
    """
    if not concurrency or not mean_ttft_s or not mean_e2el_s:
        return []
    means = f"{round(mean_ttft_s, _DECIMALS)}:{round(mean_e2el_s, _DECIMALS)}"
    return [f"means:{int(concurrency)}:{means}"]
