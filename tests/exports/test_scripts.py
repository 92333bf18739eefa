"""The timeline's modules: their version, and the bundle of them that offline pages carry."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable

from explorer.exports import scripts


def test_the_bundle_is_one_classic_script_with_the_modules_exports(tmp_path: Path) -> None:
    script = tmp_path / "bundle.js"
    script.write_text(
        scripts.bundle("timeline/format.mjs") + "console.log(explorerTimeline.VERSION)"
    )
    node = compute_driver_executable()[0]
    done = subprocess.run([node, str(script)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_the_bundle_leaves_no_import_and_no_end_of_script() -> None:
    text = scripts.bundle()
    assert not re.search(r"^(import|export)\b", text, re.MULTILINE)
    assert "</script" not in text
    assert "import(" not in text


def test_the_bundle_holds_every_module_that_the_page_may_load() -> None:
    assert scripts.bundle().count("= (() => {") - 1 == len(scripts.module_names())


def test_a_module_in_a_form_it_does_not_know_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(scripts, "ASSETS", tmp_path)
    (tmp_path / "x.mjs").write_text("export default 1;\n")
    with pytest.raises(ValueError, match="cannot bundle 'export default 1;'"):
        scripts.bundle("x.mjs")


def test_the_version_follows_the_content(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(scripts, "ASSETS", tmp_path)
    (tmp_path / "timeline").mkdir()
    module = tmp_path / "timeline" / "mount.mjs"
    module.write_text("export const a = 1;\n")
    first = scripts.version()
    assert scripts.version() == first
    module.write_text("export const a = 22;\n")
    assert scripts.version() != first
