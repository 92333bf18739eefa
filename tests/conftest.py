"""Fixtures every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.lake_fixture import Sample, build

# A loaded machine is no defect, so no deadlines; CI draws the same examples each time, people
# draw new ones.
settings.register_profile("explorer", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("explorer")

CHECKOUT = Path(__file__).resolve().parent.parent


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name cases of bytes by their argument and number, equal in every process.

    Their content may hold the hour of its making (gzip does), and two test processes that name
    one test differently refuse to run.
    """
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Return the folder of real input; tests that read it skip elsewhere, with the reason."""
    folder = Path(os.environ.get("EXPLORER_REAL_DATA", CHECKOUT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}: set EXPLORER_REAL_DATA")
    return folder


@pytest.fixture(scope="session")
def sample_lake(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """Return the small synthetic lake of tests/lake_fixture.py; read it, never write to it."""
    return build(tmp_path_factory.mktemp("sample") / "lake")


REAL_FOLDERS = (
    "agentx-ci",
    "inferencex-api",
    "inferencex-csv",
    "inferencex-fixed-seq",
    "aiperf",
    "aiperf-2025",
    "weka",
)


@pytest.fixture(scope="session")
def real_lake(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a lake with all the real data, ingested once through the command line's own path.

    EXPLORER_TEST_LAKE names one already ingested with this build, for work on a single test.
    """
    if ready := os.environ.get("EXPLORER_TEST_LAKE"):
        return Path(ready)
    from explorer.ingest.pipeline import ingest

    lake = tmp_path_factory.mktemp("real") / "lake"
    ingest([real_data / name for name in REAL_FOLDERS], lake)
    return lake
