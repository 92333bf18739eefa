"""The house's own rules: no registry named, locked with hashes, no network at run time."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


HOSTS = (("pypi", "org"), ("registry", "npm"), ("files", "pythonhosted"), ("deb", "debian"))
FLAG = "--" + "(?:extra-)?" + "index" + "-url[ =]"
"""Spelled in parts, so that this file names none either."""


def tracked() -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def test_no_package_registry_is_named():
    host = re.compile("|".join(re.escape(".".join(parts)) for parts in HOSTS) + "|" + FLAG)
    found = []
    for path in tracked():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        found += [str(path.relative_to(ROOT))] if host.search(text) else []
    assert found == []


def test_locks_carry_hashes():
    for name in ("requirements.lock", "requirements-test.lock"):
        text = (ROOT / name).read_text()
        pins = re.findall(r"^[a-z0-9_.\[\]-]+==", text, re.MULTILINE)
        assert len(pins) > 20
        blocks = re.split(r"^(?=[a-z0-9_.\[\]-]+==)", text, flags=re.MULTILINE)[1:]
        assert [block.split("==")[0] for block in blocks if "--hash=sha256:" not in block] == []


def test_scripts_and_styles_load_nothing_from_elsewhere():
    outside = re.compile(r"""(?:src|href|import|url)\s*[=(]?\s*\(?["']?(?:https?:)?//""")
    found = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "assets").rglob("*")
        if path.suffix in (".js", ".mjs", ".css") and outside.search(path.read_text())
    ]
    assert found == []
