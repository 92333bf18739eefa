"""The scripts' own unit tests, run by the node binary that comes with Playwright."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.test.mjs"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_javascript(path: Path) -> None:
    node = compute_driver_executable()[0]
    done = subprocess.run(
        [node, "--test", "--test-reporter=tap", str(path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n# pass 0\n" not in done.stdout
