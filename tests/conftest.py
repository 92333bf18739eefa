"""Fixtures every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Return the folder of real input; tests that read it skip elsewhere, with the reason."""
    folder = Path(os.environ.get("EXPLORER_REAL_DATA", CHECKOUT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}: set EXPLORER_REAL_DATA")
    return folder
