"""What `explorer export site` writes: whole, linked, hashed, the same each time."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest

from explorer.errors import UsageError
from explorer.exports import provenance
from explorer.publish.report import report
from explorer.publish.site import site
from explorer.settings import Settings
from tests.crowd_lake import HW, lake_of
from tests.lake_fixture import FIRST_NAME, Sample
from tests.publish.conftest import lines

HREF = re.compile(r'\s(?:href|src|action)="([^"]*)"')
SCRIPT = re.compile(r"<script\b[^>]*>.*?</script>", re.DOTALL)


def manifest(folder: Path) -> dict:
    return json.loads((folder / "manifest.json").read_text())


def documents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*.html"))
    }


def test_the_manifest_holds_every_file_with_its_hash(published: Path):
    told = manifest(published)
    there = {str(path.relative_to(published)) for path in published.rglob("*") if path.is_file()}
    assert {one["path"] for one in told["files"]} == there - {"manifest.json"}
    for one in told["files"]:
        data = (published / one["path"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (one["bytes"], one["sha256"])


def test_the_same_views_give_the_same_bytes(published, sample_lake: Sample, tmp_path):
    site(Settings(lake=sample_lake.folder), lines(sample_lake), tmp_path / "again")
    first, again = (
        {str(one.relative_to(root)): one.read_bytes() for one in root.rglob("*") if one.is_file()}
        for root in (published, tmp_path / "again")
    )
    assert first == again


def test_every_link_leads_to_a_file_of_the_site_or_out(published: Path):
    told = {one["path"] for one in manifest(published)["files"]} | {"manifest.json"}
    seen = set()
    for name, html in documents(published).items():
        for href in map(unescape, HREF.findall(SCRIPT.sub("", html))):
            parts = urlsplit(href)
            if parts.scheme in ("http", "https", "data"):
                assert "localhost" not in href, (name, href)
                continue
            assert not href.startswith("/"), (name, href)
            if parts.path:
                target = posixpath.normpath(posixpath.join(posixpath.dirname(name), parts.path))
                assert target in told, (name, href)
                seen.add(target)
    pages = {one["file"] for one in manifest(published)["pages"]}
    assert pages <= seen


def test_pages_hold_what_they_show_and_nothing_live(published: Path):
    for one in manifest(published)["pages"]:
        html = (published / one["file"]).read_text()
        assert "<h1" in html
        assert "_dash" not in html
        assert 'id="react-entry-point"' not in html
        assert "<form" not in html


def test_included_views_link_to_each_other(published: Path, sample_lake: Sample):
    held = {one["address"]: one for one in manifest(published)["pages"]}
    curves = (published / held["/"]["file"]).read_text()
    point = f"points/{sample_lake.ids['high']}/index.html"
    assert f'href="../{point}"' in curves
    other = sample_lake.ids["other"]
    mark = re.search(f'<a [^>]*data-point-id="{other}"[^>]*>', curves)
    assert mark
    assert "href" not in mark[0]
    assert 'role="img"' in mark[0]


def test_with_a_public_server_what_is_not_here_leads_there(sample_lake: Sample, tmp_path):
    settings = Settings(lake=sample_lake.folder, public_url="https://bench.example.org")
    site(settings, ["/"], tmp_path / "s")
    html = next((tmp_path / "s").glob("v-*/index.html")).read_text()
    other = sample_lake.ids["other"]
    assert f'href="https://bench.example.org/points/{other}?snap=' in html
    assert '<link rel="canonical" href="https://bench.example.org/">' in html
    assert 'action="https://bench.example.org/"' in html
    assert "localhost" not in html
    loaded = re.findall(r'<(?:link rel="(?:icon|stylesheet)"|script|img)[^>]*https?:[^>]*>', html)
    assert loaded == []


def test_data_files_are_pinned_and_lie_beside_their_notebook(published, sample_lake: Sample):
    tables = sorted(published.glob("data/**/*.parquet"))
    assert len(tables) >= 8
    for table in tables:
        facts = provenance.read(pq.read_table(table))
        assert facts["snapshot"] == sample_lake.newest
        notebook = table.with_suffix(".ipynb")
        assert f"Path('{table.name}')" in notebook.read_text()
    assert not list(published.glob("data/**/*.sh"))


def test_an_older_snapshot_can_be_published(sample_lake: Sample, tmp_path):
    settings = Settings(lake=sample_lake.folder)
    site(settings, ["/", f"/points/{sample_lake.ids['gone']}"], tmp_path / "s", FIRST_NAME)
    assert manifest(tmp_path / "s")["snapshot"] == sample_lake.first
    with pytest.raises(UsageError, match="404"):
        site(settings, [f"/points/{sample_lake.ids['gone']}"], tmp_path / "t")
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/zzz", "no page has this path"),
        ("/?modle=kimik2.5", "no key 'modle'; Did you mean mode"),
        ("/?stat=p42", "'p42' is no value of stat"),
        ("/?y_from=3&y_to=2.5", "3..2.5 of y_to does not end after it begins"),
        ("/e/v1/curv", "no embed 'curv'; Did you mean curve"),
        ("/e/v1/point", "needs point"),
        ("/compare/timelines?a=x&b=y", "needs a server|draws from a server"),
    ],
)
def test_a_line_that_is_no_view_is_named_and_nothing_is_written(
    sample_lake: Sample, tmp_path, line, said
):
    with pytest.raises(UsageError, match="2: ") as caught:
        site(Settings(lake=sample_lake.folder), ["/", line], tmp_path / "s")
    assert re.search(said, str(caught.value))
    assert list(tmp_path.iterdir()) == []


def test_all_bad_lines_are_named_at_once(sample_lake: Sample, tmp_path):
    with pytest.raises(UsageError, match=r"1: /zzz.*3: /yyy"):
        site(Settings(lake=sample_lake.folder), ["/zzz", "/", "/yyy"], tmp_path / "s")


def test_a_failing_export_leaves_what_was_there(sample_lake: Sample, tmp_path):
    settings, out = Settings(lake=sample_lake.folder), tmp_path / "s"
    site(settings, ["/datasets"], out)
    before = (out / "manifest.json").read_bytes()
    with pytest.raises(UsageError):
        site(settings, ["/", "/points/nosuchpoint0"], out)
    assert (out / "manifest.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["s"]
    site(settings, ["/"], out)
    assert [one["address"] for one in manifest(out)["pages"]] == ["/"]


def test_a_folder_of_somebody_else_is_not_touched(sample_lake: Sample, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("words")
    with pytest.raises(UsageError, match="no site of ours"):
        site(Settings(lake=sample_lake.folder), ["/"], tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "words"


def test_every_dot_of_a_crowd_has_its_link_in_a_file(tmp_path):
    lake = lake_of(tmp_path / "lake", 300)
    site(Settings(lake=lake), [f"/?{HW}"], tmp_path / "site")
    page = max(documents(tmp_path / "site").values(), key=len)
    assert 'data-dots="' not in page
    dots = "".join(re.findall(r'class="dots" d="([^"]+)"', page)).count("h0")
    link = r'<a [^>]*aria-label="[^"]*TTFT[^"]*"[^>]*>(?:<g class="offload-ring"/?>(?:</g>)?)?</a>'
    links = re.findall(link, page)
    assert len(links) == dots > 100
    file = report(Settings(lake=lake), f"/?{HW}").decode()
    assert 'data-dots="' not in file
