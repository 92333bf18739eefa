"""The command line: exit codes, reports, help."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from explorer.cli import Bar, main, parser
from explorer.store.writer import publish
from tests.ingest.row_samples import FIXED, INVALID

VERBS = ("check", "ingest", "serve", "demo", "snapshots", "remove", "export")
CONTRACT = {
    *("read", "points_written", "points_unchanged", "requests_written", "conversations_written"),
    *("skipped", "ignored", "warnings", "unknown_names", "snapshot", "seconds"),
}


def _main(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    code = main([str(one) for one in argv])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_ingest_json_is_one_object_with_the_contracts_keys(tmp_path: Path, capsys):
    lake = tmp_path / "lake"
    code, out, _ = _main(
        capsys, "ingest", FIXED, INVALID / "zero.json", "--lake", lake, "--json", "--jobs", 1
    )
    report = json.loads(out)
    assert code == 3
    assert set(report) >= CONTRACT
    assert report["points_written"] == 1
    assert report["skipped"] == [
        {"path": str(INVALID / "zero.json"), "reason": "zero_bytes", "detail": ""}
    ]


def test_ingest_report_for_people_then_snapshots_then_remove(tmp_path: Path, capsys):
    lake = tmp_path / "lake"
    code, out, _ = _main(capsys, "ingest", FIXED, "--lake", lake, "--jobs", 1)
    assert code == 0
    assert out.startswith("1 files read, 1 points written, 0 unchanged")
    code, out, _ = _main(capsys, "snapshots", "list", "--json", "--lake", lake)
    [snapshot] = json.loads(out)
    assert (code, snapshot["points"], snapshot["added"]) == (0, 1, 1)
    code, out, _ = _main(capsys, "snapshots", "name", snapshot["snap"], "first", "--lake", lake)
    code, out, err = _main(capsys, "remove", "nothing", "--lake", lake)
    assert (code, out) == (2, "")
    assert "nothing: no point or run" in err


def test_remove_by_id_leaves_the_older_snapshot_whole(tmp_path: Path, capsys):
    from tests.ingest.lakes import only, points

    lake = tmp_path / "lake"
    _main(capsys, "ingest", FIXED, "--lake", lake, "--jobs", 1)
    code, out, _ = _main(capsys, "remove", only(lake)["point_id"], "--lake", lake)
    assert (code, points(lake)) == (0, {})
    assert out.startswith("1 points removed.")
    code, out, _ = _main(capsys, "snapshots", "--lake", lake)
    assert "0 points" in out.splitlines()[0]
    assert "1 points" in out.splitlines()[1]


@pytest.mark.parametrize(
    "argv",
    [
        ["ingest"],
        ["ingest", "x", "--jobs", "0"],
        ["demo", "--size", "vast"],
        ["snapshots", "drop"],
        ["no-such-verb"],
    ],
)
def test_wrong_calls_exit_two(argv: list[str], capsys):
    with pytest.raises(SystemExit) as caught:
        main(argv)
    assert caught.value.code == 2


def test_missing_path_and_missing_arguments_exit_two(tmp_path: Path, capsys):
    assert _main(capsys, "ingest", tmp_path / "none", "--lake", tmp_path / "l")[0] == 2
    assert _main(capsys, "snapshots", "keep", "--lake", tmp_path / "l")[0] == 2


def test_nothing_usable_exits_two(tmp_path: Path, capsys):
    (tmp_path / "notes.txt").write_text("hello")
    code, out, _ = _main(
        capsys, "ingest", tmp_path / "notes.txt", "--lake", tmp_path / "l", "--jobs", 1
    )
    assert code == 2
    assert "The lake is still empty." in out


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_every_verb_shows_examples(verb: str, capsys):
    with pytest.raises(SystemExit) as caught:
        parser().parse_args([verb, "--help"])
    out = capsys.readouterr().out
    assert caught.value.code == 0
    assert f"explorer {verb}" in out.partition("examples:")[2]


def test_every_verb_there_is_has_its_help_tested():
    found = next(action for action in parser()._actions if action.dest == "verb")
    assert set(found.choices or ()) == set(VERBS)


def test_bar_stays_on_one_line():
    stream = io.StringIO()
    bar = Bar(stream)
    bar(1, 2, "x" * 200)
    bar.clear()
    assert "\n" not in stream.getvalue()
    assert "1/2" in stream.getvalue()


def test_check_tells_a_sound_lake_from_a_damaged_one(tmp_path: Path, capsys):
    lake = tmp_path / "lake"
    publish(lake, points=[{"point_id": "a"}])
    assert _main(capsys, "check", "--lake", lake)[:2] == (0, "1 objects, 1 snapshots.\n")
    [part] = (lake / "objects").iterdir()
    part.write_bytes(b"broken")
    code, out, _ = _main(capsys, "check", "--lake", lake)
    assert code == 2
    assert f"damaged: {part.stem}" in out
