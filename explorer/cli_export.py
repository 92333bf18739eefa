"""`explorer export WHAT …`: each kind of export, with its arguments and what writes it.

A kind is a function that adds its parser and an entry in KINDS; nothing heavy is imported before
its export runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from explorer.errors import UsageError

if TYPE_CHECKING:
    from explorer.store.lake import LocalLake

Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Make = Callable[["LocalLake", argparse.Namespace], tuple[bytes, str]]
"""Lake and arguments → bytes and the name of their file."""

HELP = "write points' data as files for other tools"
EXAMPLES = """\
examples:
  explorer export timeline pfbzjgrc77km --format html --out timeline.html   # works offline
  explorer export timeline pfbzjgrc77km --format perfetto --phase all       # ui.perfetto.dev
  explorer export timeline pfbzjgrc77km --format parquet --from 10 --to 60 --out requests.parquet
"""
TIMELINE_FORMATS = ("html", "perfetto", "csv", "parquet", "arrow", "packed")


def add(verbs: Verbs) -> None:
    """Add the verb and its kinds to the parser of all verbs."""
    plain = argparse.RawDescriptionHelpFormatter
    verb = verbs.add_parser(
        "export",
        help=HELP,
        description=HELP[0].upper() + HELP[1:] + ".",
        epilog=EXAMPLES,
        formatter_class=plain,
    )
    kinds = verb.add_subparsers(dest="what", metavar="WHAT", required=True)
    for kind in KINDS.values():
        kind(kinds)


def _kind(kinds: Verbs, name: str, help_: str, make: Make) -> argparse.ArgumentParser:
    """Return a kind's parser, with the arguments that all kinds share."""
    made = kinds.add_parser(name, help=help_, description=help_[0].upper() + help_[1:] + ".")
    made.add_argument("--lake", type=Path, metavar="DIR", help="the lake's folder")
    made.add_argument("--snap", metavar="SNAP", help="hash or name of a snapshot (the newest)")
    made.add_argument("--out", type=Path, metavar="PATH", help="the file to write (its own name)")
    made.set_defaults(make=make)
    return made


def _timeline_kind(kinds: Verbs) -> None:
    help_ = "a point's requests: an offline page, a Perfetto trace, a table, the packed file"
    kind = _kind(kinds, "timeline", help_, _timeline)
    kind.add_argument("point", metavar="POINT", help="a point's id")
    kind.add_argument("--format", choices=TIMELINE_FORMATS, default="html")
    kind.add_argument("--phase", choices=("profiling", "warmup", "all"), default="all")
    kind.add_argument("--from", dest="from_s", type=float, metavar="S", help="s after zero")
    kind.add_argument("--to", dest="to_s", type=float, metavar="S", help="s after zero")
    kind.add_argument("--lang", choices=("en", "zh"), default="en", help="of the page")


def _timeline(lake: LocalLake, arguments: argparse.Namespace) -> tuple[bytes, str]:
    from explorer.exports.timeline_files import Asked, file_of
    from explorer.queries import points
    from explorer.queries.window import Window

    low, high = arguments.from_s, arguments.to_s
    if low is not None and high is not None and low >= high:
        raise UsageError(f"--from {low:g} is not before --to {high:g}.", hint="Swap them.")
    point = points.one(lake, arguments.point, arguments.snap)
    window = Window(arguments.phase, low, high)
    return file_of(Asked(lake, point, window, arguments.snap, arguments.lang), arguments.format)


KINDS: Mapping[str, Callable[[Verbs], None]] = {"timeline": _timeline_kind}


def run(lake: Path, arguments: argparse.Namespace) -> tuple[Path, int]:
    """Write the export that the arguments name; return its path and bytes.

    UsageError when the path cannot be written.
    """
    from explorer.store.lake import open_lake

    make: Make = arguments.make
    data, name = make(open_lake(lake), arguments)
    path: Path = arguments.out or Path(name)
    try:
        _write(path, data)
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror or error}.", hint="Name a file with --out."
        ) from error
    return path, len(data)


def _write(path: Path, data: bytes) -> None:
    """Write a file beside its place first, so that a full disk leaves what was there."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
