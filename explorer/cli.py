"""The command line: verbs, parsed and delegated; each loads only what it runs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from explorer import __version__, cli_export
from explorer.errors import ExplorerError, NotFoundError, UsageError
from explorer.settings import default_lake, from_environment

Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_WIDTH = 30
_NAME = 46
_INGEST = """\
examples:
  explorer ingest ~/runs/my_aiperf_run
  explorer ingest downloads/ results.zip benchmarks.json --lake lake
  explorer ingest ~/runs/my_run --meta run.toml      # hw, engine, gpus… the files do not say
  explorer ingest downloads/ --json | jq .skipped

exit codes: 0 all understood, 3 done and something skipped, 2 nothing usable or a wrong call,
1 a defect of ours.
"""
_SERVE = """\
examples:
  explorer serve
  explorer serve --lake lake --host 0.0.0.0 --port 8080

For production run gunicorn on the factory, as the Procfile does.
"""
_DEMO = """\
examples:
  explorer demo                       # small: a minute, a lake to click through
  explorer demo --size full --lake /tmp/lake

Simulated results, labelled so everywhere.
"""
_SNAPSHOTS = """\
examples:
  explorer snapshots                              # list, newest first
  explorer snapshots name 1a826506f9a24c49 article-1
  explorer snapshots keep article-1
  explorer snapshots expire 1a826506f9a24c49      # its links answer 410 from then on
"""
_CHECK = """\
examples:
  explorer check                                  # hashes, references, schema; lists orphans
  explorer check --repair                         # deletes orphans older than a day

Exit code 0: sound. 2: something is damaged, missing or unreadable; ingest those files again.
"""
_REMOVE = """\
examples:
  explorer remove 2lk7yklmnj5z
  explorer remove 27213443242/1                   # every point of a run

A new snapshot without them; older snapshots keep them until they expire.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a verb and return its exit code."""
    arguments = parser().parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except ExplorerError as error:
        print(f"explorer {arguments.verb}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("Interrupted; the lake is as it was.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of all verbs."""
    top = argparse.ArgumentParser(
        prog="explorer",
        description="Read, check, compare and publish LLM-inference benchmark results.",
        epilog="explorer VERB --help shows examples. Default lake: EXPLORER_LAKE, else data/lake "
        "of the checkout, else ./lake.",
    )
    top.add_argument("--version", action="version", version=f"explorer {__version__}")
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True)
    _add_ingest(verbs)
    _add_serve(verbs)
    _add_demo(verbs)
    _add_snapshots(verbs)
    _add_remove(verbs)
    _add_check(verbs)
    cli_export.add(verbs)
    verbs.choices["export"].set_defaults(run=_export)
    return top


def _verb(verbs: Verbs, name: str, help_: str, epilog: str) -> argparse.ArgumentParser:
    made = verbs.add_parser(
        name,
        help=help_,
        description=help_[0].upper() + help_[1:] + ".",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--lake", type=Path, metavar="DIR", help="the lake's folder")
    return made


def _add_ingest(verbs: Verbs) -> None:
    help_ = "read every run, row file and trace below PATH into the lake"
    verb = _verb(verbs, "ingest", help_, _INGEST)
    verb.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    verb.add_argument("--meta", type=Path, metavar="FILE", help="TOML with what files do not say")
    verb.add_argument("--json", action="store_true", help="print the report as one JSON object")
    verb.add_argument("--jobs", type=_positive, default=2, metavar="N", help="parsing processes")
    verb.set_defaults(run=_ingest)


def _add_serve(verbs: Verbs) -> None:
    verb = _verb(verbs, "serve", "serve the pages and the API on this machine", _SERVE)
    verb.add_argument("--host", metavar="H", help="address to listen on (127.0.0.1)")
    verb.add_argument("--port", type=_positive, metavar="P", help="port to listen on (8050)")
    verb.set_defaults(run=_serve)


def _add_demo(verbs: Verbs) -> None:
    verb = _verb(verbs, "demo", "build the simulated corpus and ingest it", _DEMO)
    verb.add_argument("--size", choices=("small", "full", "huge"), default="small")
    verb.set_defaults(run=_demo)


def _add_snapshots(verbs: Verbs) -> None:
    help_ = "list, name, keep and expire versions of the lake"
    verb = _verb(verbs, "snapshots", help_, _SNAPSHOTS)
    verb.add_argument(
        "action", nargs="?", choices=("list", "name", "keep", "expire"), default="list"
    )
    verb.add_argument("arguments", nargs="*", metavar="SNAP [NAME]")
    verb.add_argument("--json", action="store_true", help="print the list as JSON")
    verb.set_defaults(run=_snapshots)


def _add_remove(verbs: Verbs) -> None:
    verb = _verb(verbs, "remove", "publish a snapshot without points or runs", _REMOVE)
    verb.add_argument("names", nargs="+", metavar="POINT|RUN")
    verb.set_defaults(run=_remove)


def _add_check(verbs: Verbs) -> None:
    verb = _verb(verbs, "check", "verify hashes, references and schema of the lake", _CHECK)
    verb.add_argument("--repair", action="store_true", help="delete orphans older than a day")
    verb.add_argument("--json", action="store_true", help="print what was found as JSON")
    verb.set_defaults(run=_check)


def _positive(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, found {text!r}")
    return value


def _lake(arguments: argparse.Namespace) -> Path:
    chosen: Path | None = arguments.lake
    return chosen.expanduser().resolve() if chosen else default_lake()


def _ingest(arguments: argparse.Namespace) -> int:
    from explorer.ingest.pipeline import ingest

    bar = Bar(sys.stderr) if sys.stderr.isatty() else None
    report = ingest(
        arguments.paths,
        _lake(arguments),
        meta_file=arguments.meta,
        jobs=arguments.jobs,
        progress=bar,
    )
    if bar:
        bar.clear()
    if arguments.json:
        print(json.dumps(report.as_json()))
    else:
        print("\n".join(report.lines()))
    return report.exit_code


def _serve(arguments: argparse.Namespace) -> int:
    from dataclasses import replace

    from explorer.app import calm_collector, create_app

    settings = from_environment()
    chosen = {name: getattr(arguments, name) for name in ("host", "port")}
    settings = replace(
        settings, lake=_lake(arguments), **{name: v for name, v in chosen.items() if v is not None}
    )
    print(f"Serving {settings.lake} on http://{settings.host}:{settings.port}/", file=sys.stderr)
    calm_collector()
    create_app(settings).run(host=settings.host, port=settings.port, debug=False)
    return 0


def _demo(arguments: argparse.Namespace) -> int:
    from explorer.demo.build import demo

    demo(_lake(arguments), arguments.size, _say)
    return 0


def _say(code: str, params: dict[str, Any]) -> None:
    """Print a step of the demo: what was built, what an ingest wrote."""
    if code == "ingested":
        print(next(params["report"].lines()), file=sys.stderr)
        return
    facts = ", ".join(f"{name} {value}" for name, value in params.items())
    print(f"{code}: {facts}", file=sys.stderr)


def _snapshots(arguments: argparse.Namespace) -> int:
    from explorer.store import snapshots

    lake, given = _lake(arguments), arguments.arguments
    expected = {"list": 0, "name": 2, "keep": 1, "expire": 1}[arguments.action]
    if len(given) != expected:
        raise UsageError(
            f"snapshots {arguments.action}: expected {expected} names, found {len(given)}.",
            hint="See explorer snapshots --help.",
        )
    if arguments.action == "name":
        snapshots.give_name(lake, *given)
    elif arguments.action == "keep":
        snapshots.keep(lake, *given)
    elif arguments.action == "expire":
        snapshots.expire(lake, *given)
    else:
        _list(snapshots.every(lake), arguments.json)
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from explorer.store.check import check

    health = check(_lake(arguments), arguments.repair)
    if arguments.json:
        print(json.dumps(asdict(health)))
    else:
        print(f"{health.objects} objects, {health.snapshots} snapshots.")
        for kind in ("damaged", "missing", "unreadable", "orphans", "swept"):
            for name in getattr(health, kind):
                print(f"  {kind}: {name}")
    return 0 if health.sound else 2


def _list(found: Sequence[Any], as_json: bool) -> None:
    """Print snapshots: hash, name, time, counts, what changed."""
    keys = (
        *("snap", "name", "time", "parent", "points", "requests", "conversations"),
        *("added", "changed", "removed", "kept"),
    )
    if as_json:
        print(json.dumps([{key: getattr(one, key) for key in keys} for one in found]))
        return
    for one in found:
        print(
            f"{one.snap}  {one.time[:19]}  {one.points} points, {one.requests} requests, "
            f"{one.conversations} conversations (+{one.added} ~{one.changed} -{one.removed})"
            + (f"  {one.name}" if one.name else "")
            + ("  kept" if one.kept else "")
        )


def _export(arguments: argparse.Namespace) -> int:
    print("\n".join(cli_export.run(_lake(arguments), arguments)))
    return 0


def _remove(arguments: argparse.Namespace) -> int:
    from explorer.store.lake import open_lake
    from explorer.store.writer import publish

    lake = _lake(arguments)
    sql = "SELECT point_id, run_id, aliases FROM {points}"
    points = open_lake(lake).rows(sql)
    gone: set[str] = set()
    for name in arguments.names:
        named = {
            row["point_id"]
            for row in points
            if name in (row["point_id"], row["run_id"], *(row["aliases"] or ()))
        }
        if not named:
            raise NotFoundError(
                f"{name}: no point or run of that name in the newest snapshot.",
                hint="Point pages and /api/v1/points show ids.",
            )
        gone |= named
    result = publish(lake, remove=sorted(gone), note="remove " + " ".join(arguments.names))
    snap = result.snapshot.snap if result.snapshot else ""
    print(f"{len(gone)} points removed. Snapshot {snap}.")
    return 0


class Bar:
    """A progress bar of one line on a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __call__(self, done: int, total: int, name: str) -> None:
        filled = _WIDTH * done // max(total, 1)
        bar = "█" * filled + "░" * (_WIDTH - filled)
        self._stream.write(f"\r\x1b[K{bar} {done}/{total} {name[-_NAME:]}")
        self._stream.flush()

    def clear(self) -> None:
        """Take the bar away."""
        self._stream.write("\r\x1b[K")
        self._stream.flush()


if __name__ == "__main__":
    sys.exit(main())
