"""`explorer export WHAT …`: each kind of export, with its arguments and what writes it.

A kind is a function that adds its parser and an entry in KINDS; nothing heavy is imported before
its export runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from explorer.errors import ExplorerError, UsageError

if TYPE_CHECKING:
    from explorer.store.lake import LocalLake

Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Make = Callable[["LocalLake", argparse.Namespace], tuple[bytes, str]]
"""Lake and arguments → bytes and the name of their file."""

HELP = "write rows, pictures and whole sites as files"
EXAMPLES = """\
examples:
  explorer export points model=kimik2.5 ttft_max=5 --format csv --out points.csv
  explorer export curve model=dsr1 scenario=fixed --format svg --out curves.svg
  explorer export requests pfbzjgrc77km status=failed --format parquet
  explorer export series pfbzjgrc77km names=kv_usage_ratio --format ipynb
  explorer export timeline pfbzjgrc77km --format html --out timeline.html   # works offline
  explorer export timeline pfbzjgrc77km --format perfetto --phase all       # ui.perfetto.dev
  explorer export report pfbzjgrc77km --out c6.html                         # one file, offline
  explorer export site --view / --view /points/pfbzjgrc77km --out public    # any file server

KEY=VALUE are the API's parameters (docs/api.md). A CSV says in lines that start with # where its
rows come from (pandas: comment="#"); --no-header leaves them out.
"""
TIMELINE_FORMATS = (
    "html", "perfetto", "csv", "parquet", "arrow", "packed", "svg", "png", "curl", "sql",
    "ipynb",
)  # fmt: skip
TABLES = ("csv", "parquet", "arrow", "json", "curl", "sql", "ipynb")
PICTURES = ("svg", "png")


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


def _rows_kind(
    name: str, route: str, help_: str, places: Sequence[tuple[str, str]], pictures: bool = False
) -> Callable[[Verbs], None]:
    """Return a kind that writes a route's rows; `places` are (name in the path, argument)."""

    def add_kind(kinds: Verbs) -> None:
        def make(lake: LocalLake, arguments: argparse.Namespace) -> tuple[bytes, str]:
            values = {place: getattr(arguments, place) for place, _ in places}
            if arguments.format in PICTURES:
                return _picture(lake, name, values, arguments)
            return _rows(lake, route, values, arguments)

        kind = _kind(kinds, name, help_, make)
        for place, shown in places:
            kind.add_argument(place, metavar=shown)
        kind.add_argument("query", nargs="*", metavar="KEY=VALUE", help="the API's parameters")
        formats = (*TABLES, *PICTURES) if pictures else TABLES
        kind.add_argument("--format", choices=formats, default="csv")
        kind.add_argument("--no-header", action="store_true", help="a CSV without # lines")
        kind.add_argument("--base", default="", metavar="URL", help="the server that texts name")

    return add_kind


def _query(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the parameters of a call; UsageError for a word that is none."""
    query: dict[str, str] = {}
    for word in arguments.query:
        name, mark, text = word.partition("=")
        if not mark or not name:
            raise UsageError(f"{word!r} is no KEY=VALUE.", hint="For example model=kimik2.5.")
        query[name] = text
    return query | ({"snap": arguments.snap} if arguments.snap else {})


def _rows(
    lake: LocalLake, name: str, values: Mapping[str, str], arguments: argparse.Namespace
) -> tuple[bytes, str]:
    """Return every row of a route's question in a format, as the API answers it."""
    from explorer.api import ask
    from explorer.api.envelope import Moved
    from explorer.api.routes import ROUTES
    from explorer.exports.reproduce import FORMATS

    route = next(one for one in ROUTES if one.name == name)
    query = _query(arguments) | {"format": arguments.format}
    if arguments.format == "csv" and not arguments.no_header:
        query["header"] = "1"
    base = arguments.base.rstrip("/") or "http://127.0.0.1:8050"
    try:
        found = ask.whole(lake, route, values, query, base)
    except Moved as moved:
        found = ask.whole(lake, route, moved.values, query, base)
    again = FORMATS.get(arguments.format)
    ending = again.ending if again else arguments.format
    return found.body, found.name or f"{route.name}.{ending}"


def _picture(
    lake: LocalLake, name: str, values: Mapping[str, str], arguments: argparse.Namespace
) -> tuple[bytes, str]:
    """Return a view's picture as a file of its own."""
    from explorer.publish.picture import picture

    svg_or_png = picture(lake, name, values, _query(arguments), arguments.format)
    return svg_or_png, f"{name}.{arguments.format}"


def _timeline_kind(kinds: Verbs) -> None:
    help_ = "a point's requests: an offline page, a Perfetto trace, a table, the packed file"
    kind = _kind(kinds, "timeline", help_, _timeline)
    kind.add_argument("point", metavar="POINT", help="a point's id")
    kind.add_argument("--format", choices=TIMELINE_FORMATS, default="html")
    kind.add_argument("--phase", choices=("profiling", "warmup", "all"), default="all")
    kind.add_argument("--from", dest="from_s", type=float, metavar="S", help="s after zero")
    kind.add_argument("--to", dest="to_s", type=float, metavar="S", help="s after zero")
    kind.add_argument("--lang", choices=("en", "zh"), default="en", help="of the page")
    kind.add_argument("--no-header", action="store_true", help="a CSV without # lines")


def _timeline(lake: LocalLake, arguments: argparse.Namespace) -> tuple[bytes, str]:
    from explorer.exports.timeline_files import Asked, file_of
    from explorer.queries import points
    from explorer.queries.window import Window

    low, high = arguments.from_s, arguments.to_s
    if low is not None and high is not None and low >= high:
        raise UsageError(f"--from {low:g} is not before --to {high:g}.", hint="Swap them.")
    if arguments.format in PICTURES:
        return _timeline_picture(lake, arguments)
    point = points.one(lake, arguments.point, arguments.snap)
    window = Window(arguments.phase, low, high)
    asked = Asked(
        lake, point, window, arguments.snap, arguments.lang,
        header=not arguments.no_header, base="http://127.0.0.1:8050",
    )  # fmt: skip
    return file_of(asked, arguments.format)


def _timeline_picture(lake: LocalLake, arguments: argparse.Namespace) -> tuple[bytes, str]:
    from explorer.publish.picture import picture

    asked = {"phase": arguments.phase, "from": arguments.from_s, "to": arguments.to_s}
    asked |= {"lang": arguments.lang, "snap": arguments.snap}
    query = {name: str(value) for name, value in asked.items() if value is not None}
    data = picture(lake, "timeline", {"point_id": arguments.point}, query, arguments.format)
    return data, f"timeline-{arguments.point}.{arguments.format}"


def _site_kind(kinds: Verbs) -> None:
    help_ = "a chosen set of views as a folder that any file server serves, without network"
    kind = kinds.add_parser("site", help=help_, description=help_[0].upper() + help_[1:] + ".")
    kind.add_argument("--lake", type=Path, metavar="DIR", help="the lake's folder")
    kind.add_argument("--snap", metavar="SNAP", help="hash or name of a snapshot (the newest)")
    kind.add_argument("--view", action="append", default=[], metavar="ADDRESS", help="a page")
    kind.add_argument("--views", type=Path, metavar="FILE", help="addresses, one a line")
    kind.add_argument("--out", type=Path, metavar="DIR", required=True, help="the site's folder")
    kind.set_defaults(site=True)


def _report_kind(kinds: Verbs) -> None:
    help_ = "a page (a point, a comparison, …) as one HTML file that works offline"
    kind = _kind(kinds, "report", help_, _report)
    kind.add_argument("address", metavar="ADDRESS", help="a point's id, or a page's address")


def _report(lake: LocalLake, arguments: argparse.Namespace) -> tuple[bytes, str]:
    from dataclasses import replace

    from explorer.publish.report import report
    from explorer.settings import from_environment

    asked: str = arguments.address
    address = asked if "/" in asked else f"/points/{asked}"
    settings = replace(from_environment(), lake=lake.folder)
    words = "".join(letter if letter.isalnum() else "-" for letter in address).strip("-")
    return report(settings, address, arguments.snap), f"report-{words[:60] or 'curves'}.html"


def _site(lake: Path, arguments: argparse.Namespace) -> list[str]:
    """Write a site; return what is to be said of it."""
    from dataclasses import replace

    from explorer.publish.site import site
    from explorer.settings import from_environment

    lines = list(arguments.view)
    if arguments.views:
        try:
            lines += arguments.views.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{arguments.views}: {error}.", hint="Name a text file.") from error
    settings = replace(from_environment(), lake=lake)
    report = site(settings, lines, arguments.out, arguments.snap)
    sizes = ", ".join(f"{name} {size:,}" for name, size in report.items() if name not in _SUMS)
    return [
        f"{arguments.out}: {report['files']} files, {report['bytes']:,} bytes ({sizes})",
        *_pinned_elsewhere(lake, lines, arguments.snap),
    ]


def _pinned_elsewhere(folder: Path, lines: list[str], snap: str | None) -> list[str]:
    """Return a line that warns of views pinned to other snapshots than the site shows."""
    from explorer.publish.views import pins
    from explorer.store.lake import open_lake

    lake = open_lake(folder)
    shown = lake.snapshot(snap).snap
    others = []
    for pin in pins(lines):
        try:
            same = lake.snapshot(pin).snap == shown
        except ExplorerError:  # expired, or never there
            same = False
        others += [] if same else [pin]
    if not others:
        return []
    return [f"Views pinned to {', '.join(others)} show {shown} here; --snap names another."]


_SUMS = ("files", "bytes")
KINDS: Mapping[str, Callable[[Verbs], None]] = {
    "points": _rows_kind("points", "points", "points with all their metrics, filtered", ()),
    "curve": _rows_kind("curve", "curves", "a view's merged curves, as rows or picture", (), True),
    "requests": _rows_kind(
        "requests", "requests", "a point's requests, filtered", (("point_id", "POINT"),)
    ),
    "series": _rows_kind("series", "series", "a point's series", (("point_id", "POINT"),)),
    "timeline": _timeline_kind,
    "conversation": _rows_kind(
        "conversation",
        "conversation",
        "a replayed conversation's turns, as rows or flame graph",
        (("slug", "DATASET"), ("conversation_id", "CONVERSATION")),
        True,
    ),
    "site": _site_kind,
    "report": _report_kind,
}


def run(lake: Path, arguments: argparse.Namespace) -> list[str]:
    """Write the export that the arguments name; return the lines that say what was written.

    UsageError when the path cannot be written.
    """
    from explorer.store.lake import open_lake

    if getattr(arguments, "site", False):
        return _site(lake, arguments)
    make: Make = arguments.make
    data, name = make(open_lake(lake), arguments)
    path: Path = arguments.out or Path(name)
    try:
        _write(path, data)
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror or error}.", hint="Name a file with --out."
        ) from error
    return [f"{path}: {len(data):,} bytes"]


def _write(path: Path, data: bytes) -> None:
    """Write a file beside its place first, so that a full disk leaves what was there."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
